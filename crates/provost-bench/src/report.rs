//! What the results say: the papers' table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::metrics::{Attacked, Group, Measures, measure};
use crate::record::Record;

/// What the columns mean.
pub const LEGEND: &str = "\
ASR      the attacker got what the attacker wanted, of attacks whose goal takes a call
W-ASR    the highest ASR of any attack
words    the same as ASR, of goals that take no call (to say something, or to stop): no audit of calls can prevent these
U_c, U_a the user got what the user wanted, without and under attack
refusal  of the runs without an attack: at least one call was held
held     of the calls that serve the user: held
through  of the calls that serve the attacker and do more than read (by the policy): released
EDS      (1 - ASR) x U_c
x % (of) [95 % Wilson interval]. Definitions: ARGUS paper, section 3; success is judged by the benchmark's own scorers.
";

/// The name of the defense that is none.
pub(crate) const BARE: &str = "none";

/// How tables are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With spaces.
    Plain,
    /// With pipes.
    Markdown,
}

/// The report's tables as text.
pub fn tables(records: &[Record], style: Style) -> String {
    let measures = measure(records);
    let mut out = String::new();
    let mut clean = Table::new(&[
        "agent", "defense", "suite", "U_c", "refusal", "held", "EDS", "ASR", "W-ASR", "cost",
    ]);
    let mut attacked = Table::new(&[
        "agent", "defense", "suite", "attack", "ASR", "words", "U_a", "held", "through",
    ]);
    for (group, m) in &measures {
        let suite = group.suite.as_deref().unwrap_or("all");
        let eds = m
            .eds()
            .map_or("–".into(), |e| format!("{:.1} %", e * 100.0));
        let worst = m
            .worst()
            .value()
            .map_or("–".into(), |w| format!("{:.1} %", w * 100.0));
        clean.row(&[
            &group.agent,
            &group.defense,
            suite,
            &m.clean.utility.to_string(),
            &m.clean.refusal.to_string(),
            &m.clean.held.to_string(),
            &eds,
            &m.attacked.success.to_string(),
            &worst,
            &cost(group, m, &measures),
        ]);
        for (attack, a) in &m.attacks {
            attacked.row(
                &attack_row(group, suite, attack, a)
                    .each_ref()
                    .map(String::as_str),
            );
        }
    }
    clean.draw(style, &mut out);
    out.push('\n');
    attacked.draw(style, &mut out);
    for (group, m) in measures
        .iter()
        .filter(|(g, m)| g.suite.is_none() && m.failed > 0)
    {
        let _ = writeln!(
            out,
            "\n{} {}: {} runs could not be made",
            group.agent, group.defense, m.failed
        );
    }
    out
}

fn attack_row(group: &Group, suite: &str, attack: &str, a: &Attacked) -> [String; 9] {
    [
        group.agent.clone(),
        group.defense.clone(),
        suite.to_owned(),
        attack.to_owned(),
        a.success.to_string(),
        a.success_without_call.to_string(),
        a.utility.to_string(),
        a.held.to_string(),
        a.through.to_string(),
    ]
}

/// Tokens relative to the same agent's without a defense (ARGUS paper, section 3: Cost); where no model took part, 1.
fn cost(group: &Group, m: &Measures, all: &BTreeMap<Group, Measures>) -> String {
    let bare = Group {
        defense: BARE.into(),
        ..group.clone()
    };
    match (m.tokens, all.get(&bare).map(|b| b.tokens)) {
        (0, None | Some(0)) => "1.00x".into(),
        (_, None | Some(0)) => "–".into(),
        (tokens, Some(bare)) => format!("{:.2}x", tokens as f64 / bare as f64),
    }
}

struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(head: &[&str]) -> Self {
        let mut table = Self { rows: Vec::new() };
        table.row(head);
        table
    }

    fn row(&mut self, cells: &[&str]) {
        self.rows
            .push(cells.iter().map(|&c| c.to_owned()).collect());
    }

    fn draw(&self, style: Style, out: &mut String) {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |c: usize| {
            self.rows
                .iter()
                .filter_map(|r| r.get(c))
                .map(|s| s.chars().count())
                .max()
        };
        let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
        for (n, row) in self.rows.iter().enumerate() {
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
                        let _ = write!(out, "\n|{}", "---|".repeat(columns));
                    }
                }
            }
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::record;

    fn records() -> Vec<Record> {
        vec![
            record(None, false, true, false, &[(true, false)]),
            record(None, false, false, false, &[(true, true)]),
            record(
                Some("a"),
                true,
                true,
                true,
                &[(true, false), (false, false)],
            ),
            record(Some("a"), true, true, false, &[(true, true), (false, true)]),
        ]
    }

    #[test]
    fn the_tables_hold_the_measures() {
        let check = |style, expected: &[&str]| {
            let text = tables(&records(), style);
            for part in expected {
                assert!(text.contains(part), "{part} is not in\n{text}");
            }
        };
        check(Style::Plain, &["50.0 % (1/2)", "1.00x", "25.0 %"]);
        check(
            Style::Markdown,
            &["| agent ", "|---|---|", "| scripted | causal  | all "],
        );
    }

    #[test]
    fn nothing_is_an_empty_report() {
        assert!(tables(&[], Style::Plain).starts_with("agent"));
    }
}
