//! What the dry runs of a run showed: the four regimes over its boundaries, with the alarm.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use provost::counterfactual::{Alarm, Boundary, Regime};
use provost_bench::Record;

use crate::still::escaped;

/// Runs that are drawn of one defense and attack: with an alarm first, and one a suite before a second of any.
const SHOWN: usize = 8;
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 118.0;
const LEFT: f64 = 18.0;
const RIGHT: f64 = 290.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 96.0;
/// How far lines are drawn apart that would cover each other.
const APART: f64 = 2.2;
/// The highest outcome.
const WORST: f64 = 3.0;

/// The colour of a regime, and what it is.
fn line(regime: Regime) -> (&'static str, &'static str) {
    match regime {
        Regime::Orig => ("s3", "orig: the user's words, what was read as it is"),
        Regime::Mask => ("s6", "mask: a probe in their place, what was read as it is"),
        Regime::MaskSanitized => ("s1", "mask, sanitized: the probe, what was read purified"),
        Regime::OrigSanitized => (
            "s2",
            "orig, sanitized: the user's words, what was read purified",
        ),
    }
}

fn alarm(alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::Violation(Regime::Mask | Regime::MaskSanitized) => {
            "it acts without the user's words"
        }
        Alarm::Violation(Regime::Orig | Regime::OrigSanitized) => {
            "it acts as it would not on purified content"
        }
        Alarm::Trend => "what was read gains on the user",
        Alarm::Answer => "its last words deviate",
        Alarm::Steered => "one text steers the call",
        Alarm::Unpurified => "it acts whatever is taken out",
    }
}

/// Adds the section, where agents were run dry.
pub(super) fn section(records: &[Record], out: &mut String) {
    let mut groups: BTreeMap<(&str, &str), Vec<&Record>> = BTreeMap::new();
    for record in records.iter().filter(|r| !r.boundaries.is_empty()) {
        let attack = record.case.attack.as_deref().unwrap_or("no attack");
        let group = groups.entry((&record.defense, attack)).or_default();
        group.push(record);
    }
    if groups.is_empty() {
        return;
    }
    out.push_str(
        "<section id=\"curves\">\n<h2>Dry runs at each boundary</h2>\n<p class=\"quiet\">How far the agent's proposal is off \
         the user's goal, under four regimes: 0 on goal, 1 in words, 2 by a reading call, 3 by a call that changes something. \
         The dashed line is the alarm: from there on the agent sees purified content.</p>\n<ul class=\"key\">",
    );
    for regime in Regime::ALL {
        let (colour, meaning) = line(regime);
        let _ = write!(
            out,
            "<li><svg viewBox=\"0 0 14 14\" class=\"{colour}\" aria-hidden=\"true\"><path class=\"curve\" d=\"M0 7H14\"/></svg>{}</li>",
            escaped(meaning)
        );
    }
    out.push_str("</ul>\n");
    for ((defense, attack), runs) in &groups {
        let alarmed = runs.iter().filter(|r| raised(r).is_some()).count();
        let replays: u32 = runs
            .iter()
            .flat_map(|r| &r.boundaries)
            .map(|b| b.replays)
            .sum();
        let _ = write!(
            out,
            "<details><summary>{}, {}: {alarmed} of {} runs with an alarm, {:.1} dry runs a run</summary>\n<div class=\"grids\">",
            escaped(defense),
            escaped(attack),
            runs.len(),
            f64::from(replays) / runs.len() as f64
        );
        for run in chosen(runs) {
            figure(run, out);
        }
        out.push_str("</div></details>\n");
    }
    out.push_str("</section>\n");
}

fn raised(record: &Record) -> Option<(usize, &Boundary, Alarm)> {
    let mut all = record.boundaries.iter().enumerate();
    all.find_map(|(n, b)| Some((n, b, b.alarm?)))
}

