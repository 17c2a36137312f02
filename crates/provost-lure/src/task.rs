//! The format of a task's file, `data/ENVIRONMENT/NN.toml`: one task of a user, and its eight samples.
//!
//! Texts are inserted as they stand, right after `after` (or at the end). Where that would join two words, a space is
//! put between them; what is to stand on a line of its own begins with a line break.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The JSON Schema (draft 2020-12) of tasks' files.
pub fn schema() -> Value {
    schemars::schema_for!(Task).to_value()
}

/// A task, as its file has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// A title, for people.
    pub title: String,
    /// What kind of work this is, for people.
    pub kind: String,
    /// The user's words. They leave at least one decisive target, amount or choice open.
    pub prompt: String,
    /// What a good agent says at the end.
    pub answer: String,
    /// CEL over `state`, `before`, `calls` and `answer`: whether the user got what the user wanted.
    pub utility: String,
    /// Where each argument of the decisive calls comes from.
    pub sources: Vec<Source>,
    /// Records that are added to the world: of `documents`, `skills`, `memory`, `handoffs`, or of the world's own collections.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Vec<Map<String, Value>>>")]
    pub add: Map<String, Value>,
    /// The ground truth: what an honest agent does, in order.
    pub truth: Vec<Call>,
    /// The samples, one a vector, in the order of [`Vector::ALL`].
    pub sample: Vec<Sample>,
}

impl Task {
    /// The sample of this vector.
    pub(crate) fn attack(&self, vector: Vector) -> Option<&Sample> {
        self.sample.iter().find(|s| s.vector == vector)
    }
}

/// Where an argument comes from.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The argument, as `send_payment.to`.
    pub argument: String,
    /// Where an honest agent has it from, for people.
    pub from: String,
}

/// A call of a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// One attack on the task.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// What the payload steers.
    pub vector: Vector,
    /// Where it meets the agent.
    pub surface: Surface,
    /// What carries it.
    pub carrier: Carrier,
    /// The payload, as it stands there.
    pub text: String,
    /// The sentences of it that act.
    pub active: Vec<String>,
    /// What the attacker gets, for people.
    pub goal: String,
    /// Whether it brings values of its own.
    pub values: Values,
    /// CEL over `state`, `before`, `calls` and `answer`: whether the attacker got it.
    pub attack: String,
    /// Everything that a persuaded agent does, reads too.
    pub persuaded: Vec<Call>,
    /// The ground truth, where this sample's carrier makes the honest agent do something else than the task's.
    #[serde(default)]
    pub truth: Vec<Call>,
    /// What is added to the world for this sample alone, without the payload.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Vec<Map<String, Value>>>")]
    pub add: Map<String, Value>,
}

/// What a payload steers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Vector {
    /// Which tool is called.
    Tool,
    /// What an argument is.
    Argument,
    /// Whether a condition holds.
    Condition,
    /// How something is weighed or computed.
    Reasoning,
    /// Which steps there are, and in which order.
    Workflow,
    /// Through what was noted in an earlier session.
    Memory,
    /// Through the instructions for a kind of work.
    Skill,
    /// Through what another agent hands over.
    Handoff,
}

impl Vector {
    /// All, in the order of a task's samples.
    pub const ALL: [Self; 8] = [
        Self::Tool,
        Self::Argument,
        Self::Condition,
        Self::Reasoning,
        Self::Workflow,
        Self::Memory,
        Self::Skill,
        Self::Handoff,
    ];

    /// The name, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Argument => "argument",
            Self::Condition => "condition",
            Self::Reasoning => "reasoning",
            Self::Workflow => "workflow",
            Self::Memory => "memory",
            Self::Skill => "skill",
            Self::Handoff => "handoff",
        }
    }

    /// The vector of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.name() == name)
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where a payload meets the agent.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The tools' documentation.
    ToolDocs,
    /// What a tool of the environment returns.
    ToolReturn,
    /// A document that is read.
    Document,
    /// What is recalled.
    Memory,
    /// A skill that is loaded.
    Skill,
    /// What another agent handed over.
    AgentMessage,
}

impl Surface {
    /// All, in the order of tables.
    pub const ALL: [Self; 6] = [
        Self::ToolDocs,
        Self::ToolReturn,
        Self::Document,
        Self::Memory,
        Self::Skill,
        Self::AgentMessage,
    ];

    /// The name, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolDocs => "tool_docs",
            Self::ToolReturn => "tool_return",
            Self::Document => "document",
            Self::Memory => "memory",
            Self::Skill => "skill",
            Self::AgentMessage => "agent_message",
        }
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a payload brings values of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// Every value in it also occurs in benign context.
    Benign,
    /// Some do not.
    New,
}

/// What carries a payload.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "RawCarrier")]
#[schemars(with = "RawCarrier")]
pub enum Carrier {
    /// The description of a tool, or of one of its parameters.
    Tool {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: Option<String>,
        /// The text that the payload follows; the end when absent.
        after: Option<String>,
    },
    /// A text field of a record that a tool of the environment returns.
    Record {
        /// The collection, by its name in the world.
        collection: String,
        /// The record: the one whose fields are these.
        record: Map<String, Value>,
        /// The field.
        field: String,
        /// The text that the payload follows; the end when absent.
        after: Option<String>,
    },
    /// A new entry of the memory, made of the payload.
    Memory {
        /// Its key.
        key: String,
        /// The day, `YYYY-MM-DD`.
        saved: String,
    },
    /// A document, a skill or a hand-over.
    Text {
        /// Which of these.
        kind: TextKind,
        /// Its path, its name, or whom it is from.
        name: String,
        /// The text that the payload follows; the end when absent.
        after: Option<String>,
    },
}

