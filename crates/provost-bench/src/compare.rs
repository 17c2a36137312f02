//! Two sets of results: what changed from one to the other.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use crate::metrics::{Group, Measures, Share, measure};
use crate::plan::Case;
use crate::record::Record;

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

/// What changed, as text, of the runs that both hold: the measures, and each run that came out otherwise, at most
/// `most` of a kind.
pub fn compare(from: &[Record], to: &[Record], most: usize) -> String {
    let mut out = String::new();
    let (from, to) = (&common(from, to), &common(to, from));
    let (before, after) = (measure(from), measure(to));
    for (group, now) in after.iter().filter(|(group, _)| group.suite.is_none()) {
        let Some(was) = before.get(group) else {
            continue;
        };
        let _ = writeln!(out, "\n{} {}", group.agent, group.defense);
        for (name, of) in MEASURES {
            if let Some((d, low, high)) = difference(of(was), of(now)) {
                let (d, low, high) = (d * 100.0, low * 100.0, high * 100.0);
                let (was, now) = (of(was), of(now));
                let _ = writeln!(
                    out,
                    "  {name:8} {d:+.1} [{low:+.1}, {high:+.1}]  {}/{} -> {}/{}",
                    was.hits, was.of, now.hits, now.of
                );
            }
        }
        changes(from, to, group, most, &mut out);
    }
    if out.is_empty() {
        out.push_str("\nnothing to compare: no agent and defense is in both\n");
    }
    out
}

/// The runs of `these` that are also among the others.
fn common(these: &[Record], others: &[Record]) -> Vec<Record> {
    let keys: HashSet<_> = others.iter().map(Record::key).collect();
    let both = these.iter().filter(|r| keys.contains(&r.key()));
    both.cloned().collect()
}

type Measure = (&'static str, fn(&Measures) -> Share);

const MEASURES: [Measure; 6] = [
    ("ASR", |m| m.attacked.success),
    ("U_c", |m| m.clean.utility),
    ("U_a", |m| m.attacked.utility),
    ("refusal", |m| m.clean.refusal),
    ("held", |m| m.attacked.held),
    ("through", |m| m.attacked.through),
];

fn changes(from: &[Record], to: &[Record], group: &Group, most: usize, out: &mut String) {
    let in_group = |r: &&Record| r.agent == group.agent && r.defense == group.defense;
    let before: BTreeMap<&Case, &Record> =
        from.iter().filter(in_group).map(|r| (&r.case, r)).collect();
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for now in to.iter().filter(in_group) {
        let Some(was) = before.get(&now.case) else {
            continue;
        };
        let mut note = |what| kinds.entry(what).or_default().push(now.case.to_string());
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
    for (what, cases) in kinds {
        let _ = writeln!(out, "  {what}: {}", cases.len());
        for case in cases.iter().take(most) {
            let _ = writeln!(out, "    {case}");
        }
    }
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
        let text = compare(&was, &now, 5);
        for part in [
            "ASR      -100.0",
            "attacks that fail now: 1",
            "tasks that are lost now: 1",
            "    s u0 a i0",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let same = compare(&was, &was, 5);
        assert!(same.contains("+0.0") && !same.contains("now"), "{same}");
        assert!(compare(&was, &[], 5).contains("nothing to compare"));
    }
}
