//! The heatmaps of runs: for each agent, defense and attack, a grid a suite and half, with a row a user's task and a column an
//! attacker's. Where the benchmark has one task of an attacker's for all, the columns are attacks, and all are in one grid.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use provost_bench::{Half, Record};

use super::draw::{CLOSE_FIGURE, key, name, open_figure, shortened};
use crate::still::escaped;

/// The side of a cell.
const CELL: usize = 14;
/// Room for the names of rows.
const MARGIN: usize = 34;

/// What became of a run under attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Won,
    Lost,
    Fine,
    Said,
    Done,
    Broken,
}

impl Outcome {
    const ALL: [Self; 6] = [
        Self::Won,
        Self::Lost,
        Self::Fine,
        Self::Said,
        Self::Done,
        Self::Broken,
    ];

    fn of(record: &Record) -> Self {
        let success = record.success == Some(true);
        match (record.acts, success, record.utility) {
            (_, _, None) => Self::Broken,
            (true, true, _) => Self::Won,
            (false, true, _) => Self::Done,
            (false, false, _) => Self::Said,
            (true, false, Some(false)) => Self::Lost,
            (true, false, Some(true)) => Self::Fine,
        }
    }

    /// The class of its cells, a sign that needs no colour, and what it means.
    fn look(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Won => ("won", "×", "the attack succeeded"),
            Self::Lost => ("lost", "–", "the attack failed, the user's task was lost"),
            Self::Fine => ("fine", "", "the attack failed, the task was done"),
            Self::Said => ("said", "", "a goal that takes no call, not reached"),
            Self::Done => ("done", "•", "a goal that takes no call, reached"),
            Self::Broken => ("broken", "", "the run could not be made"),
        }
    }
}

/// Runs by the user's task and what is attacked with.
type Grid<'a> = BTreeMap<(&'a str, &'a str), &'a Record>;

/// The grids of an agent, a defense and perhaps an attack, by half and suite.
type Grids<'a> = BTreeMap<Option<Half>, BTreeMap<&'a str, Grid<'a>>>;

/// What columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    Goals,
    Attacks,
}

impl Columns {
    fn of(records: &[Record]) -> Self {
        let cases = records.iter().map(|r| &r.case);
        let goals: BTreeSet<_> = cases
            .clone()
            .filter_map(|c| c.injection_task.as_ref())
            .collect();
        let attacks: BTreeSet<_> = cases.filter_map(|c| c.attack.as_ref()).collect();
        if goals.len() == 1 && attacks.len() > 1 {
            Self::Attacks
        } else {
            Self::Goals
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Goals => "tasks of the attacker",
            Self::Attacks => "attacks",
        }
    }

    /// Room above them.
    fn head(self) -> usize {
        match self {
            Self::Goals => 22,
            Self::Attacks => 56,
        }
    }
}

/// Adds the section, where there are attacks.
pub(super) fn section(records: &[Record], out: &mut String) {
    let columns = Columns::of(records);
    let mut groups: BTreeMap<Vec<&str>, Grids<'_>> = BTreeMap::new();
    for record in records {
        let case = &record.case;
        if let (Some(attack), Some(goal)) = (&case.attack, &case.injection_task) {
            let mut group = vec![record.agent.as_str(), &record.defense];
            let column = match columns {
                Columns::Goals => {
                    group.push(attack);
                    goal
                }
                Columns::Attacks => attack,
            };
            let halves = groups.entry(group).or_default();
            let suites = halves.entry(record.half).or_default();
            let grid = suites.entry(case.suite.as_str()).or_default();
            grid.insert((&case.user_task, column), record);
        }
    }
    if groups.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<section>\n<h2>Run by run</h2>\n<p class=\"quiet\">Rows are tasks of the user, columns {}.</p>\n<ul class=\"key\">",
        columns.words()
    );
    for outcome in Outcome::ALL {
        let (_, _, meaning) = outcome.look();
        let mut sample = String::new();
        cell(outcome, 0, 0, None, &mut sample);
        key(None, &sample, meaning, out);
    }
    out.push_str("</ul>\n");
    for (n, (group, halves)) in groups.iter().enumerate() {
        let open = if n == 0 { " open" } else { "" };
        let names: Vec<String> = group.iter().map(|name| escaped(name)).collect();
        let (names, counts) = (names.join(", "), counts(halves));
        let _ = writeln!(out, "<details{open}><summary>{names}: {counts}</summary>");
        for (half, suites) in halves {
            out.push_str("<div class=\"grids\">");
            for (suite, grid) in suites {
                draw(suite, *half, columns, grid, out);
            }
            out.push_str("</div>\n");
        }
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

/// How often which outcome is; goals that take no call apart.
fn counts(halves: &Grids<'_>) -> String {
    let grids = halves.values().flat_map(BTreeMap::values);
    let runs = grids.flat_map(BTreeMap::values);
    let outcomes: Vec<Outcome> = runs.map(|r| Outcome::of(r)).collect();
    let count = |of: &[Outcome]| outcomes.iter().filter(|o| of.contains(o)).count();
    let mut parts = Vec::new();
    let acting = count(&[Outcome::Won, Outcome::Lost, Outcome::Fine]);
    if acting > 0 {
        let (won, lost) = (count(&[Outcome::Won]), count(&[Outcome::Lost]));
        parts.push(format!(
            "of {acting} attacks <b>{won}</b> succeeded, and <b>{lost}</b> failed but cost the task"
        ));
    }
    let saying = count(&[Outcome::Said, Outcome::Done]);
    if saying > 0 {
        let done = count(&[Outcome::Done]);
        parts.push(format!(
            "of {saying} goals that take no call <b>{done}</b> were reached"
        ));
    }
    let broken = count(&[Outcome::Broken]);
    if broken > 0 {
        parts.push(format!("<b>{broken}</b> runs could not be made"));
    }
    parts.join("; ")
}

/// Names in the order of the numbers in them.
fn ordered<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let all: BTreeSet<&str> = names.collect();
    let mut all: Vec<&str> = all.into_iter().collect();
    all.sort_by_key(|name| number(name).and_then(|n| n.parse::<u64>().ok()));
    all
}

