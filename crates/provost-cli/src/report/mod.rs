//! The HTML report: one self-contained page, for people who would rather look.
//!
//! The markup, the style and the script are fixed; everything that comes from a run is data: JSON in script
//! elements that never run, in which no `<`, `>` or `&` occurs. The script puts it on the page as text only. A
//! Content-Security-Policy allows exactly this style and this script, by hash, and nothing else.

#[cfg(test)]
mod fixture;
mod parts;
mod trail;
mod view;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use provost::Outcome;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

pub(crate) use trail::trail;
pub(crate) use view::RunView;

/// Bytes of run data in one page. Runs beyond it are listed with their verdicts, without their graphs.
const ROOM: usize = 32 * 1024 * 1024;

const STYLE: &str = concat!(include_str!("palette.css"), include_str!("style.css"));
const SCRIPT: &str = concat!(
    include_str!("text.js"),
    include_str!("graph.js"),
    include_str!("source.js"),
    include_str!("verdicts.js"),
    include_str!("page.js"),
);

/// The report over `runs`, in their order.
pub(crate) fn html(runs: &[RunView]) -> String {
    page(runs, ROOM)
}

/// One line of the list of runs.
#[derive(Serialize)]
struct Entry<'a> {
    source: &'a str,
    run: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    task: String,
    released: usize,
    blocked: usize,
    approve: usize,
    /// Tools of the calls that were not released.
    stopped: Vec<&'a str>,
    /// Whether the page holds the run's graph.
    graph: bool,
}

impl<'a> Entry<'a> {
    fn of(run: &'a RunView, graph: bool) -> Self {
        let mut stopped: Vec<&str> = Vec::new();
        for verdict in run
            .verdicts
            .iter()
            .filter(|v| v.outcome != Outcome::Release)
        {
            if !stopped.contains(&verdict.tool.as_str()) && stopped.len() < 4 {
                stopped.push(&verdict.tool);
            }
        }
        Self {
            source: &run.source,
            run: run.run,
            id: run.id.as_deref(),
            task: run.task(),
            released: run.count(Outcome::Release),
            blocked: run.count(Outcome::Block),
            approve: run.count(Outcome::Approve),
            stopped,
            graph,
        }
    }
}

fn page(runs: &[RunView], room: usize) -> String {
    let mut data = String::new();
    let texts = choose(runs, room);
    let index: Vec<Entry<'_>> = runs
        .iter()
        .zip(&texts)
        .map(|(run, text)| Entry::of(run, text.is_some()))
        .collect();
    element(&mut data, "index", &json(&index));
    for (i, (run, text)) in runs.iter().zip(&texts).enumerate() {
        let outline = || json(&run.outline());
        let text = text.clone().unwrap_or_else(outline);
        element(&mut data, &format!("run-{i}"), &text);
    }
    format!(
        include_str!("page.html"),
        policy = policy(),
        style = STYLE,
        data = data,
        script = SCRIPT,
    )
}

/// The full data of the runs that fit into `room` bytes: first those in which a call was not released, then the rest.
fn choose(runs: &[RunView], room: usize) -> Vec<Option<String>> {
    let mut texts = vec![None; runs.len()];
    let mut left = room;
    for stopped in [true, false] {
        for (run, slot) in runs.iter().zip(&mut texts) {
            let all_released = run.count(Outcome::Release) == run.verdicts.len();
            if all_released == stopped {
                continue;
            }
            let text = json(run);
            if let Some(rest) = left.checked_sub(text.len()) {
                left = rest;
                *slot = Some(text);
            }
        }
    }
    texts
}

/// A data element of the page: its type makes it inert.
fn element(out: &mut String, id: &str, json: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<script type=\"application/json\" id=\"{id}\">{json}</script>"
    );
}

/// JSON that is inert inside HTML: besides letters, digits and harmless ASCII everything is escaped, so that
/// neither markup nor invisible or reordering characters stand in the file itself.
fn json(value: &impl Serialize) -> String {
    let plain = serde_json::to_string(value).unwrap_or_else(|_| String::from("null"));
    let mut safe = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    while let Some(at) = rest.find(|c| !is_inert(c)) {
        let (before, after) = rest.split_at(at);
        safe.push_str(before);
        let mut chars = after.chars();
        for unit in chars.next().unwrap_or_default().encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
        rest = chars.as_str();
    }
    safe.push_str(rest);
    safe
}

fn is_inert(c: char) -> bool {
    if c.is_ascii() {
        !matches!(c, '<' | '>' | '&' | '\x7f')
    } else {
        c.is_alphanumeric()
    }
}

/// The Content-Security-Policy of the page.
fn policy() -> String {
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; \
         style-src 'sha256-{}'; script-src 'sha256-{}'",
        hash(STYLE),
        hash(SCRIPT),
    )
}

/// A hash source of a Content-Security-Policy (CSP level 3, section 2.3.1), without its algorithm.
pub(crate) fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}
