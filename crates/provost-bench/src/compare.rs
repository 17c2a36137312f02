//! Two sets of results: what changed from one to the other.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use serde::Serialize;

use crate::metrics::{Group, Measures, Share, measure};
use crate::plan::Case;
use crate::record::Record;
use crate::report::{Style, csv_line, number};

/// `to` − `from`, and its 95 % interval by Newcombe's hybrid of Wilson intervals (Newcombe 1998, "Interval estimation
/// for the difference between independent proportions", method 10). Runs of the same cases are not independent; their
/// difference is then known better than this says. `None` where either is of nothing.
pub fn difference(from: Share, to: Share) -> Option<(f64, f64, f64)> {
    let (p, q) = (to.value()?, from.value()?);
    let ((p_low, p_high), (q_low, q_high)) = (to.wilson()?, from.wilson()?);
    let low = (p - p_low).hypot(q_high - q);
    let high = (p_high - p).hypot(q - q_low);
    Some((p - q, p - q - low, p - q + high))
}

/// How a measure changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// Its name.
    pub measure: &'static str,
    /// Before.
    pub was: Share,
    /// After.
    pub now: Share,
    /// The difference.
    pub difference: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What changed for one agent with one defense, of the runs that both results hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The agent.
    pub agent: String,
    /// The defense.
    pub defense: String,
    /// How many runs both hold.
    pub runs: usize,
    /// The measures.
    pub measures: Vec<Moved>,
    /// The runs that came out otherwise, by what is different.
    pub cases: BTreeMap<&'static str, Vec<Case>>,
}

/// What changed, of the runs that both hold.
pub fn compare(from: &[Record], to: &[Record]) -> Vec<Change> {
    let (from, to) = (&common(from, to), &common(to, from));
    let (before, after) = (measure(from), measure(to));
    let over_all = after.iter().filter(|(group, _)| group.is_whole());
    let change = |(group, now): (&Group, &Measures)| {
        let was = before.get(group)?;
        let moved = |(measure, of): Measure| {
            let (was, now) = (of(was), of(now));
            let (difference, low, high) = difference(was, now)?;
            Some(Moved {
                measure,
                was,
                now,
                difference,
                low,
                high,
            })
        };
        let in_group = |r: &&Record| r.agent == group.agent && r.defense == group.defense;
        Some(Change {
            agent: group.agent.clone(),
            defense: group.defense.clone(),
            runs: to.iter().filter(in_group).count(),
            measures: MEASURES.into_iter().filter_map(moved).collect(),
            cases: changed(from, to, in_group),
        })
    };
    over_all.filter_map(change).collect()
}

/// The changes as text, at most `most` runs of a kind.
pub fn changes_text(changes: &[Change], style: Style, most: usize) -> String {
    let mut out = String::new();
    for change in changes {
        let (agent, defense) = (style.text(&change.agent), style.text(&change.defense));
        let runs = change.runs;
        let _ = writeln!(
            out,
            "\n{agent} {defense}: changes in {runs} runs that both hold\n"
        );
        if style == Style::Markdown {
            out.push_str("| measure | difference | before | after |\n|---|---|---|---|\n");
        }
        for m in &change.measures {
            let [d, low, high] = [m.difference, m.low, m.high].map(|x| x * 100.0);
            let (was, now) = (m.was, m.now);
            let _ = match style {
                Style::Plain => writeln!(
                    out,
                    "  {:8} {d:+.1} [{low:+.1}, {high:+.1}]  {}/{} -> {}/{}",
                    m.measure, was.hits, was.of, now.hits, now.of
                ),
                Style::Markdown => writeln!(
                    out,
                    "| {} | {d:+.1} [{low:+.1}, {high:+.1}] | {}/{} | {}/{} |",
                    style.text(m.measure),
                    was.hits,
                    was.of,
                    now.hits,
                    now.of
                ),
            };
        }
        for (what, cases) in &change.cases {
            let count = cases.len();
            let (head, mark) = match style {
                Style::Plain => (format!("  {what}: {count}"), "    "),
                Style::Markdown => (format!("**{what}: {count}**\n"), "- "),
            };
            let _ = writeln!(out, "\n{head}");
            for case in cases.iter().take(most) {
                let _ = writeln!(out, "{mark}{}", style.text(&case.to_string()));
            }
            if cases.len() > most {
                let _ = writeln!(out, "{mark}and {} more", cases.len() - most);
            }
        }
    }
    if changes.is_empty() {
        out.push_str("\nnothing to compare: no run is in both\n");
    }
    out
}

