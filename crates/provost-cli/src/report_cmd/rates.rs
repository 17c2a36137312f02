//! The heatmaps of attack success: for each agent and defense, and each half of the tasks, a grid with a column an attack, and a
//! row a surface, a suite, and all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use provost_bench::metrics::Share;
use provost_bench::{Half, Record};

use super::draw::{CLOSE_FIGURE, key, name, open_figure, shortened};
use crate::still::escaped;

/// A cell's place in the drawing.
const WIDTH: usize = 50;
const HEIGHT: usize = 22;
/// Room for the names of rows, and above the columns.
const MARGIN: usize = 96;
const HEAD: usize = 20;
/// Between surfaces, suites, and all.
const GAP: usize = 8;
/// How strong the colour of 100 % is. Text has to be legible on it.
const STRONGEST: f64 = 0.6;

/// What a row is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Row<'a> {
    Surface(&'a str),
    Suite(&'a str),
    All,
}

/// What a column is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Column<'a> {
    Attack(&'a str),
    All,
}

impl<'a> Row<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Surface(name) | Self::Suite(name) => name,
            Self::All => "all",
        }
    }

    /// Whether both are of one kind.
    fn is_like(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Surface(_), Self::Surface(_)) | (Self::Suite(_), Self::Suite(_))
        )
    }
}

impl<'a> Column<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Attack(name) => name,
            Self::All => "all",
        }
    }
}

/// Attack success, of goals that take a call.
type Grid<'a> = BTreeMap<(Row<'a>, Column<'a>), Share>;

/// The grids of each agent and defense, by half.
type Grids<'a> = BTreeMap<[&'a str; 2], BTreeMap<Option<Half>, Grid<'a>>>;

/// Adds the section, where there are several attacks, or surfaces.
pub(super) fn section(records: &[Record], out: &mut String) {
    let grids = grids(records);
    let all = grids.values().flat_map(BTreeMap::values);
    let keys: BTreeSet<(Row<'_>, Column<'_>)> = all.flat_map(BTreeMap::keys).copied().collect();
    let rows: BTreeSet<Row<'_>> = keys.iter().map(|(row, _)| *row).collect();
    let columns: BTreeSet<Column<'_>> = keys.iter().map(|(_, column)| *column).collect();
    // One attack, and all.
    if columns.len() <= 2 && !rows.iter().any(|row| matches!(row, Row::Surface(_))) {
        return;
    }
    out.push_str(
        "<section id=\"rates\">\n<h2>Attack success, by attack and where it meets the agent</h2>\n<p class=\"quiet\">ASR of \
         goals that take a call. Columns are attacks; rows are surfaces, where the benchmark tells them, then suites.</p>\n\
         <ul class=\"key\">",
    );
    for percent in [0, 25, 50, 75, 100] {
        let opacity = STRONGEST * f64::from(percent) / 100.0;
        let sample = format!(
            "<rect class=\"under\" width=\"14\" height=\"14\"/><rect class=\"rate\" width=\"14\" height=\"14\" \
             fill-opacity=\"{opacity:.2}\"/>"
        );
        key(None, &sample, &format!("{percent} %"), out);
    }
    out.push_str("</ul>\n");
    for ([agent, defense], halves) in &grids {
        let (agent, defense) = (escaped(agent), escaped(defense));
        let _ = writeln!(out, "<h3>{agent}, {defense}</h3>\n<div class=\"grids\">");
        for (half, grid) in halves {
            draw(*half, grid, &rows, &columns, out);
        }
        out.push_str("</div>\n");
    }
    out.push_str("</section>\n");
}

fn grids(records: &[Record]) -> Grids<'_> {
    let mut grids = Grids::new();
    for record in records {
        let counts = record.acts && record.utility.is_some();
        let Some(attack) = record.case.attack.as_deref().filter(|_| counts) else {
            continue;
        };
        let halves = grids.entry([record.agent.as_str(), record.defense.as_str()]);
        let grid = halves.or_default().entry(record.half).or_default();
        let surface = record.surface.as_deref().map(Row::Surface);
        let rows = [Row::Suite(&record.case.suite), Row::All];
        for row in rows.into_iter().chain(surface) {
            for column in [Column::Attack(attack), Column::All] {
                let share: &mut Share = grid.entry((row, column)).or_default();
                share.count(record.success == Some(true));
            }
        }
    }
    grids
}

fn draw(
    half: Option<Half>,
    grid: &Grid<'_>,
    rows: &BTreeSet<Row<'_>>,
    columns: &BTreeSet<Column<'_>>,
    out: &mut String,
) {
    let mut places = Vec::new();
    let mut y = HEAD;
    let mut last = None;
    for row in rows {
        let apart = last.is_some_and(|last: Row<'_>| !last.is_like(*row));
        y += if apart { GAP } else { 0 };
        places.push((*row, y));
        y += HEIGHT;
        last = Some(*row);
    }
    let width = MARGIN + columns.len() * WIDTH + 2;
    let tasks = half.map_or("all tasks", Half::words);
    let all = grid.get(&(Row::All, Column::All)).copied();
    let all = all.unwrap_or_default();
    open_figure(tasks, &all.to_string(), "attack success", (width, y), out);
    for (n, column) in columns.iter().enumerate() {
        let x = MARGIN + n * WIDTH + WIDTH / 2 - 1;
        let place = format!(
            "class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\"",
            HEAD - 6
        );
        name(column.name(), &shortened(column.name(), 9), &place, out);
    }
    for (row, y) in places {
        let (x, line) = (MARGIN - 8, y + HEIGHT - 7);
        let place = format!("x=\"{x}\" y=\"{line}\" text-anchor=\"end\"");
        name(row.name(), &shortened(row.name(), 15), &place, out);
        for (n, column) in columns.iter().enumerate() {
            if let Some(share) = grid.get(&(row, *column)) {
                let told = format!("{tasks}, {}, {}: {share}", row.name(), column.name());
                cell(*share, MARGIN + n * WIDTH, y, &escaped(&told), out);
            }
        }
    }
    out.push_str(CLOSE_FIGURE);
}

fn cell(share: Share, x: usize, y: usize, told: &str, out: &mut String) {
    let rate = share.value().unwrap_or(0.0);
    let (width, height, opacity) = (WIDTH - 2, HEIGHT - 2, STRONGEST * rate);
    let (middle, line) = (x + width / 2, y + 14);
    let _ = write!(
        out,
        "<g><title>{told}</title><rect class=\"under\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>\
         <rect class=\"rate\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill-opacity=\"{opacity:.2}\"/>\
         <text class=\"percent\" x=\"{middle}\" y=\"{line}\">{:.0} %</text></g>",
        rate * 100.0
    );
}
