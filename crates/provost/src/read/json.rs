//! JSON (RFC 8259) with byte positions, and Python literals as `repr` prints them.
//!
//! Tolerant where tool output is: text after the value, truncation, trailing commas, single quotes, tuples and sets,
//! constants of either language, constructor calls (`Point(x=1)`), line breaks within strings. Several values one
//! after the other (JSON Lines) are the items of a list.

use std::ops::Range;

use super::decode::{Builder, Decoded};
use super::sink::{Sink, Trail, trim};
use super::{Path, Piece, Seg, text};

/// Reads `src` as JSON or a Python literal; `None` when it is neither.
pub(super) fn read(src: &str, base: &Path, depth: u8) -> Option<Vec<Piece>> {
    let whole = trim(src, 0..src.len());
    match src.as_bytes().get(whole.start)? {
        b'{' | b'[' | b'(' => {}
        b'"' | b'\'' if is_one_string(src, whole.clone()) => {}
        _ => return None,
    }
    let mut p = Parser::new(src, base, depth);
    p.pos = whole.start;
    let lines = is_lines(&src[whole.clone()]);
    for index in 0.. {
        if lines {
            p.trail.push(Seg::Index(index));
        }
        let end = p.value();
        if lines {
            p.trail.pop();
        }
        let rest = trim(src, p.pos..src.len());
        match end {
            End::Complete if rest.is_empty() => break,
            End::Truncated if p.keys > 0 || p.leaves > 2 => break,
            End::Complete if lines && src[rest.clone()].starts_with(['{', '[']) => {
                p.pos = rest.start
            }
            End::Complete | End::Broken if p.covers(&whole, end) => {
                let tail = p.pos..src.len();
                let pieces = text::read(&src[tail.clone()], base, depth).1;
                p.sink.graft(&Decoded::verbatim(src, tail), pieces);
                break;
            }
            _ => return None,
        }
    }
    Some(p.sink.finish())
}

/// Whether the content is exactly one quoted string. Neither JSON nor Python writes a line break inside as it is.
fn is_one_string(src: &str, whole: Range<usize>) -> bool {
    if src[whole.clone()].contains('\n') {
        return false;
    }
    let mut p = Parser::new(src, &Path::default(), 0);
    p.pos = whole.start;
    p.string().is_some_and(|(_, closed)| closed) && p.pos == whole.end
}

/// Whether a content is several values, each on a line of its own.
fn is_lines(text: &str) -> bool {
    let close = match text.as_bytes().first() {
        Some(b'{') => '}',
        Some(b'[') => ']',
        _ => return false,
    };
    text.split_once('\n').is_some_and(|(first, rest)| {
        first.trim_end().ends_with(close) && rest.trim_start().starts_with(['{', '['])
    })
}

/// How reading a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Complete,
    Truncated,
    Broken,
}

/// What an open bracket holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// `{` before its first entry.
    Unknown,
    /// Keys with values.
    Members,
    /// Values by position.
    Items,
    /// Arguments, by keyword or not.
    Arguments,
}

#[derive(Debug)]
struct Frame {
    close: u8,
    holds: Holds,
    index: u32,
    /// Whether the trail stands at an entry of this bracket.
    inside: bool,
}

struct Parser<'a> {
    src: &'a str,
    pos: usize,
    sink: Sink<'a>,
    trail: Trail,
    frames: Vec<Frame>,
    leaves: usize,
    keys: usize,
}

impl<'a> Parser<'a> {
    fn new(src: &'a str, base: &Path, depth: u8) -> Self {
        Self {
            src,
            pos: 0,
            sink: Sink::new(src, base, depth),
            trail: Trail::new(base),
            frames: Vec::new(),
            leaves: 0,
            keys: 0,
        }
    }

    /// Whether enough was read to call the content JSON, though more text follows.
    fn covers(&self, whole: &Range<usize>, end: End) -> bool {
        let most = (self.pos - whole.start) * 2 >= whole.len();
        let line = self.src[self.pos..]
            .trim_start_matches([' ', '\t', '\r'])
            .starts_with('\n');
        self.keys > 0 && (most || end == End::Complete && line)
    }

    fn peek(&self) -> Option<u8> {
        self.src.as_bytes().get(self.pos).copied()
    }

