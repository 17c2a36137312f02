//! `provost bench show`: samples of a benchmark, for a person to judge.

mod html;
mod markdown;
mod text;

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use provost_lure::show::{Shown, Step};
use provost_lure::task::Vector;

use super::sample::{Named, library, named, vectors};
use crate::written::written;

pub(super) const ABOUT: &str = "\
Shows samples: the user's words, what carries the payload without it and with it, the payload marked, what the attacker gets, and \
the calls of an honest agent beside those of a persuaded one. For a person to judge whether they would have noticed.";

const AFTER: &str = "\
Exit status: 0 shown, 2 bad usage, or the file cannot be written.

Examples:
  provost bench show agentlure banking/03 --vector argument
      One sample, on the terminal
  provost bench show agentlure banking/03/argument slack/05/memory --format html -o samples.html
      Two, as a page: carriers in two columns, without the payload and with it
  provost bench show agentlure travel/01 --format markdown
      All eight of a task";

/// Samples of AgentLure
#[derive(Debug, Args)]
#[command(long_about = ABOUT, after_help = AFTER)]
pub(crate) struct ShowArgs {
    /// Samples, as `banking/03/argument`, or tasks, as `banking/03`
    #[arg(required = true, value_name = "SAMPLE", value_parser = named)]
    samples: Vec<Named>,
    /// Vectors, of tasks that are named without one [default: all eight]
    #[arg(long, value_delimiter = ',', value_name = "VECTOR", value_parser = vectors())]
    vector: Vec<Vector>,
    /// How to show them
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Where to write them instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How samples are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal: the payload stands between `{+` and `+}`, and in colour where there are colours
    Text,
    /// For a page or an issue: two columns, the payload underlined
    Markdown,
    /// One self-contained page to look at: two columns, the payload marked
    Html,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let library = library()?;
    let mut samples = Vec::new();
    for Named { task, vector } in &args.samples {
        for vector in vectors_of(*vector, &args.vector) {
            samples.push(Shown::of(&library, *task, vector)?);
        }
    }
    let to_terminal = args.output.is_none() && io::stdout().is_terminal();
    let colour = to_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = match args.format {
        Format::Text => text::text(&samples, colour),
        Format::Markdown => markdown::markdown(&samples),
        Format::Html => html::html(&samples),
    };
    written(args.output.as_deref(), &text)
}

/// The vector that a sample is named with; else those that were asked for, or all.
fn vectors_of(own: Option<Vector>, asked: &[Vector]) -> Vec<Vector> {
    match own {
        Some(vector) => vec![vector],
        None if asked.is_empty() => Vector::ALL.to_vec(),
        None => asked.to_vec(),
    }
}

/// What each sample is called, and where its payload meets the agent.
fn title(shown: &Shown) -> String {
    let surface = shown.surface.name().replace('_', " ");
    format!("{}, {} (by {surface})", shown.task, shown.vector)
}

/// A call on one line: `send_payment(to: "NL…", amount: 12.5)`.
fn call(step: &Step) -> String {
    let args = step.call.args.iter();
    let args: Vec<String> = args
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    format!("{}({})", step.call.tool, args.join(", "))
}

/// What of a carrier is in the left column.
fn without(shown: &Shown) -> Option<String> {
    let whole = format!("{}{}", shown.left, shown.right);
    (!whole.is_empty()).then_some(whole)
}

/// What the attacker gets, as a sentence.
fn goal(shown: &Shown) -> String {
    format!("{}.", shown.goal.trim_end().trim_end_matches('.'))
}

/// What stands in its place where there is nothing.
const NOTHING: &str = "(nothing)";
