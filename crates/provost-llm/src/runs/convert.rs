//! From messages and items to the inputs of the engine.

use provost::{Event, Input, Surface, ToolCall};
use serde_json::{Map, Value};

use super::calls::{Answers, Calls};
use super::error::{Warning, WarningKind};
use super::pieces::{Piece, flat_text, is_true, pieces, value_text};
use crate::content::Content;
use crate::field::Field;
use crate::message::{self, Function, FunctionRef, Message};
use crate::strict;
use crate::tools::ToolList;

/// Converts one run, entry by entry. The items of the Responses API are in [`super::items`].
#[derive(Debug, Default)]
pub(super) struct Converter {
    pub(super) inputs: Vec<Input>,
    pub(super) warnings: Vec<Warning>,
    /// Number of the message or item that is being read.
    pub(super) entry: usize,
    calls: Calls,
}

/// Whose words a message holds.
#[derive(Debug, PartialEq)]
pub(super) enum Speaker {
    System,
    User,
    Agent,
    /// Somebody that no provider knows: another agent, as far as anyone can tell.
    Other(String),
}

/// A call as a format writes it.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) id: Field<Value>,
    pub(super) name: String,
    pub(super) arguments: Value,
}

/// What came back for a call, as a format writes it.
#[derive(Debug, Default)]
pub(super) struct Returned {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) content: Option<Content>,
    /// The value behind the content; `null` when unknown.
    pub(super) value: Value,
    pub(super) error: Option<String>,
    pub(super) failed: bool,
}

/// What a speaker said and proposed since the last flush.
#[derive(Debug, Default)]
struct Said {
    text: Vec<String>,
    calls: Vec<Proposal>,
}

impl Converter {
    /// The tools that the agent was given.
    pub(super) fn tools(&mut self, tools: ToolList) {
        if !tools.0.is_empty() {
            let tools = tools.into_defs();
            self.event(Event::ToolDocs { tools });
        }
    }

    /// Words that stand beside the messages: a system prompt, or a request in their place.
    pub(super) fn words(&mut self, speaker: &Speaker, content: Content) {
        let mut said = Said::default();
        self.say(speaker, &mut said, content);
        self.flush(speaker, &mut said);
    }

    /// One message.
    pub(super) fn message(&mut self, mut message: Message) {
        let role = std::mem::take(&mut message.role)
            .into_option()
            .or_else(|| message.rest.remove("type").map(value_text))
            .unwrap_or_default();
        let speaker = match role.as_str() {
            "system" | "developer" => Speaker::System,
            "user" => Speaker::User,
            "assistant" => Speaker::Agent,
            "tool" | "function" => return self.tool_message(message, role),
            _ => {
                self.warn(WarningKind::UnknownRole, &role);
                Speaker::Other(role)
            }
        };
        let mut said = Said::default();
        if let Some(content) = std::mem::take(&mut message.content).into_option() {
            self.say(&speaker, &mut said, content);
        }
        if let Some(refusal) = std::mem::take(&mut message.refusal).into_option() {
            said.text.push(value_text(refusal));
        }
        said.calls.extend(proposals(message));
        self.flush(&speaker, &mut said);
    }

    /// A message that holds what a call returned.
    fn tool_message(&mut self, mut message: Message, role: String) {
        let echo = std::mem::take(&mut message.tool_call)
            .into_option()
            .unwrap_or_default();
        let error = std::mem::take(&mut message.error)
            .into_option()
            .and_then(error_text);
        let failed = error.is_some()
            || message.is_error.as_ref().is_some_and(is_true)
            || message.rest.get("isError").is_some_and(is_true);
        let id = id_text(&message.tool_call_id).or_else(|| id_text(&echo.id));
        let echoed = proposal(echo).name;
        let name = match std::mem::take(&mut message.name).into_option() {
            _ if !echoed.is_empty() => Some(echoed),
            Some(name) => Some(value_text(name)).filter(|n| !n.is_empty()),
            None => None,
        };
        let content = std::mem::take(&mut message.content).into_option();
        let value = structured(&mut message.rest);
        self.result(Returned {
            id,
            name,
            content,
            value,
            error,
            failed,
        });
        let mut said = Said::default();
        said.calls.extend(proposals(message));
        self.flush(&Speaker::Other(role), &mut said);
    }

