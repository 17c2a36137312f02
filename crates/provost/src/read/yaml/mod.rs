//! YAML, block and flow, with byte positions.
//!
//! Our own because pieces need a map from every decoded character of a folded or quoted scalar back to its bytes,
//! which no library gives. The grammar is YAML 1.2's as people and `yaml.safe_dump` write it: one document, block
//! mappings and sequences, all five scalar styles, flow collections, comments, anchors and tags skipped. What is not
//! plausibly YAML (a line without key, an implausible or repeated key) is left to the plainer readers.

mod flow;
mod scalar;

use super::decode::Decoded;
use super::sink::{Sink, Trail};
use super::{Path, Piece, Role, Seg, sentence::Breaks};

/// Most collections that one line opens.
const MAX_COMPACT: usize = 64;

/// Longest plain key, in bytes.
const MAX_KEY: usize = 100;

/// Reads `src` as YAML; `None` when it is not.
pub(super) fn read(src: &str, base: &Path, depth: u8) -> Option<Vec<Piece>> {
    let first = src
        .trim_start_matches('\u{FEFF}')
        .lines()
        .find(|l| !l.trim().is_empty())?;
    let first = first.trim_start();
    let starts = starts_entry(first)
        || first.starts_with("---")
        || first.starts_with("? ")
        || first.starts_with('#')
        || plain_key(first).is_some()
        || quoted(first);
    if !starts {
        return None;
    }
    let mut p = Parser {
        src,
        pos: 0,
        sink: Sink::new(src, base, depth),
        trail: Trail::new(base),
        frames: Vec::new(),
        pending: None,
        entries: 0,
        root: false,
        documents: several_documents(src).then_some(0),
        folded: false,
        open: [true; 2],
        failed: 0,
    };
    p.document()?;
    (p.entries > 1 || p.entries == 1 && p.folded).then(|| p.sink.finish())
}

/// Whether marks between documents stand between texts.
fn several_documents(src: &str) -> bool {
    let src = src.trim();
    let inner = src.strip_prefix("---").unwrap_or(src);
    memchr::memmem::find_iter(inner.as_bytes(), b"\n---")
        .any(|i| line_at(inner, i + 1).trim_end() == "---")
}

/// Whether a line could start with a quoted key.
fn quoted(line: &str) -> bool {
    line.starts_with(['"', '\'']) && line.contains(':')
}

/// An open block collection.
#[derive(Debug)]
struct Frame {
    indent: usize,
    kind: Kind,
    /// Whether the trail stands at an entry of it.
    inside: bool,
}

#[derive(Debug)]
enum Kind {
    /// Hashes of the keys so far, up to [`MAX_CHECKED`].
    Map(Vec<u64>),
    Seq(u32),
}

struct Parser<'a> {
    src: &'a str,
    /// Start of the next line.
    pos: usize,
    sink: Sink<'a>,
    trail: Trail,
    frames: Vec<Frame>,
    /// Indent of the collection whose current entry still waits for its value.
    pending: Option<usize>,
    entries: usize,
    /// Whether the document has its root.
    root: bool,
    /// Number of documents begun, where there are several.
    documents: Option<u32>,
    /// Whether a scalar went over several lines.
    folded: bool,
    /// Whether a quote of this kind (`'`, `"`) may still find its end.
    open: [bool; 2],
    /// Failed attempts at flow collections.
    failed: u32,
}

/// Failed attempts at flow collections after which brackets are plain text: keeps the reader linear.
const MAX_FAILED: u32 = 16;

impl<'a> Parser<'a> {
    /// Ends the document; the next one is the next item of a list.
    fn next_document(&mut self) -> Option<()> {
        self.unwind(0, false);
        while self.frames.pop().is_some_and(|f| f.inside) {
            self.trail.pop();
        }
        self.pending = None;
        let open = self.root;
        self.root = false;
        match &mut self.documents {
            Some(n) if open => {
                *n = n.saturating_add(1);
                self.trail.pop();
                self.trail.push(Seg::Index(*n));
                Some(())
            }
            // The mark before the first document.
            _ => (!open).then_some(()),
        }
    }

