//! The output for people: a line a run, a sentence a call that was not released.

use std::fmt::Write as _;

use provost::{Effect, Label, Outcome, Reason, Sensitivity};

use super::evidence::{ArgumentOut, CallOut, EvidenceOut, SpanOut, SupportOut};
use super::judge::Counts;

/// Places that are listed for one value.
const PLACES: usize = 3;

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
            Outcome::Approve => "for a person to approve:",
        };
        let effect = match call.effect {
            Effect::Read => "reads",
            Effect::Egress => "tells the outside",
            Effect::Write => "writes",
        };
        let tool = plain(&call.tool);
        let _ = write!(out, "  {verdict} call {}, {tool} ({effect})", call.call);
        if let Some(why) = &call.why {
            let _ = write!(out, ": {}", plain(&why.reason));
            if let Some(hint) = why.hint.as_deref().filter(|hint| !hint.is_empty()) {
                let _ = write!(out, "\n    hint to the agent: {}", plain(hint));
            }
        }
        out.push('\n');
        if let Some(evidence) = &call.evidence {
            evidence_lines(&mut out, evidence);
        }
    }
    out
}

fn evidence_lines(out: &mut String, evidence: &EvidenceOut) {
    if !evidence.arguments.is_empty() {
        out.push_str("    where each value comes from:\n");
    }
    for argument in &evidence.arguments {
        argument_lines(out, argument);
    }
    if !evidence.invariants.is_empty() {
        out.push_str("    what the request allows:\n");
    }
    for check in &evidence.invariants {
        let kept = if check.holds { "kept" } else { "broken" };
        let _ = writeln!(out, "      {kept}: {}", plain(&check.statement));
    }
}

fn argument_lines(out: &mut String, argument: &ArgumentOut) {
    let decides = match argument.sensitivity {
        Sensitivity::Target => "where or whom",
        Sensitivity::Amount => "how much",
        Sensitivity::Content => "what text",
        Sensitivity::Selector => "which one",
        Sensitivity::Benign => "form only",
    };
    let (name, value) = (plain(&argument.argument), plain(&argument.value));
    let _ = write!(out, "      {name} ({decides}) = {value}: ");
    let unreliable = argument.label == Label::Anomalous;
    let spans = match &argument.support {
        SupportOut::Nothing => {
            out.push_str("nothing that the agent saw gives it\n");
            return;
        }
        SupportOut::Default { why } => {
            let _ = writeln!(out, "{}", plain(why));
            return;
        }
        SupportOut::Verbatim { spans } => {
            out.push_str(if unreliable {
                "given only by text that no call may rest on\n"
            } else {
                "given by\n"
            });
            spans
        }
        SupportOut::Derived { how, spans } => {
            let _ = write!(out, "worked out as {} from", plain(how));
            out.push_str(if unreliable {
                " text that no call may rest on\n"
            } else {
                "\n"
            });
            spans
        }
    };
    for span in spans.iter().take(PLACES) {
        span_line(out, span);
    }
    if spans.len() > PLACES {
        let more = count(spans.len() - PLACES, "more place");
        let _ = writeln!(out, "        and {more}");
    }
}

fn span_line(out: &mut String, span: &SpanOut) {
    let _ = write!(out, "        {}", plain(&span.name));
    if !span.trail.is_empty() {
        let _ = write!(out, " › {}", plain(&span.trail));
    }
    if let Some(doubt) = doubt(span.reason) {
        let _ = write!(out, ", {doubt}");
    }
    let _ = writeln!(out, ": «{}»", plain(&span.text));
}

/// Why no call may rest on a span.
fn doubt(reason: Reason) -> Option<&'static str> {
    match reason {
        Reason::Directive => Some("which asks for an action that the user did not delegate to it"),
        Reason::Claim => Some("a claim that nothing earlier supports"),
        Reason::Meta => Some("which speaks of prompts, roles or tools"),
        Reason::Concealed => Some("hidden from people"),
        Reason::TaintedCause => Some("returned by a call that rests on such text itself"),
        Reason::Commands => Some("which dry runs show to command the agent"),
        Reason::Principal
        | Reason::Assertion
        | Reason::Delegated
        | Reason::SupportedClaim
        | Reason::Syntax => None,
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
