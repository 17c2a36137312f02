//! The utility–ASR plane: a point for each agent, defense and attack.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use provost_bench::Record;
use provost_bench::metrics::{Share, measure};
use provost_bench::report::BARE;

use super::draw::{key, shortened};
use crate::still::escaped;

/// The drawing, and the frame of the plot in it.
const WIDTH: f64 = 940.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 16.0;
const RIGHT: f64 = 920.0;
const BOTTOM: f64 = 470.0;
/// Colours that there are besides that of no defense.
const COLOURS: usize = 6;
/// About how wide a letter of a label is.
const LETTER: f64 = 6.1;
const LINE: f64 = 13.0;
/// How many rows away from its point a label may stand.
const ROWS: u8 = 24;
/// Points that get a label, if there is room: finding a free place takes as long as there are points.
const LABELS: usize = 200;
/// Letters of a name that a label shows.
const LONGEST: usize = 26;

struct Point {
    agent: String,
    defense: String,
    attack: String,
    asr: Share,
    utility: Share,
}

/// A place in the drawing that is taken.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn around(x: f64, y: f64) -> Self {
        Self {
            left: x - 6.0,
            top: y - 6.0,
            right: x + 6.0,
            bottom: y + 6.0,
        }
    }
}

fn points(records: &[Record]) -> Vec<Point> {
    let mut points = Vec::new();
    for (group, m) in measure(records) {
        if !group.is_whole() {
            continue;
        }
        for (attack, a) in &m.attacks {
            if a.success.of > 0 {
                points.push(Point {
                    agent: group.agent.clone(),
                    defense: group.defense.clone(),
                    attack: attack.clone(),
                    asr: a.success,
                    utility: a.utility,
                });
            }
        }
    }
    points
}

fn x(part: f64) -> f64 {
    LEFT + part * (RIGHT - LEFT)
}

fn y(part: f64) -> f64 {
    BOTTOM - part * (BOTTOM - TOP)
}

/// Adds the section, where there are attacks.
pub(super) fn section(records: &[Record], out: &mut String) {
    let points = points(records);
    if points.is_empty() {
        return;
    }
    let distinct = |of: fn(&Point) -> &String| -> Vec<&String> {
        let all: BTreeSet<&String> = points.iter().map(of).collect();
        all.into_iter().collect()
    };
    let agents = distinct(|p| &p.agent);
    let defenses = distinct(|p| &p.defense);
    let attacks = distinct(|p| &p.attack);
    out.push_str("<section id=\"plane\">\n<h2>Utility under attack and attack success</h2>\n<ul class=\"key\">");
    let colours = colours(&defenses);
    for defense in &defenses {
        let class = colours.get(defense.as_str()).map(String::as_str);
        key(class, &mark(0, 7.0, 7.0), defense, out);
    }
    if agents.len() > 1 {
        for (n, agent) in agents.iter().enumerate() {
            key(Some("s0"), &mark(n, 7.0, 7.0), agent, out);
        }
    }
    let _ = writeln!(
        out,
        "</ul>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Each point is an agent with a defense under an \
         attack; up is more utility, left is fewer attacks that succeed. The tables below hold the same numbers.\">"
    );
    axes(out);
    let label = |p: &Point| {
        let parts = [
            (agents.len() > 1, &p.agent),
            (defenses.len() > 1, &p.defense),
            (attacks.len() > 1, &p.attack),
        ];
        let told = parts.iter().filter(|(told, _)| *told);
        let names: Vec<String> = told.map(|(_, name)| shortened(name, LONGEST)).collect();
        if names.is_empty() {
            shortened(&p.defense, LONGEST)
        } else {
            names.join(" · ")
        }
    };
    let mut taken: Vec<Area> = points
        .iter()
        .map(centre)
        .map(|(x, y)| Area::around(x, y))
        .collect();
    let (mut marks, mut labels) = (String::new(), String::new());
    let shapes: HashMap<&str, usize> = agents.iter().map(|a| a.as_str()).zip(0..).collect();
    for (n, point) in points.iter().enumerate() {
        let shape = shapes.get(point.agent.as_str()).copied().unwrap_or(0);
        let colour = colours
            .get(point.defense.as_str())
            .map_or("s0", String::as_str);
        draw(point, colour, shape, &mut marks);
        if n < LABELS {
            write_label(point, &label(point), &mut taken, &mut labels);
        }
    }
    let _ = writeln!(
        out,
        "{marks}{labels}</svg>\n<p class=\"quiet\">Best is the upper left corner. Whiskers: 95 % Wilson intervals. Where labels \
         would cover each other, some are left out; every point tells its name when pointed at, and stands in the tables.</p>\n</section>"
    );
}

