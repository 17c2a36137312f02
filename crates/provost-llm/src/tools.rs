//! Tool definitions: OpenAI (`tools` of Chat Completions and of Responses, the older `functions`), Anthropic
//! (`input_schema`) and MCP tool lists (`inputSchema`, `annotations`; MCP specification 2025-06-18).

use std::fmt;

use provost::session::{Annotations, ToolDef};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::field::Field;

/// One tool definition in any of these formats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// `function`, `custom`, or the kind of a tool that the provider runs.
    #[serde(rename = "type", default, skip_serializing_if = "Field::is_absent")]
    pub kind: Field<String>,
    /// The definition itself, in Chat Completions.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub function: Field<Box<Definition>>,
    /// The definition of a custom tool, in Chat Completions.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub custom: Field<Box<Definition>>,
    /// Name of the tool.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub name: Field<String>,
    /// What the model is told that it does.
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub description: Field<String>,
    /// JSON Schema of the arguments (OpenAI).
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub parameters: Field<Value>,
    /// JSON Schema of the arguments (Anthropic).
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub input_schema: Field<Value>,
    /// JSON Schema of the arguments (MCP).
    #[serde(
        rename = "inputSchema",
        default,
        skip_serializing_if = "Field::is_absent"
    )]
    pub mcp_schema: Field<Value>,
    /// Hints (MCP).
    #[serde(default, skip_serializing_if = "Field::is_absent")]
    pub annotations: Field<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl From<Definition> for ToolDef {
    /// Annotations that are not what MCP says they are count as absent: the tool is then a write.
    fn from(definition: Definition) -> Self {
        let outer = definition.annotations;
        let inner = definition
            .function
            .into_option()
            .or(definition.custom.into_option());
        let Some(inner) = inner else {
            return Self {
                name: definition
                    .name
                    .into_option()
                    .or(definition.kind.into_option())
                    .unwrap_or_default(),
                description: definition.description.into_option().unwrap_or_default(),
                parameters: definition
                    .parameters
                    .into_option()
                    .or(definition.input_schema.into_option())
                    .or(definition.mcp_schema.into_option())
                    .unwrap_or_default(),
                annotations: outer
                    .into_option()
                    .and_then(|a| serde_json::from_value::<Annotations>(a).ok()),
            };
        };
        let mut inner = *inner;
        if inner.annotations.is_absent() {
            inner.annotations = outer;
        }
        // A definition inside a definition inside a definition has no meaning; the innermost name would hide the
        // one that calls use.
        inner.function = Field::Absent;
        inner.custom = Field::Absent;
        inner.into()
    }
}

/// A list of tool definitions: an array, or the object `{"tools": […]}` that an MCP server answers with.
/// An array may also hold bare names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolList(pub Vec<Definition>);

impl ToolList {
    /// The definitions as the engine knows them.
    pub fn into_defs(self) -> Vec<ToolDef> {
        self.0.into_iter().map(ToolDef::from).collect()
    }
}

impl<'de> Deserialize<'de> for ToolList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ToolListVisitor)
    }
}

struct ToolListVisitor;

impl<'de> Visitor<'de> for ToolListVisitor {
    type Value = ToolList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tool definitions, or an object with `tools`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<ToolList, A::Error> {
        let list = Vec::<NameOr>::deserialize(SeqAccessDeserializer::new(seq))?;
        Ok(ToolList(list.into_iter().map(|NameOr(d)| d).collect()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ToolList, A::Error> {
        #[derive(Deserialize)]
        struct Mcp {
            tools: Vec<NameOr>,
        }
        let list = Mcp::deserialize(MapAccessDeserializer::new(map))?;
        Ok(ToolList(
            list.tools.into_iter().map(|NameOr(d)| d).collect(),
        ))
    }
}

/// A definition, or a bare name that stands for one.
struct NameOr(Definition);

impl<'de> Deserialize<'de> for NameOr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrVisitor)
    }
}

struct NameOrVisitor;

impl<'de> Visitor<'de> for NameOrVisitor {
    type Value = NameOr;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tool definition: an object with `name`, or with `function`")
    }

    fn visit_str<E>(self, name: &str) -> Result<NameOr, E> {
        Ok(NameOr(Definition {
            name: Field::Value(name.to_owned()),
            ..Definition::default()
        }))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NameOr, A::Error> {
        Definition::deserialize(MapAccessDeserializer::new(map)).map(NameOr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(wire: Value, expected: Value) {
        let list: ToolList = serde_json::from_str(&wire.to_string()).unwrap();
        assert_eq!(serde_json::to_value(list.into_defs()).unwrap(), expected);
    }

    #[test]
    fn every_format() {
        let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}});
        let bare = json!([{"name": "find", "description": "Finds.", "parameters": schema}]);
        check(
            json!([{"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": schema, "strict": true}}]),
            bare.clone(),
        );
        check(
            json!([{"type": "function", "name": "find", "description": "Finds.", "parameters": schema}]),
            bare.clone(),
        );
        check(
            json!([{"name": "find", "description": "Finds.", "input_schema": schema, "cache_control": {"type": "ephemeral"}}]),
            bare,
        );
        check(
            json!({"tools": [{"name": "find", "description": "Finds.", "inputSchema": schema,
                "annotations": {"title": "Find", "readOnlyHint": true, "openWorldHint": false}}], "nextCursor": "n"}),
            json!([{"name": "find", "description": "Finds.", "parameters": schema,
                "annotations": {"readOnlyHint": true, "openWorldHint": false}}]),
        );
        check(
            json!([{"type": "custom", "custom": {"name": "shell", "description": null}}, {"type": "web_search"}, "find"]),
            json!([{"name": "shell"}, {"name": "web_search"}, {"name": "find"}]),
        );
    }

    #[test]
    fn hints_that_are_not_booleans_count_for_nothing() {
        check(
            json!([{"name": "find", "annotations": {"readOnlyHint": "yes"}}]),
            json!([{"name": "find"}]),
        );
    }

    #[test]
    fn what_is_not_a_list_is_an_error() {
        let error = serde_json::from_str::<ToolList>("[{\"name\": \"a\"}, 7]").unwrap_err();
        assert!(
            error.to_string().contains("expected a tool definition"),
            "{error}"
        );
        assert!(serde_json::from_str::<ToolList>("\"find\"").is_err());
    }
}
