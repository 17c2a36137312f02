//! Sentences in running text of any language.
//!
//! Follows Unicode UAX #29 (a sentence ends at a terminator before white space, not before a lower-case letter; wide
//! East Asian terminators need no white space), tailored so that abbreviations, initials, ordinals, dates and list
//! numbers do not end one, and so that a line break ends one unless the line was merely wrapped.

use std::ops::Range;

use super::abbrev::{self, Kind};

/// How line breaks count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaks {
    /// A line break ends a sentence unless the next line clearly goes on.
    Soft,
    /// Line breaks are white space.
    Never,
}

/// Shortest and longest width, in bytes, at which people and programs wrap lines.
const WIDTHS: std::ops::RangeInclusive<usize> = 48..=120;

/// The width at which the lines of a text are wrapped: most lines that are not the last of their paragraph come close
/// to it. `None` when they do not.
pub(super) fn wrap_width(text: &str) -> Option<usize> {
    let mut lines = text.lines().map(|l| l.trim_end().len()).peekable();
    let (mut widest, mut inner) = (0, Vec::new());
    while let Some(len) = lines.next() {
        if len > 0 && lines.peek().is_some_and(|&next| next > 0) {
            widest = widest.max(len);
            inner.push(len);
        }
    }
    let close = inner.iter().filter(|&&len| len * 4 >= widest * 3).count();
    (close >= 2 && close * 5 >= inner.len() * 3 && WIDTHS.contains(&widest)).then_some(widest)
}

/// From this many words on, a text without terminator is prose.
const PROSE_WORDS: usize = 8;

/// Calls `each` with every sentence of `text`, trimmed, in order. Linear.
pub(super) fn split(text: &str, breaks: Breaks, each: impl FnMut(Range<usize>)) {
    split_item(text, breaks, 0, each);
}

/// Like [`split`], for the text of item number `item` of a list: the next items may follow on the same line
/// (`1. Do this 2. Do that`).
pub(super) fn split_item(
    text: &str,
    breaks: Breaks,
    item: u32,
    mut each: impl FnMut(Range<usize>),
) {
    let mut splitter = Splitter {
        text,
        start: text.len() - text.trim_start().len(),
        lower_style: text.trim_start().starts_with(|c: char| c.is_lowercase()),
        item,
    };
    let bytes = text.as_bytes();
    let soft = breaks == Breaks::Soft && memchr::memchr(b'\n', bytes).is_some();
    let width = if soft { wrap_width(text) } else { None };
    let mut line_start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let b = bytes[at];
        if b == b'\n' {
            if soft && is_hard_break(text, line_start, at, width, splitter.start >= line_start) {
                splitter.end(at, &mut each);
            }
            at += 1;
            line_start = at;
        } else if b == b'.' || b == b'!' || b == b'?' || b >= 0x80 {
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            let next = at + c.len_utf8();
            if !is_terminator(c) {
                at = next;
                continue;
            }
            if b == b'.'
                && let Some(start) = splitter.item_at(at)
            {
                splitter.end(start, &mut each);
                at = next;
                continue;
            }
            let end = cluster_end(text, next);
            if splitter.ends_here(at, c, end) {
                splitter.end(end, &mut each);
            }
            at = end;
        } else {
            at += 1;
        }
    }
    splitter.end(text.len(), &mut each);
}

/// Whether a text is prose rather than a value: several sentences or lines, or one sentence of some length.
pub(super) fn is_prose(text: &str) -> bool {
    let text = text.trim();
    if text.contains('\n') {
        return true;
    }
    let words = text.split_whitespace().take(PROSE_WORDS).count();
    if words >= PROSE_WORDS {
        return true;
    }
    let last = text.trim_end_matches(is_closer).chars().next_back();
    if last.is_some_and(|c| is_wide(c) || (is_terminator(c) && words >= 3)) {
        return true;
    }
    let bytes = text.as_bytes();
    let inner = memchr::memchr3(b'.', b'!', b'?', bytes).is_some() || !text.is_ascii();
    inner && count(text) > 1
}

