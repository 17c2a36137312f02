//! The demo told on the terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use provost::{Outcome, ToolCall, Verdict};

use super::{BILL, Demo, REQUEST};

/// Columns of the text.
const WIDTH: usize = 84;
const INDENT: &str = "     ";

/// What happened, as text; with ANSI colours or plain.
pub(super) fn tell(demo: &Demo, colour: bool) -> String {
    let mut story = Story {
        out: String::new(),
        colour,
        step: 0,
    };
    let [read, theft, payment] = &demo.calls;
    let mut verdicts = demo.session.verdicts().iter();

    story.step("The user asks");
    story.say(Style::new(), &format!("\u{201c}{REQUEST}\u{201d}"));

    story.step("The agent reads the bill");
    story.call(read);
    story.verdict(verdicts.next());
    story.say(
        Style::new(),
        "The bill asks for 84.20 EUR. A paragraph that no browser shows asks for something else:",
    );
    if let Some(hidden) = BILL.lines().find(|l| l.contains("display:none")) {
        story.quote(
            Style::new().fg_color(Some(AnsiColor::Yellow.into())),
            hidden,
        );
    }

    story.step("The agent falls for it");
    story.call(theft);
    story.verdict(verdicts.next());

    story.step("The agent tries again, with the bill's own account");
    story.call(payment);
    story.verdict(verdicts.next());
    story.out
}

struct Story {
    out: String,
    colour: bool,
    step: usize,
}

// Writing to a string cannot fail, so the results of `write!` are dropped.
impl Story {
    fn step(&mut self, title: &str) {
        self.step += 1;
        let title = self.paint(Style::new().bold(), title);
        let gap = if self.step > 1 { "\n" } else { "" };
        let _ = writeln!(self.out, "{gap}  {}  {title}", self.step);
    }

    fn call(&mut self, call: &ToolCall) {
        let arguments: Vec<String> = call
            .arguments
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let text = format!("{}({})", call.name, arguments.join(", "));
        self.say(Style::new().fg_color(Some(AnsiColor::Cyan.into())), &text);
    }

    fn verdict(&mut self, verdict: Option<&Verdict>) {
        let Some(verdict) = verdict else {
            return self.say(Style::new(), "(no verdict)");
        };
        let (mark, colour) = match verdict.outcome {
            Outcome::Release => ("\u{2713} released", AnsiColor::Green),
            Outcome::Block => ("\u{2715} blocked", AnsiColor::Red),
            Outcome::Approve => ("? needs approval", AnsiColor::Magenta),
        };
        let style = Style::new().bold().fg_color(Some(colour.into()));
        self.say(style, &format!("{mark}: {}", verdict.evidence.reason));
        if let Some(hint) = &verdict.hint {
            self.say(Style::new(), "The agent is told:");
            self.quote(Style::new(), &hint.0);
        }
    }

    fn say(&mut self, style: Style, text: &str) {
        self.wrapped(style, INDENT, text);
    }

    fn quote(&mut self, style: Style, text: &str) {
        self.wrapped(style, "     \u{2502} ", text);
    }

    fn wrapped(&mut self, style: Style, indent: &str, text: &str) {
        let options = textwrap::Options::new(WIDTH - indent.chars().count())
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        for line in textwrap::wrap(text, options) {
            let line = self.paint(style, &line);
            let _ = writeln!(self.out, "{indent}{line}");
        }
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text without line breaks and quote marks, as words.
    fn words(text: &str) -> String {
        let words: Vec<&str> = text
            .split_whitespace()
            .filter(|w| *w != "\u{2502}")
            .collect();
        words.join(" ")
    }

    #[test]
    fn story_tells_every_verdict_as_the_engine_gave_it() {
        let demo = Demo::play().unwrap();
        let told = words(&tell(&demo, false));
        assert_eq!(demo.session.verdicts().len(), demo.calls.len());
        for verdict in demo.session.verdicts() {
            assert!(told.contains(&words(&verdict.evidence.reason)));
            if let Some(hint) = &verdict.hint {
                assert!(told.contains(&words(&hint.0)));
            }
        }
    }

    #[test]
    fn plain_is_plain_and_narrow() {
        let demo = Demo::play().unwrap();
        let plain = tell(&demo, false);
        assert!(!plain.contains('\u{1b}'));
        assert!(tell(&demo, true).contains('\u{1b}'));
        assert!(plain.lines().all(|l| l.chars().count() <= WIDTH), "{plain}");
    }
}
