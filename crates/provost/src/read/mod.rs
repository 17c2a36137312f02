//! Readers: from the bytes of a context to pieces that partition them exactly.
//!
//! A reader knows a format (JSON, YAML, CSV and tables, HTML, Markdown, plain text) and says where its leaves are
//! and how they hang together; it judges nothing. Reading never fails: what does not parse as its format is read
//! as the next plainer one, and at the end as text.

mod abbrev;
mod concealed;
mod decode;
mod html;
mod inline;
mod json;
mod sentence;
mod sink;
mod table;
mod text;
mod yaml;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The format a content was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// JSON (RFC 8259), or a Python literal as `repr` prints it.
    Json,
    /// YAML, block or flow.
    Yaml,
    /// Delimiter-separated values, or a table drawn with pipes or aligned columns.
    Table,
    /// HTML or XML.
    Html,
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
}

/// What a piece is in its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Brackets, separators, tags, white space between leaves.
    Syntax,
    /// A key of an object, a column header, the label of a `Label: value` line.
    Key,
    /// A whole leaf value: a scalar, a cell; short, without inner sentence structure.
    Value,
    /// One sentence of a longer text.
    Sentence,
    /// A heading.
    Heading,
    /// Text that a person looking at the rendered content would not see, and what is too far behind to be read.
    Concealed,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Seg {
    /// Position in a list, row of a table, item of a list, section of a page.
    Index(u32),
    /// Key of an object, column of a table, heading of a section, name of an element.
    Key(Box<str>),
}

/// Structural path of a piece from the root of its content. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Path(Arc<[Seg]>);

impl Path {
    /// A path of these steps.
    pub fn new(steps: Vec<Seg>) -> Self {
        Self(steps.into())
    }

    /// The steps from the root.
    pub fn steps(&self) -> &[Seg] {
        &self.0
    }

    /// The innermost key: what the value is called.
    pub fn field(&self) -> Option<&str> {
        self.0.iter().rev().find_map(|s| match s {
            Seg::Key(k) => Some(&**k),
            Seg::Index(_) => None,
        })
    }

    /// The steps up to and including the last index: the record that the value belongs to.
    pub fn record(&self) -> &[Seg] {
        let end = self
            .0
            .iter()
            .rposition(|s| matches!(s, Seg::Index(_)))
            .map_or(0, |i| i + 1);
        &self.0[..end]
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, s) in self.0.iter().enumerate() {
            match s {
                Seg::Index(n) => write!(f, "[{n}]")?,
                Seg::Key(k) if i == 0 => f.write_str(k)?,
                Seg::Key(k) => write!(f, ".{k}")?,
            }
        }
        Ok(())
    }
}

/// A piece of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Byte range in the content; on character boundaries.
    pub range: Range<usize>,
    /// What it is.
    pub role: Role,
    /// Where it hangs.
    pub path: Path,
    /// The text when it differs from the bytes (escapes, entities, folded lines); else `None`.
    pub decoded: Option<Box<str>>,
}

impl Piece {
    /// The text as the agent reads it.
    pub fn text<'a>(&'a self, content: &'a str) -> &'a str {
        match &self.decoded {
            Some(t) => t,
            None => &content[self.range.clone()],
        }
    }
}

/// A content, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The format of the outermost layer.
    pub format: Format,
    /// Pieces in order: they partition the content exactly.
    pub pieces: Vec<Piece>,
}

/// How deep readers go into structured text inside of string leaves.
const MAX_NESTING: u8 = 4;

/// Bytes of a content that are read. No model's context holds as much (4 MiB are about a million tokens), so what lies
/// beyond did not reach the agent whole, and nothing it does can rest on it; reading it would only cost time and memory.
pub const MAX_CONTENT: usize = 4 << 20;

/// Reads a content. Never fails, never panics; linear in the length of the content.
///
/// Formats are tried by structure, from the strictest to the plainest; a leaf that holds several sentences or lines
/// is split into [`Role::Sentence`] pieces, and a leaf that is itself structured is read by the reader of its format,
/// with its path appended to the leaf's.
///
/// What lies beyond [`MAX_CONTENT`] is one last piece at the root that says nothing (its decoded text is empty) and that
/// is [`Role::Concealed`]: it makes the content suspect, and no value is ever found in it.
pub fn read(content: &str) -> Reading {
    read_up_to(content, MAX_CONTENT)
}

fn read_up_to(content: &str, limit: usize) -> Reading {
    let (head, rest) = content.split_at(content.floor_char_boundary(limit));
    let (format, mut pieces) = dispatch(head, &Path::default(), 0);
    if !rest.is_empty() {
        pieces.push(Piece {
            range: head.len()..content.len(),
            role: Role::Concealed,
            path: Path::default(),
            decoded: Some(Box::from("")),
        });
    }
    Reading { format, pieces }
}

/// Reads `src`, whose pieces hang below `base`, at nesting level `depth`.
fn dispatch(src: &str, base: &Path, depth: u8) -> (Format, Vec<Piece>) {
    if let Some(pieces) = json::read(src, base, depth) {
        return (Format::Json, pieces);
    }
    if let Some(read) = unwrapped(src, base, depth) {
        return read;
    }
    if let Some(pieces) = yaml::read(src, base, depth) {
        return (Format::Yaml, pieces);
    }
    if let Some(pieces) = html::read(src, base, depth) {
        return (Format::Html, pieces);
    }
    text::read(src, base, depth)
}

/// Reads what stands between delimiters that a harness put around it, such as `<<` and `>>`.
fn unwrapped(src: &str, base: &Path, depth: u8) -> Option<(Format, Vec<Piece>)> {
    let whole = sink::trim(src, 0..src.len());
    let text = &src[whole.clone()];
    let len = [
        ("<<<", ">>>"),
        ("<<", ">>"),
        ("\"\"\"", "\"\"\""),
        ("'''", "'''"),
    ]
    .iter()
    .find_map(|(open, close)| {
        let fits = text.len() > open.len() + close.len()
            && text.starts_with(open)
            && text.ends_with(close);
        fits.then_some(open.len())
    })?;
    if depth >= MAX_NESTING {
        return None;
    }
    let inner = whole.start + len..whole.end - len;
    let (format, pieces) = dispatch(&src[inner.clone()], base, depth + 1);
    let mut sink = sink::Sink::new(src, base, depth);
    sink.graft(&decode::Decoded::verbatim(src, inner), pieces);
    Some((format, sink.finish()))
}

#[cfg(test)]
mod tests;