    fn skip_space(&mut self) {
        let rest = &self.src[self.pos..];
        self.pos += rest.len() - rest.trim_start().len();
    }

    /// Reads one value with everything in it, without recursion.
    fn value(&mut self) -> End {
        loop {
            match self.entry() {
                Ok(Entry::Opened) => continue,
                Ok(Entry::Done) => {}
                Err(end) => return self.stop(end),
            }
            if let Some(end) = self.after_value() {
                return self.stop(end);
            }
        }
    }

    /// After a value: closes brackets and steps over a comma; the end when there is no next entry.
    fn after_value(&mut self) -> Option<End> {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Some(End::Complete);
            };
            if std::mem::take(&mut frame.inside) {
                self.trail.pop();
            }
            let close = frame.close;
            self.skip_space();
            match self.peek() {
                None => return Some(End::Truncated),
                Some(b',') => {
                    self.pos += 1;
                    return None;
                }
                Some(b) if b == close => {
                    self.pos += 1;
                    self.frames.pop();
                }
                Some(_) => return Some(End::Broken),
            }
        }
    }

    fn stop(&mut self, end: End) -> End {
        while let Some(f) = self.frames.pop() {
            if f.inside {
                self.trail.pop();
            }
        }
        end
    }

    /// Reads the start of an entry.
    fn entry(&mut self) -> Result<Entry, End> {
        self.skip_space();
        let b = self.peek().ok_or(End::Truncated)?;
        if self.frames.last().is_some_and(|f| f.close == b) {
            // An empty bracket, or a trailing comma.
            self.pos += 1;
            self.frames.pop();
            return Ok(Entry::Done);
        }
        self.enter()?;
        self.skip_space();
        match self.peek().ok_or(End::Truncated)? {
            b'{' => self.open(b'}', Holds::Unknown),
            b'[' => self.open(b']', Holds::Items),
            b'(' => self.open(b')', Holds::Items),
            b'"' | b'\'' => return self.string_leaf(),
            _ => return self.word(),
        }
        Ok(Entry::Opened)
    }

    fn open(&mut self, close: u8, holds: Holds) {
        self.pos += 1;
        self.frames.push(Frame {
            close,
            holds,
            index: 0,
            inside: false,
        });
    }

    /// Steps into the next entry of the innermost bracket: past its key, or to its index.
    fn enter(&mut self) -> Result<(), End> {
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let (mut holds, index) = (frame.holds, frame.index);
        let key = match holds {
            Holds::Members => Some(self.key(b':').ok_or(End::Broken)?),
            Holds::Unknown => self.key(b':'),
            Holds::Arguments => self.key(b'='),
            Holds::Items => None,
        };
        if holds == Holds::Unknown {
            holds = if key.is_some() {
                Holds::Members
            } else {
                Holds::Items
            };
        }
        let inside = key.is_some() || holds == Holds::Items;
        if let Some(frame) = self.frames.last_mut() {
            frame.holds = holds;
            frame.inside = inside;
            frame.index = index.saturating_add(1);
        }
        match key {
            Some(key) => {
                self.trail.push(Seg::Key((&*key.text).into()));
                let path = self.trail.path();
                self.sink.key(&key, &path);
                self.keys += 1;
            }
            None if inside => self.trail.push(Seg::Index(index)),
            None => {}
        }
        Ok(())
    }

    /// Reads a key and its sign; nothing is read when there is none.
    fn key(&mut self, sign: u8) -> Option<Decoded<'a>> {
        let start = self.pos;
        let key = match self.peek()? {
            b'"' | b'\'' if sign == b':' => self.string()?.0,
            _ => {
                let len = word_len(&self.src[start..]);
                self.pos += len;
                Decoded::verbatim(self.src, start..start + len)
            }
        };
        self.skip_space();
        if self.peek() == Some(sign) && !key.text.is_empty() {
            self.pos += 1;
            return Some(key);
        }
        self.pos = start;
        None
    }

    /// Reads a number, a constant, or a constructor call.
    fn word(&mut self) -> Result<Entry, End> {
        let start = self.pos;
        let word = &self.src[start..start + word_len(&self.src[start..])];
        let end = start + word.len();
        let after = &self.src[end..];
        if word.len() <= 2
            && after.starts_with(['"', '\''])
            && word.chars().all(|c| "bBrRuUfF".contains(c))
        {
            self.pos = end;
            return self.string_leaf();
        }
        let name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if name && after.starts_with('(') {
            // A call with plain arguments only, such as a date, is one value.
            let plain = after[1..]
                .find(['(', ')', '"', '\'', '=', '[', '{', '\n'])
                .map(|i| i + 1)
                .filter(|&i| after[i..].starts_with(')'));
            let Some(len) = plain else {
                self.pos = end;
                self.open(b')', Holds::Arguments);
                return Ok(Entry::Opened);
            };
            self.pos = end + len + 1;
        } else if is_constant(word) || is_number(word) {
            self.pos = end;
        } else {
            return Err(if after.is_empty() {
                End::Truncated
            } else {
                End::Broken
            });
        }
        let path = self.trail.path();
        self.sink.say(start..self.pos, super::Role::Value, &path);
        self.leaves += 1;
        Ok(Entry::Done)
    }

    fn string_leaf(&mut self) -> Result<Entry, End> {
        let (text, closed) = self.string().ok_or(End::Truncated)?;
        let path = self.trail.path();
        self.sink.leaf(&text, &path);
        self.leaves += 1;
        if closed {
            Ok(Entry::Done)
        } else {
            Err(End::Truncated)
        }
    }

    /// Reads a quoted string: its text, and whether it is closed.
    fn string(&mut self) -> Option<(Decoded<'a>, bool)> {
        let quote = self.peek()?;
        let bytes = self.src.as_bytes();
        let start = self.pos + 1;
        let mut text = Builder::new(self.src, start);
        let mut at = start;
        loop {
            let Some(len) = memchr::memchr2(quote, b'\\', &bytes[at..]) else {
                text.copy(at..bytes.len());
                self.pos = bytes.len();
                return Some((text.finish(bytes.len()), false));
            };
            text.copy(at..at + len);
            at += len;
            if bytes[at] == quote {
                self.pos = at + 1;
                return Some((text.finish(at), true));
            }
            at = escape(self.src, at, &mut text);
        }
    }
}

