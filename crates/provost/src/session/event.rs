//! What can enter a session: the closed set of events, and the tool calls and definitions they carry.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The six surfaces that an attacker can write to (ARGUS paper, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// A tool's description and schema.
    ToolDocs,
    /// What a tool returned.
    ToolResult,
    /// A retrieved document.
    Document,
    /// A memory entry.
    Memory,
    /// A skill file.
    Skill,
    /// A message from another agent.
    AgentMessage,
}

/// One thing that entered the session, in the order in which the agent saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The operator's system prompt.
    System {
        /// Its text.
        content: String,
    },
    /// The user's own words.
    User {
        /// Their text.
        content: String,
    },
    /// Tool definitions that the agent was given.
    ToolDocs {
        /// The definitions, in order.
        tools: Vec<ToolDef>,
    },
    /// What a call returned.
    ToolResult {
        /// Id of the call that it answers.
        call: String,
        /// The text that the agent saw.
        content: String,
        /// The value as the tool returned it, before it was printed (MCP: `structuredContent`); `null` when unknown.
        /// Then a piece of `content` counts as a field only where this value has a leaf or a key that says the same,
        /// so that text inside of a leaf cannot pass for one. Against a value that does not fit its text (a summary,
        /// an error), nothing does. A value that is no more than the text itself says nothing.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        value: Value,
        /// Whether the tool reported an error.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        error: bool,
    },
    /// Text from one of the other surfaces that was put into the context without a call.
    Context {
        /// Which surface it is.
        surface: Surface,
        /// What it is called: a path, a title, the sender.
        name: String,
        /// Its text.
        content: String,
    },
    /// The agent's own text to the user.
    Reply {
        /// Its text.
        content: String,
    },
}

impl Event {
    /// The operator's system prompt.
    pub fn system(content: impl Into<String>) -> Self {
        Self::System {
            content: content.into(),
        }
    }

    /// The user's words.
    pub fn user(content: impl Into<String>) -> Self {
        Self::User {
            content: content.into(),
        }
    }

    /// What the call with id `call` returned, as text.
    pub fn result(call: impl Into<String>, content: impl Into<String>) -> Self {
        Self::returned(call, content, Value::Null)
    }

    /// What the call with id `call` returned, in both forms.
    pub fn returned(call: impl Into<String>, content: impl Into<String>, value: Value) -> Self {
        Self::ToolResult {
            call: call.into(),
            content: content.into(),
            value,
            error: false,
        }
    }
}

/// A call that the agent proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call; results refer to it.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments: an object, or whatever the agent wrote in its place.
    pub arguments: Value,
}

impl ToolCall {
    /// A call of `name` with `arguments`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments,
        }
    }
}

/// A tool as it was described to the agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolDef {
    /// Name of the tool.
    pub name: String,
    /// Description, as the agent read it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of the arguments (`null` when unknown).
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub parameters: Value,
    /// MCP annotations, when the definition had any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
}

/// MCP tool annotations (MCP specification 2025-06-18, `ToolAnnotations`): hints of the server, believed only
/// where the operator trusts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// The tool does not change its environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The tool reaches outside a closed domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
    /// A change may destroy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling again changes nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
}
