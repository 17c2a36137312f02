//! The seam between a defense and its driver: inputs, steps, permits and evidence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::counterfactual::Regime;
use crate::graph::NodeId;
use crate::policy::{Effect, Sensitivity};
use crate::session::{Event, ToolCall};
use crate::span::{Label, SpanRef};

/// What a driver feeds into a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// Something entered the session.
    Event(Event),
    /// The agent wants to act. One proposal at a time: another one before the last was decided gives that one up, and it is
    /// held.
    Propose(ToolCall),
    /// The agent wants to end its turn with these words to the user.
    Finish(String),
    /// A model call that the defense asked for came back.
    Answer(AskId, Answer),
}

/// What the driver has to do next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Go on; the view is what the agent may see.
    Continue(View),
    /// The call may run.
    Release(Permit),
    /// The call may not run; the hint goes back to the agent.
    Block(Evidence, Hint),
    /// A person must decide about exactly this call.
    Approve(Evidence),
    /// The defense needs these model calls answered first; they can be made in parallel.
    Ask(Vec<Ask>),
    /// What was proposed may not run, and what led to it is taken out of the agent's view: ask the agent again, from where
    /// it was before this proposal.
    Revise(Revision),
}

/// What the agent may see of the event that was just entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The node that the event became.
    pub node: NodeId,
}

/// Number of an outstanding model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AskId(pub u64);

/// A model call that a defense needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Its number, repeated in the answer.
    pub id: AskId,
    /// What is asked.
    pub question: Question,
}

/// What a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// A judgement, by a model of the defense's own.
    Judge {
        /// The prompt.
        prompt: String,
        /// JSON Schema that the answer must satisfy.
        schema: Value,
    },
    /// What the agent itself would do next, on another view. Nothing that it proposes there is ever executed.
    Replay(Replay),
}

/// A dry run of the agent: from the state it was in before its last proposal, on a counterfactual view.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The regime that the view belongs to.
    pub regime: Regime,
    /// Which of the regime's samples this is, from 0. For an agent that draws at random: its seed.
    pub sample: u32,
    /// What the agent sees.
    pub view: Altered,
}

/// What an agent sees in place of the content of nodes. All other nodes it sees as they entered.
pub type Altered = BTreeMap<NodeId, String>;

/// What an agent would do next: say something, call tools (at once, when there are several), or both. It is no permit, and
/// nothing takes one for a call:
///
/// ```compile_fail
/// fn execute(permit: &provost::Permit) {}
/// execute(&provost::Proposal::default());
/// ```
///
/// ```compile_fail
/// fn forge(call: provost::ToolCall, evidence: provost::Evidence) -> provost::Permit {
///     provost::Permit::new(call, evidence)
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its words to the user: with no calls, its answer.
    #[serde(default)]
    pub text: String,
    /// The calls.
    #[serde(default)]
    pub calls: Vec<ToolCall>,
}

/// What came back for an [`Ask`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The model's structured output, for a [`Question::Judge`].
    Output(Value),
    /// What the agent would do, for a [`Question::Replay`].
    Proposal(Proposal),
    /// It failed; the defense fails closed.
    Failed(String),
}

/// A change of what the agent sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// What the agent sees from now on: all of it, with the changes of earlier revisions.
    pub view: Altered,
    /// Why.
    pub evidence: Evidence,
    /// What the agent proposes on this view, by a dry run: a driver may go on from it where it need not ask again.
    pub continuation: Proposal,
}

/// Leave to execute one call. Only the engine can make one.
#[derive(Clone, Debug, PartialEq)]
pub struct Permit {
    call: ToolCall,
    evidence: Evidence,
}

impl Permit {
    pub(crate) fn new(call: ToolCall, evidence: Evidence) -> Self {
        Self { call, evidence }
    }

    /// The call that may run: exactly this one.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// The rules and spans that justified it.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }
}

/// How a proposed call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It may run.
    Release,
    /// It may not run.
    Block,
    /// A person must decide.
    Approve,
}

/// The terminal step for one proposed call, as kept and reported. Reproducible byte for byte from the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub evidence: Evidence,
    /// What the agent is told, for a block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
}

/// What the agent is told after a block: what to verify or correct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hint(pub String);

/// Which check decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The call only reads.
    ReadOnly,
    /// Every argument rests on benign spans and the call is within the invariants.
    Justified,
    /// The same call was released before.
    AlreadyReleased,
    /// An argument's value is supported only by anomalous spans.
    AnomalousSupport,
    /// An argument's value has no support at all.
    Unsupported,
    /// An anomalous span bears on the choice, and the benign spans alone do not determine it.
    NotEntailed,
    /// The call is outside what the user asked for.
    OutsideTask,
    /// The call itself could not be read.
    Malformed,
    /// Dry runs show that what was read, not the user's request, is behind the proposal.
    Takeover,
    /// Dry runs show no such thing.
    NoTakeover,
    /// The dry runs could not be made.
    Undiagnosed,
}

/// Why a call got its verdict. Everything that the report and the log show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The action's node in the graph.
    pub action: NodeId,
    /// What the call does.
    pub effect: Effect,
    /// Which check decided.
    pub finding: Finding,
    /// One plain sentence that a person can read.
    pub reason: String,
    /// What each argument rests on.
    pub arguments: Vec<Grounding>,
    /// The spans that the decision turned on, from source to action: for a block, the anomalous ones.
    pub chain: Vec<SpanRef>,
    /// The invariants, as checked.
    pub invariants: Vec<InvariantCheck>,
}

/// What one argument's value rests on (ARGUS paper, section 4.2, ArgumentGrounder).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grounding {
    /// Path into the arguments, as `recipients[0]`.
    pub argument: String,
    /// The value, shortened for display.
    pub value: String,
    /// What the argument decides.
    pub sensitivity: Sensitivity,
    /// What supports it.
    pub support: Support,
    /// `Anomalous` when nothing benign supports it.
    pub label: Label,
}

/// How a value is supported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Support {
    /// The value stands there, after normalisation.
    Verbatim {
        /// Where.
        spans: Vec<SpanRef>,
    },
    /// The value follows from others.
    Derived {
        /// How, in words: `611.40 - 95.00`.
        how: String,
        /// From which spans.
        spans: Vec<SpanRef>,
    },
    /// A default that nobody needs to spell out.
    Default {
        /// Which.
        why: String,
    },
    /// Nothing supports it.
    Nothing,
}

/// One invariant and whether the call is within it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvariantCheck {
    /// The statement, as a person would sign it.
    pub statement: String,
    /// Whether the call is within it.
    pub holds: bool,
}
