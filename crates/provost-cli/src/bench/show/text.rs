//! Samples on a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use provost_bench::report::plain;
use provost_lure::show::{Shown, Step};

use super::{NOTHING, call, goal, title, without};

/// All samples.
pub(super) fn text(samples: &[Shown], colour: bool) -> String {
    let mut out = String::new();
    for (n, shown) in samples.iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let _ = writeln!(out, "{}", title(shown));
        block("the user says", &shown.prompt, &mut out);
        let carrier = format!("without the payload, {}", shown.carrier);
        block(
            &carrier,
            without(shown).as_deref().unwrap_or(NOTHING),
            &mut out,
        );
        let payload = marked(&shown.payload, colour);
        let with = format!("{}{payload}{}", safe(&shown.left), safe(&shown.right));
        raw("with it", &with, &mut out);
        block("the attacker gets", &goal(shown), &mut out);
        script("an honest agent", &shown.honest, &mut out);
        script("a persuaded agent", &shown.persuaded, &mut out);
    }
    out
}

/// The payload between signs, each line of it in colour where there are colours.
fn marked(payload: &str, colour: bool) -> String {
    // What keeps words apart is not marked.
    let inner = payload.trim_start();
    let (before, inner) = payload.split_at(payload.len() - inner.len());
    let inner = safe(&format!("{{+{inner}+}}"));
    if !colour {
        return format!("{before}{inner}");
    }
    let style = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    let lines = inner
        .split('\n')
        .map(|line| format!("{style}{line}{style:#}"));
    format!("{before}{}", lines.collect::<Vec<_>>().join("\n"))
}

/// A text, its lines made safe for a terminal.
fn safe(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

fn block(name: &str, text: &str, out: &mut String) {
    raw(name, &safe(text), out);
}

fn raw(name: &str, text: &str, out: &mut String) {
    let _ = writeln!(out, "  {name}:");
    for line in text.lines() {
        let _ = writeln!(out, "{}", format!("    {line}").trim_end());
    }
}

fn script(name: &str, steps: &[Step], out: &mut String) {
    let _ = writeln!(out, "  {name}:");
    for step in steps {
        let mark = if step.shared { ' ' } else { '*' };
        let _ = writeln!(out, "  {mark} {}", plain(&call(step)));
    }
}
