//! What is set apart within running text: link targets, HTML comments and hidden elements.

use std::ops::Range;

use super::Role;
use super::html;

/// A part of a text that is a piece of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The part with its marks.
    pub(super) outer: Range<usize>,
    /// The part without them.
    pub(super) inner: Range<usize>,
    /// `Value` for a link's target, `Concealed` for what is hidden.
    pub(super) role: Role,
}

/// Longest title of a link, in bytes.
const MAX_TITLE: usize = 128;

/// Unclosed elements looked for to the end of the text before the search is given up.
const MAX_FAILED: u32 = 16;

/// The parts of `src` that are set apart, ascending and disjoint.
pub(super) fn cuts(src: &str) -> Vec<Cut> {
    let bytes = src.as_bytes();
    let mut out = Vec::new();
    let mut failed = 0;
    let mut at = 0;
    while let Some(len) = memchr::memchr2(b'<', b']', &bytes[at..]) {
        let start = at + len;
        at = start + 1;
        let cut = if bytes[start] == b']' {
            target(src, start)
        } else if failed < MAX_FAILED {
            hidden(src, start, &mut failed)
        } else {
            None
        };
        if let Some(cut) = cut {
            at = cut.outer.end;
            out.push(cut);
        }
    }
    out
}

/// The target of a Markdown link whose text ends at `at`: `](target "title")`.
fn target(src: &str, at: usize) -> Option<Cut> {
    let rest = src[at..].strip_prefix("](")?;
    let mut depth = 0_u32;
    // What cannot stand in a target ends the search, so that all searches together are linear.
    let end = rest.bytes().position(|b| match b {
        b'(' => {
            depth += 1;
            false
        }
        b')' if depth > 0 => {
            depth -= 1;
            false
        }
        b')' | b'<' | b'>' | b'[' | b']' | b'"' => true,
        _ => b.is_ascii_whitespace(),
    })?;
    let after = &rest[end..];
    let title = after.trim_start_matches([' ', '\t']);
    let quote = title.bytes().next().filter(|b| matches!(b, b'"' | b'\''));
    let close = match quote {
        Some(q) => {
            let ends = |b: u8| b == q || b == b'\n';
            let len = title[1..].bytes().take(MAX_TITLE).position(ends)?;
            end + after.len() - title.len() + len + 2
        }
        None => end,
    };
    (end > 0 && rest[close..].starts_with(')')).then(|| Cut {
        outer: at..at + 2 + close + 1,
        inner: at + 2..at + 2 + end,
        role: Role::Value,
    })
}

/// The comment or hidden element that starts at `at`.
fn hidden(src: &str, at: usize, failed: &mut u32) -> Option<Cut> {
    let rest = &src[at..];
    let end = if let Some(body) = rest.strip_prefix("<!--") {
        let found = memchr::memmem::find(body.as_bytes(), b"-->");
        *failed += u32::from(found.is_none()) * MAX_FAILED;
        at + 4 + found? + 3
    } else {
        let name = rest[1..]
            .bytes()
            .take(32)
            .take_while(u8::is_ascii_alphanumeric)
            .count();
        let close = 1 + memchr::memchr2(b'<', b'>', &rest.as_bytes()[1..])?;
        if name == 0 || !rest[close..].starts_with('>') || !html::is_hiding_tag(&rest[..close]) {
            return None;
        }
        let end_tag = format!("</{}", &rest[1..=name]);
        let found = memchr::memmem::find(&rest.as_bytes()[close..], end_tag.as_bytes());
        *failed += u32::from(found.is_none());
        let end = close + found?;
        at + end + memchr::memchr(b'>', &rest.as_bytes()[end..])? + 1
    };
    Some(Cut {
        outer: at..end,
        inner: at..end,
        role: Role::Concealed,
    })
}