/// Number of sentences of a text.
pub(super) fn count(text: &str) -> usize {
    let mut count = 0;
    split(text, Breaks::Soft, |_| count += 1);
    count
}

struct Splitter<'a> {
    text: &'a str,
    start: usize,
    lower_style: bool,
    /// Number of the last list item seen.
    item: u32,
}

impl Splitter<'_> {
    /// Ends the current sentence at `end`.
    fn end(&mut self, end: usize, each: &mut impl FnMut(Range<usize>)) {
        if end <= self.start {
            return;
        }
        let range = super::sink::trim(self.text, self.start..end);
        let rest = &self.text[end..];
        self.start = end + rest.len() - rest.trim_start().len();
        if !range.is_empty() {
            each(range);
        }
    }

    /// The start of the list number that ends at `at`, when it is the next one of a list.
    fn item_at(&mut self, at: usize) -> Option<usize> {
        let word = self.word_before(at);
        let spaced = self.text[at + 1..]
            .strip_prefix(' ')
            .is_some_and(|r| r.starts_with(char::is_alphabetic));
        if !spaced || word.is_empty() || word.len() > 2 || !word.bytes().all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let number = word.parse().ok()?;
        let start = at - word.len();
        let counts = number == self.item + 1;
        if counts && (start == self.start || self.item > 0) {
            self.item = number;
            return Some(start);
        }
        None
    }

    /// Whether the terminator `c` at `at`, whose cluster ends at `end`, ends the sentence.
    fn ends_here(&self, at: usize, c: char, end: usize) -> bool {
        let rest = &self.text[end..];
        let Some(follows) = rest.chars().next() else {
            return true;
        };
        if is_wide(c) {
            return true;
        }
        if !follows.is_whitespace() {
            return c == '.' && end == at + 1 && self.is_spliced(at, rest);
        }
        let Some(next) = rest.trim_start().chars().next() else {
            return true;
        };
        let cluster = &self.text[at..end];
        if c == '…' || cluster.starts_with("..") {
            return !next.is_lowercase();
        }
        if c != '.' || cluster.contains(['!', '?']) {
            // A question that is quoted within a sentence: `she asked "why?" and left`.
            let quoted = cluster.ends_with(['"', '\'', '”', '’', '»', '`']);
            return !(quoted && next.is_lowercase() && !self.lower_style);
        }
        let word = self.word_before(at);
        if word.is_empty() {
            return true;
        }
        let closed = cluster.len() > 1;
        !closed && self.full_stop(word, rest.trim_start(), next) || closed && !next.is_lowercase()
    }

    /// Whether a full stop with a word right behind it ends the sentence all the same: a word in small letters before it,
    /// a capital after it, and more text on both sides (`… the end.Next we …`).
    fn is_spliced(&self, at: usize, rest: &str) -> bool {
        let word = self.word_before(at);
        let next = rest.split_whitespace().next().unwrap_or("");
        let core = next.trim_end_matches([':', ',', '!']);
        let before = self.text[self.start..at].split_whitespace().take(4).count();
        let after = rest.split_whitespace().take(3).count();
        word.len() > 2
            && word.chars().all(char::is_lowercase)
            && core.starts_with(char::is_uppercase)
            && core.chars().all(char::is_alphabetic)
            && before > 3
            && after > 2
    }

    /// Whether a full stop after `word` ends the sentence, when `rest` follows, which starts with `next`.
    fn full_stop(&self, word: &str, rest: &str, next: char) -> bool {
        let at_start = self.text[self.start..].as_ptr() == word.as_ptr();
        if word.bytes().all(|b| b.is_ascii_digit()) {
            return !(at_start && word.len() <= 3) && self.ends_after_number(word, rest, next);
        }
        match abbrev::kind(word) {
            Some(Kind::Never) => false,
            Some(Kind::BeforeNumber) => {
                let following = rest.split_whitespace().next().unwrap_or("");
                !following.contains(|c: char| c.is_ascii_digit())
            }
            Some(Kind::MayEnd) => next.is_uppercase(),
            None => {
                let short = word.chars().take(5).count() <= 4;
                if next.is_lowercase() {
                    self.lower_style && word.chars().all(char::is_alphanumeric)
                } else {
                    !(next.is_ascii_digit() && short && word.starts_with(char::is_uppercase))
                }
            }
        }
    }

    /// Whether a full stop after a number ends the sentence: not when it makes an ordinal or a date.
    fn ends_after_number(&self, word: &str, rest: &str, next: char) -> bool {
        if next.is_lowercase() {
            return self.lower_style;
        }
        if word.len() > 2 {
            return true;
        }
        let following = rest
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or("");
        if abbrev::is_month(following) {
            return false;
        }
        let before = word.as_ptr() as usize - self.text.as_ptr() as usize;
        let lead = self.word_before(self.text[..before].trim_end().len());
        !abbrev::leads_ordinal(lead)
    }

    /// The word that ends at `at`, within the current sentence.
    fn word_before(&self, at: usize) -> &str {
        let head = &self.text[self.start.min(at)..at];
        let from = head
            .char_indices()
            .rev()
            .take(WORD_LIMIT)
            .take_while(|(_, c)| !c.is_whitespace())
            .last()
            .map_or(head.len(), |(i, _)| i);
        head[from..].trim_start_matches(|c: char| !c.is_alphanumeric())
    }
}

