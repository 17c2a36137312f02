//! YAML scalars of all styles, decoded with a map to their bytes.

use super::super::decode::{Builder, Decoded};
use super::super::json;
use super::{line_at, next_line, plain_key, starts_entry};

/// Reads the quoted scalar that starts at `at` and must end before `limit`: its text, and the offset after it.
pub(super) fn quoted(src: &str, at: usize, limit: usize) -> Option<(Decoded<'_>, usize)> {
    let bytes = &src.as_bytes()[..limit];
    let quote = *bytes.get(at)?;
    let start = at + 1;
    let mut text = Builder::new(src, start);
    let mut at = start;
    // Offset in the text up to which white space was written by an escape and must not be trimmed.
    let mut kept = 0;
    loop {
        let len = memchr::memchr3(quote, b'\\', b'\n', bytes.get(at..)?)?;
        text.copy(at..at + len);
        at += len;
        match bytes[at] {
            b'\n' => at = fold(src, at, &mut text, kept),
            b'\\' if quote == b'"' => {
                at = match bytes.get(at + 1)? {
                    // An escaped line break joins the lines.
                    b'\n' => skip_blanks(bytes, at + 2),
                    b'\r' if bytes.get(at + 2) == Some(&b'\n') => skip_blanks(bytes, at + 3),
                    _ => escape(src, at, &mut text),
                };
                kept = text.len();
            }
            b'\\' => {
                text.copy(at..at + 1);
                at += 1;
            }
            _ if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => {
                text.push('\'', at);
                at += 2;
            }
            _ => return Some((text.finish(at), at + 1)),
        }
    }
}

/// Decodes an escape sequence: JSON's, and YAML's own.
fn escape(src: &str, at: usize, text: &mut Builder<'_>) -> usize {
    let own = match src.as_bytes().get(at + 1) {
        Some(b' ') => ' ',
        Some(b'\t') => '\t',
        Some(b'e') => '\u{1b}',
        Some(b'N') => '\u{85}',
        Some(b'_') => '\u{a0}',
        Some(b'L') => '\u{2028}',
        Some(b'P') => '\u{2029}',
        _ => return json::escape(src, at, text),
    };
    text.push(own, at);
    at + 2
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Folds the line break at `at`: one is a space, each further one a line break. The offset of the next text.
fn fold(src: &str, at: usize, text: &mut Builder<'_>, kept: usize) -> usize {
    let bytes = src.as_bytes();
    text.trim_end(kept);
    let mut breaks = 0;
    let mut next = at;
    let mut first = at;
    while bytes.get(next) == Some(&b'\n') {
        if breaks > 0 {
            text.push('\n', first);
        }
        first = next;
        breaks += 1;
        next = skip_blanks(bytes, next + 1);
        if bytes.get(next) == Some(&b'\r') && bytes.get(next + 1) == Some(&b'\n') {
            next += 1;
        }
    }
    if breaks == 1 {
        text.push(' ', at);
    }
    next
}

/// Reads the plain scalar that starts at `at`, with the lines that go on with it below a collection at `parent`.
/// `None` when a further line reads like an entry, so that the text cannot be meant as a scalar.
pub(super) fn plain(src: &str, at: usize, parent: usize) -> Option<(Decoded<'_>, usize)> {
    let mut text = Builder::new(src, at);
    let mut end = at + plain_len(line_at(src, at));
    text.copy(at..end);
    if src[end..].trim_start_matches([' ', '\t']).starts_with('#') {
        return Some((text.finish(end), end));
    }
    let mut next = next_line(src, end);
    let mut blank = 0;
    while next < src.len() {
        let line = line_at(src, next);
        let content = line.trim_start_matches(' ');
        let start = next + line.len() - content.len();
        next = next_line(src, start);
        if content.trim().is_empty() {
            blank += 1;
            continue;
        }
        if line.len() - content.len() <= parent || content.starts_with('#') {
            break;
        }
        if starts_entry(content) || plain_key(content).is_some() {
            return None;
        }
        if blank == 0 {
            text.push(' ', end);
        }
        for _ in 0..blank {
            text.push('\n', end);
        }
        blank = 0;
        end = start + plain_len(content);
        text.copy(start..end);
    }
    Some((text.finish(end), end))
}

/// Length of a plain scalar's text on its line: up to a comment, without white space at the end.
fn plain_len(line: &str) -> usize {
    let end = line.find(" #").unwrap_or(line.len());
    line[..end].trim_end().len()
}

/// Reads the literal or folded scalar whose header is at `at`: its text, and the start of the line after it.
pub(super) fn block(src: &str, at: usize, parent: usize) -> Option<(Decoded<'_>, usize)> {
    let header = line_at(src, at);
    let folds = header.starts_with('>');
    let flags = header[1..].split([' ', '\t', '\r']).next().unwrap_or("");
    if flags.len() > 2 || !flags.chars().all(|c| matches!(c, '+' | '-' | '1'..='9')) {
        return None;
    }
    let comment = header[1 + flags.len()..].trim();
    if !(comment.is_empty() || comment.starts_with('#')) {
        return None;
    }
    let explicit = flags
        .bytes()
        .find(u8::is_ascii_digit)
        .map(|d| parent + usize::from(d - b'0'));
    let body = next_line(src, at);
    let indent = match explicit {
        Some(i) => i,
        None => first_indent(src, body)
            .filter(|&i| i > parent)
            .unwrap_or(parent + 1),
    };
    let mut text = Builder::new(src, body);
    let mut next = body;
    let mut end = body;
    // Line breaks since the last text, and whether a line that must not be folded is next to them.
    let mut breaks: Vec<usize> = Vec::new();
    let mut deeper = true;
    while next < src.len() {
        let line = line_at(src, next);
        let after = next_line(src, next);
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let blank = line.trim().is_empty();
        if !blank && spaces < indent {
            break;
        }
        let content = next + indent.min(line.len());
        let line_end = next + line.trim_end_matches('\r').len();
        if !blank || line.len() > indent && !folds {
            let more = src[content..].starts_with([' ', '\t']);
            let start = breaks.first().copied();
            let space = folds && breaks.len() == 1 && !deeper && !more;
            let drop_one = folds && breaks.len() > 1 && !deeper && !more;
            if space {
                text.push(' ', start.unwrap_or(end));
            } else {
                for &b in breaks.iter().skip(usize::from(drop_one)) {
                    text.push('\n', b);
                }
            }
            breaks.clear();
            deeper = more;
            text.copy(content..line_end);
        }
        breaks.push(line_end);
        next = after;
        end = if blank { end } else { after };
    }
    if let Some(&last) = breaks.first()
        && !flags.contains('-')
        && text.len() > 0
        && src[last..].starts_with(['\n', '\r'])
    {
        text.push('\n', last);
    }
    Some((text.finish(end), end))
}

/// Indent of the first line with text from `at`.
fn first_indent(src: &str, at: usize) -> Option<usize> {
    let line = src.get(at..)?.lines().find(|l| !l.trim().is_empty())?;
    Some(line.len() - line.trim_start_matches(' ').len())
}
