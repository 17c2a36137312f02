//! Finding the parts of a run in JSON without building them, so that each is read as the type that it is and an
//! error knows its byte.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::RunError;
use crate::message::Message;
use crate::responses::Item;

/// The parts of a run that matter, unread.
#[derive(Debug, Default)]
pub(super) struct Body<'a> {
    /// What the record calls the run.
    pub(super) id: Option<String>,
    /// Tool definitions, and the field that they stand in.
    pub(super) tools: Vec<(&'static str, &'a RawValue)>,
    /// System prompts.
    pub(super) system: Vec<(&'static str, &'a RawValue)>,
    /// The conversation.
    pub(super) lists: Vec<List<'a>>,
}

#[derive(Debug)]
pub(super) enum List<'a> {
    /// The user's words in the place of a list of input.
    Request(&'a RawValue),
    /// The agent's words in the place of a list of output.
    Answer(&'a RawValue),
    /// Messages and items.
    Entries(Vec<&'a RawValue>),
}

pub(super) enum Entry {
    Message(Box<Message>),
    Item(Box<Item>),
}

impl<'a> Body<'a> {
    /// Finds the parts; `None` for a header.
    pub(super) fn read(text: &'a str) -> Result<Option<Self>, RunError> {
        let start = text.len() - text.trim_start().len();
        match text.as_bytes().get(start) {
            Some(b'{') => {
                let fields: Fields<'a> = serde_json::from_str(text).map_err(|e| json(text, &e))?;
                fields.body(text, start)
            }
            Some(b'[') => {
                let entries: Vec<&RawValue> =
                    serde_json::from_str(text).map_err(|e| json(text, &e))?;
                Ok(Some(Self {
                    lists: vec![List::Entries(entries)],
                    ..Self::default()
                }))
            }
            _ => {
                let what = match serde_json::from_str::<&RawValue>(text) {
                    Ok(value) => format!("{} stands alone", name_of(value)),
                    Err(error) => return Err(json(text, &error)),
                };
                Err(RunError::NotARun { at: start, what })
            }
        }
    }
}

/// The fields of a run's object.
#[derive(Debug, Default)]
struct Fields<'a> {
    id: Option<&'a RawValue>,
    known: Vec<(&'static str, &'a RawValue)>,
    metadata: bool,
    role: bool,
    kind: bool,
    /// A few of the names that we do not know.
    other: Vec<String>,
}

/// Every field that [`Fields`] keeps, in the order in which the engine has to see them.
const FIELDS: [&str; 10] = [
    "tools",
    "functions",
    "system",
    "instructions",
    "messages",
    "items",
    "input",
    "output",
    "choices",
    "response",
];

/// One answer of a chat completion.
#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

/// What a model answered, as a proxy's log keeps it beside the messages: a chat completion, a Responses object or an
/// Anthropic message.
#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    output: Option<Vec<&'a RawValue>>,
    role: Option<serde::de::IgnoredAny>,
}

impl<'a> Fields<'a> {
    fn body(mut self, text: &str, start: usize) -> Result<Option<Body<'a>>, RunError> {
        self.known.retain(|(_, value)| value.get() != "null");
        let mut body = Body {
            id: self.id.and_then(id_of),
            ..Body::default()
        };
        let lists: &[&str] = if self.find("messages").is_some() {
            &["messages"]
        } else if self.find("items").is_some() {
            &["items"]
        } else {
            &["input", "output"]
        };
        for name in FIELDS {
            let Some(value) = self.find(name) else {
                continue;
            };
            match name {
                "tools" | "functions" => body.tools.push((name, value)),
                "system" | "instructions" => body.system.push((name, value)),
                "input" if lists.contains(&name) && value.get().starts_with('"') => {
                    body.lists.push(List::Request(value));
                }
                "output" if lists.contains(&name) && value.get().starts_with('"') => {
                    body.lists.push(List::Answer(value));
                }
                _ if lists.contains(&name) => {
                    body.lists.push(List::Entries(field(text, name, value)?));
                }
                _ => {}
            }
        }
        if !body.lists.is_empty() {
            body.lists.extend(self.answer(text)?.map(List::Entries));
            return Ok(Some(body));
        }
        if self.metadata
            && self.known.is_empty()
            && self.other.is_empty()
            && self.id.is_none()
            && !self.role
            && !self.kind
        {
            return Ok(None);
        }
        Err(RunError::NotARun {
            at: start,
            what: self.what_instead(),
        })
    }

    /// The answer that stands beside the messages; of several choices the first.
    fn answer(&self, text: &str) -> Result<Option<Vec<&'a RawValue>>, RunError> {
        let first =
            |choices: Vec<Choice<'a>>| choices.into_iter().take(1).map(|c| c.message).collect();
        if let Some(choices) = self.find("choices") {
            return Ok(Some(first(field(text, "choices", choices)?)));
        }
        let Some(value) = self.find("response") else {
            return Ok(None);
        };
        let reply: Reply<'a> = field(text, "response", value)?;
        Ok(match reply {
            Reply {
                choices: Some(choices),
                ..
            } => Some(first(choices)),
            Reply {
                output: Some(output),
                ..
            } => Some(output),
            Reply { role: Some(_), .. } => Some(vec![value]),
            Reply { .. } => None,
        })
    }

    fn find(&self, name: &str) -> Option<&'a RawValue> {
        self.known
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    fn what_instead(&self) -> String {
        if self.role || self.kind {
            return "one message stands alone; the messages of a run belong into one list".into();
        }
        let names: Vec<&str> = self
            .known
            .iter()
            .map(|(name, _)| *name)
            .chain(self.id.map(|_| "id"))
            .chain(self.metadata.then_some("metadata"))
            .chain(self.other.iter().map(String::as_str))
            .collect();
        if names.is_empty() {
            "an empty object".into()
        } else {
            format!("an object without messages (it has: {})", names.join(", "))
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
        const SHOWN: usize = 6;
        let mut fields = Fields::default();
        while let Some(Name(name)) = map.next_key::<Name<'de>>()? {
            if let Some(known) = FIELDS.into_iter().find(|known| *known == name) {
                if fields.find(known).is_some() {
                    return Err(serde::de::Error::duplicate_field(known));
                }
                fields.known.push((known, map.next_value()?));
                continue;
            }
            match name.as_ref() {
                "id" | "run_id" if fields.id.is_none() => {
                    fields.id = Some(map.next_value()?);
                    continue;
                }
                "metadata" => fields.metadata = true,
                "role" => fields.role = true,
                "type" => fields.kind = true,
                _ if fields.other.len() < SHOWN => {
                    fields.other.push(name.chars().take(40).collect());
                }
                _ => {}
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(fields)
    }
}

/// An id as text: a string or a whole number, shortened; anything else is none.
fn id_of(value: &RawValue) -> Option<String> {
    const LONGEST: usize = 120;
    let id = serde_json::from_str::<String>(value.get())
        .or_else(|_| serde_json::from_str::<i64>(value.get()).map(|n| n.to_string()));
    let id: String = id.ok()?.trim().chars().take(LONGEST).collect();
    (!id.is_empty()).then_some(id)
}

/// A key that is borrowed where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// What tells a message from an item.
#[derive(Deserialize)]
#[serde(expecting = "a message (an object with `role`) or an item (an object with `type`)")]
struct Head<'a> {
    role: Option<IgnoredAny>,
    #[serde(rename = "type", borrow)]
    kind: Option<Name<'a>>,
    content: Option<IgnoredAny>,
    tool_calls: Option<IgnoredAny>,
}

