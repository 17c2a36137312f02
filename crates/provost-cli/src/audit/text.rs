//! The output for people: a line a run, a sentence a call that was not released.

use std::fmt::Write as _;

use provost::{Effect, Outcome};
use serde::Serialize;

use super::evidence::{ArgumentOut, CallOut, SpanOut, SupportOut};
use super::judge::Counts;

/// Text from a run made safe for a terminal: what moves the cursor, hides or reorders is shown as its code.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || is_invisible(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Zero-width, bidirectional and other characters that have no look of their own (Unicode general category Cf and
/// the tag, variation and filler characters used to hide text).
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// `1 run`, `2 runs`.
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The first line of a run: the file's path, the number of the run in it, and the run's own id.
pub(crate) fn run_line(path: &str, run: usize, id: Option<&str>, counts: &Counts) -> String {
    let mut line = format!("{} run {run}", plain(path));
    if let Some(id) = id {
        // Writing to a string cannot fail, here and below.
        let _ = write!(line, " (id {})", plain(id));
    }
    if counts.calls == 0 {
        line.push_str(": no calls\n");
        return line;
    }
    let _ = write!(line, ": {}", count(counts.calls, "call"));
    let parts = [
        (counts.released, "released"),
        (counts.blocked, "blocked"),
        (counts.approvals, "for a person to approve"),
    ];
    for (n, what) in parts.into_iter().filter(|(n, _)| *n > 0) {
        let _ = write!(line, ", {n} {what}");
    }
    line.push('\n');
    line
}

/// What follows the first line: the calls that were not released; with `evidence` also the writes that were.
pub(crate) fn calls(calls: &[CallOut], evidence: bool) -> String {
    let mut out = String::new();
    for call in calls {
        let released = call.verdict == Outcome::Release;
        if released && (!evidence || call.effect == Effect::Read) {
            continue;
        }
        let verdict = match call.verdict {
            Outcome::Release => "released",
            Outcome::Block => "blocked",
            Outcome::Approve => "approve?",
        };
        let _ = write!(
            out,
            "  {verdict} call {}, {} ({})",
            call.call,
            plain(&call.tool),
            word(&call.effect)
        );
        let Some(why) = &call.why else {
            out.push('\n');
            continue;
        };
        let _ = writeln!(out, ": {}", plain(&why.reason));
        if let Some(hint) = why.hint.as_deref().filter(|hint| !hint.is_empty()) {
            let _ = writeln!(out, "    hint: {}", plain(hint));
        }
        let Some(evidence) = &call.evidence else {
            continue;
        };
        for argument in &evidence.arguments {
            argument_lines(&mut out, argument);
        }
        for check in &evidence.invariants {
            let holds = if check.holds {
                "holds"
            } else {
                "does not hold"
            };
            let _ = writeln!(out, "    {holds}: {}", plain(&check.statement));
        }
    }
    out
}

fn argument_lines(out: &mut String, argument: &ArgumentOut) {
    let _ = write!(
        out,
        "    {} = {} ({}, {}): ",
        plain(&argument.argument),
        plain(&argument.value),
        word(&argument.sensitivity),
        word(&argument.label)
    );
    let spans = match &argument.support {
        SupportOut::Nothing => {
            out.push_str("nothing supports it\n");
            return;
        }
        SupportOut::Default { why } => {
            let _ = writeln!(out, "a default, {}", plain(why));
            return;
        }
        SupportOut::Verbatim { spans } => {
            out.push_str("stands in\n");
            spans
        }
        SupportOut::Derived { how, spans } => {
            let _ = writeln!(out, "follows as {} from", plain(how));
            spans
        }
    };
    for span in spans {
        span_line(out, span);
    }
}

fn span_line(out: &mut String, span: &SpanOut) {
    let _ = write!(out, "      {}", plain(&span.name));
    if !span.path.is_empty() {
        let _ = write!(out, " at {}", plain(&span.path));
    }
    let _ = writeln!(
        out,
        " ({}, {}): {}",
        word(&span.label),
        word(&span.reason),
        plain(&span.text)
    );
}

/// The name that an enum has in JSON, with spaces.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name.replace('_', " "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_unseen() {
        let check = |text: &str, expected: &str| assert_eq!(plain(text), expected);
        check("plain, ünïcode, 日本", "plain, ünïcode, 日本");
        check("a\nb\tc", "a b c");
        check("\u{1b}[2J", "\\u{1b}[2J");
        check("a\u{202e}b\u{200b}c", "a\\u{202e}b\\u{200b}c");
    }
}