/// The class of each defense's colour; that of none is its own.
fn colours<'a>(defenses: &[&'a String]) -> HashMap<&'a str, String> {
    let others = defenses.iter().map(|d| d.as_str()).filter(|d| *d != BARE);
    let others = others.zip((1..=COLOURS).cycle());
    let all = std::iter::once((BARE, 0)).chain(others);
    all.map(|(defense, n)| (defense, format!("s{n}"))).collect()
}

fn axes(out: &mut String) {
    for tenth in (0..=10).step_by(2) {
        let (part, percent) = (f64::from(tenth) / 10.0, tenth * 10);
        let (x, y) = (x(part), y(part));
        let _ = write!(
            out,
            "<path class=\"rule\" d=\"M{x:.1} {TOP}V{BOTTOM}M{LEFT} {y:.1}H{RIGHT}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{percent} %</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            BOTTOM + 16.0,
            LEFT - 8.0,
            y + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">ASR: attacks that succeeded, of those whose goal takes a call</text>\
         <text transform=\"translate(13 {:.1}) rotate(-90)\" text-anchor=\"middle\">U_a: tasks done under attack</text>",
        x(0.5),
        BOTTOM + 36.0,
        y(0.5)
    );
}

fn centre(point: &Point) -> (f64, f64) {
    let part = |share: Share| share.value().unwrap_or(0.0);
    (x(part(point.asr)), y(part(point.utility)))
}

/// A mark of its own for each of the first four agents.
fn mark(shape: usize, x: f64, y: f64) -> String {
    match shape % 4 {
        0 => format!("<circle class=\"mark\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>"),
        1 => format!(
            "<rect class=\"mark\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\"/>",
            x - 4.5,
            y - 4.5
        ),
        2 => format!(
            "<path class=\"mark\" d=\"M{x:.1} {:.1}l5.5 9.5h-11z\"/>",
            y - 6.0
        ),
        _ => format!(
            "<path class=\"mark\" d=\"M{x:.1} {:.1}l6 6l-6 6l-6 -6z\"/>",
            y - 6.0
        ),
    }
}

fn draw(point: &Point, colour: &str, shape: usize, out: &mut String) {
    let (cx, cy) = centre(point);
    let Point {
        agent,
        defense,
        attack,
        asr,
        utility,
    } = point;
    let title = escaped(&format!(
        "{agent}, {defense}, {attack}: ASR {asr}, U_a {utility}"
    ));
    let _ = write!(out, "<g class=\"{colour}\"><title>{title}</title>");
    if let (Some((left, right)), Some((low, high))) = (asr.wilson(), utility.wilson()) {
        let (left, right, low, high) = (x(left), x(right), y(low), y(high));
        let _ = write!(
            out,
            "<path class=\"whisker\" d=\"M{left:.1} {cy:.1}H{right:.1}M{cx:.1} {low:.1}V{high:.1}\"/>"
        );
    }
    let _ = writeln!(out, "{}</g>", mark(shape, cx, cy));
}

/// Writes the label at the nearest free place, with a line to it where that is not beside the point; nowhere if all is
/// taken.
fn write_label(point: &Point, label: &str, taken: &mut Vec<Area>, out: &mut String) {
    let (cx, cy) = centre(point);
    let width = label.chars().count() as f64 * LETTER;
    // Rows near the point first, each to the right and to the left of it.
    let rows = (0..ROWS).flat_map(|n| [f64::from(n), -f64::from(n)]);
    for (row, right) in rows.flat_map(|row| [(row, true), (row, false)]) {
        let aside = 9.0 + 5.0 * row.abs().min(3.0);
        let middle = cy + row * LINE;
        let at = if right { cx + aside } else { cx - aside };
        let left = if right { at } else { at - width };
        let area = Area {
            left,
            top: middle - LINE / 2.0 + 0.1,
            right: left + width,
            bottom: middle + LINE / 2.0 - 0.1,
        };
        let inside = area.left >= LEFT
            && area.right <= WIDTH
            && area.top >= TOP - 8.0
            && area.bottom <= BOTTOM;
        if !inside || taken.iter().any(|t| t.meets(&area)) {
            continue;
        }
        if row != 0.0 {
            let _ = write!(
                out,
                "<path class=\"leader\" d=\"M{cx:.1} {cy:.1}L{at:.1} {middle:.1}\"/>"
            );
        }
        // Whiskers end at the label instead of striking it out.
        let _ = write!(
            out,
            "<rect class=\"plate\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{LINE}\"/>",
            area.top
        );
        let anchor = if right { "start" } else { "end" };
        let _ = writeln!(
            out,
            "<text class=\"label\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            middle + 4.0,
            escaped(label)
        );
        taken.push(area);
        return;
    }
}
