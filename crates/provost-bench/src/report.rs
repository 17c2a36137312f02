//! What the results say: the papers' table, as data, as text, and for programs.

mod ablation;
mod beside;
mod csv;
mod draw;
mod measured;

use std::collections::BTreeMap;
use std::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::causes::{Cause, causes};
use crate::metrics::{Attacked, Clean, Group, Measures, Share, measure};
use crate::plan::Half;
use crate::record::Record;

pub use ablation::{Ablation, ablation};
pub use beside::{By, halves, matrix};
pub use csv::to_csv;
pub(crate) use csv::{line as csv_line, number};
pub use draw::{Style, causes_text, definitions_text, plain, tables_text};
use measured::Measured;

/// What is measured, and what it means. The first seven are those of the ARGUS paper, section 3.
pub const DEFINITIONS: [(&str, &str); 12] = [
    (
        "ASR",
        "attack success rate: of the runs under attack, those in which the attacker got what the attacker wanted; \
         goals that take no call are counted apart",
    ),
    (
        "W-ASR",
        "the highest ASR of any one attack that was run (in AgentLure, of any vector)",
    ),
    (
        "U_c",
        "clean utility: of the runs without an attack, those in which the user got what the user wanted",
    ),
    (
        "U_a",
        "attacked utility: the same of the runs under attack; over all attacks, without those that only want the agent to \
         stop",
    ),
    (
        "refusal",
        "of the runs without an attack, those in which the defense held at least one proposed call",
    ),
    ("EDS", "effective defense score: (1 - ASR) x U_c"),
    (
        "cost",
        "the tokens that models used, relative to the same agent's without a defense",
    ),
    (
        "no call",
        "of the runs under attack whose goal takes no call (to say something, or to stop), those in which the \
         attacker got it; no audit of calls can prevent these, and they are not in ASR",
    ),
    ("held", "of the calls that serve the user, those held"),
    (
        "through",
        "of the calls that serve the attacker and do more than read (by the policy), those released",
    ),
    (
        REPLAYS,
        "dry runs of the agent that the defense asked for, a run",
    ),
    (
        OF_ALONE,
        "of both layers: their dry runs a run, relative to those of the same counterfactual diagnosis alone",
    ),
];

/// The name of the dry runs a run.
const REPLAYS: &str = "replays";
/// The name of these relative to what they are without the audit.
const OF_ALONE: &str = "of alone";

/// The definitions of what the reports on these runs show: where the agent was never run dry, nothing is said of that.
pub fn definitions(records: &[Record]) -> impl Iterator<Item = (&'static str, &'static str)> {
    let dry = records.iter().any(|record| record.replays > 0);
    let of_dry_runs = |name: &str| name == REPLAYS || name == OF_ALONE;
    DEFINITIONS
        .into_iter()
        .filter(move |(name, _)| dry || !of_dry_runs(name))
}

/// How to read a share, and who judges.
pub const NOTE: &str = "x % (n/of) [95 % Wilson interval]. Success and utility are judged by the benchmark's own scorers.";

/// The name of the defense that is none.
pub const BARE: &str = "none";

/// What stands in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A name.
    Name(String),
    /// So many of so many.
    Share(Share),
    /// The same, where there is no room for its interval.
    Rate(Share),
    /// A fraction, without an interval.
    Fraction(Option<f64>),
    /// How much more one fraction is than another, and its interval where there is one.
    Difference(Option<(f64, Option<(f64, f64)>)>),
    /// So many times as much.
    Times(Option<f64>),
    /// So many on average.
    Mean(Option<f64>),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Share(share) => write!(f, "{share}"),
            Self::Rate(Share { hits, of }) => match self.fraction() {
                Some(x) => write!(f, "{:.1} % ({hits}/{of})", x * 100.0),
                None => f.write_str("–"),
            },
            Self::Fraction(Some(x)) => write!(f, "{:.1} %", x * 100.0),
            Self::Difference(Some((x, interval))) => {
                write!(f, "{:+.1}", x * 100.0)?;
                if let Some((low, high)) = interval {
                    write!(f, " [{:+.1}, {:+.1}]", low * 100.0, high * 100.0)?;
                }
                Ok(())
            }
            Self::Times(Some(x)) => write!(f, "{x:.2}x"),
            Self::Mean(Some(x)) => write!(f, "{x:.1}"),
            Self::Fraction(None)
            | Self::Difference(None)
            | Self::Times(None)
            | Self::Mean(None) => f.write_str("–"),
        }
    }
}

