//! The view of a text that scanners read: invisible characters dropped, spaces, hyphens, apostrophes, full-width
//! characters and decimal digits of other scripts as ASCII; with a map back to the original bytes.

use std::borrow::Cow;
use std::ops::Range;

use crate::value::text::is_invisible;

pub(super) struct View<'a> {
    text: Cow<'a, str>,
    /// For each byte of the view and its end: the byte of the original. Empty when they are the same.
    map: Vec<u32>,
}

impl<'a> View<'a> {
    /// The view of a block (less than 4 GiB).
    pub(super) fn of(block: &'a str) -> Self {
        if block.is_ascii() || block.chars().all(|c| plain(c) == Some(c)) {
            return Self {
                text: Cow::Borrowed(block),
                map: Vec::new(),
            };
        }
        let mut text = String::with_capacity(block.len());
        let mut map = Vec::with_capacity(block.len() + 1);
        for (at, c) in block.char_indices() {
            let Some(c) = plain(c) else { continue };
            text.push(c);
            map.resize(text.len(), at as u32);
        }
        map.push(block.len() as u32);
        Self {
            text: Cow::Owned(text),
            map,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The range in the original of a range in the view.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let at = |i: usize| self.map.get(i).map_or(i, |o| *o as usize);
        at(range.start)..at(range.end)
    }
}

/// The plain form of a character; nothing if it is invisible.
fn plain(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c);
    }
    if is_invisible(c) {
        return None;
    }
    Some(match c {
        '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        '\u{2010}' | '\u{2011}' | '\u{2212}' => '-',
        '\u{2019}' | '\u{02BC}' => '\'',
        '\u{FF01}'..='\u{FF5E}' => shift(c, 0xFF01, '!'),
        '\u{0660}'..='\u{0669}' => shift(c, 0x0660, '0'),
        '\u{06F0}'..='\u{06F9}' => shift(c, 0x06F0, '0'),
        '\u{0966}'..='\u{096F}' => shift(c, 0x0966, '0'),
        '\u{09E6}'..='\u{09EF}' => shift(c, 0x09E6, '0'),
        _ => c,
    })
}

fn shift(c: char, from: u32, to: char) -> char {
    char::from_u32(c as u32 - from + to as u32).unwrap_or(c)
}
