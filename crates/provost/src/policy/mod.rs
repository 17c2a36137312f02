//! Policy: what each tool does, how sensitive each argument is, how far its output is trusted.

use serde::{Deserialize, Serialize};

use crate::session::{Surface, ToolDef};

/// What a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks something up inside the trust boundary.
    Read,
    /// Looks something up, and its arguments leave the trust boundary. Audited like a write.
    Egress,
    /// Changes something.
    Write,
}

/// What an argument decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    /// Where the effect goes or whom it reaches.
    Target,
    /// How much.
    Amount,
    /// Free text that is written or sent.
    Content,
    /// Which record is acted on; a choice among options; a date or time.
    Selector,
    /// Formatting, paging, labels.
    Benign,
}

/// How far a tool's output may be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Written by the operator's own systems.
    Trusted,
    /// May hold text by strangers.
    Untrusted,
}

/// What to do when the rules can neither justify a call nor show a violation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Uncertain {
    /// Do not run it.
    #[default]
    Block,
    /// Let a person decide.
    Approve,
}

/// A resolved policy. The default knows no tool: everything is a write and every output untrusted.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    trust_annotations: bool,
    uncertain: Uncertain,
}

impl Policy {
    /// Believes the MCP annotations of tool definitions where no rule speaks of the tool.
    #[must_use]
    pub fn trusting_annotations(mut self) -> Self {
        self.trust_annotations = true;
        self
    }

    /// What a call of `tool` does. Order: a policy rule; the definition's annotations where the operator trusts
    /// them; `Write`.
    pub fn effect(&self, tool: &str, def: Option<&ToolDef>) -> Effect {
        let _ = tool;
        match def
            .and_then(|d| d.annotations)
            .filter(|_| self.trust_annotations)
        {
            Some(a) if a.read_only_hint == Some(true) => {
                if a.open_world_hint == Some(false) {
                    Effect::Read
                } else {
                    Effect::Egress
                }
            }
            _ => Effect::Write,
        }
    }

    /// What argument `argument` (top-level name) of `tool` decides. Order: a policy rule; else inferred from the
    /// name and schema; `Target` when nothing is known.
    pub fn sensitivity(&self, tool: &str, argument: &str, def: Option<&ToolDef>) -> Sensitivity {
        let _ = (tool, argument, def);
        Sensitivity::Target
    }

    /// How far the output of `tool` may be believed; `field` is the innermost key of the value's path.
    pub fn trust(&self, tool: &str, field: Option<&str>) -> Trust {
        let _ = (tool, field);
        Trust::Untrusted
    }

    /// Which surface the output of `tool` is.
    pub fn surface(&self, tool: &str) -> Surface {
        let _ = tool;
        Surface::ToolResult
    }

    /// What to do when uncertain.
    pub fn uncertain(&self) -> Uncertain {
        self.uncertain
    }
}
