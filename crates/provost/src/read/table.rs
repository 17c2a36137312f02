//! Delimiter-separated values, pipe tables and columns set apart by spaces.

use std::ops::Range;

use super::decode::{Builder, Decoded};
use super::sink::trim;

/// Most columns whose names are kept.
const MAX_COLUMNS: usize = 4096;

/// How the rows of a delimited table are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// The delimiter.
    delimiter: u8,
    /// Whether white space after the delimiter shows that it is part of the text.
    tight: bool,
}

/// A cell of a row: its text, and whether it was quoted.
pub(super) type Cell<'a> = Decoded<'a>;

/// Whether the rows at the starts of `first` and `second` begin a delimited table, and how it is written.
/// `third` decides between two columns and prose with one comma a line.
pub(super) fn detect(
    src: &str,
    first: Range<usize>,
    second: Option<Range<usize>>,
    third: Option<Range<usize>>,
) -> Option<Style> {
    let head = src[first.clone()].as_bytes();
    let second = second?;
    let below = src[second.clone()].as_bytes();
    for delimiter in [b'\t', b';', b'|', b','] {
        if memchr::memchr(delimiter, head).is_none()
            || memchr::memchr2(delimiter, b'"', below).is_none()
        {
            continue;
        }
        for tight in [true, false] {
            let style = Style { delimiter, tight };
            let columns = count(src, first.clone(), style);
            if columns < 2 || count(src, second.clone(), style) != columns {
                continue;
            }
            let more = third
                .clone()
                .filter(|r| count(src, r.clone(), style) == columns);
            let closed = |r: &Range<usize>| src[r.clone()].ends_with(['.', '!', '?', ':']);
            let spaced = !tight && (closed(&second) || more.as_ref().is_some_and(closed));
            let enough = more.is_some() || columns > 2 && tight;
            if enough && !spaced && is_header(src, first.clone(), style) {
                return Some(style);
            }
        }
    }
    None
}

/// Number of cells of the row on a line.
fn count(src: &str, line: Range<usize>, style: Style) -> usize {
    let bytes = &src.as_bytes()[line.clone()];
    if memchr::memchr(b'"', bytes).is_some() {
        return row(src, line.start, line.end, style).0.len();
    }
    let mut cells = 1;
    let mut at = 0;
    while let Some(len) = next_delimiter(&bytes[at..], style) {
        cells += 1;
        at += len + 1;
    }
    cells
}

/// Whether the cells of a line can be column names: short, distinct, without a sentence's end.
fn is_header(src: &str, line: Range<usize>, style: Style) -> bool {
    let (cells, _) = row(src, line.start, line.end, style);
    let named = |c: &Cell<'_>| {
        let t = c.text.trim();
        let most = if style.tight { 6 } else { 3 };
        let words = t.split_whitespace().count();
        !t.is_empty()
            && t.len() <= 60
            && words <= most
            && !t.ends_with(['.', '!', '?', ','])
            && !t.contains(':')
    };
    let names = cells.iter().filter(|c| named(c)).count();
    // The corner of a table may be empty.
    names == cells.len() || style.delimiter != b',' && names + 1 == cells.len() && names > 1
}

/// The cells of the row that starts at `start`, whose line ends at `end`, and the end of the row: a quoted cell may
/// go over several lines.
pub(super) fn row(src: &str, start: usize, end: usize, style: Style) -> (Vec<Cell<'_>>, usize) {
    let bytes = src.as_bytes();
    let mut cells = Vec::new();
    let mut at = start;
    let mut end = end;
    loop {
        let cell = at + (src[at..end].len() - src[at..end].trim_start_matches(' ').len());
        if bytes.get(cell) == Some(&b'"')
            && let Some((text, close)) = quoted(src, cell, style)
        {
            if close > end {
                end = close + memchr::memchr(b'\n', &bytes[close..]).unwrap_or(bytes.len() - close);
                end = trim(src, close..end).end;
            }
            cells.push(text);
            let rest = &src[close..end];
            let skip = rest.len() - rest.trim_start_matches(' ').len();
            if bytes.get(close + skip) == Some(&style.delimiter) && close + skip < end {
                at = close + skip + 1;
                continue;
            }
            return (cells, end);
        }
        match next_delimiter(&bytes[at..end], style) {
            Some(len) => {
                cells.push(Decoded::verbatim(src, trim(src, at..at + len)));
                at += len + 1;
            }
            None => {
                cells.push(Decoded::verbatim(src, trim(src, at..end)));
                return (cells, end);
            }
        }
    }
}

