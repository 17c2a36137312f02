//! Why a run could not be read, and what was peculiar about one that could.

use std::fmt;

/// A run that could not be read. Every error knows where it is, what was expected there and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Not text.
    #[error("not valid UTF-8")]
    NotUtf8 {
        /// Offset of the first byte that is not.
        at: usize,
    },
    /// The text ends inside a value.
    #[error("the JSON ends in the middle of a value")]
    Truncated {
        /// Offset of the end.
        at: usize,
    },
    /// Nested deeper than the reader goes.
    #[error("nested too deeply{}", place(*entry))]
    TooDeep {
        /// Offset at which the reader gave up.
        at: usize,
        /// Number of the message, from 0.
        entry: Option<usize>,
    },
    /// Not JSON.
    #[error("not valid JSON: {what}")]
    NotJson {
        /// Offset of the fault.
        at: usize,
        /// What the parser said.
        what: String,
    },
    /// JSON, but not a run.
    #[error("{what}")]
    NotARun {
        /// Offset of the value.
        at: usize,
        /// What it is instead.
        what: String,
    },
    /// One message is not a message.
    #[error("message {entry} cannot be read: {what}")]
    Entry {
        /// Number of the message, from 0.
        entry: usize,
        /// Offset of the fault.
        at: usize,
        /// What the parser said.
        what: String,
    },
    /// A field beside the messages (tools, system prompt) is not what it is called.
    #[error("`{field}` cannot be read: {what}")]
    Field {
        /// Its name.
        field: &'static str,
        /// Offset of the fault.
        at: usize,
        /// What the parser said.
        what: String,
    },
}

fn place(entry: Option<usize>) -> String {
    entry.map_or_else(String::new, |n| format!(", in message {n}"))
}

impl RunError {
    /// Byte offset within the text that was given to the reader.
    pub fn at(&self) -> usize {
        match self {
            Self::NotUtf8 { at }
            | Self::Truncated { at }
            | Self::TooDeep { at, .. }
            | Self::NotJson { at, .. }
            | Self::NotARun { at, .. }
            | Self::Entry { at, .. }
            | Self::Field { at, .. } => *at,
        }
    }

    /// The same error in a text of which what was read is a part that begins at `base`.
    #[must_use]
    pub fn moved_by(mut self, base: usize) -> Self {
        match &mut self {
            Self::NotUtf8 { at }
            | Self::Truncated { at }
            | Self::TooDeep { at, .. }
            | Self::NotJson { at, .. }
            | Self::NotARun { at, .. }
            | Self::Entry { at, .. }
            | Self::Field { at, .. } => *at += base,
        }
        self
    }

    /// What was expected there.
    pub fn expected(&self) -> &'static str {
        match self {
            Self::NotUtf8 { .. } => "text in UTF-8",
            Self::Truncated { .. } => "a complete JSON value",
            Self::TooDeep { .. } => "JSON nested at most 127 levels deep",
            Self::NotJson { .. } => "JSON",
            Self::NotARun { .. } => {
                "a run: an object with `messages`, `input` or `items`, or a list of messages"
            }
            Self::Entry { .. } => {
                "a message as OpenAI, Anthropic or AgentDojo write it (an object with `role`), or a Responses item \
                 (an object with `type`)"
            }
            Self::Field { .. } => {
                "`tools` as OpenAI, Anthropic or MCP write them; `system` and `instructions` as text or text blocks; \
                 `messages`, `items`, `input` and `output` as lists"
            }
        }
    }

    /// What the person who has the file can do.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotUtf8 { .. } => "convert the file to UTF-8",
            Self::Truncated { .. } => "record or copy the run again; its end is missing",
            Self::TooDeep { .. } => {
                "a value nested this deeply is not a run of an agent; remove it"
            }
            Self::NotJson { .. } => "correct the JSON at this place",
            Self::NotARun { .. } => "pass files that hold runs, one JSON object a line or a file",
            Self::Entry { .. } | Self::Field { .. } => "correct the recorder, or remove the run",
        }
    }
}

/// Something peculiar about a run that was read all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Number of the message or item, from 0.
    pub entry: usize,
    /// What it is.
    pub kind: WarningKind,
    /// The name or id that it is about, shortened.
    pub about: String,
}

/// Kinds of [`Warning`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// A role that no provider has; the message was taken for one from another agent.
    UnknownRole,
    /// An item or part of an unknown kind; its JSON was taken for a message from another agent.
    UnknownKind,
    /// A result that answers no call; its text was kept.
    ResultWithoutCall,
    /// A second result for the same call; kept as one more result of this call.
    SecondResult,
    /// A call whose id was in use; it was given one of its own.
    DuplicateId,
    /// Arguments that are not JSON, or have a key twice; they were kept as text.
    ArgumentsNotJson,
    /// A call in a message that is not the assistant's; it was audited like the others.
    CallOutOfPlace,
    /// A call without a name.
    CallWithoutName,
    /// An image, a sound or a binary file; it was not read.
    NotText,
    /// A reference to an item that is not in the record; what the agent saw there was not read.
    NotRecorded,
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownRole => "unknown role, taken for another agent's message",
            Self::UnknownKind => "unknown kind, taken for another agent's message",
            Self::ResultWithoutCall => "tool result without a call",
            Self::SecondResult => "second result for the same call",
            Self::DuplicateId => "call id used twice, made unique",
            Self::ArgumentsNotJson => "arguments are not JSON, or have a key twice",
            Self::CallOutOfPlace => "call in a message that is not the assistant's",
            Self::CallWithoutName => "call without a tool name",
            Self::NotText => "not text, not read",
            Self::NotRecorded => "refers to something that is not in the record",
        })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}: {}", self.entry, self.kind)?;
        if self.about.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.about)
    }
}