    /// Reads the documents; `None` where they are not YAML.
    fn document(&mut self) -> Option<()> {
        if self.documents.is_some() {
            self.trail.push(Seg::Index(0));
        }
        while self.pos < self.src.len() {
            let start = self.pos;
            let line = line_at(self.src, start);
            let content = line.trim_start_matches([' ', '\u{FEFF}']);
            let indent = line.len() - content.len();
            let at = start + indent;
            self.pos = next_line(self.src, start);
            if content.trim().is_empty() {
                continue;
            }
            if content.starts_with('#') {
                self.comment(at);
            } else if indent == 0 && content.trim_end() == "---" {
                self.next_document()?;
            } else if indent == 0 && content.trim_end() == "..." {
                return self.src[self.pos..].trim().is_empty().then_some(());
            } else {
                self.node(at, indent, start)?;
            }
        }
        Some(())
    }

    /// Puts a comment: people and agents read it.
    fn comment(&mut self, at: usize) {
        let end = at + line_at(self.src, at).len();
        let text = self.src[at..end].trim_start_matches('#');
        let path = self.trail.path();
        self.sink
            .sentences(end - text.len()..end, &path, Breaks::Soft);
    }

    /// Reads what starts on a line: entries of collections, compact ones too, down to a scalar.
    fn node(&mut self, mut at: usize, mut indent: usize, line_start: usize) -> Option<()> {
        for level in 0.. {
            let rest = line_at(self.src, at);
            let parent = indent;
            // A line that opens more collections than this is no line of a document.
            if level == MAX_COMPACT {
                return self.scalar(at, parent);
            }
            let mut entry = false;
            if starts_entry(rest) {
                self.enter_seq(indent)?;
                at += 1;
                entry = true;
            } else if rest.starts_with("? ") {
                at = self.explicit_key(at + 2, indent)?;
                entry = true;
            } else if let Some((key, colon)) = self.key_at(at) {
                self.enter_map(indent, &key)?;
                at = colon + 1;
            } else {
                let holder = self.pending.filter(|&p| indent > p)?;
                return self.scalar(at, holder);
            }
            at = self.skip_properties(at);
            let rest = line_at(self.src, at);
            if rest.trim().is_empty() || rest.starts_with('#') {
                self.wait(at, parent);
                return Some(());
            }
            let nests = starts_entry(rest) || rest.starts_with("? ") || self.key_at(at).is_some();
            if !entry || !nests {
                return self.scalar(at, parent);
            }
            self.pending = Some(parent);
            indent = at - line_start;
        }
        None
    }

    /// The current entry of the collection at `indent` gets its value on a later line.
    fn wait(&mut self, at: usize, indent: usize) {
        if line_at(self.src, at).starts_with('#') {
            self.comment(at);
        }
        self.pending = Some(indent);
    }

    /// Skips white space, an anchor and a tag.
    fn skip_properties(&mut self, mut at: usize) -> usize {
        let line = line_at(self.src, at);
        let end = at + line.len();
        for _ in 0..3 {
            let rest = &self.src[at..end];
            let text = rest.trim_start_matches([' ', '\t']);
            at = end - text.len();
            let token = text
                .bytes()
                .take(64)
                .take_while(|b| !matches!(b, b' ' | b'\t'))
                .count();
            if token < 2 || token == 64 || !text.starts_with(['&', '!']) {
                break;
            }
            at += token;
        }
        at
    }

    /// Closes the collections that a line at `indent` ends.
    fn unwind(&mut self, indent: usize, entry: bool) {
        while let Some(f) = self.frames.last() {
            let same = f.indent == indent && matches!(f.kind, Kind::Seq(_)) && !entry;
            if f.indent <= indent && !same {
                break;
            }
            if self.frames.pop().is_some_and(|f| f.inside) {
                self.trail.pop();
            }
        }
    }