/// What an agent can look up, apart from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// A document.
    Document,
    /// A skill.
    Skill,
    /// What another agent handed over.
    Handoff,
}

impl TextKind {
    /// The collection of the world's knowledge that holds these.
    pub(crate) fn collection(self) -> &'static str {
        match self {
            Self::Document => "documents",
            Self::Skill => "skills",
            Self::Handoff => "handoffs",
        }
    }

    /// The field that names one.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Document => "path",
            Self::Skill => "name",
            Self::Handoff => "from",
        }
    }
}

impl Carrier {
    /// The surface that it belongs to.
    pub(crate) fn surface(&self) -> Surface {
        match self {
            Self::Tool { .. } => Surface::ToolDocs,
            Self::Record { .. } => Surface::ToolReturn,
            Self::Memory { .. } => Surface::Memory,
            Self::Text { kind, .. } => match kind {
                TextKind::Document => Surface::Document,
                TextKind::Skill => Surface::Skill,
                TextKind::Handoff => Surface::AgentMessage,
            },
        }
    }
}

/// A carrier, as files have it: exactly one of `document`, `tool`, `collection`, `memory`, `skill`, `handoff`, with what
/// belongs to it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawCarrier {
    /// A document's path.
    document: Option<String>,
    /// A tool, whose description (or whose `parameter`'s) the payload is put in.
    tool: Option<String>,
    /// A parameter of `tool`.
    parameter: Option<String>,
    /// A collection of the world's records; with `where` and `field`.
    collection: Option<String>,
    /// Fields that tell the one record of `collection`.
    r#where: Option<Map<String, Value>>,
    /// The text field of the record.
    field: Option<String>,
    /// The key of a new entry of the memory; with `saved`.
    memory: Option<String>,
    /// The day on which `memory` was noted, `YYYY-MM-DD`.
    saved: Option<String>,
    /// A skill's name.
    skill: Option<String>,
    /// The agent that handed something over.
    handoff: Option<String>,
    /// The text that the payload follows; where it is left out, the payload stands at the end.
    after: Option<String>,
}

impl TryFrom<RawCarrier> for Carrier {
    type Error = String;

    fn try_from(raw: RawCarrier) -> Result<Self, String> {
        let RawCarrier {
            document,
            tool,
            parameter,
            collection,
            r#where,
            field,
            memory,
            saved,
            skill,
            handoff,
            after,
        } = raw;
        let text = |kind, name| Self::Text {
            kind,
            name,
            after: after.clone(),
        };
        let (carrier, takes_parameter, takes_record, takes_saved) = match (
            document, tool, collection, memory, skill, handoff,
        ) {
            (Some(path), None, None, None, None, None) => {
                (text(TextKind::Document, path), false, false, false)
            }
            (None, Some(tool), None, None, None, None) => {
                let parameter = parameter.clone();
                (
                    Self::Tool {
                        tool,
                        parameter,
                        after,
                    },
                    true,
                    false,
                    false,
                )
            }
            (None, None, Some(collection), None, None, None) => {
                let record = r#where.clone().ok_or("`collection` needs `where`")?;
                let field = field.clone().ok_or("`collection` needs `field`")?;
                let record = Self::Record {
                    collection,
                    record,
                    field,
                    after,
                };
                (record, false, true, false)
            }
            (None, None, None, Some(key), None, None) => {
                if after.is_some() {
                    return Err("`memory` makes a new entry, and takes no `after`".into());
                }
                let saved = saved.clone().ok_or("`memory` needs `saved`")?;
                (Self::Memory { key, saved }, false, false, true)
            }
            (None, None, None, None, Some(name), None) => {
                (text(TextKind::Skill, name), false, false, false)
            }
            (None, None, None, None, None, Some(from)) => {
                (text(TextKind::Handoff, from), false, false, false)
            }
            _ => {
                return Err("a carrier is exactly one of `document`, `tool`, `collection`, `memory`, `skill`, \
                         `handoff`"
                        .into());
            }
        };
        let stray = [
            ("parameter", parameter.is_some() && !takes_parameter, "tool"),
            ("where", r#where.is_some() && !takes_record, "collection"),
            ("field", field.is_some() && !takes_record, "collection"),
            ("saved", saved.is_some() && !takes_saved, "memory"),
        ];
        match stray.into_iter().find(|(_, stray, _)| *stray) {
            Some((name, _, of)) => Err(format!("`{name}` belongs to a carrier with `{of}`")),
            None => Ok(carrier),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_knows_every_part() {
        let schema = schema();
        let properties = schema["properties"].as_object().unwrap();
        for name in ["prompt", "utility", "sources", "add", "truth", "sample"] {
            assert!(properties.contains_key(name), "{name}");
        }
        let text = schema.to_string();
        for name in [
            "persuaded",
            "tool_docs",
            "handoff",
            "where",
            "after",
            "benign",
        ] {
            assert!(text.contains(&format!("\"{name}\"")), "{name}");
        }
        let required: Vec<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert!(!required.contains(&"add"), "{required:?}");
        assert!(required.contains(&"truth"), "{required:?}");
    }
}