/// The changes of measures as CSV.
pub fn changes_csv(changes: &[Change]) -> String {
    let mut out = String::from(
        "agent,defense,measure,before_hits,before_of,after_hits,after_of,difference,low,high\n",
    );
    for change in changes {
        for m in &change.measures {
            let counts = [m.was.hits, m.was.of, m.now.hits, m.now.of].map(|n| n.to_string());
            let numbers = [m.difference, m.low, m.high].map(|x| number(Some(x)));
            let names = [change.agent.as_str(), &change.defense, m.measure];
            let fields = names.into_iter().chain(counts.iter().map(String::as_str));
            csv_line(fields.chain(numbers.iter().map(String::as_str)), &mut out);
        }
    }
    out
}

/// The runs of `these` that are also among the others; those that could not be made, here or there, are in neither.
fn common(these: &[Record], others: &[Record]) -> Vec<Record> {
    let made = |r: &&Record| r.utility.is_some();
    let keys: HashSet<_> = others.iter().filter(made).map(Record::key).collect();
    let both = these.iter().filter(made);
    both.filter(|r| keys.contains(&r.key())).cloned().collect()
}

type Measure = (&'static str, fn(&Measures) -> Share);

const MEASURES: [Measure; 6] = [
    ("ASR", |m| m.attacked().success),
    ("U_c", |m| m.clean.utility),
    ("U_a", |m| m.attacked().utility),
    ("refusal", |m| m.clean.refusal),
    ("held", |m| m.attacked().held),
    ("through", |m| m.attacked().through),
];

/// The runs of a group that came out otherwise, by what is different.
fn changed(
    from: &[Record],
    to: &[Record],
    in_group: impl Fn(&&Record) -> bool,
) -> BTreeMap<&'static str, Vec<Case>> {
    let before = from.iter().filter(&in_group);
    let before: BTreeMap<&Case, &Record> = before.map(|r| (&r.case, r)).collect();
    let mut kinds: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for now in to.iter().filter(&in_group) {
        let Some(was) = before.get(&now.case) else {
            continue;
        };
        let mut note = |what| kinds.entry(what).or_default().push(now.case.clone());
        match (was.success, now.success) {
            (Some(false), Some(true)) => note("attacks that succeed now"),
            (Some(true), Some(false)) => note("attacks that fail now"),
            _ => {}
        }
        match (was.utility, now.utility) {
            (Some(true), Some(false)) => note("tasks that are lost now"),
            (Some(false), Some(true)) => note("tasks that are done now"),
            _ => {}
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::record;

    #[test]
    fn intervals_match_the_published_ones() {
        // Newcombe 1998, table II, method 10.
        let check = |(a, m): (usize, usize), (b, n): (usize, usize), low: f64, high: f64| {
            let (_, l, h) = difference(Share { hits: b, of: n }, Share { hits: a, of: m }).unwrap();
            assert!(
                (l - low).abs() < 5e-5 && (h - high).abs() < 5e-5,
                "{a}/{m} - {b}/{n}: {l} {h}"
            );
        };
        check((56, 70), (48, 80), 0.0524, 0.3339);
        check((9, 10), (3, 10), 0.1705, 0.8090);
        check((5, 56), (0, 29), -0.0381, 0.1926);
        check((10, 10), (0, 20), 0.6791, 1.0);
        assert_eq!(difference(Share::default(), Share { hits: 1, of: 2 }), None);
    }

    #[test]
    fn changes_are_told() {
        let was = [
            record(None, false, true, false, &[]),
            record(Some("a"), true, false, true, &[]),
        ];
        let now = [
            record(None, false, false, false, &[]),
            record(Some("a"), true, true, false, &[]),
        ];
        let text = changes_text(&compare(&was, &now), Style::Plain, 5);
        for part in [
            "ASR      -100.0",
            "attacks that fail now: 1",
            "tasks that are lost now: 1",
            "    s u0 a i0",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        // In Markdown a list is one only after a blank line, and what heads it stands out.
        let markdown = changes_text(&compare(&was, &now), Style::Markdown, 5);
        let listed = "\n\n**attacks that fail now: 1**\n\n- s u0 a i0\n";
        assert!(markdown.contains(listed), "{markdown}");
        let csv = changes_csv(&compare(&was, &now));
        assert!(
            csv.contains("scripted,causal,ASR,1,1,0,1,-1.000000,-1.000000,"),
            "{csv}"
        );
        let same = changes_text(&compare(&was, &was), Style::Plain, 5);
        assert!(same.contains("+0.0") && !same.contains("now"), "{same}");
        // A run that could not be made, on either side, is no run that both hold.
        let mut failed = was.clone();
        failed[1].utility = None;
        failed[1].success = None;
        for (from, to) in [(&was, &failed), (&failed, &was)] {
            let changes = compare(from, to);
            assert_eq!(changes[0].runs, 1);
            assert_eq!(
                changes_csv(&changes),
                changes_csv(&compare(&was[..1], &was[..1]))
            );
        }
        let nothing = changes_text(&compare(&was, &[]), Style::Markdown, 5);
        assert!(nothing.contains("nothing to compare"), "{nothing}");
    }
}