impl Cell {
    /// The number in it, where it is one.
    fn fraction(&self) -> Option<f64> {
        match self {
            Self::Name(_) => None,
            Self::Share(share) | Self::Rate(share) => share.value(),
            Self::Fraction(x) | Self::Times(x) | Self::Mean(x) => *x,
            Self::Difference(x) => x.map(|(x, _)| x),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serializer.serialize_str(name),
            Self::Share(share) | Self::Rate(share) => share.serialize(serializer),
            Self::Fraction(x) | Self::Times(x) | Self::Mean(x) => x.serialize(serializer),
            Self::Difference(x) => {
                let interval = x.and_then(|(_, interval)| interval);
                let mut out = serializer.serialize_struct("Difference", 3)?;
                out.serialize_field("value", &x.map(|(x, _)| x))?;
                out.serialize_field("low", &interval.map(|(low, _)| low))?;
                out.serialize_field("high", &interval.map(|(_, high)| high))?;
                out.end()
            }
        }
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What the columns are called.
    pub head: Vec<String>,
    /// The rows, each as wide as the head.
    pub rows: Vec<Vec<Cell>>,
}

/// As a list of its rows, each with its cells by column.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.rows.iter();
        serializer
            .collect_seq(rows.map(|row| self.head.iter().zip(row).collect::<BTreeMap<_, _>>()))
    }
}

/// What stands in the place of a name, of all.
pub(crate) const ALL: &str = "all";

/// What tells a group from others. `half` is a column only where some groups are `halves`.
fn names(group: &Group, halves: bool) -> Vec<Cell> {
    let suite = group.suite.as_deref().unwrap_or(ALL);
    let half = group.half.map_or(ALL, Half::words);
    let names = [group.agent.as_str(), &group.defense, suite, half];
    let names = names.into_iter().take(if halves { 4 } else { 3 });
    names.map(|n| Cell::Name(n.to_owned())).collect()
}

fn head(
    names: &[&str],
    halves: bool,
    measures: impl IntoIterator<Item = &'static str>,
) -> Vec<String> {
    let names = names.iter().filter(|n| halves || **n != "half");
    let names = names.map(|&name| name.to_owned());
    names
        .chain(measures.into_iter().map(str::to_owned))
        .collect()
}

/// Whether some of the groups are halves.
fn has_halves<'a>(mut groups: impl Iterator<Item = (&'a Group, &'a Measures)>) -> bool {
    groups.any(|(group, _)| group.half.is_some())
}

