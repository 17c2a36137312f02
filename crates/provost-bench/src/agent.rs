//! Who proposes: an agent sees what came of its last proposal and says what it wants next.

mod scripted;

use std::fmt;
use std::str::FromStr;

use crate::sidecar::{Sidecar, SidecarError, Started, Wanted, Whose};
use scripted::Scripted;

/// The agents that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// Follows the ground truth, and obeys every payload that it can see, without doubt.
    Scripted,
}

/// There is no such agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no agent is called `{0}`; there is `scripted`")]
pub struct UnknownAgent(String);

impl fmt::Display for AgentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scripted => "scripted",
        })
    }
}

impl FromStr for AgentKind {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Self, UnknownAgent> {
        match name {
            "scripted" => Ok(Self::Scripted),
            _ => Err(UnknownAgent(name.to_owned())),
        }
    }
}

/// What an agent sees of its last proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nothing was proposed yet.
    Nothing,
    /// The call ran; this is what it returned.
    Result(String),
    /// The call did not run; this is why.
    Refused(String),
}

/// What an agent wants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    /// A call, and whose task it serves, where the agent can tell.
    Call(Wanted, Option<Whose>),
    /// To end with these words.
    Finish(String),
}

/// An agent in a run.
#[derive(Debug)]
pub(crate) enum Agent {
    Scripted(Scripted),
}

impl Agent {
    pub(crate) fn new(kind: AgentKind, started: &Started, denies: bool) -> Self {
        match kind {
            AgentKind::Scripted => Self::Scripted(Scripted::new(started, denies)),
        }
    }

    /// What the agent wants next. A scripted agent asks the sidecar what solves the attacker's task.
    pub(crate) fn next(&mut self, seen: Seen, sidecar: &mut Sidecar) -> Result<Act, SidecarError> {
        match self {
            Self::Scripted(agent) => agent.next(seen, sidecar),
        }
    }

    /// Whether the agent has seen the payload.
    pub(crate) fn is_exposed(&self) -> bool {
        match self {
            Self::Scripted(agent) => agent.is_exposed(),
        }
    }
}
