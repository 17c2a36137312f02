//! The policy file as it is written: the raw layer. Its JSON Schema is the contract that `check` enforces.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::policy::{Effect, Sensitivity, Trust, Uncertain};
use crate::session::Surface;

/// A Provost policy file (`provost.toml`): what each tool does, how sensitive each argument is, how far its
/// output is trusted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Provost policy")]
pub(crate) struct RawPolicy {
    /// What holds where no rule speaks.
    #[serde(default)]
    pub(crate) defaults: RawDefaults,
    /// One rule per tool. A key is the exact name of a tool, or a glob in which `*` stands for any run of
    /// characters. One rule speaks for a tool: its exact name before any glob, then the glob with the longest text
    /// before its first `*`.
    #[serde(default)]
    pub(crate) tools: BTreeMap<String, RawTool>,
}

/// What holds where no rule speaks.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Defaults")]
pub(crate) struct RawDefaults {
    /// What to do with a call that the rules can neither justify nor show to be a violation. Without this: `block`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Uncertain")]
    pub(crate) uncertain: Option<Uncertain>,
    /// What a tool does when neither its rule nor a trusted annotation says so. Without this: `write`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Effect")]
    pub(crate) effect: Option<Effect>,
    /// How far the output of a tool may be believed when its rule does not say. Without this: `untrusted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Trust")]
    pub(crate) output: Option<Trust>,
    /// Believe the MCP annotations of every tool whose rule names no effect. Without this: `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub(crate) trust_annotations: Option<bool>,
    /// What arguments of these names decide, in every tool whose rule does not say. Keys are names or globs.
    #[serde(default)]
    pub(crate) arguments: BTreeMap<String, Sensitivity>,
}

/// What is known of one tool, or of all tools that a glob matches.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tool")]
pub(crate) struct RawTool {
    /// What a call does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Effect")]
    pub(crate) effect: Option<Effect>,
    /// How far the output may be believed. `trusted` is for registers that the operator's own systems write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Trust")]
    pub(crate) output: Option<Trust>,
    /// What the output is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RawSurface")]
    pub(crate) surface: Option<RawSurface>,
    /// Believe the MCP annotations of this tool, or of the server whose tools the glob names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub(crate) trust_annotations: Option<bool>,
    /// What each argument decides. Keys are names of top-level arguments, or globs.
    #[serde(default)]
    pub(crate) arguments: BTreeMap<String, Sensitivity>,
    /// How far single fields of the output may be believed. A key is the path of keys from the root of the output,
    /// joined by dots, without list positions; `*` stands for any run of characters within one key. A rule also
    /// covers everything inside its field; the deepest rule speaks.
    #[serde(default)]
    pub(crate) fields: BTreeMap<String, Trust>,
}

/// What the output of a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Surface")]
pub(crate) enum RawSurface {
    /// Data that a tool looked up or a report of what it did.
    ToolResult,
    /// Retrieved documents.
    Document,
    /// Entries of the agent's memory.
    Memory,
    /// Skill files: procedures for the agent.
    Skill,
    /// Messages from other agents.
    AgentMessage,
}

impl From<RawSurface> for Surface {
    fn from(raw: RawSurface) -> Self {
        match raw {
            RawSurface::ToolResult => Self::ToolResult,
            RawSurface::Document => Self::Document,
            RawSurface::Memory => Self::Memory,
            RawSurface::Skill => Self::Skill,
            RawSurface::AgentMessage => Self::AgentMessage,
        }
    }
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(RawPolicy).to_value());

/// The JSON Schema (draft 2020-12) of policy files.
pub fn schema() -> &'static Value {
    &SCHEMA
}
