//! Items of the OpenAI Responses API (API reference, "Responses": `input` and `output`).
//!
//! Messages among the items have a `role` and are read as [`crate::Message`]; everything else is an [`Item`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::Content;
use crate::field::Field;

/// An item that is not a message: `function_call`, `function_call_output`, `custom_tool_call`, `reasoning`,
/// `mcp_call`, `web_search_call`, `computer_call_output`, …
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What it is.
    #[serde(rename = "type", default, skip_serializing_if = "Field::is_absent")]
    pub kind: Field<String>,
    /// Id of the item.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub id: Field<Value>,
    /// Id of the call, shared by a call and its output.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub call_id: Field<Value>,
    /// Name of the called tool.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub name: Field<String>,
    /// Arguments of a function or MCP call: JSON in a string.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub arguments: Field<Value>,
    /// Free text for a custom tool.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub input: Field<Value>,
    /// What the call returned.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub output: Field<Content>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub error: Field<Value>,
    /// `in_progress`, `completed`, `incomplete`, …
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub status: Field<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
