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
    let mut blocks: HashMap<&str, Block<'_>> = HashMap::new();
    let mut fresh = true;
    for (i, l) in lines.iter().enumerate() {
        let text = l.of(src);
        if let Some((first, second)) = header(src, lines, i) {
            match blocks.get_mut(first) {
                // Where the same labels follow each other again, a block begins without a blank line too.
                Some(b) if fresh || b.second == second && first != second => b.starts.push(i),
                None if fresh => {
                    blocks.insert(
                        first,
                        Block {
                            second,
                            starts: vec![i],
                        },
                    );
                }
                _ => {}
            }
        }
        fresh = l.is_blank() || line::is_rule(text) || line::titled_rule(text).is_some();
    }
    // The label that begins most blocks; of several, the one that comes first.
    let several = blocks
        .into_values()
        .map(|b| b.starts)
        .filter(|b| b.len() > 1);
    several
        .max_by_key(|b| (b.len(), std::cmp::Reverse(b.first().copied())))
        .unwrap_or_default()
}

/// Blocks that begin with the same label.
struct Block<'a> {
    /// The label after it in the first of them.
    second: &'a str,
    /// The lines at which they begin.
    starts: Vec<usize>,
}

/// The first two labels of a block that begins at line `i`, on one line or two.
fn header<'a>(src: &'a str, lines: &[Line], i: usize) -> Option<(&'a str, &'a str)> {
    let text = lines[i].of(src);
    let text = &text[ordinal(text)..];
    let filled = |t: &'a str| {
        line::label(t)
            .filter(|l| l.value < t.len())
            .map(|l| &t[l.key])
    };
    let first = filled(text)?;
    let within = line::cells(text)
        .get(1)
        .and_then(|c| filled(&text[c.clone()]));
    let second = within.or_else(|| filled(lines.get(i + 1)?.of(src)))?;
    line::record(text).is_empty().then_some((first, second))
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
