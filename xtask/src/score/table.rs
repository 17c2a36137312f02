//! Tables of tallies, for a terminal or for Markdown.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::measure::Tally;

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Aligned columns.
    Plain,
    /// Markdown.
    Markdown,
}

/// Rows of tallies, in the order in which they were first named.
pub(crate) struct Table {
    title: String,
    rows: Vec<(String, Tally)>,
    index: BTreeMap<String, usize>,
}

impl Table {
    /// An empty table whose first column is called `title`.
    pub(crate) fn new(title: &str) -> Self {
        Self {
            title: title.into(),
            rows: Vec::new(),
            index: BTreeMap::new(),
        }
    }

    /// The row of this name, made when it is not there.
    pub(crate) fn row(&mut self, name: &str) -> &mut Tally {
        let next = self.rows.len();
        let at = *self.index.entry(name.into()).or_insert(next);
        if at == next {
            self.rows.push((name.into(), Tally::default()));
        }
        &mut self.rows[at].1
    }

    /// The table as text.
    pub(crate) fn render(&self, style: Style) -> String {
        let head = [
            self.title.clone(),
            "(a) attacks stopped".into(),
            "(b) benign runs disturbed".into(),
            "(c) user calls released".into(),
        ];
        let body = self.rows.iter().map(|(name, tally)| {
            let Tally {
                stopped,
                disturbed,
                released,
            } = *tally;
            let [a, b, c] = [stopped, disturbed, released].map(|share| share.to_string());
            [name.clone(), a, b, c]
        });
        let rows: Vec<[String; 4]> = std::iter::once(head).chain(body).collect();
        let width = |column: usize| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let widths: [usize; 4] = std::array::from_fn(width);
        let mut out = String::new();
        for (n, row) in rows.iter().enumerate() {
            let cells: Vec<String> = row
                .iter()
                .zip(widths)
                .map(|(cell, width)| format!("{cell:<width$}"))
                .collect();
            let _ = match style {
                Style::Plain => writeln!(out, "{}", cells.join("  ").trim_end()),
                Style::Markdown => writeln!(out, "| {} |", cells.join(" | ")),
            };
            if n == 0 && style == Style::Markdown {
                let rule = widths.map(|width| "-".repeat(width));
                let _ = writeln!(out, "| {} |", rule.join(" | "));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use provost_bench::metrics::Share;

    use super::*;

    #[test]
    fn rows_keep_their_order_and_columns_align() {
        let mut table = Table::new("runs");
        table.row("zebra").stopped = Share { hits: 1, of: 2 };
        table.row("ape").disturbed = Share { hits: 0, of: 4 };
        table.row("zebra").released = Share { hits: 9, of: 9 };
        let plain = table.render(Style::Plain);
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("zebra  50.0 % (1/2) [9.5, 90.5]"));
        assert!(lines[1].ends_with("100.0 % (9/9) [70.1, 100.0]"));
        let column = |line: &str, part: &str| line.split_once(part).unwrap().0.chars().count();
        assert_eq!(column(lines[0], "(b)"), column(lines[2], "0.0 % (0/4)"));
        let markdown = table.render(Style::Markdown);
        assert!(
            markdown
                .lines()
                .all(|l| l.starts_with("| ") && l.ends_with(" |"))
        );
        assert!(markdown.lines().nth(1).unwrap().contains("---"));
    }
}
