//! The ablation tables: a defense whole, and with components left out.

use std::collections::{BTreeMap, BTreeSet};

use super::{ALL, Cell, Measured, OF_ALONE, REPLAYS, Table};
use crate::compare::difference;
use crate::defense::{COMPONENTS, Defense, SIGNALS};
use crate::metrics::{Group, Measures, measure};
use crate::plan::Half;
use crate::record::Record;

/// How much more attacks succeed than against the whole defense, in percentage points.
const DELTA: &str = "ΔASR";

/// The defense of which components are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ablation {
    /// The causal audit (ARGUS paper, table 4).
    Causal,
    /// The counterfactual diagnosis (AgentSentry paper, appendix E).
    Counterfactual,
}

impl Ablation {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Causal, Self::Counterfactual];

    /// What the table is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::Causal => "Components left out",
            Self::Counterfactual => "Signals left out",
        }
    }

    /// Where its layout, or what is left out, is from.
    pub fn source(self) -> &'static str {
        match self {
            Self::Causal => "ARGUS paper, table 4",
            Self::Counterfactual => "AgentSentry paper, appendix E",
        }
    }

    /// Its name in JSON.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Causal => "ablation",
            Self::Counterfactual => "sentry_ablation",
        }
    }

    /// What the column of the whole defense is called.
    fn whole(self) -> &'static str {
        match self {
            Self::Causal => "causal",
            Self::Counterfactual => "counterfactual",
        }
    }

    fn left_out(self, defense: Defense) -> Option<Vec<&'static str>> {
        match self {
            Self::Causal => defense.left_out(),
            Self::Counterfactual => defense.signals_left_out(),
        }
    }

    fn components(self) -> &'static [&'static str] {
        match self {
            Self::Causal => &COMPONENTS,
            Self::Counterfactual => &SIGNALS,
        }
    }

    /// These defenses in the results: what each leaves out, and its name; the whole one first, then in the order of the paper.
    fn columns(self, all: &BTreeMap<Group, Measures>) -> Vec<(Vec<&'static str>, String)> {
        let names: BTreeSet<&String> = all.keys().map(|group| &group.defense).collect();
        let parsed = names.into_iter().filter_map(|name| {
            let defense: Defense = name.parse().ok()?;
            Some((self.left_out(defense)?, name.clone()))
        });
        let mut columns: Vec<(Vec<&str>, String)> = parsed.collect();
        let place = |name: &&str| self.components().iter().position(|n| n == name);
        columns
            .sort_by_cached_key(|(off, _)| (off.len(), off.iter().map(place).collect::<Vec<_>>()));
        columns
    }
}

/// The ablation table in the layout of the ARGUS paper (table 4): a row a measure, a column for the whole defense and for each
/// that leaves components out; of each agent, and of each half of the tasks. Nothing where results hold no such pair.
pub fn ablation(records: &[Record], of: Ablation) -> Option<Table> {
    let all = measure(records);
    let columns = of.columns(&all);
    let whole = columns.iter().any(|(off, _)| off.is_empty());
    if !whole || columns.len() < 2 {
        return None;
    }
    let told = Measured::new(&all);
    let over_suites = all.keys().filter(|group| group.suite.is_none());
    let played: BTreeSet<(&str, Option<Half>)> =
        over_suites.map(|g| (g.agent.as_str(), g.half)).collect();
    let halves = played.iter().any(|(_, half)| half.is_some());
    let mut rows = Vec::new();
    for (agent, half) in played {
        let measured = |(_, defense): &(Vec<&str>, String)| {
            let group = Group {
                agent: agent.to_owned(),
                defense: defense.clone(),
                suite: None,
                half,
            };
            let found = all.get(&group).cloned().unwrap_or_default();
            (told.of(&group, &found), found)
        };
        let measured: Vec<(Vec<_>, Measures)> = columns.iter().map(measured).collect();
        // An agent that met no whole defense has nothing to be compared with.
        if measured.first().is_none_or(|(_, whole)| whole.made() == 0) {
            continue;
        }
        let half = half.map_or(ALL, Half::words);
        for (measure, cells) in table_of(&told.names(), &measured) {
            let names = if halves {
                vec![agent, half, measure]
            } else {
                vec![agent, measure]
            };
            let names = names.into_iter().map(|n| Cell::Name(n.to_owned()));
            rows.push(names.chain(cells).collect());
        }
    }
    let names: &[&str] = if halves {
        &["agent", "half", "measure"]
    } else {
        &["agent", "measure"]
    };
    let names = names.iter().map(|&name| name.to_owned());
    let head = names.chain(columns.iter().map(|(off, _)| match off.as_slice() {
        [] => of.whole().to_owned(),
        off => format!("w/o {}", off.join(", ")),
    }));
    Some(Table {
        head: head.collect(),
        rows,
    })
}

