//! Tokens: runs of letters, digits, spaces, and single punctuation characters. The scanners match over these.

use crate::value::text::{is_cjk, is_invisible};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    /// Letters of a script with or without case; apostrophes between letters belong to it.
    Word(Case),
    /// ASCII digits.
    Num,
    /// Spaces and tabs.
    Space,
    /// At least one line break, with the spaces around it.
    Break,
    /// One other character.
    Punct,
    /// Past the end.
    End,
}

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// `word`
    Lower,
    /// `Word`
    Title,
    /// `WORD`, also a single capital
    Upper,
    /// `wOrd`
    Mixed,
    /// Scripts without spaces.
    Cjk,
}

/// A token and its byte range in the view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) tok: Tok,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Splits a text of less than 4 GiB into tokens that cover it without gaps.
pub(super) fn tokenize(text: &str, out: &mut Vec<Token>) {
    out.clear();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        let (tok, end) = match b {
            b'0'..=b'9' => (Tok::Num, run(bytes, at, |b| b.is_ascii_digit())),
            b' ' | b'\t' | b'\n' | b'\r' => space(bytes, at),
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => word(text, at),
            _ => (Tok::Punct, at + 1),
        };
        out.push(Token {
            tok,
            start: at as u32,
            end: end as u32,
        });
        at = end;
    }
}

fn run(bytes: &[u8], at: usize, inside: impl Fn(u8) -> bool) -> usize {
    bytes[at..]
        .iter()
        .position(|b| !inside(*b))
        .map_or(bytes.len(), |n| at + n)
}

fn space(bytes: &[u8], at: usize) -> (Tok, usize) {
    let end = run(bytes, at, |b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
    let breaks = bytes[at..end].iter().any(|b| matches!(b, b'\n' | b'\r'));
    (if breaks { Tok::Break } else { Tok::Space }, end)
}

/// A word, or a single non-ASCII character that is not a letter.
fn word(text: &str, start: usize) -> (Tok, usize) {
    let (mut upper, mut lower, mut first_upper) = (0_u32, 0_u32, false);
    let mut cjk = false;
    let mut end = start;
    for (offset, c) in text[start..].char_indices() {
        let letter = is_letter(c);
        let apostrophe = c == '\'' && offset > 0 && letter_follows(text, start + offset + 1);
        if !(letter || apostrophe) {
            break;
        }
        if offset == 0 {
            cjk = is_cjk(c);
            first_upper = c.is_uppercase();
        } else if letter && !c.is_ascii() && is_cjk(c) != cjk || cjk && c.is_ascii() {
            break;
        }
        if letter {
            end = start + offset + c.len_utf8();
        }
        if c.is_uppercase() {
            upper += 1;
        } else if letter {
            lower += 1;
        }
    }
    if end == start {
        let len = text[start..].chars().next().map_or(1, char::len_utf8);
        return (Tok::Punct, start + len);
    }
    let case = match (cjk, upper, lower) {
        (true, ..) => Case::Cjk,
        (_, 0, _) => Case::Lower,
        (_, _, 0) => Case::Upper,
        (_, 1, _) if first_upper => Case::Title,
        _ => Case::Mixed,
    };
    (Tok::Word(case), end)
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c) || is_invisible(c)
}

fn letter_follows(text: &str, at: usize) -> bool {
    text.get(at..)
        .and_then(|t| t.chars().next())
        .is_some_and(|c| c != '\'' && c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn tokens_cover_the_text(text in "(\\PC|[a-zA-Z0-9 .,'\n-]){0,80}") {
            let mut tokens = Vec::new();
            tokenize(&text, &mut tokens);
            let mut at = 0;
            for t in &tokens {
                prop_assert_eq!(t.start, at);
                prop_assert!(t.end > t.start && text.is_char_boundary(t.end as usize));
                at = t.end;
            }
            prop_assert_eq!(at as usize, text.len());
        }
    }
}