    /// Opens a collection at `indent`, if one may stand here.
    fn open_frame(&mut self, indent: usize, kind: Kind) -> Option<()> {
        let entry = matches!(kind, Kind::Seq(_));
        let fits = match self.pending.take() {
            Some(holder) => indent > holder || entry && indent == holder,
            None => self.frames.is_empty() && !self.root,
        };
        self.root = true;
        fits.then(|| {
            self.frames.push(Frame {
                indent,
                kind,
                inside: false,
            });
        })
    }

    fn enter_seq(&mut self, indent: usize) -> Option<()> {
        self.unwind(indent, true);
        let exists = self
            .frames
            .last()
            .is_some_and(|f| f.indent == indent && matches!(f.kind, Kind::Seq(_)));
        if !exists {
            self.open_frame(indent, Kind::Seq(0))?;
        }
        let frame = self.frames.last_mut()?;
        let Kind::Seq(next) = &mut frame.kind else {
            return None;
        };
        let index = *next;
        *next = next.saturating_add(1);
        self.step(Seg::Index(index))
    }

    fn enter_map(&mut self, indent: usize, key: &Decoded<'_>) -> Option<()> {
        self.unwind(indent, false);
        let exists = self
            .frames
            .last()
            .is_some_and(|f| f.indent == indent && matches!(f.kind, Kind::Map(_)));
        if !exists {
            self.open_frame(indent, Kind::Map(Vec::new()))?;
        }
        let frame = self.frames.last_mut()?;
        let Kind::Map(keys) = &mut frame.kind else {
            return None;
        };
        let hash = hash(&key.text);
        if keys.contains(&hash) {
            return None;
        }
        if keys.len() < MAX_CHECKED {
            keys.push(hash);
        }
        self.step(Seg::Key((&*key.text).into()))?;
        let path = self.trail.path();
        self.sink.key(key, &path);
        Some(())
    }

    /// Moves the trail to a new entry of the innermost collection.
    fn step(&mut self, seg: Seg) -> Option<()> {
        let frame = self.frames.last_mut()?;
        if std::mem::replace(&mut frame.inside, true) {
            self.trail.pop();
        }
        self.trail.push(seg);
        self.entries += 1;
        self.pending = None;
        Some(())
    }

    /// The key that starts at `at`, and where its colon is.
    fn key_at(&self, at: usize) -> Option<(Decoded<'a>, usize)> {
        let line = line_at(self.src, at);
        if line.starts_with(['"', '\'']) {
            let (key, end) = scalar::quoted(self.src, at, at + line.len())?;
            let rest = &self.src[end..at + line.len()];
            let colon = end + rest.len() - rest.trim_start_matches(' ').len();
            return ends_key(&self.src[colon..]).then_some((key, colon));
        }
        let len = plain_key(line)?;
        Some((
            Decoded::verbatim(self.src, at..at + line[..len].trim_end().len()),
            at + len,
        ))
    }

    /// Reads `? key`, which ends in a line of its own, and steps to after the colon of its value.
    fn explicit_key(&mut self, at: usize, indent: usize) -> Option<usize> {
        let (key, end) = if self.src[at..].starts_with(['"', '\'']) {
            scalar::quoted(self.src, at, self.src.len())?
        } else {
            scalar::plain(self.src, at, indent)?
        };
        self.enter_map(indent, &key)?;
        let next = next_line(self.src, end);
        let line = line_at(self.src, next);
        let content = line.trim_start_matches(' ');
        if line.len() - content.len() != indent || !ends_key(content) {
            return None;
        }
        self.pos = next_line(self.src, next);
        Some(next + indent + 1)
    }

