//! Where the messages of a list begin: several mails with headers, numbered parts, blocks that repeat their first label.

use std::collections::HashMap;

use super::line::{self, Line};

/// The lines at which messages begin, ascending; empty when the text is not a list of messages.
pub(super) fn starts(src: &str, lines: &[Line]) -> Vec<usize> {
    let numbered: Vec<usize> = (0..lines.len())
        .filter(|&i| is_numbered_rule(lines[i].of(src)))
        .collect();
    if numbered.len() > 1 {
        return numbered;
    }
    let mut blocks: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut fresh = true;
    for (i, l) in lines.iter().enumerate() {
        let text = l.of(src);
        if fresh && let Some(label) = header(src, lines, i) {
            blocks.entry(label).or_default().push(i);
        }
        fresh = l.is_blank() || line::is_rule(text) || line::titled_rule(text).is_some();
    }
    // The label that begins most blocks; of several, the one that comes first.
    let best = blocks
        .into_values()
        .filter(|b| b.len() > 1)
        .max_by_key(|b| (b.len(), std::cmp::Reverse(b[0])));
    best.unwrap_or_default()
}

/// The first label of a block of at least two labels that begins at line `i`.
fn header<'a>(src: &'a str, lines: &[Line], i: usize) -> Option<&'a str> {
    let text = lines[i].of(src);
    let text = &text[ordinal(text)..];
    let label = line::label(text).filter(|l| l.value < text.len())?;
    let cells = line::cells(text);
    let within = cells.len() > 1
        && cells[1..]
            .iter()
            .any(|c| line::label(&text[c.clone()]).is_some());
    let below = lines
        .get(i + 1)
        .is_some_and(|l| line::label(l.of(src)).is_some_and(|n| n.value < l.of(src).len()));
    (within || below).then(|| &text[label.key])
}

/// Length of the number before a header: `[2] `, `2) `, `#2 `.
pub(super) fn ordinal(text: &str) -> usize {
    let inner = text.trim_start_matches(['[', '(', '#']);
    let open = text.len() - inner.len();
    let digits = inner.bytes().take(5).take_while(u8::is_ascii_digit).count();
    let rest = &inner[digits..];
    let tail = rest.trim_start_matches([']', ')', '.', ':']);
    let close = rest.len() - tail.len();
    if digits == 0 || open + close == 0 || open > 1 || close > 2 || !tail.starts_with(' ') {
        return 0;
    }
    text.len() - tail.trim_start().len()
}

/// Whether a separator line carries a number: `--- 2 ---`, `=== Message 3 of 5 ===`.
fn is_numbered_rule(text: &str) -> bool {
    line::titled_rule(text).is_some_and(|t| {
        t.contains(|c: char| c.is_ascii_digit()) && t.split_whitespace().count() <= 4
    })
}
