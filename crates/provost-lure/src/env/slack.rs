//! The slack environment.

use provost::ToolDef;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Knowledge;
use crate::args::Args;

/// The state.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Slack {
    pub(crate) knowledge: Knowledge,
}

impl Slack {
    pub(crate) fn tools() -> Vec<ToolDef> {
        Vec::new()
    }

    pub(crate) fn call(&mut self, tool: &str, _args: &Args<'_>) -> Result<Value, String> {
        Err(format!("there is no tool `{tool}`"))
    }
}
