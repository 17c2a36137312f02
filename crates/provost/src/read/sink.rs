//! Where readers put their pieces: keeps them contiguous and in order, and splits off what is concealed.

use std::ops::Range;

use super::decode::Decoded;
use super::inline::{self, Cut};
use super::sentence::{self, Breaks};
use super::{MAX_NESTING, Path, Piece, Role, Seg, concealed, dispatch};

/// Steps of a path beyond this depth are dropped: what lies deeper shares the path of its ancestor.
const MAX_STEPS: usize = 64;

/// Leaves up to this many bytes on one line hold no structure unless a sign of it is among them.
const SHORT_LEAF: usize = 48;

/// Collects the pieces of one source text.
#[derive(Debug)]
pub(super) struct Sink<'a> {
    src: &'a str,
    base: Path,
    depth: u8,
    pos: usize,
    out: Vec<Piece>,
    /// Parts of the text that are pieces of their own, and how many of them lie behind.
    cuts: Vec<Cut>,
    passed: usize,
    /// Number of the list item whose text comes next; 0 when it is none.
    item: u32,
}

impl<'a> Sink<'a> {
    /// An empty sink for `src`, whose gaps hang at `base`.
    pub(super) fn new(src: &'a str, base: &Path, depth: u8) -> Self {
        Self::with_cuts(src, base, depth, Vec::new())
    }

    /// An empty sink for running text in which these parts are set apart.
    pub(super) fn with_cuts(src: &'a str, base: &Path, depth: u8, cuts: Vec<Cut>) -> Self {
        Self {
            src,
            base: base.clone(),
            depth,
            pos: 0,
            out: Vec::new(),
            cuts,
            passed: 0,
            item: 0,
        }
    }

    /// Tells that the text that comes next is that of item number `item` of a list.
    pub(super) fn set_item(&mut self, item: u32) {
        self.item = item;
    }

    /// The nesting level of the source.
    pub(super) fn depth(&self) -> u8 {
        self.depth
    }

    /// The end of what has been put so far.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Puts one piece; what lies between the previous one and this is syntax. Bytes already put are not put again.
    pub(super) fn put(
        &mut self,
        range: Range<usize>,
        role: Role,
        path: &Path,
        decoded: Option<Box<str>>,
    ) {
        let start = range.start.max(self.pos);
        if start >= range.end {
            return;
        }
        if start > self.pos {
            let base = self.base.clone();
            self.push(self.pos..start, Role::Syntax, base, None);
        }
        self.push(start..range.end, role, path.clone(), decoded);
    }

    fn push(&mut self, range: Range<usize>, role: Role, path: Path, decoded: Option<Box<str>>) {
        self.pos = range.end;
        if role == Role::Syntax
            && decoded.is_none()
            && let Some(last) = self.out.last_mut()
            && last.role == Role::Syntax
            && last.decoded.is_none()
            && last.path == path
        {
            last.range.end = range.end;
            return;
        }
        self.out.push(Piece {
            range,
            role,
            path,
            decoded,
        });
    }

    /// Puts text that is read as it stands; what is concealed in it, and link targets, apart.
    pub(super) fn say(&mut self, range: Range<usize>, role: Role, path: &Path) {
        let mut at = range.start;
        while let Some(cut) = self.cuts.get(self.passed) {
            if cut.outer.start >= range.end {
                break;
            }
            let cut = cut.clone();
            self.passed += 1;
            if cut.outer.end <= at {
                continue;
            }
            self.say_words(at..cut.outer.start, role, path);
            self.put(cut.inner, cut.role, path, None);
            at = cut.outer.end;
        }
        self.say_words(at..range.end, role, path);
    }

    fn say_words(&mut self, range: Range<usize>, role: Role, path: &Path) {
        let range = range.start.max(self.pos)..range.end;
        if range.is_empty() || self.src.get(range.clone()).is_none() {
            return;
        }
        let range = trim(self.src, range);
        let text = &self.src[range.clone()];
        let mut at = range.start;
        for hidden in concealed::ranges(text) {
            let hidden = range.start + hidden.start..range.start + hidden.end;
            self.put(trim(self.src, at..hidden.start), role, path, None);
            let said = concealed::spelled(&self.src[hidden.clone()]);
            at = hidden.end;
            self.put(hidden, Role::Concealed, path, said);
        }
        self.put(trim(self.src, at..range.end), role, path, None);
    }

    /// Puts each sentence of a range of plain text, its line breaks judged by `breaks`.
    pub(super) fn sentences(&mut self, range: Range<usize>, path: &Path, breaks: Breaks) {
        let Some(text) = self.src.get(range.clone()) else {
            return;
        };
        let item = std::mem::take(&mut self.item);
        sentence::split_item(text, breaks, item, |s| {
            let range = range.start + s.start..range.start + s.end;
            // Marks without words are no sentence.
            if text[s].contains(char::is_alphanumeric) {
                self.say(range, Role::Sentence, path);
            } else {
                self.put(range, Role::Syntax, path, None);
            }
        });
    }

    /// Puts a short text that stands where a value is expected: one value, or the sentences of prose.
    pub(super) fn value(&mut self, range: Range<usize>, path: &Path) {
        let range = trim(self.src, range);
        if sentence::is_prose(&self.src[range.clone()]) {
            self.sentences(range, path, Breaks::Soft);
        } else {
            self.say(range, Role::Value, path);
        }
    }

