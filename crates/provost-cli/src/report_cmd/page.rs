//! The page: what results say, to look at.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use provost_bench::Record;
use provost_bench::causes::{Cause, causes};
use provost_bench::compare::Change;
use provost_bench::metrics::{Group, Share};
use provost_bench::report::{
    Ablation, Cell, DEFINITIONS, NOTE, Table, ablation, by_attack, definitions, failures, halves,
    overview,
};

use super::{curves, heat, plane, rates};
use crate::still::{self, escaped};

const STYLE: &str = concat!(
    include_str!("../report/palette.css"),
    include_str!("page.css")
);

/// The whole page.
pub(super) fn html(records: &[Record], changes: Option<&[Change]>) -> String {
    let mut out = still::opening("Provost bench report", STYLE);
    head(records, &mut out);
    plane::section(records, &mut out);
    tables(records, &mut out);
    if let Some(changes) = changes {
        differences(changes, &mut out);
    }
    rates::section(records, &mut out);
    heat::section(records, &mut out);
    curves::section(records, &mut out);
    wrongs(&causes(records), &mut out);
    meanings(records, &mut out);
    out.push_str(still::CLOSING);
    out
}

fn head(records: &[Record], out: &mut String) {
    let distinct = |of: fn(&Record) -> Option<&str>| {
        let all: BTreeSet<&str> = records.iter().filter_map(of).collect();
        all.into_iter().map(escaped).collect::<Vec<_>>().join(", ")
    };
    let _ = write!(
        out,
        "<header>\n<h1>Attacks and defenses</h1>\n<p class=\"quiet\">{} runs. Suites: {}. Agents: {}. Defenses: {}. \
         Attacks: {}.</p>\n</header>\n",
        records.len(),
        distinct(|r| Some(&r.case.suite)),
        distinct(|r| Some(&r.agent)),
        distinct(|r| Some(&r.defense)),
        distinct(|r| r.case.attack.as_deref()),
    );
    for (group, failed) in failures(records) {
        let (agent, defense) = (escaped(&group.agent), escaped(&group.defense));
        let _ = writeln!(
            out,
            "<p class=\"worse\">{agent}, {defense}: {failed} runs could not be made, and count nowhere.</p>"
        );
    }
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Name(name) => format!("<th scope=\"row\">{}</th>", escaped(name)),
        Cell::Share(share) => format!("<td>{}</td>", with_interval(*share)),
        Cell::Difference(Some((d, Some((low, high))))) => {
            let [d, low, high] = [d, low, high].map(|x| x * 100.0);
            format!("<td>{d:+.1}<small>[{low:+.1}, {high:+.1}]</small></td>")
        }
        other => format!("<td>{}</td>", escaped(&other.to_string())),
    }
}

/// The share, and below it small what it is of, and its interval.
fn with_interval(share: Share) -> String {
    let (Some(p), Some((low, high))) = (share.value(), share.wilson()) else {
        return "–".into();
    };
    let [p, low, high] = [p, low, high].map(|x| x * 100.0);
    let Share { hits, of } = share;
    format!("{p:.1} %<small>{hits}/{of} [{low:.1}, {high:.1}]</small>")
}

