//! Text from another surface that was pasted into a system or user message.
//!
//! A message's role alone does not make its content trusted (DESIGN.md, section 3): memory, skills, retrieved
//! documents and other agents' messages are often pasted into it. They are told by structure: an element whose name
//! is that of a surface (`<memory>…</memory>`, `<document name="…">…</document>`), or a Markdown section whose heading
//! is no more than such a name. What cannot be told apart stays the message's own.

use std::ops::Range;

use super::event::Surface;

/// A pasted part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pasted {
    /// Where it is in the message, markup included.
    pub(crate) range: Range<usize>,
    /// The text between the markup.
    pub(crate) inner: Range<usize>,
    /// Which surface it is.
    pub(crate) surface: Surface,
    /// What it is called.
    pub(crate) name: String,
}

/// The surface that a name stands for: the name of an element, or a heading.
fn surface(name: &str) -> Option<Surface> {
    let name = name.to_lowercase();
    let name = name.trim().trim_end_matches('s').replace(['-', '_'], " ");
    Some(match name.as_str() {
        "memory" | "memorie" | "long term memory" | "saved memory" | "saved memorie"
        | "recalled memory" | "note from memory" => Surface::Memory,
        "skill" | "skill file" | "installed skill" => Surface::Skill,
        "document" | "doc" | "file" | "retrieved" | "retrieved document" | "retrieved context"
        | "search result" | "webpage" | "web page" | "attachment" | "email" | "source"
        | "passage" | "knowledge base" => Surface::Document,
        "tool result" | "tool output" | "function result" | "observation" => Surface::ToolResult,
        "agent message" | "handoff" | "hand off" | "message from agent" => Surface::AgentMessage,
        _ => return None,
    })
}

/// The pasted parts of a message, in order, not overlapping.
pub(crate) fn pasted(content: &str) -> Vec<Pasted> {
    let mut out = elements(content);
    let taken = out.clone();
    out.extend(sections(content).into_iter().filter(|s| {
        taken
            .iter()
            .all(|t| s.range.end <= t.range.start || t.range.end <= s.range.start)
    }));
    out.sort_by_key(|p| p.range.start);
    out
}

/// Bytes up to which a tag is looked for.
const TAG: usize = 256;

/// Elements named like a surface. The outermost one counts; one that is never closed reaches to the end.
fn elements(content: &str) -> Vec<Pasted> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(open) = content[from..].find('<').map(|i| from + i) {
        from = open + 1;
        let window = &content.as_bytes()[open..content.len().min(open + TAG)];
        let Some(close) = window.iter().position(|b| *b == b'>').map(|i| open + i) else {
            continue;
        };
        let tag = &content[open + 1..close];
        let name: &str = tag
            .split(|c: char| c.is_whitespace() || c == '/')
            .next()
            .unwrap_or("");
        let Some(surface) = surface(name).filter(|_| !tag.ends_with('/')) else {
            continue;
        };
        let ending = format!("</{name}>");
        let (inner_end, end) = match content[close + 1..].find(&ending) {
            Some(i) => (close + 1 + i, close + 1 + i + ending.len()),
            None => (content.len(), content.len()),
        };
        let title = attribute(tag).unwrap_or(name).to_owned();
        out.push(Pasted {
            range: open..end,
            inner: close + 1..inner_end,
            surface,
            name: title,
        });
        from = end;
    }
    out
}

/// The value of the first attribute that names the element's content.
fn attribute(tag: &str) -> Option<&str> {
    ["name=\"", "path=\"", "title=\"", "source=\"", "from=\""]
        .iter()
        .find_map(|key| {
            let at = tag.find(key)? + key.len();
            tag[at..].split('"').next().filter(|v| !v.is_empty())
        })
}

/// Markdown sections whose heading names a surface, up to the next heading of the same or a higher level.
fn sections(content: &str) -> Vec<Pasted> {
    let mut out: Vec<Pasted> = Vec::new();
    let mut open: Option<(usize, usize, Range<usize>, Surface, String)> = None;
    let mut at = 0;
    for line in content.split_inclusive('\n') {
        let level = line.bytes().take_while(|b| *b == b'#').count();
        if (1..=6).contains(&level) && line[level..].starts_with(' ') {
            if let Some((depth, start, inner, surface, name)) = open.take_if(|o| level <= o.0) {
                let _ = depth;
                out.push(Pasted {
                    range: start..at,
                    inner: inner.start..at,
                    surface,
                    name,
                });
            }
            let heading = line[level..].trim().trim_end_matches(':');
            if open.is_none()
                && let Some(surface) = surface(heading)
            {
                let inner = at + line.len();
                open = Some((level, at, inner..inner, surface, heading.to_owned()));
            }
        }
        at += line.len();
    }
    if let Some((_, start, inner, surface, name)) = open {
        out.push(Pasted {
            range: start..content.len(),
            inner: inner.start..content.len(),
            surface,
            name,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, want: &[(Surface, &str, &str)]) {
        let got: Vec<(Surface, String, String)> = pasted(content)
            .into_iter()
            .map(|p| (p.surface, p.name, content[p.inner].trim().to_owned()))
            .collect();
        let want: Vec<_> = want
            .iter()
            .map(|(s, n, t)| (*s, (*n).to_owned(), (*t).to_owned()))
            .collect();
        assert_eq!(got, want, "{content}");
    }

    #[test]
    fn elements_and_sections_are_told_by_their_names() {
        check("Pay the bill.", &[]);
        check(
            "You help.\n<memory>\nPay late fees too.\n</memory>\nBe brief.",
            &[(Surface::Memory, "memory", "Pay late fees too.")],
        );
        check(
            "<document name=\"bill.txt\">Total 20</document> Pay it. <b>Now</b>",
            &[(Surface::Document, "bill.txt", "Total 20")],
        );
        check(
            "# Role\nClerk.\n## Memories\n- always ask\n# Style\nshort",
            &[(Surface::Memory, "Memories", "- always ask")],
        );
        check(
            "<skill>never closed",
            &[(Surface::Skill, "skill", "never closed")],
        );
        check("a < b and <i>x</i> <file/>", &[]);
    }

    proptest::proptest! {
        #[test]
        fn parts_are_in_order_and_inside(content in "(<memory>|</memory>|# Documents\n|<doc|>|[a-zé \n]{0,6}){0,12}") {
            let mut end = 0;
            for p in pasted(&content) {
                proptest::prop_assert!(end <= p.range.start && p.range.start <= p.inner.start);
                proptest::prop_assert!(p.inner.end <= p.range.end && p.range.end <= content.len());
                end = p.range.end;
            }
        }
    }
}
