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

/// Longest tag or link target looked for, in bytes.
const MAX_MARK: usize = 2048;

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
    let close = rest.bytes().take(MAX_MARK).position(|b| match b {
        b'(' => {
            depth += 1;
            false
        }
        b')' if depth > 0 => {
            depth -= 1;
            false
        }
        b')' | b'\n' => true,
        _ => false,
    })?;
    let text = &rest[..close];
    let url = text.split([' ', '\t']).next().unwrap_or("");
    let titled = text[url.len()..].trim_start();
    let plausible = rest.as_bytes()[close] == b')'
        && !url.is_empty()
        && (titled.is_empty() || titled.starts_with(['"', '\'']));
    plausible.then(|| Cut {
        outer: at..at + 2 + close + 1,
        inner: at + 2..at + 2 + url.len(),
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
        let close = rest.bytes().take(MAX_MARK).position(|b| b == b'>')?;
        if name == 0 || !html::is_hiding_tag(&rest[..close]) {
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
