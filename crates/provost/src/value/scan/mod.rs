//! The scanners: from text to atoms, in one pass over tokens with bounded look-ahead.
//!
//! A *lexeme* is a run of words and numbers glued by joining punctuation (`a-b`, `x.com/y`, `2026/27`). Each lexeme
//! is first tried as a whole (address, date, identifier, path), then token by token. Scanning is linear: a lexeme
//! is measured once, patterns look a fixed number of tokens ahead, and what is consumed is not read again.

mod date;
mod digits;
mod ident;
mod name;
mod net;
mod number;
mod time;
mod token;
mod view;
mod vocab;

use super::{Atom, Kind};
use token::{Case, Tok, Token, tokenize};
use view::View;

pub(crate) use vocab::family;

/// Texts are scanned in blocks of at most this many bytes, cut at a line break or a space where there is one.
const BLOCK: usize = 1 << 15;

/// All atoms of a text, by start and then the longer first.
pub(super) fn scan(text: &str) -> Vec<Atom> {
    let mut out: Vec<Atom> = Vec::new();
    let mut tokens = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = block_end(text, start);
        let block = text.get(start..end).unwrap_or_default();
        let view = View::of(block);
        tokenize(view.text(), &mut tokens);
        let mut scan = Scan::new(view.text(), &tokens);
        scan.run();
        out.extend(scan.atoms.into_iter().map(|mut atom| {
            let range = view.original(atom.range);
            atom.range = range.start + start..range.end + start;
            atom
        }));
        start = end;
    }
    out.sort_by_key(|a| (a.range.start, usize::MAX - a.range.end));
    out
}

fn block_end(text: &str, start: usize) -> usize {
    if text.len() - start <= BLOCK {
        return text.len();
    }
    let mut limit = start + BLOCK;
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let window = text.as_bytes().get(start..limit).unwrap_or_default();
    let cut = window
        .iter()
        .rposition(|b| *b == b'\n')
        .or_else(|| window.iter().rposition(|b| *b == b' '));
    cut.map_or(limit, |at| start + at + 1)
}

/// A number token: value (saturated) and count of digits.
#[derive(Clone, Copy, Debug)]
struct Digits {
    value: u32,
    len: usize,
}