/// Offset of the next delimiter that is one.
fn next_delimiter(bytes: &[u8], style: Style) -> Option<usize> {
    memchr::memchr_iter(style.delimiter, bytes).find(|&i| {
        let spaced = bytes.get(i + 1) == Some(&b' ');
        let escaped = i > 0 && bytes[i - 1] == b'\\';
        if style.delimiter == b'|' {
            !escaped
        } else {
            !(style.tight && spaced)
        }
    })
}

/// Longest quoted cell that goes over lines, in bytes: keeps the search for its end linear.
const MAX_QUOTED: usize = 4096;

/// The text of a quoted cell (RFC 4180: `""` is a quote), and the offset after its closing quote.
fn quoted(src: &str, at: usize, style: Style) -> Option<(Cell<'_>, usize)> {
    let bytes = src.as_bytes();
    let start = at + 1;
    let mut text = Builder::new(src, start);
    let mut at = start;
    loop {
        let window = &bytes[at..bytes.len().min(start + MAX_QUOTED).max(at)];
        let len = memchr::memchr(b'"', window)?;
        text.copy(at..at + len);
        at += len;
        if bytes.get(at + 1) == Some(&b'"') {
            text.push('"', at);
            at += 2;
            continue;
        }
        let rest = src[at + 1..].trim_start_matches(' ');
        let ends = rest.is_empty()
            || rest.starts_with(['\n', '\r'])
            || rest.as_bytes()[0] == style.delimiter;
        return ends.then(|| (text.finish(at), at + 1));
    }
}

/// Whether a line is a row of a table with `columns` columns.
pub(super) fn fits(src: &str, line: Range<usize>, style: Style, columns: usize) -> bool {
    let bytes = &src.as_bytes()[line.clone()];
    memchr::memchr2(style.delimiter, b'"', bytes).is_some() && count(src, line, style) == columns
}

/// The cells of a pipe row (`| a | b |`), trimmed; empty cells are kept.
pub(super) fn pipe_row(src: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let bytes = src.as_bytes();
    let mut cells = Vec::new();
    let mut start = line.start + usize::from(bytes.get(line.start) == Some(&b'|'));
    for at in memchr::memchr_iter(b'|', &bytes[start..line.end])
        .map(|i| i + start)
        .collect::<Vec<_>>()
    {
        if bytes[at - 1] != b'\\' {
            cells.push(trim(src, start..at));
            start = at + 1;
        }
    }
    let tail = trim(src, start..line.end);
    if !tail.is_empty() {
        cells.push(tail);
    }
    cells
}

/// Whether a line is the rule below the head of a pipe table: `|---|:--:|`.
pub(super) fn is_pipe_rule(line: &str) -> bool {
    line.contains('-')
        && line.contains('|')
        && line
            .chars()
            .all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Names of columns: their texts, or their numbers where they have none.
pub(super) fn names<'t>(cells: impl Iterator<Item = &'t str>) -> Vec<Box<str>> {
    cells
        .take(MAX_COLUMNS)
        .enumerate()
        .map(|(i, t)| {
            let t = t.trim().trim_matches(['*', '_', '`']);
            if t.is_empty() {
                (i + 1).to_string().into()
            } else {
                t.into()
            }
        })
        .collect()
}
