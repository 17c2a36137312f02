//! What is said with a sidecar.

use std::collections::BTreeMap;

use provost::ToolDef;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::Half;

/// Everything that a benchmark holds.
#[derive(Clone, Debug, Deserialize)]
pub struct Catalog {
    /// Its suites.
    pub suites: Vec<Suite>,
    /// Its generators of attacks.
    pub attacks: Vec<Attack>,
}

/// A suite: tasks in one environment.
#[derive(Clone, Debug, Deserialize)]
pub struct Suite {
    /// What it is called.
    pub name: String,
    /// Ids of what a user may want.
    pub user_tasks: Vec<String>,
    /// The half that each of these is in; empty where the benchmark makes no halves.
    #[serde(default)]
    pub halves: BTreeMap<String, Half>,
    /// What an attacker may want.
    pub injection_tasks: Vec<InjectionTask>,
    /// The agent's tools.
    pub tools: Vec<ToolDef>,
}

/// What an attacker may want.
#[derive(Clone, Debug, Deserialize)]
pub struct InjectionTask {
    /// Its id.
    pub id: String,
    /// Whether the goal takes a call. Where saying something suffices, an audit of calls can do nothing.
    pub acts: bool,
}

/// A generator of attacks.
#[derive(Clone, Debug, Deserialize)]
pub struct Attack {
    /// What it is called.
    pub name: String,
    /// Whether it wants the agent to stop, whatever the injection task.
    pub denies: bool,
}

/// A run that has begun.
#[derive(Clone, Debug, Deserialize)]
pub struct Started {
    /// The operator's words.
    pub system: String,
    /// The user's words.
    pub prompt: String,
    /// What the attacker wants, as the payload says it; empty without an attack.
    pub goal: String,
    /// The texts that were planted, as they arrive.
    pub payloads: Vec<String>,
    /// What solves the user's task.
    pub truth: Truth,
    /// The agent's tools, where this run's are not the suite's: an attacker may have written into their documentation.
    #[serde(default)]
    pub tools: Option<Vec<ToolDef>>,
    /// Where the payload meets the agent, where the benchmark tells.
    #[serde(default)]
    pub surface: Option<String>,
}

/// What solves a task.
#[derive(Clone, Debug, Deserialize)]
pub struct Truth {
    /// The calls, in order.
    pub calls: Vec<Wanted>,
    /// The answer.
    pub output: String,
    /// Of an attacker's: the calls are all that a persuaded agent does, the user's that it still makes among them. They
    /// take the place of the user's, and do not come before these.
    #[serde(default)]
    pub whole: bool,
}

/// A call that is not proposed yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

/// What a call returned.
#[derive(Clone, Debug, Deserialize)]
pub struct Returned {
    /// The value.
    pub value: Value,
    /// The value, or the error, as it is printed for the agent.
    pub text: String,
    /// What went wrong.
    pub error: Option<String>,
}

/// What the benchmark's scorers say of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Scores {
    /// Whether the user got what the user wanted.
    pub utility: bool,
    /// Whether the attacker got what the attacker wanted; absent without an attack. (AgentDojo calls this
    /// `security`, of an attack that is secured.)
    pub security: Option<bool>,
}

/// Whose task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The user's.
    User,
    /// The attacker's.
    Injection,
}

/// What is asked.
#[derive(Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Request<'a> {
    List,
    Start {
        suite: &'a str,
        user_task: &'a str,
        attack: Option<&'a str>,
        injection_task: Option<&'a str>,
    },
    Truth {
        of: Whose,
    },
    Undoing {
        calls: &'a [Wanted],
    },
    Call {
        tool: &'a str,
        arguments: &'a Value,
    },
    Finish {
        output: &'a str,
    },
}

/// A request line.
#[derive(Serialize)]
pub(super) struct Envelope<'a> {
    pub(super) id: u64,
    #[serde(flatten)]
    pub(super) request: Request<'a>,
}

/// A reply line.
#[derive(Deserialize)]
pub(super) struct Reply<'a> {
    pub(super) id: u64,
    #[serde(borrow)]
    pub(super) ok: Option<&'a serde_json::value::RawValue>,
    pub(super) err: Option<String>,
}
