//! Reports as text, for a terminal or for Markdown.

use std::fmt::Write as _;

use super::{
    Ablation, By, NOTE, Table, ablation, by_attack, definitions, failures, halves, matrix, overview,
};
use crate::causes::causes;
use crate::metrics::Group;
use crate::record::Record;

/// How text is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For a terminal.
    Plain,
    /// For a page or an issue.
    Markdown,
}

impl Style {
    /// Text from results, which may be an attacker's: what could steer a terminal is spelled out, and in Markdown nothing
    /// is markup.
    pub fn text(self, text: &str) -> String {
        let text = plain(text);
        match self {
            Self::Plain => text,
            Self::Markdown => {
                let mut out = String::with_capacity(text.len());
                for c in text.chars() {
                    if matches!(
                        c,
                        '|' | '<'
                            | '>'
                            | '&'
                            | '`'
                            | '*'
                            | '_'
                            | '['
                            | ']'
                            | '\\'
                            | '#'
                            | '!'
                            | '~'
                    ) {
                        out.push('\\');
                    }
                    out.push(c);
                }
                out
            }
        }
    }
}

/// The text on one line, with control characters, and those that hide or reorder text, spelled out.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            _ if c.is_control() || is_unseen(c) => {
                let _ = write!(out, "{}", c.escape_unicode());
            }
            _ => out.push(c),
        }
    }
    out
}

/// Format characters: zero-width, bidirectional, tags (Unicode, general category Cf), and separators of lines.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{70f}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// The tables; with rows for each suite, too, if so wanted.
pub fn tables_text(records: &[Record], style: Style, by_suite: bool) -> String {
    let mut out = String::new();
    for (n, (title, table)) in tables(records, by_suite).iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let _ = match style {
            Style::Plain => writeln!(out, "{title}:"),
            Style::Markdown => writeln!(out, "**{title}**\n"),
        };
        draw(table, style, &mut out);
    }
    for (group, failed) in failures(records) {
        let (agent, defense) = (style.text(&group.agent), style.text(&group.defense));
        let _ = writeln!(
            out,
            "\n{agent} {defense}: {failed} runs could not be made, and count nowhere"
        );
    }
    out
}

fn tables(records: &[Record], by_suite: bool) -> Vec<(String, Table)> {
    let whole = |g: &Group| g.half.is_none() && (by_suite || g.suite.is_none());
    let mut tables = vec![(
        "Over all attacks".to_owned(),
        overview(records, |g| g.suite.is_none() || whole(g)),
    )];
    let mut beside = |title: String, table: Option<Table>| {
        tables.extend(table.map(|table| (title, table)));
    };
    beside(
        "Development and test half (difference: of test from development, in percentage points)"
            .into(),
        halves(records),
    );
    for of in Ablation::ALL {
        let (title, source) = (of.title(), of.source());
        let title =
            format!("{title} ({source}; ΔASR: from the whole defense's, in percentage points)");
        beside(title, ablation(records, of));
    }
    beside("ASR by attack".into(), matrix(records, By::Attack));
    beside("ASR by surface".into(), matrix(records, By::Surface));
    tables.push(("By attack".into(), by_attack(records, whole)));
    tables
}

/// What the columns mean.
pub fn definitions_text(records: &[Record], style: Style) -> String {
    let mut out = String::new();
    for (name, meaning) in definitions(records) {
        let _ = match style {
            Style::Plain => writeln!(out, "{name:8} {meaning}"),
            Style::Markdown => writeln!(out, "- **{}**: {}", style.text(name), style.text(meaning)),
        };
    }
    if style == Style::Markdown {
        out.push('\n');
    }
    let _ = writeln!(out, "{NOTE} Definitions: ARGUS paper, section 3.");
    out
}

fn draw(table: &Table, style: Style, out: &mut String) {
    let head = table.head.iter().map(|h| style.text(h)).collect();
    let body = table.rows.iter().map(|row| {
        let cells = row.iter().map(|cell| match cell {
            super::Cell::Name(name) => style.text(name),
            // Intervals are no links.
            other => other.to_string(),
        });
        cells.collect()
    });
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(body).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    for (n, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        match style {
            Style::Plain => out.push_str(cells.join("  ").trim_end()),
            Style::Markdown => {
                let _ = write!(out, "| {} |", cells.join(" | "));
                if n == 0 {
                    let _ = write!(out, "\n|{}", "---|".repeat(widths.len()));
                }
            }
        }
        out.push('\n');
    }
}

