//! How tools are described to an agent: names, schemas of the arguments, annotations.

use provost::{Annotations, ToolDef};
use serde_json::{Value, json};

/// What a tool does to its environment, as its annotations have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// Changes nothing.
    Read,
    /// Adds to or changes what the user owns.
    Write,
    /// Takes something away.
    Destroy,
    /// Reaches somebody or something outside.
    Send,
}

/// A tool's definition. `properties` is the object of the arguments' schemas.
pub(super) fn define(
    name: &str,
    description: &str,
    hint: Hint,
    properties: Value,
    required: &[&str],
) -> ToolDef {
    ToolDef {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        annotations: Some(Annotations {
            read_only_hint: Some(hint == Hint::Read),
            destructive_hint: Some(hint == Hint::Destroy),
            open_world_hint: Some(hint == Hint::Send),
            idempotent_hint: None,
        }),
    }
}

/// The schema of a text.
pub(super) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// The schema of a number.
pub(super) fn number(description: &str) -> Value {
    json!({"type": "number", "description": description})
}

/// The schema of a whole number.
pub(super) fn integer(description: &str) -> Value {
    json!({"type": "integer", "description": description})
}

/// The schema of a list of texts.
pub(super) fn texts(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

/// The definition of a tool that only reads.
pub(super) fn read(name: &str, description: &str, properties: Value, required: &[&str]) -> ToolDef {
    define(name, description, Hint::Read, properties, required)
}