    fn say(&mut self, speaker: &Speaker, said: &mut Said, content: Content) {
        for piece in pieces(content, *speaker == Speaker::Agent) {
            match piece {
                Piece::Text(text) => said.text.push(text),
                Piece::Thought => {}
                Piece::Call {
                    id,
                    name,
                    arguments,
                } => said.calls.push(Proposal {
                    id,
                    name,
                    arguments,
                }),
                Piece::NotText(kind) => self.warn(WarningKind::NotText, &kind),
                Piece::Result {
                    id,
                    content,
                    value,
                    error,
                } => {
                    self.flush(speaker, said);
                    self.result(Returned {
                        id: id_text(&id),
                        content: content.into_option(),
                        value,
                        failed: error,
                        ..Returned::default()
                    });
                }
                Piece::Document { name, text } => {
                    self.flush(speaker, said);
                    self.context(Surface::Document, name, text);
                }
                Piece::Unknown { kind, json } => {
                    self.flush(speaker, said);
                    self.unknown(kind, json);
                }
            }
        }
    }

    /// Enters what was said, then all calls that were proposed with it.
    fn flush(&mut self, speaker: &Speaker, said: &mut Said) {
        let content = std::mem::take(&mut said.text).join("\n");
        if !content.trim().is_empty() {
            match speaker {
                Speaker::System => self.event(Event::System { content }),
                Speaker::User => self.event(Event::User { content }),
                Speaker::Agent => self.event(Event::Reply { content }),
                Speaker::Other(who) => {
                    self.context(Surface::AgentMessage, who.clone(), content);
                }
            }
        }
        for call in said.calls.drain(..) {
            if *speaker != Speaker::Agent {
                self.warn(WarningKind::CallOutOfPlace, &call.name);
            }
            self.call(call);
        }
    }

    /// One proposed call; returns the id that it goes by.
    pub(super) fn call(&mut self, call: Proposal) -> String {
        let wire_id = id_text(&call.id);
        let (id, changed) = self.calls.propose(wire_id, &call.name);
        if changed {
            self.warn(WarningKind::DuplicateId, &id);
        }
        if call.name.is_empty() {
            self.warn(WarningKind::CallWithoutName, &id);
        }
        let arguments = self.arguments(&call.name, call.arguments);
        self.inputs.push(Input::Propose(ToolCall {
            id: id.clone(),
            name: call.name,
            arguments,
        }));
        id
    }

    /// Arguments as the tool would get them: OpenAI writes them as JSON in a string.
    fn arguments(&mut self, tool: &str, arguments: Value) -> Value {
        match arguments {
            Value::Null => Value::Object(Map::new()),
            Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
            Value::String(text) => match strict::from_str(&text) {
                Ok(value) => value,
                Err(_) => {
                    self.warn(WarningKind::ArgumentsNotJson, tool);
                    Value::String(text)
                }
            },
            other => other,
        }
    }

    /// What came back for a call.
    pub(super) fn result(&mut self, returned: Returned) {
        let Returned {
            id,
            name,
            content,
            value,
            error,
            failed,
        } = returned;
        let (mut content, not_text) = content.map(flat_text).unwrap_or_default();
        for kind in not_text {
            self.warn(WarningKind::NotText, &kind);
        }
        // Recorders keep the error beside an empty content; where both are there, the agent may have seen either.
        if let Some(error) = error
            && !content.contains(&error)
        {
            if !content.is_empty() {
                content.push('\n');
            }
            content.push_str(&error);
        }
        let call = match self.calls.answer(id.as_deref(), name.as_deref()) {
            Answers::Call(call) => call,
            Answers::Again(call) => {
                self.warn(WarningKind::SecondResult, &call);
                call
            }
            Answers::Nothing(call) => {
                self.warn(WarningKind::ResultWithoutCall, &call);
                call
            }
        };
        self.inputs.push(Input::Event(Event::ToolResult {
            call,
            content,
            value,
            error: failed,
        }));
    }

