//! What a message says: a string, or a list of parts (OpenAI) or blocks (Anthropic).

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::field::Field;

/// Content of a message, of a tool's result, or a system prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// A string.
    Text(String),
    /// A list of parts.
    Parts(Vec<Part>),
    /// Anything else that stood there; no provider writes this, recorders do.
    Other(Value),
}

/// One part of a content.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Part {
    /// A bare string.
    Plain(String),
    /// An object with a `type`.
    Block(Box<Block>),
    /// Anything else that stood there; no provider writes this, recorders do.
    Other(Value),
}

/// A content part (OpenAI `text`, `image_url`, `input_text`, `output_text`, …) or block (Anthropic `text`, `tool_use`,
/// `tool_result`, `thinking`, `document`, …; AgentDojo `text` with `content`). One type for all, because runs mix them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    #[serde(rename = "type", default, skip_serializing_if = "Field::is_absent")]
    pub kind: Field<String>,
    /// Its text: a string; an object with `value` in the Assistants API.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub text: Field<Value>,
    /// Content of a tool's result or of a document; text of an AgentDojo part.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub content: Field<Content>,
    /// Id of a call.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub id: Field<Value>,
    /// Name of the tool that a call is for.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub name: Field<String>,
    /// Arguments of a call.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub input: Field<Value>,
    /// Id of the call that a result answers.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub tool_use_id: Field<Value>,
    /// Whether the tool reported an error.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub is_error: Field<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

/// Written by hand, not `untagged`: large strings are not buffered, and errors keep their position.
struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of content parts")
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(Content::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Content, E> {
        Ok(Content::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            parts.push(part);
        }
        Ok(Content::Parts(parts))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Content, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(Content::Other)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Other(Value::Bool(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Content, E> {
        Ok(Content::Other(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Content, E> {
        Ok(Content::Other(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Content, E> {
        Ok(Content::Other(value.into()))
    }
}

/// As [`ContentVisitor`].
struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a content part: an object with `type`, or a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<Part, E> {
        Ok(Part::Plain(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Part, E> {
        Ok(Part::Plain(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Part, A::Error> {
        Box::deserialize(MapAccessDeserializer::new(map)).map(Part::Block)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Part, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(seq)).map(Part::Other)
    }

    fn visit_unit<E>(self) -> Result<Part, E> {
        Ok(Part::Other(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Part, E> {
        Ok(Part::Other(Value::Bool(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Part, E> {
        Ok(Part::Other(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Part, E> {
        Ok(Part::Other(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Part, E> {
        Ok(Part::Other(value.into()))
    }
}
