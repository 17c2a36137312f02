//! `provost audit`: recorded runs in, verdicts and their evidence out.

mod effects;
mod evidence;
pub(crate) mod fault;
mod foreign;
mod judge;
mod output;
pub(crate) mod paths;
mod pipeline;
pub(crate) mod policy;
pub(crate) mod reader;
mod text;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use provost::Options;

use judge::Judge;
use output::{Output, Summary};
use paths::{Location, Source};

pub(crate) const ABOUT: &str = "\
Audits recorded runs of agents: for every call that changes something, or that tells the outside world something, \
a verdict with its cause. Nothing is executed, no model is asked, nothing leaves this machine.

Reads JSON Lines (one run a line) and JSON, plain or compressed with gzip or zstd. A run is an object with \
`messages` (OpenAI Chat Completions, Anthropic Messages, AgentDojo), or with `input` and `output` or `items` (OpenAI \
Responses), or a list of messages. `tools`, `system` and `instructions` beside the messages are read too. Below a \
folder, files named *.json and *.jsonl are read (also .gz and .zst); one that holds JSON but no run is passed over.

Runs and their calls are numbered from 0 in every format; the text, JSON and HTML also name a run by its own `id`.

What a tool does is decided by the policy named with --policy. Without one: a run that brings tool definitions is \
audited with every tool taken for a write, or by the definitions' annotations with --trust-annotations; a run \
that brings none is audited by the shipped policies, which know their tools by their exact names (today: \
`agentdojo`), and every other tool is taken for a write.

A recorded call that is blocked here did run when it was recorded; what it returned counts as anomalous.";

const AFTER: &str = "\
Exit status: 0 all calls released, 1 something blocked or left to a person, 2 bad input or usage (what could be \
read was audited all the same; standard error says what was skipped), or nothing to audit.

Examples:
  provost audit runs.jsonl
      A line a run, a sentence a call that was not released
  provost audit --format jsonl --evidence -o verdicts.jsonl recorded/
      Every run below a folder, with the evidence, for a program
  provost audit --policy provost.toml 'logs/2026-*/*.json.zst'
      By your own policy; see `provost policy draft` for a first one
  provost audit --trust-annotations mcp-runs.jsonl
      Believe the MCP annotations of the tools that the runs bring along
  provost audit --format html -o report.html runs.jsonl
      A page to look at, in any browser, also from a disk
  zcat runs.gz | provost audit --format json -
      Standard input";

/// Arguments of `provost audit`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct AuditArgs {
    /// Files, folders, globs, or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How to print the verdicts
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Say why: the reason, the hint, and what each argument rests on
    #[arg(short, long)]
    evidence: bool,
    /// Policy file, or the name of a shipped policy (`agentdojo`)
    #[arg(short, long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Believe the MCP annotations of the tools that a run brings along (the policy stands above them)
    #[arg(long)]
    trust_annotations: bool,
    /// Leave a component of the audit out, to see what it does; may be given several times
    #[arg(long, value_enum, value_name = "COMPONENT")]
    without: Vec<Component>,
    /// Where to write the verdicts instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many runs to audit at once [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// How the verdicts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: a line a run, a sentence a call that was not released
    Text,
    /// One JSON document: `runs`, and a `summary`
    Json,
    /// One JSON object a line and a run
    Jsonl,
    /// One page to look at: the verdicts, and each run's provenance graph
    Html,
}

/// A component of the audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Component {
    /// Segmenter: every observation is one benign span
    Seg,
    /// Grounder: all benign spans count as evidence
    Grd,
    /// Entailment: the grounder's result stands
    Ent,
    /// Invariants: calls are compared with the prompt directly
    Inv,
}

fn options(without: &[Component]) -> Options {
    let on = |component| !without.contains(&component);
    Options {
        segment: on(Component::Seg),
        ground: on(Component::Grd),
        entail: on(Component::Ent),
        invariants: on(Component::Inv),
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &AuditArgs) -> anyhow::Result<ExitCode> {
    let judge = Judge {
        policies: policy::Policies::new(args.policy.as_deref(), args.trust_annotations)?,
        options: options(&args.without),
        format: args.format,
        evidence: args.evidence,
    };
    let sources = paths::expand(&args.paths);
    let (out, to_terminal): (Box<dyn Write + Send>, bool) = match &args.output {
        Some(path) => {
            anyhow::ensure!(
                !is_input(path, &sources),
                "{} is one of the inputs; the verdicts would overwrite it",
                path.display()
            );
            let file =
                File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            (Box::new(file), false)
        }
        None => (Box::new(io::stdout()), io::stdout().is_terminal()),
    };
    let output = Output::new(Box::new(BufWriter::new(out)), args.format);
    let jobs = args
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    let bar = progress(&sources, to_terminal);
    judge::keep_panics();
    let written = pipeline::run(&sources, &judge, jobs, output, &|bytes| bar.inc(bytes))?;
    bar.finish_and_clear();
    let summary = written.context("cannot write the verdicts")?;
    // Nothing can be done where standard error is closed.
    let _ = summary.write(args.policy.is_some(), io::stderr().lock());
    Ok(status(&summary))
}

fn is_input(output: &Path, sources: &[Source]) -> bool {
    let Ok(output) = output.canonicalize() else {
        // It does not exist yet.
        return false;
    };
    sources.iter().any(|source| match &source.at {
        Ok(Location::File(path)) => path.canonicalize().is_ok_and(|path| path == output),
        Ok(Location::Stdin) | Err(_) => false,
    })
}

fn status(summary: &Summary) -> ExitCode {
    ExitCode::from(if summary.is_incomplete() {
        crate::BAD_INPUT
    } else if summary.released < summary.calls {
        1
    } else {
        0
    })
}

/// A bar on standard error, where that is a terminal and the verdicts go elsewhere.
fn progress(sources: &[Source], to_terminal: bool) -> ProgressBar {
    if to_terminal || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let size = |source: &Source| match &source.at {
        Ok(Location::File(path)) => path.metadata().map(|m| m.len()).ok(),
        Ok(Location::Stdin) => None,
        Err(_) => Some(0),
    };
    let (bar, template) = match sources.iter().map(size).sum::<Option<u64>>() {
        Some(total) => (
            ProgressBar::new(total),
            "auditing {bar:40} {bytes}/{total_bytes}, {eta} left",
        ),
        None => (ProgressBar::new_spinner(), "auditing {spinner} {bytes}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use fault::Fault;

    #[test]
    fn exit_status() {
        let check = |released, calls, skipped: Option<&str>, expected: u8| {
            let mut output = Output::new(Box::new(io::sink()), Format::Jsonl);
            output.summary.released = released;
            output.summary.calls = calls;
            if let Some(error) = skipped {
                output.fault(Fault::no_runs(error));
            }
            assert_eq!(status(&output.summary), ExitCode::from(expected));
        };
        check(0, 0, None, 0);
        check(3, 3, None, 0);
        check(2, 3, None, 1);
        check(3, 3, Some("empty"), 2);
        check(2, 3, Some("empty"), 2);
    }
}