/// Reads one entry as the type that it is.
pub(super) fn entry(text: &str, number: usize, raw: &RawValue) -> Result<Entry, RunError> {
    let fault = |e: serde_json::Error| nested(text, raw, &e).into_entry(number);
    let head: Head<'_> = serde_json::from_str(raw.get()).map_err(fault)?;
    // A message without a role, such as `{"type": "human", "content": …}`, is still a message.
    let speaks = head.content.is_some() || head.tool_calls.is_some();
    match (head.role, head.kind) {
        (Some(_), _) => serde_json::from_str(raw.get()).map(Entry::Message),
        (None, Some(_)) if speaks => serde_json::from_str(raw.get()).map(Entry::Message),
        (None, Some(_)) => serde_json::from_str(raw.get()).map(Entry::Item),
        (None, None) => {
            return Err(RunError::Entry {
                entry: number,
                at: offset_of(text, raw),
                what: "it has neither `role` nor `type`".into(),
            });
        }
    }
    .map_err(fault)
}

/// Reads a field that stands beside the messages.
pub(super) fn field<'a, T: Deserialize<'a>>(
    text: &str,
    name: &'static str,
    raw: &'a RawValue,
) -> Result<T, RunError> {
    serde_json::from_str(raw.get()).map_err(|e| match nested(text, raw, &e) {
        RunError::NotJson { at, what } => RunError::Field {
            field: name,
            at,
            what,
        },
        other => other,
    })
}

/// Whether an element of an array is a run (or a header), and not a message.
pub(super) fn is_run(element: &RawValue) -> bool {
    if element.get().starts_with('[') {
        return true;
    }
    serde_json::from_str::<Fields<'_>>(element.get()).is_ok_and(|fields| {
        !(fields.role || fields.kind)
            && (fields.metadata
                || ["messages", "items", "input"]
                    .iter()
                    .any(|n| fields.find(n).is_some()))
    })
}

/// Where `raw`, a part of `text`, begins.
fn offset_of(text: &str, raw: &RawValue) -> usize {
    (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

pub(super) fn range_of(text: &str, raw: &RawValue) -> Range<usize> {
    let start = offset_of(text, raw);
    start..start + raw.get().len()
}

fn nested(text: &str, raw: &RawValue, error: &serde_json::Error) -> RunError {
    json(raw.get(), error).moved_by(offset_of(text, raw))
}

/// A parser's error with its place as a byte offset.
pub(super) fn json(text: &str, error: &serde_json::Error) -> RunError {
    let at = offset(text, error.line(), error.column());
    if error.is_eof() {
        return RunError::Truncated { at: text.len() };
    }
    let what = error.to_string();
    let what = what
        .rsplit_once(" at line ")
        .map_or(&*what, |(what, _)| what);
    if what == "recursion limit exceeded" {
        return RunError::TooDeep { at, entry: None };
    }
    RunError::NotJson {
        at,
        what: what.to_owned(),
    }
}

/// Byte offset of a line and a column, both from 1, as `serde_json` counts them.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (before + column.saturating_sub(1)).min(text.len())
}

fn name_of(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a truth value",
        Some(b'n') => "null",
        Some(b'[') => "a list",
        Some(b'{') => "an object",
        _ => "a number",
    }
}

impl RunError {
    fn into_entry(self, entry: usize) -> Self {
        match self {
            Self::NotJson { at, what } => Self::Entry { entry, at, what },
            Self::TooDeep { at, .. } => Self::TooDeep {
                at,
                entry: Some(entry),
            },
            other => other,
        }
    }
}