/// Longest word looked at, in characters: keeps the splitter linear.
const WORD_LIMIT: usize = 32;

/// Whether the line break at `at` ends the sentence of the line that began at `line_start`.
fn is_hard_break(
    text: &str,
    line_start: usize,
    at: usize,
    width: Option<usize>,
    fresh: bool,
) -> bool {
    let line = text[line_start..at].trim();
    let next = &text[at + 1..];
    let next = next.split_once('\n').map_or(next, |(l, _)| l).trim_start();
    !continues(line, next, width, fresh)
}

/// Whether `next` goes on with the sentence of `line`, in a text wrapped at `width`: it starts in lower case, or the
/// line is full. `fresh` when the sentence began on `line`.
pub(super) fn continues(line: &str, next: &str, width: Option<usize>, fresh: bool) -> bool {
    let last = line.trim_end_matches(is_closer).chars().next_back();
    let (Some(last), Some(first)) = (last, next.chars().next()) else {
        return false;
    };
    if is_terminator(last) || matches!(last, ':' | '：' | ';') {
        return false;
    }
    let word = next.split_whitespace().next().unwrap_or("");
    let full = width.is_some_and(|w| line.len() <= w && line.len() + 1 + word.len() > w);
    if first.is_lowercase() {
        // `a) ` opens an item of a list; in a list written in lower case each line is by itself.
        let item = next.chars().nth(1).is_some_and(|c| matches!(c, ')' | '.'));
        return !item
            && (full || !fresh || last == ',' || !line.starts_with(|c: char| c.is_lowercase()));
    }
    let opens = first.is_alphanumeric() || matches!(first, '(' | '"' | '\'' | '“' | '„' | '«');
    let marked = word.len() <= 4
        && word.starts_with(|c: char| c.is_ascii_digit())
        && word.ends_with(['.', ')']);
    opens && !marked && full
}

/// The end of a terminator's cluster: further terminators, closing quotes and brackets, Markdown's emphasis marks.
fn cluster_end(text: &str, from: usize) -> usize {
    let mut end = from;
    for c in text[from..].chars() {
        if is_terminator(c) || is_closer(c) {
            end += c.len_utf8();
        } else {
            break;
        }
    }
    end
}

fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '”'
            | '’'
            | '»'
            | '›'
            | ')'
            | ']'
            | '}'
            | '*'
            | '_'
            | '`'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
    )
}

/// The property Sentence_Terminal of Unicode for scripts in use.
pub(super) fn is_terminator(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '‼'
            | '⁇'
            | '⁈'
            | '⁉'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '։'
            | '።'
            | '፧'
            | '፨'
            | '၊'
            | '။'
            | '។'
            | '៕'
            | '᠃'
            | '᠉'
    ) || is_wide(c)
}

/// Terminators that need no white space after them.
fn is_wide(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '．' | '｡')
}
