//! Who proposes: an agent says what it wants next, as a function of what it sees and of what it did.
//!
//! A copy of an agent is asked as well as the agent itself, on any view: a dry run.

mod payload;
mod scripted;
mod view;

use std::fmt;
use std::str::FromStr;

use crate::sidecar::{SidecarError, Started, Truth, Wanted, Whose};
use scripted::Scripted;
pub(crate) use view::View;

/// How often a refused proposal is made again.
pub(crate) const INSISTS: usize = 2;

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

/// What became of an agent's last proposal. What a call returned is in the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nothing was proposed yet.
    Nothing,
    /// The call ran.
    Ran,
    /// The call did not run, or the words were not passed on; this is why.
    Refused(String),
}

/// What an agent wants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    /// A call, and whose task it serves, where the agent can tell.
    Call(Wanted, Option<Whose>),
    /// To end with these words, and whose task they serve.
    Finish(String, Option<Whose>),
}

/// What an agent can know of the benchmark's tasks. To ask changes nothing.
pub(crate) trait Oracle {
    /// What solves a task in the present environment.
    fn truth(&mut self, of: Whose) -> Result<Truth, SidecarError>;
    /// Which of these calls, done in this order from here, would undo what the attacker has got.
    fn undoing(&mut self, calls: &[Wanted]) -> Result<Vec<usize>, SidecarError>;
}

/// An agent in a run.
#[derive(Clone, Debug)]
pub(crate) enum Agent {
    Scripted(Scripted),
}

impl Agent {
    pub(crate) fn new(kind: AgentKind, started: &Started, denies: bool) -> Self {
        match kind {
            AgentKind::Scripted => Self::Scripted(Scripted::new(started, denies)),
        }
    }

    /// What the agent wants next, on this view. A scripted agent asks what solves the attacker's task.
    pub(crate) fn next(
        &mut self,
        seen: &Seen,
        view: View<'_>,
        oracle: &mut dyn Oracle,
    ) -> Result<Act, SidecarError> {
        match self {
            Self::Scripted(agent) => agent.next(seen, view, oracle),
        }
    }

    /// Whether the agent has seen the payload.
    pub(crate) fn is_exposed(&self) -> bool {
        match self {
            Self::Scripted(agent) => agent.is_exposed(),
        }
    }
}