    /// Puts a leaf of a structured format: a value, the sentences of prose, or what its own format makes of it.
    pub(super) fn leaf(&mut self, decoded: &Decoded<'_>, path: &Path) {
        let text: &str = &decoded.text;
        if decoded.is_verbatim() {
            let special = |b: &u8| matches!(b, b'\n' | b'<' | b'{' | b'[' | b']' | b'(');
            if text.len() <= SHORT_LEAF && !text.as_bytes().iter().any(special) {
                return self.value(decoded.raw.clone(), path);
            }
            if self.depth >= MAX_NESTING {
                return self.sentences(decoded.raw.clone(), path, Breaks::Soft);
            }
        }
        let pieces = inner(text, path, self.depth + 1);
        self.graft(decoded, pieces);
    }

    /// Puts the key of a value.
    pub(super) fn key(&mut self, decoded: &Decoded<'_>, path: &Path) {
        if decoded.is_verbatim() {
            self.say(decoded.raw.clone(), Role::Key, path);
        } else {
            self.whole(decoded, Role::Key, path);
        }
    }

    /// Puts a decoded text as one piece, concealed characters apart.
    pub(super) fn whole(&mut self, decoded: &Decoded<'_>, role: Role, path: &Path) {
        let mut inner = Sink::new(&decoded.text, path, self.depth);
        inner.say(0..decoded.text.len(), role, path);
        self.graft(decoded, inner.finish());
    }

    /// Puts what a part of the source is when it is read by itself.
    pub(super) fn nested(&mut self, range: Range<usize>, path: &Path) {
        let Some(text) = self
            .src
            .get(range.clone())
            .filter(|_| self.depth < MAX_NESTING)
        else {
            self.sentences(range, path, Breaks::Soft);
            return;
        };
        let pieces = dispatch(text, path, self.depth + 1).1;
        self.graft(&Decoded::verbatim(self.src, range), pieces);
    }

    /// Puts the pieces of a decoded text where its bytes lie.
    pub(super) fn graft(&mut self, decoded: &Decoded<'_>, pieces: Vec<Piece>) {
        let mut cursor = decoded.cursor();
        for p in pieces {
            let raw = cursor.map(p.range.start)..cursor.map(p.range.end);
            let said = p.decoded.or_else(|| {
                let text = &decoded.text[p.range];
                (self.src.get(raw.clone()) != Some(text)).then(|| text.into())
            });
            self.put(raw, p.role, &p.path, said);
        }
    }

    /// All pieces; what is left over is syntax.
    pub(super) fn finish(mut self) -> Vec<Piece> {
        let end = self.src.len();
        let base = self.base.clone();
        self.put(end..end, Role::Syntax, &base, None);
        if self.pos < end {
            self.push(self.pos..end, Role::Syntax, base, None);
        }
        self.out
    }
}

/// The pieces of a leaf's text.
fn inner(text: &str, path: &Path, depth: u8) -> Vec<Piece> {
    let lines = text.trim().contains('\n');
    let first = text.trim_start().as_bytes().first();
    if depth < MAX_NESTING && (lines || matches!(first, Some(b'{' | b'[' | b'<' | b'('))) {
        return dispatch(text, path, depth).1;
    }
    let mut sink = Sink::with_cuts(text, path, depth, inline::cuts(text));
    if lines {
        sink.sentences(0..text.len(), path, Breaks::Soft);
    } else {
        sink.value(0..text.len(), path);
    }
    sink.finish()
}

/// The range without white space at its ends.
pub(super) fn trim(src: &str, range: Range<usize>) -> Range<usize> {
    let text = &src[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    let end = range.start + text.trim_end().len();
    start..end.max(start)
}

/// The steps from the root to where a reader is; paths are made when asked for.
#[derive(Debug)]
pub(super) struct Trail {
    steps: Vec<Seg>,
    /// For each level below the base, the index of its next list entry.
    next: Vec<u32>,
    dropped: usize,
    path: Option<Path>,
}

impl Trail {
    /// A trail that starts at `base`.
    pub(super) fn new(base: &Path) -> Self {
        Self {
            steps: base.steps().to_vec(),
            next: vec![0],
            dropped: 0,
            path: Some(base.clone()),
        }
    }

    /// Goes one step deeper.
    pub(super) fn push(&mut self, step: Seg) {
        if self.dropped > 0 || self.steps.len() >= MAX_STEPS {
            self.dropped += 1;
        } else {
            self.steps.push(step);
            self.next.push(0);
            self.path = None;
        }
    }

    /// Goes one step deeper, to the next entry of the list that stands here.
    pub(super) fn enter(&mut self) {
        let index = match self.next.last_mut() {
            Some(next) if self.dropped == 0 => {
                let index = *next;
                *next = next.saturating_add(1);
                index
            }
            _ => 0,
        };
        self.push(Seg::Index(index));
    }

    /// Goes one step back.
    pub(super) fn pop(&mut self) {
        if self.dropped > 0 {
            self.dropped -= 1;
        } else {
            self.steps.pop();
            self.next.pop();
            self.path = None;
        }
    }

    /// The path of where the reader is.
    pub(super) fn path(&mut self) -> Path {
        self.path
            .get_or_insert_with(|| Path(self.steps.as_slice().into()))
            .clone()
    }
}
