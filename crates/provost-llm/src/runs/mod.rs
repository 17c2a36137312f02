//! Recorded runs: from JSON, in any format that we know, to the inputs of the engine.
//!
//! | format | told by |
//! |---|---|
//! | OpenAI Chat Completions, Anthropic Messages, AgentDojo's run files | `messages`; each has a `role` |
//! | OpenAI Responses | `input` and `output` (text or items), or `items`; each item has a `type` or a `role` |
//! | a bare list | an array of messages or items |
//!
//! Formats are told apart message by message, not run by run: a call must not go unseen because it stands in a run
//! of another provider. `tools` (or `functions`), `system` and `instructions` stand beside the messages. All
//! functions are pure and bounded by the length of their input; none panics on any bytes.

mod calls;
mod convert;
mod error;
mod items;
mod pieces;
mod raw;
mod split;

use provost::{Event, Input};

pub use error::{RunError, Warning, WarningKind};
pub use split::{Split, split};

use convert::{Converter, Speaker};
use raw::{Body, Entry, List};

/// A recorded run, ready for the engine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// What the record calls the run: its `id` or `run_id`, a string or a whole number, at most 120 characters.
    pub id: Option<String>,
    /// What entered the session and what the agent proposed, in order. Calls keep the order in which the assistant
    /// made them; all calls of one turn come before their results.
    pub inputs: Vec<Input>,
    /// What was peculiar.
    pub warnings: Vec<Warning>,
}

impl Run {
    /// Whether the run brought tool definitions of its own.
    pub fn has_tools(&self) -> bool {
        self.inputs
            .iter()
            .any(|input| matches!(input, Input::Event(Event::ToolDocs { .. })))
    }
}

/// What one JSON text holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// A header: an object with `metadata` and nothing else.
    Header,
    /// A run.
    Run(Run),
}

/// Reads one run: a line of a JSON Lines file, or one of the values that [`split`] finds.
///
/// # Errors
/// Says where in `json` it could not be read, what was expected there, and what to do.
pub fn parse(json: &[u8]) -> Result<Parsed, RunError> {
    let text = std::str::from_utf8(json).map_err(|e| RunError::NotUtf8 {
        at: e.valid_up_to(),
    })?;
    let body = match Body::read(text)? {
        Some(body) => body,
        None => return Ok(Parsed::Header),
    };
    let mut converter = Converter::default();
    for (field, tools) in body.tools {
        let tools = raw::field(text, field, tools)?;
        converter.tools(tools);
    }
    for (field, words) in body.system {
        let words: Option<_> = raw::field(text, field, words)?;
        if let Some(words) = words {
            converter.words(&Speaker::System, words);
        }
    }
    for list in body.lists {
        match list {
            List::Request(words) => {
                converter.words(&Speaker::User, raw::field(text, "input", words)?);
            }
            List::Answer(words) => {
                converter.words(&Speaker::Agent, raw::field(text, "output", words)?);
            }
            List::Entries(entries) => {
                for entry in entries {
                    match raw::entry(text, converter.entry, entry)? {
                        Entry::Message(message) => converter.message(*message),
                        Entry::Item(item) => converter.item(*item),
                    }
                    converter.entry += 1;
                }
            }
        }
    }
    Ok(Parsed::Run(Run {
        id: body.id,
        inputs: converter.inputs,
        warnings: converter.warnings,
    }))
}
