//! Text of HTML: character references decoded, white space collapsed.

use std::ops::Range;

use super::super::decode::{Builder, Decoded};

/// Longest character reference, in bytes: the longest name of the standard has 31 letters.
const MAX_REFERENCE: usize = 40;

/// A range with its character references decoded.
pub(super) fn decode(src: &str, range: Range<usize>) -> Decoded<'_> {
    let mut text = Builder::new(src, range.start);
    append(src, range.clone(), &mut text, false);
    text.finish(range.end)
}

/// Appends a range, its character references decoded and, where asked for, runs of white space collapsed.
pub(super) fn append(src: &str, range: Range<usize>, out: &mut Builder<'_>, collapse: bool) {
    let bytes = src.as_bytes();
    let mut copied = range.start;
    let mut at = range.start;
    while at < range.end {
        let b = bytes[at];
        if collapse && b.is_ascii_whitespace() {
            out.copy(copied..at);
            let len = bytes[at..range.end]
                .iter()
                .take_while(|b| b.is_ascii_whitespace())
                .count();
            if out.ends_in_space() {
                // Nothing to add.
            } else if len == 1 && b == b' ' {
                out.copy(at..at + 1);
            } else {
                out.push(' ', at);
            }
            at += len;
            copied = at;
        } else if b == b'&'
            && let Some((text, len)) = reference(&src[at..range.end])
        {
            out.copy(copied..at);
            for c in text.chars() {
                out.push(c, at);
            }
            at += len;
            copied = at;
        } else {
            at += 1;
        }
    }
    out.copy(copied..range.end);
}

/// The character reference at the start of `text`, decoded, and its length.
fn reference(text: &str) -> Option<(Box<str>, usize)> {
    let len = text.bytes().take(MAX_REFERENCE).position(|b| b == b';')? + 1;
    let source = &text[..len];
    let simple = match source {
        "&amp;" => "&",
        "&lt;" => "<",
        "&gt;" => ">",
        "&quot;" => "\"",
        "&apos;" | "&#39;" => "'",
        "&nbsp;" => "\u{a0}",
        _ => "",
    };
    if !simple.is_empty() {
        return Some((simple.into(), len));
    }
    if !source[1..len - 1]
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'#')
    {
        return None;
    }
    let token = html5gum::Tokenizer::new(source)
        .filter_map(Result::ok)
        .find_map(|t| match t {
            html5gum::Token::String(s) => Some(s),
            _ => None,
        })?;
    let decoded = String::from_utf8(token.value.to_vec()).ok()?;
    (decoded != source).then(|| (decoded.into(), len))
}
