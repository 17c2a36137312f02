//! What could not be read: where, why, what was expected there, and what to do about it.

use provost_llm::runs::RunError;
use serde::Serialize;

/// Something that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    /// Where in its source; `None` where the source as a whole is meant.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<Place>,
    /// What is wrong.
    pub(crate) error: String,
    /// What should be there.
    pub(crate) expected: &'static str,
    /// What a person can do.
    pub(crate) remedy: &'static str,
}

/// A place in a source, after decompression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    /// Line, from 1.
    pub(crate) line: usize,
    /// Byte within the line, from 1.
    pub(crate) byte: usize,
}

impl Fault {
    /// A run that could not be read.
    pub(crate) fn unreadable(error: &RunError, place: Place) -> Self {
        Self {
            place: Some(place),
            error: error.to_string(),
            expected: error.expected(),
            remedy: error.remedy(),
        }
    }

    /// The operating system, or a decompressor, failed.
    pub(crate) fn io(doing: &str, error: &std::io::Error, place: Option<Place>) -> Self {
        Self {
            place,
            error: format!("{doing}: {error}"),
            expected: "a readable file, plain or compressed with gzip or zstd",
            remedy: "check the path, the permissions, and that the file is complete",
        }
    }

    /// A file that is neither text nor an archive that we open.
    pub(crate) fn encoded(what: &str) -> Self {
        Self {
            place: None,
            error: format!("this is {what}"),
            expected: "JSON in UTF-8, plain or compressed with gzip or zstd",
            remedy: "unpack or convert it first",
        }
    }

    /// Standard input, a second time.
    pub(crate) fn stdin_again() -> Self {
        Self {
            place: None,
            error: "it was named before, and can be read once only".to_owned(),
            expected: "`-` at most once",
            remedy: "name `-` once, or write the input to a file",
        }
    }

    /// A source in which there is no run.
    pub(crate) fn no_runs(error: &str) -> Self {
        Self {
            place: None,
            error: error.to_owned(),
            expected: "at least one run",
            remedy: "pass files that hold runs, one JSON object a line or a file",
        }
    }

    /// Definitions of tools in the place of a run.
    pub(crate) fn tools(place: Place) -> Self {
        Self {
            place: Some(place),
            error: "definitions of tools, not a run".to_owned(),
            expected: "a run: an object with `messages`, `input` or `items`, or a list of messages",
            remedy: "definitions of tools are for `provost policy draft` and `provost policy check --tools`; name the \
                     recorded runs here",
        }
    }

    /// A folder or a pattern that leads to no file.
    pub(crate) fn no_files(error: String) -> Self {
        Self {
            place: None,
            error,
            expected: "files named *.json or *.jsonl, also with .gz or .zst",
            remedy: "check the path, or name the files themselves",
        }
    }

    /// The audit itself failed; the run got no verdict.
    pub(crate) fn internal(error: &str, place: Place) -> Self {
        Self {
            place: Some(place),
            error: format!("internal error: {error}"),
            expected: "a verdict for every call",
            remedy: "this is a fault of provost, please report it; treat the run's calls as not released",
        }
    }
}
