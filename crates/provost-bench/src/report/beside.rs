//! What is read side by side: halves of the tasks, and attack success by attack and by surface.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cell, Measured, Table, has_halves, head};
use crate::compare::difference;
use crate::metrics::{Attacked, Group, Measures, measure};
use crate::plan::Half;
use crate::record::Record;

/// Every measure on the development half and on the test half, and how much more it is on the test half; of each agent with
/// each defense. Nothing where the benchmark makes no halves.
pub fn halves(records: &[Record]) -> Option<Table> {
    let all = measure(records);
    if !has_halves(all.iter()) {
        return None;
    }
    let measured = Measured::new(&all);
    let mut rows = Vec::new();
    for (whole, _) in all.iter().filter(|(group, _)| group.is_whole()) {
        let of = |half| {
            let group = Group {
                half: Some(half),
                ..whole.clone()
            };
            let measures = all.get(&group).cloned().unwrap_or_default();
            measured.of(&group, &measures)
        };
        let (dev, test) = (of(Half::Dev), of(Half::Test));
        let both = dev.into_iter().zip(test);
        // Tokens are compared between defenses, not between tasks.
        for ((measure, dev), (_, test)) in both.filter(|((m, _), _)| *m != "cost") {
            let names = [whole.agent.as_str(), &whole.defense, measure];
            let mut row: Vec<Cell> = names.map(|n| Cell::Name(n.to_owned())).into();
            let more = more(measure, &dev, &test);
            row.extend([dev, test, more]);
            rows.push(row);
        }
    }
    let names = ["agent", "defense", "measure"];
    let columns = [Half::Dev.words(), Half::Test.words(), "difference"];
    let head = head(&names, true, columns);
    Some(Table { head, rows })
}

/// How much more `to` is, of what is a share. The worst of several attacks has no interval of a difference: it may be
/// another one.
fn more(measure: &str, from: &Cell, to: &Cell) -> Cell {
    Cell::Difference(match (from, to) {
        (Cell::Share(from), Cell::Share(to)) if measure != "W-ASR" => {
            difference(*from, *to).map(|(d, low, high)| (d, Some((low, high))))
        }
        (Cell::Mean(_), _) => None,
        _ => from
            .fraction()
            .zip(to.fraction())
            .map(|(from, to)| (to - from, None)),
    })
}

/// By what attack success is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By attack.
    Attack,
    /// By the surface where the payload met the agent.
    Surface,
}

impl By {
    /// What is measured, by name.
    pub fn of(self, m: &Measures) -> &BTreeMap<String, Attacked> {
        match self {
            Self::Attack => &m.attacks,
            Self::Surface => &m.surfaces,
        }
    }
}

/// ASR (of goals that take a call) of each agent with each defense, and of each half of it, with a column for each attack or
/// surface (ARGUS paper, figure 4). Nothing where that would be less than two columns.
pub fn matrix(records: &[Record], by: By) -> Option<Table> {
    let all = measure(records);
    let halves = has_halves(all.iter());
    let of_all_suites = all.iter().filter(|(group, _)| group.suite.is_none());
    let of_all_suites: Vec<_> = of_all_suites.collect();
    let acting = |(name, a): (&String, &Attacked)| (a.success.of > 0).then(|| name.clone());
    let columns: BTreeSet<String> = of_all_suites
        .iter()
        .flat_map(|(_, m)| by.of(m).iter().filter_map(acting))
        .collect();
    if columns.len() < 2 {
        return None;
    }
    let row = |(group, m): &(&Group, &Measures)| {
        let half = group.half.map_or("both", Half::words);
        let names = [group.agent.as_str(), &group.defense, half];
        let names = names.into_iter().take(if halves { 3 } else { 2 });
        let names = names.map(|n| Cell::Name(n.to_owned()));
        let rate = |name| by.of(m).get(name).map(|a| a.success).unwrap_or_default();
        let cells = columns.iter().map(|name| Cell::Rate(rate(name)));
        names.chain(cells).collect()
    };
    let mut head = head(&["agent", "defense", "half"], halves, []);
    let rows = of_all_suites.iter().map(row).collect();
    head.extend(columns.iter().cloned());
    Some(Table { head, rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::record;

    /// Two vectors on two halves; only the second succeeds on the test half.
    fn records() -> Vec<Record> {
        let run = |attack: Option<&str>, half, success| {
            let mut run = record(attack, true, true, success, &[]);
            run.half = Some(half);
            run.surface = attack.map(|a| format!("on {a}"));
            run
        };
        vec![
            run(None, Half::Dev, false),
            run(Some("a"), Half::Dev, true),
            run(Some("b"), Half::Dev, true),
            run(None, Half::Test, false),
            run(Some("a"), Half::Test, false),
            run(Some("b"), Half::Test, true),
        ]
    }

    fn drawn(table: &Table) -> Vec<String> {
        let rows = table.rows.iter();
        let drawn = rows.map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>());
        drawn.map(|row| row.join(" | ")).collect()
    }

    #[test]
    fn each_measure_stands_beside_itself() {
        let table = halves(&records()).unwrap();
        assert_eq!(
            table.head,
            [
                "agent",
                "defense",
                "measure",
                "development",
                "test",
                "difference"
            ]
        );
        let rows = drawn(&table);
        assert_eq!(rows.len(), 6, "{rows:#?}");
        let check = |start: &str, end: &str| {
            let found = rows.iter().find(|row| row.starts_with(start));
            assert!(
                found.is_some_and(|row| row.ends_with(end)),
                "{start} {end}\n{rows:#?}"
            );
        };
        check(
            "scripted | causal | ASR | 100.0 % (2/2)",
            " | -50.0 [-90.5, +27.3]",
        );
        check("scripted | causal | W-ASR | 100.0 % (1/1)", " | +0.0");
        check(
            "scripted | causal | U_c | 100.0 % (1/1)",
            " | +0.0 [-79.3, +79.3]",
        );
        check("scripted | causal | EDS | 0.0 % | 50.0 %", " | +50.0");
    }

    #[test]
    fn where_there_are_no_halves_there_is_nothing_beside() {
        let mut without = records();
        for record in &mut without {
            record.half = None;
        }
        assert_eq!(halves(&without), None);
        let one: Vec<Record> = records()
            .into_iter()
            .filter(|r| r.half == Some(Half::Dev))
            .collect();
        let rows = drawn(&halves(&one).unwrap());
        assert!(rows.iter().all(|row| row.ends_with("– | –")), "{rows:#?}");
    }

    #[test]
    fn success_by_attack_and_surface() {
        let table = matrix(&records(), By::Attack).unwrap();
        assert_eq!(table.head, ["agent", "defense", "half", "a", "b"]);
        assert_eq!(
            drawn(&table),
            [
                "scripted | causal | both | 50.0 % (1/2) | 100.0 % (2/2)",
                "scripted | causal | development | 100.0 % (1/1) | 100.0 % (1/1)",
                "scripted | causal | test | 0.0 % (0/1) | 100.0 % (1/1)",
            ]
        );
        let table = matrix(&records(), By::Surface).unwrap();
        assert_eq!(table.head[3..], ["on a", "on b"]);
        assert_eq!(matrix(&records()[..2], By::Attack), None);
        let plain = [
            record(Some("a"), true, true, true, &[]),
            record(Some("b"), true, true, true, &[]),
        ];
        assert_eq!(
            matrix(&plain, By::Attack).unwrap().head,
            ["agent", "defense", "a", "b"]
        );
        assert_eq!(matrix(&plain, By::Surface), None);
    }
}
