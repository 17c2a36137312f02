//! `provost bench agentdojo`: runs the benchmark and writes its results.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use provost::Policy;
use provost_bench::report::{LEGEND, Style, tables};
use provost_bench::runner::Runner;
use provost_bench::{AgentKind, Defense, Job, Results, Selection, Sidecar, record, venv};
use signal_hook::consts::SIGINT;

const ABOUT: &str = "\
Runs AgentDojo v1.2.2 (97 user tasks, 949 pairs of a user's and an attacker's task for each attack) from its own \
package. It runs in Python environments of its own; on first use these are made in your cache folder, with \
`python3`. The agent loop and the defense run here, and a call reaches the environment only with the engine's permit.

Results are written one run a line as they come. The same command goes on where it was interrupted (by Ctrl-C, \
or by anything), and makes only the runs that are missing; so does one with more attacks, tasks or defenses.";

const AFTER: &str = "\
Attacks: direct, ignore_previous, system_message, injecagent, tool_knowledge, important_instructions (and with \
_no_user_name, _no_model_name, _no_names, _wrong_model_name, _wrong_user_name), dos, swearwords_dos, captcha_dos, \
offensive_email_dos, felony_dos. Runs without an attack are always made.

Defenses: none, causal, and causal-without-C to leave components C out (seg, grd, ent, inv).

Agents: scripted (follows the ground truth, obeys every payload that it sees, and insists twice; the worst case).

Exit status: 0 all runs made, 1 some could not be made or are missing, 2 bad usage or no sidecar.

Examples:
  provost bench agentdojo --attack important_instructions --defense none,causal -o results.jsonl
      All 97 + 949 runs, without and with the causal audit
  provost bench agentdojo --suite banking --attack direct --limit 50 -o banking.jsonl
      Fifty runs of one suite, drawn by --seed
  provost bench report results.jsonl --causes
      The tables, and what went wrong why";

/// Arguments of `provost bench agentdojo`.
#[derive(Debug, Args)]
#[command(long_about = ABOUT, after_help = AFTER)]
pub(crate) struct AgentdojoArgs {
    /// Suites: workspace, travel, banking, slack [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SUITE")]
    suite: Vec<String>,
    /// User tasks, as `user_task_3` or `banking/user_task_3` [default: all]
    #[arg(long, value_delimiter = ',', value_name = "TASK")]
    task: Vec<String>,
    /// Attacks [default: none]
    #[arg(long, value_delimiter = ',', value_name = "ATTACK")]
    attack: Vec<String>,
    /// Agents
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "AGENT",
        default_value = "scripted"
    )]
    agent: Vec<AgentKind>,
    /// Defenses
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "DEFENSE",
        default_value = "causal"
    )]
    defense: Vec<Defense>,
    /// At most so many cases, each with every agent and defense
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// How many runs at once, each with a sidecar of its own [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Decides the order of the cases
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Where the results are, or will be
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(args: &AgentdojoArgs) -> anyhow::Result<ExitCode> {
    let mut results = Results::open(&args.output)?;
    let policy = Policy::builtin("agentdojo").context("internal error: the shipped policy")?;
    let bar = bar();
    let launch = venv::agentdojo(&venv::cache_folder()?, &|line| {
        bar.set_message(line.to_owned())
    })?;
    bar.set_message("starting AgentDojo");
    let catalog = Sidecar::start(&launch)?.list()?;
    let jobs = selection(args).jobs(&catalog, &args.agent, &args.defense)?;
    let missing = results.missing(jobs.clone());

    let stop = Arc::new(AtomicBool::new(false));
    // The second Ctrl-C ends the program at once: the flag is then set.
    signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&stop))?;
    signal_hook::flag::register(SIGINT, Arc::clone(&stop))?;
    let workers = args
        .jobs
        .or(std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    count_down(&bar, missing.len());
    let runner = Runner::new(launch, policy, &catalog);
    runner.run(&missing, workers, &stop, &mut |record| {
        bar.inc(1);
        if let Some(error) = &record.error {
            bar.suspend(|| {
                // Nothing can be done where standard error is closed.
                let _ = writeln!(io::stderr(), "{}: {error}", record.case);
            });
        }
        results.write(record)
    })?;
    bar.finish_and_clear();
    drop(results);
    summary(args, &jobs, stop.load(Ordering::Relaxed))
}

fn selection(args: &AgentdojoArgs) -> Selection {
    Selection {
        suites: args.suite.clone(),
        tasks: args.task.clone(),
        attacks: args
            .attack
            .iter()
            .filter(|a| *a != "none")
            .cloned()
            .collect(),
        limit: args.limit,
        seed: args.seed,
    }
}

/// The tables of what was asked for, also where the file holds more.
fn summary(args: &AgentdojoArgs, jobs: &[Job], stopped: bool) -> anyhow::Result<ExitCode> {
    let asked: std::collections::HashSet<_> = jobs.iter().map(Job::key).collect();
    let mut records = record::read(&args.output)?;
    records.retain(|record| asked.contains(&record.key()));
    let made = records.iter().filter(|r| r.error.is_none()).count();
    let mut out = io::stdout().lock();
    write!(out, "{}\n{LEGEND}", tables(&records, Style::Plain))?;
    let whole = made == jobs.len();
    if !whole {
        let why = if stopped {
            "stopped"
        } else {
            "some runs could not be made"
        };
        writeln!(
            out,
            "\n{why}: {made} of {} runs are there; the same command goes on",
            jobs.len()
        )?;
    }
    Ok(ExitCode::from(u8::from(!whole)))
}

fn bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn count_down(bar: &ProgressBar, runs: usize) {
    bar.set_length(runs as u64);
    bar.set_message("");
    let template = "{bar:40} {pos}/{len} runs, {elapsed} so far, about {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.reset();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_no_attack() {
        let args = AgentdojoArgs {
            suite: vec!["banking".into()],
            task: Vec::new(),
            attack: vec!["none".into(), "direct".into()],
            agent: vec![AgentKind::Scripted],
            defense: vec![Defense::None],
            limit: Some(3),
            jobs: None,
            seed: 5,
            output: PathBuf::new(),
        };
        let selection = selection(&args);
        assert_eq!(selection.attacks, ["direct"]);
        assert_eq!((selection.limit, selection.seed), (Some(3), 5));
    }
}