/// What reading an entry did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// A bracket was opened.
    Opened,
    /// A value is complete.
    Done,
}

/// Decodes the escape sequence at `at`; the offset after it.
pub(super) fn escape(src: &str, at: usize, text: &mut Builder<'_>) -> usize {
    let Some(kind) = src[at + 1..].chars().next() else {
        text.copy(at..src.len());
        return src.len();
    };
    let end = at + 1 + kind.len_utf8();
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    let simple = match kind {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'v' => Some('\u{b}'),
        'a' => Some('\u{7}'),
        '0' => Some('\0'),
        '"' | '\'' | '\\' | '/' => Some(kind),
        _ => None,
    };
    if let Some(c) = simple {
        text.push(c, at);
        return end;
    }
    let Some(code) = (digits > 0).then(|| hex(src, end, digits)).flatten() else {
        // An unknown escape stands for itself.
        text.copy(at..end);
        return end;
    };
    let end = end + digits;
    if (0xD800..0xDC00).contains(&code)
        && src[end..].starts_with("\\u")
        && let Some(low @ 0xDC00..0xE000) = hex(src, end + 2, 4)
    {
        let joined = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        text.push(
            char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER),
            at,
        );
        return end + 6;
    }
    text.push(
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
        at,
    );
    end
}

fn hex(src: &str, at: usize, digits: usize) -> Option<u32> {
    let text = src.get(at..at + digits)?;
    text.bytes()
        .all(|b| b.is_ascii_hexdigit())
        .then(|| u32::from_str_radix(text, 16).ok())
        .flatten()
}

/// Length of the number, name or dotted name at the start of `text`.
fn word_len(text: &str) -> usize {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-')));
    end.unwrap_or(text.len())
}

fn is_constant(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "null"
            | "True"
            | "False"
            | "None"
            | "nan"
            | "inf"
            | "-inf"
            | "NaN"
            | "Infinity"
            | "-Infinity"
            | "undefined"
            | "Ellipsis"
            | "..."
    )
}

fn is_number(word: &str) -> bool {
    word.len() <= 4096
        && word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
        && word.parse::<f64>().is_ok()
}