    /// Something whose kind we do not know: kept as text that nobody may rely on.
    pub(super) fn unknown(&mut self, kind: String, json: String) {
        self.warn(WarningKind::UnknownKind, &kind);
        self.context(Surface::AgentMessage, kind, json);
    }

    fn context(&mut self, surface: Surface, name: String, content: String) {
        self.event(Event::Context {
            surface,
            name,
            content,
        });
    }

    fn event(&mut self, event: Event) {
        if !matches!(event, Event::Reply { .. }) {
            self.calls.end_turn();
        }
        self.inputs.push(Input::Event(event));
    }

    pub(super) fn warn(&mut self, kind: WarningKind, about: &str) {
        const SHOWN: usize = 60;
        let mut short: String = about.chars().take(SHOWN).collect();
        if short.len() < about.len() {
            short.push('…');
        }
        self.warnings.push(Warning {
            entry: self.entry,
            kind,
            about: short,
        });
    }
}

/// The calls of a message, in the newer and the older format.
fn proposals(message: Message) -> impl Iterator<Item = Proposal> {
    let older = message.function_call.into_option().map(|function| {
        let (name, arguments) = name_and_arguments(function);
        Proposal {
            id: Field::Absent,
            name,
            arguments,
        }
    });
    let calls = message.tool_calls.into_option().unwrap_or_default();
    calls.into_iter().map(proposal).chain(older)
}

fn proposal(call: message::ToolCall) -> Proposal {
    let (name, arguments) = match (call.function.into_option(), call.custom.into_option()) {
        (Some(FunctionRef::Name(name)), _) => (name, Value::Null),
        (Some(FunctionRef::Function(function)), _) => name_and_arguments(*function),
        (None, Some(function)) => name_and_arguments(function),
        (None, None) => Default::default(),
    };
    let beside = call.args.into_option();
    Proposal {
        id: call.id,
        name: Some(name)
            .filter(|n| !n.is_empty())
            .or(call.name.into_option())
            .unwrap_or_default(),
        arguments: match arguments {
            Value::Null => beside.unwrap_or_default(),
            arguments => arguments,
        },
    }
}

fn name_and_arguments(function: Function) -> (String, Value) {
    let arguments = match (
        function.arguments.into_option(),
        function.input.into_option(),
    ) {
        (Some(arguments), _) => arguments,
        (None, Some(input)) => free_text(input),
        (None, None) => Value::Null,
    };
    (function.name.into_option().unwrap_or_default(), arguments)
}

/// The arguments of a custom tool, which takes free text: one argument called `input`.
pub(super) fn free_text(input: Value) -> Value {
    match input {
        Value::String(_) => Value::Object(Map::from_iter([("input".to_owned(), input)])),
        other => other,
    }
}

/// An id as text; `None` where there is none, or an empty one.
pub(super) fn id_text(id: &Field<Value>) -> Option<String> {
    match id.as_ref()? {
        Value::String(text) => Some(text.clone()).filter(|t| !t.is_empty()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// The value of a result, as MCP calls it (specification 2025-06-18, `CallToolResult`); `null` where there is none.
pub(super) fn structured(rest: &mut Map<String, Value>) -> Value {
    rest.remove("structuredContent").unwrap_or_default()
}

/// What an `error` field says; `None` where it says that there was no error.
pub(super) fn error_text(error: Value) -> Option<String> {
    match error {
        Value::Bool(false) => None,
        Value::Bool(true) => Some(String::new()),
        other => Some(value_text(other)).filter(|t| !t.is_empty()),
    }
}