fn table(table: &Table, out: &mut String) {
    out.push_str("<div class=\"wide\"><table><thead><tr>");
    for name in &table.head {
        let meaning = DEFINITIONS.iter().find(|(n, _)| n == name);
        let title = meaning.map_or_else(String::new, |(_, m)| format!(" title=\"{}\"", escaped(m)));
        let _ = write!(out, "<th scope=\"col\"{title}>{}</th>", escaped(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let cells: String = row.iter().map(cell).collect();
        let _ = writeln!(out, "<tr>{cells}</tr>");
    }
    out.push_str("</tbody></table></div>\n");
}

/// A table that opens, where it has rows.
fn folded(title: &str, of: &Table, out: &mut String) {
    if !of.rows.is_empty() {
        let _ = writeln!(out, "<details><summary>{title}</summary>");
        table(of, out);
        out.push_str("</details>\n");
    }
}

fn tables(records: &[Record], out: &mut String) {
    let whole = Group::is_whole;
    let by_half = |g: &Group| g.suite.is_none() && g.half.is_some();
    // Of one suite, its rows would be those over all.
    let suites: BTreeSet<&str> = records.iter().map(|r| r.case.suite.as_str()).collect();
    let by_suite = |g: &Group| suites.len() > 1 && g.suite.is_some();
    out.push_str("<section>\n<h2>Over all attacks</h2>\n");
    table(&overview(records, |g| whole(g) || by_half(g)), out);
    folded("By suite", &overview(records, by_suite), out);
    out.push_str("</section>\n");
    if let Some(of) = halves(records) {
        out.push_str(
            "<section>\n<h2>Development and test half</h2>\n<p class=\"quiet\">No rule is made for a task of the test half. \
             Difference: of the test half from the development half, in percentage points.</p>\n",
        );
        table(&of, out);
        out.push_str("</section>\n");
    }
    for kind in Ablation::ALL {
        if let Some(of) = ablation(records, kind) {
            let _ = write!(
                out,
                "<section>\n<h2>{}</h2>\n<p class=\"quiet\">{}. ΔASR: from the whole defense's, in percentage points.</p>\n",
                kind.title(),
                kind.source()
            );
            table(&of, out);
            out.push_str("</section>\n");
        }
    }
    out.push_str("<section>\n<h2>By attack</h2>\n");
    table(&by_attack(records, whole), out);
    folded("By half", &by_attack(records, by_half), out);
    let by_suite = |g: &Group| by_suite(g) && g.half.is_none();
    folded("By suite", &by_attack(records, by_suite), out);
    out.push_str("</section>\n");
}

fn differences(changes: &[Change], out: &mut String) {
    out.push_str("<section>\n<h2>What changed</h2>\n");
    if changes.is_empty() {
        out.push_str("<p>Nothing to compare: no run is in both results.</p>\n");
    }
    for change in changes {
        let (agent, defense) = (escaped(&change.agent), escaped(&change.defense));
        let _ = write!(
            out,
            "<h3>{agent}, {defense}: {} runs that both hold</h3>\n<div class=\"wide\"><table><thead><tr>\
             <th scope=\"col\">measure</th><th scope=\"col\">difference</th><th scope=\"col\">before</th>\
             <th scope=\"col\">after</th></tr></thead>\n<tbody>\n",
            change.runs
        );
        for m in &change.measures {
            let [d, low, high] = [m.difference, m.low, m.high].map(|x| x * 100.0);
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{d:+.1}<small>[{low:+.1}, {high:+.1}]</small></td><td>{}</td><td>{}</td></tr>",
                escaped(m.measure),
                with_interval(m.was),
                with_interval(m.now)
            );
        }
        out.push_str("</tbody></table></div>\n");
        for (what, cases) in &change.cases {
            let _ = write!(
                out,
                "<details><summary>{}: {}</summary><ul>",
                escaped(what),
                cases.len()
            );
            for case in cases {
                let _ = write!(out, "<li>{}</li>", escaped(&case.to_string()));
            }
            out.push_str("</ul></details>\n");
        }
    }
    out.push_str("</section>\n");
}

fn wrongs(causes: &[Cause], out: &mut String) {
    out.push_str("<section>\n<h2>What went wrong, by cause</h2>\n");
    if causes.is_empty() {
        out.push_str("<p>Nothing.</p>\n");
    }
    let kind = |c: &Cause| (c.agent.clone(), c.defense.clone(), c.wrong);
    for of_kind in causes.chunk_by(|a, b| kind(a) == kind(b)) {
        let Some(first) = of_kind.first() else {
            continue;
        };
        let count: usize = of_kind.iter().map(|c| c.count).sum();
        let _ = write!(
            out,
            "<details><summary>{}, {}: {}: <b>{count}</b></summary>\n<div class=\"wide\"><table><thead><tr>\
             <th scope=\"col\">times</th><th scope=\"col\">task</th><th scope=\"col\">cause, and its first case</th></tr></thead>\n<tbody>\n",
            escaped(&first.agent),
            escaped(&first.defense),
            escaped(first.wrong.words())
        );
        for cause in of_kind {
            let example = if cause.call.is_empty() {
                String::new()
            } else {
                let case = escaped(&cause.example.to_string());
                format!("<br><code>{case}: {}</code>", escaped(&cause.call))
            };
            let _ = writeln!(
                out,
                "<tr><td>{}</td><th scope=\"row\">{}</th><td class=\"text\">{}{example}</td></tr>",
                cause.count,
                escaped(&cause.task),
                escaped(&cause.why)
            );
        }
        out.push_str("</tbody></table></div></details>\n");
    }
    out.push_str("</section>\n");
}

fn meanings(records: &[Record], out: &mut String) {
    out.push_str("<section>\n<h2>What is measured</h2>\n<dl>\n");
    for (name, meaning) in definitions(records) {
        let _ = writeln!(
            out,
            "<dt>{}</dt><dd>{}</dd>",
            escaped(name),
            escaped(meaning)
        );
    }
    let _ = write!(
        out,
        "</dl>\n<p class=\"quiet\"><br>{}<br>Definitions: ARGUS paper, section 3. Intervals: Wilson 1927; of differences: \
         Newcombe 1998, method 10.</p>\n</section>\n",
        escaped(NOTE)
    );
}