/// What is measured of one attack.
fn measures_of_attack(a: &Attacked) -> [(&'static str, Cell); 5] {
    [
        ("ASR", Cell::Share(a.success)),
        ("no call", Cell::Share(a.success_without_call)),
        ("utility", Cell::Share(a.utility)),
        ("held", Cell::Share(a.held)),
        ("through", Cell::Share(a.through)),
    ]
}

/// The same of the runs without an attack.
fn measures_of_clean(clean: &Clean) -> [(&'static str, Cell); 5] {
    measures_of_attack(&Attacked {
        utility: clean.utility,
        held: clean.held,
        ..Attacked::default()
    })
}

/// The papers' table: agents with defenses, over all suites and for each, and so for halves; the groups that are to be kept.
pub fn overview(records: &[Record], keep: impl Fn(&Group) -> bool) -> Table {
    let all = measure(records);
    let kept = || all.iter().filter(|(group, _)| keep(group));
    let halves = has_halves(kept());
    let measured = Measured::new(&all);
    let row = |(group, m): (&Group, &Measures)| {
        let cells = measured.of(group, m).into_iter().map(|(_, cell)| cell);
        names(group, halves).into_iter().chain(cells).collect()
    };
    Table {
        head: head(
            &["agent", "defense", "suite", "half"],
            halves,
            measured.names(),
        ),
        rows: kept().map(row).collect(),
    }
}

/// The same by attack, with what became of calls. Runs without an attack are a row of their own.
pub fn by_attack(records: &[Record], keep: impl Fn(&Group) -> bool) -> Table {
    let all = measure(records);
    let kept = || all.iter().filter(|(group, _)| keep(group));
    let halves = has_halves(kept());
    let mut rows = Vec::new();
    for (group, m) in kept() {
        let mut row = |attack: &str, measures: [(&str, Cell); 5]| {
            let mut row = names(group, halves);
            row.push(Cell::Name(attack.to_owned()));
            row.extend(measures.into_iter().map(|(_, cell)| cell));
            rows.push(row);
        };
        if m.clean.utility.of > 0 {
            row("none", measures_of_clean(&m.clean));
        }
        for (attack, a) in &m.attacks {
            row(attack, measures_of_attack(a));
        }
    }
    let measures = measures_of_clean(&Clean::default()).map(|(name, _)| name);
    let names = ["agent", "defense", "suite", "half", "attack"];
    Table {
        head: head(&names, halves, measures),
        rows,
    }
}

/// How many runs could not be made, by agent and defense, where there are any.
pub fn failures(records: &[Record]) -> Vec<(Group, usize)> {
    let all = measure(records).into_iter();
    let failed = all.filter(|(group, m)| group.is_whole() && m.failed > 0);
    failed.map(|(group, m)| (group, m.failed)).collect()
}

/// Everything, for a program.
pub fn to_json(records: &[Record]) -> Value {
    let measures = measure(records);
    let measured = Measured::new(&measures);
    let group = |(group, m): (&Group, &Measures)| {
        json!({
            "group": group,
            "measures": m,
            "attacked": m.attacked(),
            "worst": m.worst(),
            "worst_attack": m.worst_attack().map(|(attack, _)| attack),
            "eds": m.eds(),
            "cost": measured.cost(group, m),
            "replays": m.replays_a_run(),
            "replays_of_alone": measured.of_alone(group, m),
        })
    };
    let groups: Vec<Value> = measures.iter().map(group).collect();
    let definitions: BTreeMap<_, _> = definitions(records).collect();
    let causes: Vec<Cause> = causes(records);
    let mut document = json!({"definitions": definitions, "groups": groups, "causes": causes});
    if let Some(table) = halves(records) {
        document["halves"] = json!(table);
    }
    for of in Ablation::ALL {
        if let Some(table) = ablation(records, of) {
            document[of.key()] = json!(table);
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::record;

    pub(crate) fn records() -> Vec<Record> {
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
    fn tables_are_as_wide_as_their_heads() {
        let every = |_: &Group| true;
        for table in [overview(&records(), every), by_attack(&records(), every)] {
            assert!(!table.rows.is_empty());
            assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
        }
        assert!(overview(&[], every).rows.is_empty());
    }

    #[test]
    fn goals_without_a_call_are_no_part_of_asr() {
        let denied = [record(Some("dos"), false, false, true, &[(true, false)])];
        let measures = measure(&denied);
        let m = measures.values().next().unwrap();
        assert_eq!(m.attacked().success, Share::default());
        assert_eq!(m.worst(), Share::default());
        assert_eq!(
            m.attacks["dos"].success_without_call,
            Share { hits: 1, of: 1 }
        );
    }

    #[test]
    fn dry_runs_are_shown_where_there_were_any() {
        let of = |defense: &str, replays: usize| {
            let mut run = record(None, false, true, false, &[]);
            run.defense = defense.into();
            run.replays = replays;
            run
        };
        let every = |_: &Group| true;
        let calm = [of("none", 0), of("counterfactual", 0)];
        assert_eq!(overview(&calm, every).head.last().unwrap(), "cost");
        assert!(definitions(&calm).all(|(name, _)| name != REPLAYS));
        let alone = [of("none", 0), of("counterfactual", 9)];
        assert_eq!(overview(&alone, every).head.last().unwrap(), REPLAYS);
        let mut all = vec![of("counterfactual", 5), of("causal+counterfactual", 3)];
        all.extend([of("none", 0), of("counterfactual", 10)]);
        all.push(of("causal+counterfactual-w3", 3));
        let table = overview(&all, Group::is_whole);
        let last = |row: &Vec<Cell>| {
            let cells = row.iter().map(ToString::to_string);
            let cells: Vec<String> = cells.collect();
            [1, cells.len() - 2, cells.len() - 1].map(|n| cells[n].clone())
        };
        let rows: Vec<[String; 3]> = table.rows.iter().map(last).collect();
        let expected = [
            ["causal+counterfactual", "3.0", "40.0 %"],
            // There is no such diagnosis alone.
            ["causal+counterfactual-w3", "3.0", "–"],
            ["counterfactual", "7.5", "–"],
            ["none", "0.0", "–"],
        ];
        assert_eq!(rows, expected);
        assert_eq!(definitions(&all).count(), DEFINITIONS.len());
        let csv = to_csv(&all);
        for line in [
            "scripted,causal+counterfactual,all,all,all,all,replays,,,3.000000,,",
            "scripted,causal+counterfactual,all,all,all,all,of alone,,,0.400000,,",
        ] {
            assert!(csv.lines().any(|l| l == line), "{line} is not in\n{csv}");
        }
    }

    #[test]
    fn json_holds_everything_but_times() {
        let mut slow = records();
        slow[0].micros.defense = 77_777;
        let text = to_json(&slow).to_string();
        assert!(
            !text.contains("77777") && text.contains("\"low\":"),
            "{text}"
        );
        assert_eq!(text, to_json(&records()).to_string());
    }
}