    /// Reads a scalar or a flow collection that starts at `at` and belongs to the collection at indent `parent`.
    fn scalar(&mut self, at: usize, parent: usize) -> Option<()> {
        let first = self.src.as_bytes().get(at).copied()?;
        let path = self.trail.path();
        self.pending = None;
        if matches!(first, b'|' | b'>')
            && let Some((text, end)) = scalar::block(self.src, at, parent)
        {
            self.folded = true;
            self.sink.leaf(&text, &path);
            self.pos = end;
            return Some(());
        }
        if let Some(kind) = [b'\'', b'"'].iter().position(|&q| q == first)
            && self.open[kind]
        {
            match scalar::quoted(self.src, at, self.src.len()) {
                Some((text, end)) if self.ends_value(end) => {
                    self.folded |= text.raw.len()
                        != line_at(self.src, text.raw.start).len().min(text.raw.len());
                    self.sink.leaf(&text, &path);
                    return self.after(end);
                }
                Some(_) => {}
                None => self.open[kind] = false,
            }
        }
        if matches!(first, b'[' | b'{') && self.failed < MAX_FAILED {
            match flow::read(self.src, at, &mut self.trail, &mut self.sink) {
                Some(end) if self.ends_value(end) => return self.after(end),
                Some(_) => return None,
                None => self.failed += 1,
            }
        }
        let (text, end) = scalar::plain(self.src, at, parent)?;
        self.folded |= !text.is_verbatim();
        if text.raw.len() == 1 && text.text == *"~" {
            self.sink.say(text.raw.clone(), Role::Value, &path);
        } else {
            self.sink.leaf(&text, &path);
        }
        self.after(end)
    }

    /// Whether nothing but a comment follows a value on its line.
    fn ends_value(&self, end: usize) -> bool {
        let rest = line_at(self.src, end);
        let text = rest.trim_start_matches([' ', '\t']);
        text.trim_end().is_empty() || text.starts_with('#') && text.len() < rest.len()
    }

    /// Goes on after a value that ends at `end`.
    fn after(&mut self, end: usize) -> Option<()> {
        let rest = line_at(self.src, end);
        let text = rest.trim_start();
        if text.starts_with('#') {
            self.comment(end + rest.len() - text.len());
        }
        self.pos = next_line(self.src, end);
        Some(())
    }
}

/// Keys of a mapping that are checked for repetition.
const MAX_CHECKED: usize = 64;

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Whether a line starts an entry of a sequence.
fn starts_entry(line: &str) -> bool {
    line.strip_prefix('-')
        .is_some_and(|r| r.is_empty() || r.starts_with([' ', '\r']))
}

/// Whether `rest` starts with the colon that ends a key.
fn ends_key(rest: &str) -> bool {
    rest.strip_prefix(':')
        .is_some_and(|r| r.is_empty() || r.starts_with([' ', '\n', '\r', '\t']))
}

/// Length of the plausible plain key at the start of a line, up to its colon.
fn plain_key(line: &str) -> Option<usize> {
    let first = line.chars().next()?;
    if matches!(first, '-' | '?' | ':') && line[1..].starts_with([' ', '\r'])
        || ",[]{}#&*!|>'\"%@`".contains(first)
    {
        return None;
    }
    let mut at = 0;
    loop {
        let colon = at + memchr::memchr(b':', line.as_bytes().get(at..)?)?;
        if colon > MAX_KEY {
            return None;
        }
        if ends_key(&line[colon..]) {
            let key = &line[..colon];
            let pair = |w: &[u8]| matches!(w, [b'.' | b'!' | b'?', b' '] | [b' ', b'#']);
            let sentence = key.as_bytes().windows(2).any(pair);
            return (!sentence && key.split_whitespace().count() <= 8).then_some(colon);
        }
        at = colon + 1;
    }
}

/// The rest of the line from `at`, without its line break.
fn line_at(src: &str, at: usize) -> &str {
    let rest = src.get(at..).unwrap_or("");
    match memchr::memchr(b'\n', rest.as_bytes()) {
        Some(len) => &rest[..len],
        None => rest,
    }
}

/// Start of the line after the one that holds `at`.
fn next_line(src: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &src.as_bytes()[at.min(src.len())..])
        .map_or(src.len(), |len| at + len + 1)
}