/// What went wrong, by cause, at most `most` causes of each kind.
pub fn causes_text(records: &[Record], style: Style, most: usize) -> String {
    let mut out = String::new();
    let all = causes(records);
    let kind = |c: &crate::causes::Cause| (c.agent.clone(), c.defense.clone(), c.wrong);
    for of_kind in all.chunk_by(|a, b| kind(a) == kind(b)) {
        let Some(first) = of_kind.first() else {
            continue;
        };
        let (agent, defense) = (style.text(&first.agent), style.text(&first.defense));
        let words = first.wrong.words();
        let count: usize = of_kind.iter().map(|c| c.count).sum();
        let _ = match style {
            Style::Plain => writeln!(out, "\n{agent} {defense}: {words}: {count}"),
            Style::Markdown => writeln!(out, "\n**{agent} {defense}: {words}: {count}**\n"),
        };
        for cause in of_kind.iter().take(most) {
            let (task, why) = (style.text(&cause.task), style.text(&cause.why));
            let _ = match style {
                Style::Plain => writeln!(out, "{:5} × {task}: {why}", cause.count),
                Style::Markdown => writeln!(out, "- {} × {task}: {why}", cause.count),
            };
            if !cause.call.is_empty() {
                let example = style.text(&cause.example.to_string());
                let call = style.text(&cause.call);
                let _ = match style {
                    Style::Plain => writeln!(out, "        in {example}: {call}"),
                    Style::Markdown => writeln!(out, "  - in {example}: {call}"),
                };
            }
        }
        if of_kind.len() > most {
            let left = of_kind.len() - most;
            let _ = match style {
                Style::Plain => writeln!(out, "      and {left} more causes"),
                Style::Markdown => writeln!(out, "- and {left} more causes"),
            };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::record;
    use crate::report::DEFINITIONS;
    use crate::report::tests::records;

    #[test]
    fn the_tables_hold_the_measures() {
        let check = |style, expected: &[&str]| {
            let text = tables_text(&records(), style, true);
            for part in expected {
                assert!(text.contains(part), "{part} is not in\n{text}");
            }
        };
        check(Style::Plain, &["50.0 % (1/2)", "1.00x", "25.0 %", "W-ASR"]);
        check(
            Style::Markdown,
            &["| agent ", "|---|---|", "| scripted | causal  | all "],
        );
        let mut dry = records();
        dry[0].replays = 1;
        for (name, _) in DEFINITIONS {
            assert!(definitions_text(&dry, Style::Plain).contains(name));
        }
        assert!(!definitions_text(&records(), Style::Plain).contains("replays"));
    }

    #[test]
    fn the_commonest_causes_come_first_and_the_rest_is_counted() {
        let success = |task: &str| {
            let mut one = record(Some("a"), true, true, true, &[(false, false)]);
            one.case.injection_task = Some(task.into());
            one
        };
        let records = [success("i0"), success("i1"), success("i1")];
        let text = causes_text(&records, Style::Plain, 1);
        assert!(text.contains("attacks that succeeded: 3"), "{text}");
        assert!(
            text.contains("2 × s i1") && !text.contains("s i0:"),
            "{text}"
        );
        assert!(text.contains("and 1 more causes"), "{text}");
        assert_eq!(causes_text(&[], Style::Plain, 3), "");
    }

    #[test]
    fn an_attackers_text_steers_nothing() {
        let mut evil = record(Some("a"), true, true, true, &[(false, false)]);
        evil.case.injection_task = Some("\u{1b}[2J\u{9b}1m|<b>[x](y)\u{202e}\nnext".into());
        let plain = causes_text(&[evil.clone()], Style::Plain, 9);
        assert!(!plain.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{plain}");
        assert!(plain.contains("\\u{1b}[2J"), "{plain}");
        assert!(!plain.contains("\nnext"), "{plain}");
        let markdown = causes_text(&[evil], Style::Markdown, 9);
        // Nothing is so far to the right that it would be code.
        let code = |line: &str| line.trim_start_matches(['-', ' ', '\t']).len() + 5 < line.len();
        assert!(!markdown.lines().any(code), "{markdown}");
        assert!(markdown.contains("\n  - in s u0 "), "{markdown}");
        assert!(markdown.contains("\\|\\<b\\>\\[x\\]"), "{markdown}");
    }
}