/// The state of one pass.
struct Scan<'a> {
    text: &'a str,
    tokens: &'a [Token],
    atoms: Vec<Atom>,
    /// End of the last lexeme that was tried as a whole.
    lexeme_end: usize,
    /// End of the last number with its companions: a currency before it belongs to it.
    taken: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self {
            text,
            tokens,
            atoms: Vec::new(),
            lexeme_end: 0,
            taken: 0,
        }
    }

    fn run(&mut self) {
        let mut i = 0;
        while i < self.tokens.len() {
            let next = match self.tok(i) {
                Tok::Space | Tok::Break | Tok::End => i + 1,
                Tok::Punct => self.punct(i),
                Tok::Num | Tok::Word(_) => self.lexeme(i),
            };
            i = next.max(i + 1);
        }
    }

    fn tok(&self, i: usize) -> Tok {
        self.tokens.get(i).map_or(Tok::End, |t| t.tok)
    }

    /// Kind of the token before `i`.
    fn before(&self, i: usize) -> Tok {
        if i == 0 { Tok::End } else { self.tok(i - 1) }
    }

    fn start(&self, i: usize) -> usize {
        self.tokens
            .get(i)
            .map_or(self.text.len(), |t| t.start as usize)
    }

    fn str(&self, i: usize) -> &'a str {
        self.tokens
            .get(i)
            .and_then(|t| self.text.get(t.start as usize..t.end as usize))
            .unwrap_or_default()
    }

    /// Text of the tokens `i..end`.
    fn slice(&self, i: usize, end: usize) -> &'a str {
        self.text
            .get(self.start(i)..self.start(end))
            .unwrap_or_default()
    }

    fn byte(&self, i: usize) -> u8 {
        self.tokens
            .get(i)
            .and_then(|t| self.text.as_bytes().get(t.start as usize))
            .copied()
            .unwrap_or(0)
    }

    /// Whether token `i` is this punctuation character.
    fn is(&self, i: usize, c: u8) -> bool {
        self.tok(i) == Tok::Punct && self.byte(i) == c
    }

    fn is_word(&self, i: usize) -> bool {
        matches!(self.tok(i), Tok::Word(_))
    }

    fn is_alnum(&self, i: usize) -> bool {
        matches!(self.tok(i), Tok::Word(_) | Tok::Num)
    }

    /// Whether token `i` is exactly one space.
    fn is_blank(&self, i: usize) -> bool {
        self.tok(i) == Tok::Space && self.str(i).len() == 1
    }

    fn num(&self, i: usize) -> Option<Digits> {
        if self.tok(i) != Tok::Num {
            return None;
        }
        let digits = self.str(i);
        Some(Digits {
            value: digits.parse().unwrap_or(u32::MAX),
            len: digits.len(),
        })
    }

    /// Number token of at most `len` digits.
    fn short_num(&self, i: usize, len: usize) -> Option<u32> {
        self.num(i).filter(|d| d.len <= len).map(|d| d.value)
    }

    fn term(&self, i: usize) -> Option<vocab::Term> {
        match self.tok(i) {
            Tok::Word(Case::Cjk) => None,
            Tok::Word(_) => vocab::term(self.str(i)),
            _ => None,
        }
    }

    fn push(&mut self, kind: Kind, i: usize, end: usize, norm: impl Into<Box<str>>) {
        self.push_alt(kind, i, end, norm, None);
    }

    fn push_alt(
        &mut self,
        kind: Kind,
        i: usize,
        end: usize,
        norm: impl Into<Box<str>>,
        alt: Option<Box<str>>,
    ) {
        let norm = norm.into();
        // What comes to nothing in its normal form names nothing: `https://@`.
        if norm.is_empty() {
            return;
        }
        let alt = alt.filter(|a| *a != norm);
        self.atoms.push(Atom {
            range: self.start(i)..self.start(end),
            kind,
            norm,
            alt,
        });
    }

    /// End of the lexeme that starts at token `i`.
    fn lexeme_end(&self, i: usize) -> usize {
        let mut j = i;
        loop {
            match self.tok(j) {
                Tok::Word(Case::Cjk) if j > i => return j,
                Tok::Word(Case::Cjk) if self.is_alnum(j + 1) => return j + 1,
                Tok::Word(_) | Tok::Num => j += 1,
                Tok::Punct if is_joiner(self.byte(j)) => match self.tok(j + 1) {
                    Tok::Word(Case::Cjk) => return j,
                    Tok::Word(_) | Tok::Num => j += 1,
                    _ => return j,
                },
                _ => return j,
            }
        }
    }

    fn lexeme(&mut self, i: usize) -> usize {
        if i >= self.lexeme_end {
            let end = self.lexeme_end(i);
            self.lexeme_end = end;
            if let Some(next) = self.whole(i, end) {
                return next;
            }
        }
        match self.tok(i) {
            Tok::Num => self.numeric(i, i + 1).unwrap_or(i + 1),
            _ => self.word(i),
        }
    }

    /// Tries the lexeme `i..end` as one atom.
    fn whole(&mut self, i: usize, end: usize) -> Option<usize> {
        if let Some(next) = self.address(i, end) {
            return Some(next);
        }
        if self.tok(i) == Tok::Num {
            if let Some(next) = self.numeric(i, end) {
                return Some(next);
            }
        } else if let Some(next) = self.iban(i, end) {
            return Some(next);
        } else if self.currency(i).is_some() && self.tok(i + 1) == Tok::Num {
            return None;
        }
        if end == i + 1 {
            return None;
        }
        self.path(i, end).or_else(|| self.identifier(i, end))
    }

    /// Tries the patterns that start with digits. What they match must reach token `limit`.
    fn numeric(&mut self, i: usize, limit: usize) -> Option<usize> {
        let mark = self.atoms.len();
        let patterns = [Self::date, Self::time, Self::digit_groups, Self::number];
        for pattern in patterns {
            if let Some(end) = pattern(self, i) {
                if end >= limit {
                    self.taken = end;
                    return Some(end);
                }
                self.atoms.truncate(mark);
            }
        }
        None
    }

    fn punct(&mut self, i: usize) -> usize {
        match self.byte(i) {
            b'"' | b'\'' | b'`' => self.quoted(i),
            b'#' if self.is_alnum(i + 1) => self.tagged(i),
            b'@' if self.is_alnum(i + 1) && !self.is_alnum(i.wrapping_sub(1)) => self.handle(i),
            b'+' | b'(' => self.phone(i).unwrap_or(i + 1),
            b'-' => self.partial_date(i).unwrap_or(i + 1),
            b'/' | b'.' | b'~' => self.rooted_path(i).unwrap_or(i + 1),
            0x80.. => self.quoted(i),
            _ => i + 1,
        }
    }
}

/// Punctuation that glues words and numbers to one lexeme.
fn is_joiner(b: u8) -> bool {
    matches!(b, b'.' | b'_' | b'-' | b'/' | b'\\' | b'@' | b'&' | b'+')
}

#[cfg(test)]
mod tests;
