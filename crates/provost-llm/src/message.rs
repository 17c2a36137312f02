//! Messages: OpenAI Chat Completions, Anthropic Messages, AgentDojo's run files and the runs recorded from them.
//!
//! Sources: OpenAI API reference, "Chat Completions" (`messages`); Anthropic API reference, "Messages" (`messages`);
//! AgentDojo 0.1.35, `agentdojo/types.py` and `logging.py`. One type, because recorders mix them.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::Content;
use crate::field::Field;

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// `system`, `developer`, `user`, `assistant`, `tool`, `function`, or something that a recorder made up.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub role: Field<String>,
    /// What it says.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub content: Field<Content>,
    /// Calls that the assistant proposes.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub tool_calls: Field<Vec<ToolCall>>,
    /// The one call of the older OpenAI format.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub function_call: Field<Function>,
    /// What the assistant said when it refused.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub refusal: Field<Value>,
    /// Id of the call that a tool's message answers.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub tool_call_id: Field<Value>,
    /// The call itself, repeated with its result (AgentDojo).
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub tool_call: Field<ToolCall>,
    /// Name of the participant or of the function.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub name: Field<Value>,
    /// What went wrong when the tool ran (AgentDojo).
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub error: Field<Value>,
    /// Whether the tool reported an error.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub is_error: Field<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A proposed call: OpenAI's `{id, type, function: {name, arguments}}` or `{id, type, custom: {name, input}}`, or
/// AgentDojo's `{id, function: "name", args}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id that the result refers to; some recorders leave it empty.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub id: Field<Value>,
    /// What is called.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub function: Field<FunctionRef>,
    /// A custom tool, called with free text.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub custom: Field<Function>,
    /// Name of the tool, where it stands beside its arguments.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub name: Field<String>,
    /// Arguments, where they stand beside the name.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub args: Field<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What a call calls: a name alone, or a name with arguments.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FunctionRef {
    /// The name alone.
    Name(String),
    /// Name and arguments.
    Function(Box<Function>),
}

/// Name and arguments of a called function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub name: Field<String>,
    /// Its arguments: JSON in a string (OpenAI), or an object.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub arguments: Field<Value>,
    /// Free text for a custom tool.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub input: Field<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl<'de> Deserialize<'de> for FunctionRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FunctionRefVisitor)
    }
}

struct FunctionRefVisitor;

impl<'de> Visitor<'de> for FunctionRefVisitor {
    type Value = FunctionRef;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a function, or an object with `name` and `arguments`")
    }

    fn visit_str<E>(self, name: &str) -> Result<FunctionRef, E> {
        Ok(FunctionRef::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FunctionRef, A::Error> {
        Box::deserialize(MapAccessDeserializer::new(map)).map(FunctionRef::Function)
    }
}