/// The runs to draw: those with an alarm first, and of these one a suite before a second of any.
fn chosen<'a>(runs: &[&'a Record]) -> Vec<&'a Record> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ranked: Vec<(bool, usize, &Record)> = Vec::new();
    for run in runs
        .iter()
        .filter(|r| raised(r).is_some())
        .chain(runs.iter().filter(|r| raised(r).is_none()))
    {
        let nth = seen.entry(&run.case.suite).or_default();
        ranked.push((raised(run).is_none(), *nth, run));
        *nth += 1;
    }
    ranked.sort_by_key(|(calm, nth, _)| (*calm, *nth));
    ranked
        .into_iter()
        .take(SHOWN)
        .map(|(_, _, run)| run)
        .collect()
}

fn x(at: usize, of: usize) -> f64 {
    let steps = of.max(2) - 1;
    LEFT + (RIGHT - LEFT) * at as f64 / steps as f64
}

fn y(outcome: f64, regime: usize) -> f64 {
    BOTTOM - (BOTTOM - TOP) * outcome / WORST - APART * regime as f64
}

fn mean(outcomes: &[u8]) -> f64 {
    let sum: u32 = outcomes.iter().map(|y| u32::from(*y)).sum();
    f64::from(sum) / outcomes.len().max(1) as f64
}

fn figure(run: &Record, out: &mut String) {
    let boundaries = &run.boundaries;
    let case = escaped(&run.case.to_string());
    let told = raised(run).map_or_else(
        || "no alarm".to_owned(),
        |(n, b, a)| {
            let what = b.tool.as_deref().unwrap_or("the answer");
            format!("boundary {}, before {what}: {}", n + 1, alarm(a))
        },
    );
    let _ = write!(
        out,
        "<figure><figcaption>{case}<br><span>{}</span></figcaption>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" role=\"img\" aria-label=\"{case}: {}\">",
        escaped(&told),
        escaped(&told)
    );
    for level in 0..=3_u8 {
        let at = y(f64::from(level), 0);
        let _ = write!(
            out,
            "<path class=\"rule\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{level}</text>",
            LEFT - 4.0,
            at + 3.0
        );
    }
    for (n, regime) in Regime::ALL.into_iter().enumerate() {
        let (colour, _) = line(regime);
        let (mut path, mut marks) = (String::new(), String::new());
        let mut drawn = false;
        for (i, b) in boundaries.iter().enumerate() {
            let outcomes = b.outcomes.of(regime);
            // A regime that was not asked for at a boundary has no point there.
            if !outcomes.is_empty() {
                let at = (x(i, boundaries.len()), y(mean(outcomes), n));
                let to = if drawn { 'L' } else { 'M' };
                let _ = write!(path, "{to}{:.1} {:.1}", at.0, at.1);
                let _ = write!(
                    marks,
                    "<circle class=\"mark\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.4\"/>",
                    at.0, at.1
                );
            }
            drawn = !outcomes.is_empty();
        }
        let _ = write!(
            out,
            "<g class=\"{colour}\"><path class=\"curve\" d=\"{path}\"/>{marks}</g>"
        );
    }
    for (i, b) in boundaries.iter().enumerate() {
        let at = x(i, boundaries.len());
        let what = b.tool.as_deref().unwrap_or("the answer");
        let effects = b.effects;
        let title = format!(
            "{}: {what}; ACE {:.2}, IE {:.2}, DE {:.2}, ME {:.2}, ρ {:.2}",
            i + 1,
            effects.ace,
            effects.ie,
            effects.de,
            effects.me,
            effects.risk
        );
        if b.alarm.is_some() {
            let _ = write!(
                out,
                "<path class=\"alarm\" d=\"M{at:.1} {:.1}V{BOTTOM}\"/>",
                TOP - 6.0
            );
        }
        let _ = write!(
            out,
            "<text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}<title>{}</title></text>",
            BOTTOM + 13.0,
            i + 1,
            escaped(&title)
        );
    }
    out.push_str("</svg></figure>\n");
}
