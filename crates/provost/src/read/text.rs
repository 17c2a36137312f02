//! Plain text: lines, labels, lists and sentences.

use std::ops::Range;

use super::sentence::{self, Breaks};
use super::sink::{Sink, Trail, trim};
use super::{Format, Path, Piece, Role, Seg};

/// Reads `src` as text.
pub(super) fn read(src: &str, base: &Path, depth: u8) -> (Format, Vec<Piece>) {
    let mut reader = Reader {
        src,
        sink: Sink::new(src, base, depth),
        trail: Trail::new(base),
        next: 0,
        item: None,
    };
    let lines = lines(src);
    let mut i = 0;
    while i < lines.len() {
        i = reader.block(&lines, i);
    }
    (Format::Text, reader.sink.finish())
}

struct Reader<'a> {
    src: &'a str,
    sink: Sink<'a>,
    trail: Trail,
    /// Index of the next list item.
    next: u32,
    /// Indent of the list item that the trail stands in.
    item: Option<usize>,
}

impl Reader<'_> {
    /// Reads what starts at line `i`; the line after it.
    fn block(&mut self, lines: &[Range<usize>], i: usize) -> usize {
        let line = trim(self.src, lines[i].clone());
        let indent = line.start - lines[i].start;
        if line.is_empty() {
            return i + 1;
        }
        let mut text = line.clone();
        if let Some(len) = marker(&self.src[line.clone()]) {
            self.leave_item();
            self.trail.push(Seg::Index(self.next));
            self.next += 1;
            self.item = Some(indent);
            text.start += len;
        } else if self.item.is_some_and(|at| indent <= at) {
            self.leave_item();
        }
        let label = label(&self.src[text.clone()]);
        if let Some(len) = label {
            let key = text.start..text.start + len;
            self.trail.push(Seg::Key(self.src[key.clone()].into()));
            let path = self.trail.path();
            self.sink.say(key, Role::Key, &path);
            text.start += len + 1;
        }
        let mut end = text.end;
        let mut next = i + 1;
        while let Some(more) = lines.get(next) {
            let more = trim(self.src, more.clone());
            let goes_on = sentence::continues(
                &self.src[trim(self.src, lines[next - 1].clone())],
                &self.src[more.clone()],
            );
            let new = marker(&self.src[more.clone()]).is_some()
                || self::label(&self.src[more.clone()]).is_some();
            if goes_on != Some(true) || new {
                break;
            }
            end = more.end;
            next += 1;
        }
        let path = self.trail.path();
        if label.is_some() || self.item.is_some() {
            self.sink.value(text.start..end, &path);
        } else {
            self.sink.sentences(text.start..end, &path, Breaks::Soft);
        }
        if label.is_some() {
            self.trail.pop();
        }
        next
    }

    fn leave_item(&mut self) {
        if self.item.take().is_some() {
            self.trail.pop();
        }
    }
}

/// The lines of a text, without their breaks.
fn lines(src: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', src.as_bytes()) {
        out.push(start..end);
        start = end + 1;
    }
    out.push(start..src.len());
    out
}

/// Length of the list marker at the start of a line, with the white space after it.
fn marker(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = if digits > 0 && digits <= 3 {
        digits + line[digits..].strip_prefix(['.', ')']).map(|_| 1)?
    } else {
        let c = line.chars().next().filter(|c| "-*•+–".contains(*c))?;
        c.len_utf8()
    };
    let rest = &line[mark..];
    let text = rest.trim_start();
    (rest.len() > text.len() && !text.is_empty()).then(|| line.len() - text.len())
}

/// Length of the label at the start of a `Label: value` line.
fn label(line: &str) -> Option<usize> {
    let colon = line.find(':')?;
    let label = &line[..colon];
    let value = line[colon + 1..].strip_prefix([' ', '\t'])?;
    let plausible = !value.trim().is_empty()
        && label.chars().count() <= 40
        && label.split_whitespace().count() <= 5
        && label.starts_with(char::is_alphabetic)
        && !label.contains([',', '.', '!', '?', ';', '"']);
    plausible.then_some(colon)
}
