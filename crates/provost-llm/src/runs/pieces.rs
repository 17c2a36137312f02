//! What the parts of a content are, whichever provider wrote them.

use serde_json::{Map, Value};

use super::convert::structured;
use crate::content::{Block, Content, Part};
use crate::field::Field;

/// One part of a content, understood.
pub(super) enum Piece {
    /// Words.
    Text(String),
    /// A document that was put into the message.
    Document { name: String, text: String },
    /// A call that stands among the words (Anthropic).
    Call {
        id: Field<Value>,
        name: String,
        arguments: Value,
    },
    /// What a call returned (Anthropic).
    Result {
        id: Field<Value>,
        content: Field<Content>,
        value: Value,
        error: bool,
    },
    /// The agent's own thoughts.
    Thought,
    /// An image, a sound, a binary file.
    NotText(String),
    /// Nothing that we know; its JSON.
    Unknown { kind: String, json: String },
}

/// The parts of `content`; `own` says whether the agent wrote it.
pub(super) fn pieces(content: Content, own: bool) -> Vec<Piece> {
    match content {
        Content::Text(text) => vec![Piece::Text(text)],
        Content::Other(value) => vec![Piece::Text(value_text(value))],
        Content::Parts(parts) => parts.into_iter().map(|part| piece(part, own)).collect(),
    }
}

/// The text of a tool's result or of a document, and the kinds of what is not text in it.
pub(super) fn flat_text(content: Content) -> (String, Vec<String>) {
    let mut not_text = Vec::new();
    let texts: Vec<String> = pieces(content, false)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Text(text) => Some(text),
            Piece::Document { name, text } => Some(format!("{name}\n{text}")),
            Piece::Unknown { json, .. } => Some(json),
            Piece::Call { arguments, .. } => Some(arguments.to_string()),
            Piece::Result { content, .. } => {
                let (text, more) = content.into_option().map(flat_text).unwrap_or_default();
                not_text.extend(more);
                Some(text)
            }
            Piece::NotText(kind) => {
                not_text.push(kind);
                None
            }
            Piece::Thought => None,
        })
        .collect();
    (texts.join("\n"), not_text)
}

/// A value as the text that an agent would see.
pub(super) fn value_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn piece(part: Part, own: bool) -> Piece {
    let mut block = match part {
        Part::Plain(text) => return Piece::Text(text),
        Part::Other(value) => return Piece::Text(value_text(value)),
        Part::Block(block) => *block,
    };
    let kind = block.kind.as_ref().cloned().unwrap_or_default();
    match kind.as_str() {
        "thinking" | "redacted_thinking" | "reasoning" | "reasoning_text" | "summary_text"
            if own =>
        {
            Piece::Thought
        }
        "document" | "search_result" | "file" | "input_file" => document(block, kind),
        "refusal" => Piece::Text(
            block
                .rest
                .get("refusal")
                .cloned()
                .map(value_text)
                .unwrap_or_default(),
        ),
        k if k.ends_with("tool_use") => Piece::Call {
            id: block.id,
            name: block.name.into_option().unwrap_or_default(),
            arguments: block.input.into_option().unwrap_or_default(),
        },
        k if k.ends_with("tool_result") => Piece::Result {
            id: block.tool_use_id,
            value: structured(&mut block.rest),
            error: block.is_error.as_ref().is_some_and(is_true),
            content: block.content,
        },
        _ => words(block, kind),
    }
}

/// A part that is there for its text, or one that we do not know.
fn words(block: Block, kind: String) -> Piece {
    if let Field::Value(text) = block.text {
        return Piece::Text(match text {
            // Assistants API: `"text": {"value": "…", "annotations": […]}`.
            Value::Object(mut map) if map.contains_key("value") => {
                map.remove("value").map(value_text).unwrap_or_default()
            }
            text => value_text(text),
        });
    }
    // AgentDojo: `{"type": "text", "content": "…"}`.
    if (kind.is_empty() || kind == "text")
        && let Field::Value(content) = block.content
    {
        return Piece::Text(flat_text(content).0);
    }
    if ["image", "audio", "video"].iter().any(|k| kind.contains(k)) {
        return Piece::NotText(kind);
    }
    let json = serde_json::to_string(&block).unwrap_or_default();
    Piece::Unknown { kind, json }
}

fn document(block: Block, kind: String) -> Piece {
    let mut rest = block.rest;
    let mut file = match rest.remove("file") {
        Some(Value::Object(file)) => file,
        _ => Map::new(),
    };
    let source = rest.remove("source");
    let name = [
        rest.remove("title"),
        rest.remove("filename"),
        file.remove("filename"),
        source.clone().filter(Value::is_string),
    ]
    .into_iter()
    .flatten()
    .map(value_text)
    .find(|name| !name.is_empty())
    .unwrap_or_else(|| kind.clone());
    let own_text = block.text.into_option().map(value_text);
    let own_content = block.content.into_option().map(|c| flat_text(c).0);
    match own_text.or(own_content).or_else(|| source_text(source)) {
        Some(text) => Piece::Document { name, text },
        None => Piece::NotText(kind),
    }
}

/// Text of an Anthropic document's `source`: `{type: "text", data}` or `{type: "content", content}`.
fn source_text(source: Option<Value>) -> Option<String> {
    let Value::Object(mut source) = source? else {
        return None;
    };
    match source.get("type").and_then(Value::as_str) {
        Some("text") => source.remove("data").map(value_text),
        Some("content") => {
            let content = serde_json::from_value(source.remove("content")?).ok()?;
            Some(flat_text(content).0)
        }
        _ => None,
    }
}

/// `true`, also where a recorder made it a string.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is) => *is,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}
