//! The heatmaps: for each agent, defense and attack, a grid a suite, with a row a user's task and a column an attacker's.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use provost_bench::Record;

use super::page::escaped;

/// The side of a cell.
const CELL: usize = 14;
/// Room for the names of rows, and above the columns.
const MARGIN: usize = 34;
const HEAD: usize = 22;

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

type Grid<'a> = BTreeMap<(&'a str, &'a str), &'a Record>;

/// Adds the section, where there are attacks.
pub(super) fn section(records: &[Record], out: &mut String) {
    let mut groups: BTreeMap<[&str; 3], BTreeMap<&str, Grid<'_>>> = BTreeMap::new();
    for record in records {
        let case = &record.case;
        if let (Some(attack), Some(goal)) = (&case.attack, &case.injection_task) {
            let group = groups
                .entry([&record.agent, &record.defense, attack])
                .or_default();
            let grid = group.entry(case.suite.as_str()).or_default();
            grid.insert((&case.user_task, goal), record);
        }
    }
    if groups.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Pair by pair</h2>\n<p class=\"quiet\">Rows are tasks of the user, columns tasks of the attacker.</p>\n<ul class=\"key\">");
    for outcome in Outcome::ALL {
        let (_, _, meaning) = outcome.look();
        let mut sample = String::new();
        cell(outcome, 0, 0, None, &mut sample);
        let _ = write!(
            out,
            "<li><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\">{sample}</svg>{meaning}</li>"
        );
    }
    out.push_str("</ul>\n");
    for (n, ([agent, defense, attack], suites)) in groups.iter().enumerate() {
        let all = suites.values().flat_map(BTreeMap::values);
        let outcomes: Vec<Outcome> = all.map(|r| Outcome::of(r)).collect();
        let count = |of: Outcome| outcomes.iter().filter(|o| **o == of).count();
        let open = if n == 0 { " open" } else { "" };
        let _ = writeln!(
            out,
            "<details{open}><summary>{}, {}, {}: <b>{}</b> succeeded, <b>{}</b> tasks lost, of {}</summary>\n<div class=\"grids\">",
            escaped(agent),
            escaped(defense),
            escaped(attack),
            count(Outcome::Won) + count(Outcome::Done),
            count(Outcome::Lost),
            outcomes.len()
        );
        for (suite, grid) in suites {
            draw(suite, grid, out);
        }
        out.push_str("</div></details>\n");
    }
    out.push_str("</section>\n");
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

fn draw(suite: &str, grid: &Grid<'_>, out: &mut String) {
    let rows = ordered(grid.keys().map(|(user, _)| *user));
    let columns = ordered(grid.keys().map(|(_, goal)| *goal));
    let (width, height) = (
        MARGIN + columns.len() * CELL + 4,
        HEAD + rows.len() * CELL + 4,
    );
    let name = escaped(suite);
    let _ = write!(
        out,
        "<figure><figcaption>{name} <span>{}</span></figcaption><svg width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{name}, outcomes of pairs\">",
        grid.len()
    );
    for (n, goal) in columns.iter().enumerate() {
        let x = MARGIN + n * CELL + CELL / 2;
        let (title, text) = (escaped(goal), escaped(&short(goal)));
        let _ = write!(
            out,
            "<text class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\"><title>{title}</title>{text}</text>",
            HEAD - 6
        );
    }
    for (n, user) in rows.iter().enumerate() {
        let y = HEAD + n * CELL;
        let (title, text) = (escaped(user), escaped(&short(user)));
        let _ = write!(
            out,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\"><title>{title}</title>{text}</text>",
            MARGIN - 6,
            y + CELL - 3
        );
        for (m, goal) in columns.iter().enumerate() {
            if let Some(record) = grid.get(&(user, goal)) {
                cell(
                    Outcome::of(record),
                    MARGIN + m * CELL,
                    y,
                    Some((user, goal)),
                    out,
                );
            }
        }
    }
    out.push_str("</svg></figure>\n");
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
