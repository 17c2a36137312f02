//! Decoded text with a map back to the bytes it was decoded from.

use std::borrow::Cow;
use std::ops::Range;

/// Text decoded from a raw range: escapes resolved, lines folded, inline tags dropped.
///
/// Between two marks the text equals the bytes; each mark says where in the raw bytes the text continues.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    /// The text.
    pub(super) text: Cow<'a, str>,
    /// (offset in the text, offset in the source), ascending in both; empty when the text is the bytes themselves.
    marks: Vec<(usize, usize)>,
    /// Where it lies in the source.
    pub(super) raw: Range<usize>,
}

impl<'a> Decoded<'a> {
    /// Text that is the bytes themselves.
    pub(super) fn verbatim(src: &'a str, raw: Range<usize>) -> Self {
        Self {
            text: Cow::Borrowed(&src[raw.clone()]),
            marks: Vec::new(),
            raw,
        }
    }

    /// Whether the text is the bytes themselves.
    pub(super) fn is_verbatim(&self) -> bool {
        self.marks.is_empty()
    }

    /// A cursor that maps ascending text offsets to source offsets in linear time overall.
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor {
            marks: &self.marks,
            at: 0,
            raw: self.raw.clone(),
            len: self.text.len(),
        }
    }
}

/// Maps ascending text offsets to source offsets.
pub(super) struct Cursor<'d> {
    marks: &'d [(usize, usize)],
    at: usize,
    raw: Range<usize>,
    len: usize,
}

impl Cursor<'_> {
    /// The source offset of a text offset. Offsets must not descend from call to call.
    pub(super) fn map(&mut self, offset: usize) -> usize {
        if offset == 0 {
            return self.raw.start;
        }
        if offset >= self.len {
            return self.raw.end;
        }
        while self.marks.get(self.at + 1).is_some_and(|m| m.0 <= offset) {
            self.at += 1;
        }
        match self.marks.get(self.at) {
            Some(&(text, raw)) if text <= offset => (raw + offset - text).min(self.raw.end),
            _ => (self.raw.start + offset).min(self.raw.end),
        }
    }
}

/// Builds a [`Decoded`] piece by piece, in the order of the source.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    src: &'a str,
    text: String,
    marks: Vec<(usize, usize)>,
    start: usize,
}

impl<'a> Builder<'a> {
    /// An empty text that starts at a source offset.
    pub(super) fn new(src: &'a str, start: usize) -> Self {
        Self {
            src,
            text: String::new(),
            marks: Vec::new(),
            start,
        }
    }

    /// Length of the text so far, in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether the text is empty or ends in white space.
    pub(super) fn ends_in_space(&self) -> bool {
        self.text.is_empty() || self.text.ends_with([' ', '\n'])
    }

    /// Drops white space at the end of the text, down to `floor`.
    pub(super) fn trim_end(&mut self, floor: usize) {
        let kept = self
            .text
            .trim_end_matches([' ', '\t', '\r'])
            .len()
            .max(floor);
        self.text.truncate(kept);
        while self.marks.last().is_some_and(|m| m.0 > kept) {
            self.marks.pop();
        }
    }

    /// Appends source bytes as they are.
    pub(super) fn copy(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let expected = self.marks.last().map_or(self.start + self.text.len(), |m| {
            m.1 + self.text.len() - m.0
        });
        if expected != range.start {
            self.marks.push((self.text.len(), range.start));
        }
        self.text.push_str(&self.src[range]);
    }

    /// Appends a character that stands for the source bytes from `raw`.
    pub(super) fn push(&mut self, c: char, raw: usize) {
        self.marks.push((self.text.len(), raw));
        self.text.push(c);
    }

    /// The decoded text of everything up to the source offset `end`.
    pub(super) fn finish(self, end: usize) -> Decoded<'a> {
        let raw = self.start..end.max(self.start);
        if self.marks.is_empty() && self.text.len() == raw.len() {
            return Decoded::verbatim(self.src, raw);
        }
        let mut marks = self.marks;
        if marks.is_empty() {
            marks.push((0, raw.start));
        }
        Decoded {
            text: Cow::Owned(self.text),
            marks,
            raw,
        }
    }
}