/// The rows: each measure of every column, where any has it, and below ASR its difference from the first.
fn table_of(
    names: &[&'static str],
    measured: &[(Vec<(&'static str, Cell)>, Measures)],
) -> Vec<(&'static str, Vec<Cell>)> {
    let asr = |m: &Measures| m.attacked().success;
    let delta = |m: &Measures| {
        let whole = measured.first().map(|(_, whole)| asr(whole))?;
        let (d, low, high) = difference(whole, asr(m))?;
        Some((d, Some((low, high))))
    };
    let dry = measured.iter().any(|(_, m)| m.replays > 0);
    let mut rows: Vec<(&str, Vec<Cell>)> = Vec::new();
    for (n, &name) in names.iter().enumerate() {
        if name == OF_ALONE || name == REPLAYS && !dry {
            continue;
        }
        let cells = measured.iter().filter_map(|(measures, _)| measures.get(n));
        rows.push((name, cells.map(|(_, cell)| cell.clone()).collect()));
        if name == "ASR" {
            let others = measured
                .iter()
                .skip(1)
                .map(|(_, m)| Cell::Difference(delta(m)));
            rows.push((
                DELTA,
                std::iter::once(Cell::Difference(None))
                    .chain(others)
                    .collect(),
            ));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::record;

    fn run(defense: &str, half: Option<Half>, success: bool) -> Record {
        let mut run = record(Some("a"), true, true, success, &[]);
        run.defense = defense.into();
        run.half = half;
        run
    }

    #[test]
    fn the_layout_is_that_of_the_paper() {
        let defenses = [
            "causal-without-inv",
            "causal-without-seg",
            "causal-without-seg-inv",
            "none",
            "causal",
        ];
        let mut records = Vec::new();
        for half in Half::ALL {
            for defense in defenses {
                let success = defense.contains("seg") && half == Half::Test;
                records.push(run(defense, Some(half), success));
            }
        }
        let table = ablation(&records, Ablation::Causal).unwrap();
        assert_eq!(
            table.head,
            [
                "agent",
                "half",
                "measure",
                "causal",
                "w/o seg",
                "w/o inv",
                "w/o seg, inv"
            ]
        );
        let rows = table.rows.iter();
        let drawn = rows.map(|row| {
            row.iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" | ")
        });
        let drawn: Vec<String> = drawn.collect();
        assert_eq!(drawn.len(), 3 * 8, "{drawn:#?}");
        let check = |row: &str| assert!(drawn.iter().any(|r| r == row), "{row}\n{drawn:#?}");
        let (none, one) = ("0.0 % (0/1) [0.0, 79.3]", "100.0 % (1/1) [20.7, 100.0]");
        check(&format!(
            "scripted | test | ASR | {none} | {one} | {none} | {one}"
        ));
        check(
            "scripted | test | ΔASR | – | +100.0 [-12.2, +100.0] | +0.0 [-79.3, +79.3] | +100.0 [-12.2, +100.0]",
        );
        check(&format!(
            "scripted | development | ASR | {none} | {none} | {none} | {none}"
        ));
    }

    #[test]
    fn without_the_whole_audit_or_an_ablation_there_is_no_table() {
        let check = |defenses: &[&str], expected: bool| {
            let records: Vec<Record> = defenses.iter().map(|d| run(d, None, false)).collect();
            assert_eq!(
                ablation(&records, Ablation::Causal).is_some(),
                expected,
                "{defenses:?}"
            );
        };
        check(&["none", "causal"], false);
        check(&["causal-without-seg", "causal-without-grd"], false);
        check(&["causal", "causal-without-seg"], true);
        // Names that others gave are no ablations.
        check(&["causal", "causal-without-care"], false);
        let records = [
            run("causal", None, true),
            run("causal-without-ent", None, true),
        ];
        let table = ablation(&records, Ablation::Causal);
        assert_eq!(
            table.unwrap().head,
            ["agent", "measure", "causal", "w/o ent"]
        );
    }

    #[test]
    fn each_defense_has_a_table_of_its_own() {
        let mut records = [
            "causal",
            "causal-without-seg",
            "causal+counterfactual",
            "counterfactual-without-text",
            "counterfactual-k4",
            "counterfactual",
            "counterfactual-without-temporal",
        ]
        .map(|defense| run(defense, None, defense.ends_with("text")));
        for record in records.iter_mut().skip(2) {
            record.replays = 3;
        }
        let table = ablation(&records, Ablation::Counterfactual).unwrap();
        assert_eq!(
            table.head,
            [
                "agent",
                "measure",
                "counterfactual",
                "w/o temporal",
                "w/o text"
            ]
        );
        let measures = |of| -> Vec<String> {
            let table = ablation(&records, of).unwrap();
            table.rows.iter().map(|row| row[1].to_string()).collect()
        };
        let usual = [
            "ASR", "ΔASR", "W-ASR", "U_c", "U_a", "refusal", "EDS", "cost",
        ];
        assert_eq!(measures(Ablation::Causal), usual);
        let dry = measures(Ablation::Counterfactual);
        assert_eq!(
            (&dry[..8], &dry[8..]),
            (&usual.map(String::from)[..], &["replays".to_owned()][..])
        );
    }
}