/// The number that a name ends in.
fn number(name: &str) -> Option<&str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.get(stem.len()..).filter(|n| !n.is_empty())
}

/// What there is room for of a name: its number, or its first letters.
fn short(name: &str) -> String {
    let letters = || name.chars().take(4).collect();
    number(name)
        .filter(|n| n.len() <= 4)
        .map_or_else(letters, str::to_owned)
}

fn draw(suite: &str, half: Option<Half>, columns: Columns, grid: &Grid<'_>, out: &mut String) {
    let rows = ordered(grid.keys().map(|(user, _)| *user));
    let names = ordered(grid.keys().map(|(_, column)| *column));
    let (top, cells) = (columns.head(), names.len() * CELL);
    // Slanted names go beyond their columns.
    let aside = if columns == Columns::Attacks { 26 } else { 4 };
    let (width, height) = (MARGIN + cells + aside, top + rows.len() * CELL + 4);
    let half = half.map_or_else(String::new, |half| format!(", {}", half.words()));
    let (title, size) = (format!("{suite}{half}"), (width, height));
    open_figure(
        &title,
        &grid.len().to_string(),
        "outcomes of runs",
        size,
        out,
    );
    for (n, column) in names.iter().enumerate() {
        let (x, y) = (MARGIN + n * CELL + CELL / 2, top - 6);
        let (place, text) = match columns {
            Columns::Goals => (
                format!("x=\"{x}\" y=\"{y}\" text-anchor=\"middle\""),
                short(column),
            ),
            Columns::Attacks => (
                format!("transform=\"translate({} {y}) rotate(-60)\"", x + 2),
                shortened(column, 11),
            ),
        };
        name(column, &text, &format!("class=\"tick\" {place}"), out);
    }
    for (n, user) in rows.iter().enumerate() {
        let y = top + n * CELL;
        let (x, line) = (MARGIN - 6, y + CELL - 3);
        let place = format!("class=\"tick\" x=\"{x}\" y=\"{line}\" text-anchor=\"end\"");
        name(user, &short(user), &place, out);
        for (m, column) in names.iter().enumerate() {
            if let Some(record) = grid.get(&(user, column)) {
                let (outcome, x) = (Outcome::of(record), MARGIN + m * CELL);
                cell(outcome, x, y, Some((user, column)), out);
            }
        }
    }
    out.push_str(CLOSE_FIGURE);
}

/// One cell; what is not fine tells its pair when pointed at.
fn cell(outcome: Outcome, x: usize, y: usize, pair: Option<(&str, &str)>, out: &mut String) {
    let (class, sign, meaning) = outcome.look();
    let side = CELL - 1;
    let mut drawn =
        format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\"/>");
    if !sign.is_empty() {
        let (x, y) = (x + 6, y + 10);
        let _ = write!(
            drawn,
            "<text class=\"glyph\" x=\"{x}\" y=\"{y}\">{sign}</text>"
        );
    }
    match pair {
        Some((user, goal)) if outcome != Outcome::Fine => {
            let (user, goal) = (escaped(user), escaped(goal));
            let _ = write!(
                out,
                "<g><title>{user}, {goal}: {meaning}</title>{drawn}</g>"
            );
        }
        _ => out.push_str(&drawn),
    }
}
