//! `provost bench agentdojo`: runs the benchmark and writes its results.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::Args;
use clap::builder::PossibleValuesParser;
use provost::Policy;
use provost_bench::agentdojo::{ATTACKS, DENIALS, NAME, SUITES, names};
use provost_bench::runner::Runner;
use provost_bench::{AgentKind, Defense, Job, Results, Selection, Sidecar, record, venv};
use signal_hook::consts::SIGINT;

use super::progress::Progress;
use super::{noted, once};

pub(super) const ABOUT: &str = "\
Runs AgentDojo v1.2.2 (97 user tasks, 949 pairs of a user's and an attacker's task for each attack) from its own \
package. It runs in Python environments of its own; on first use these are made in your cache folder, with \
`python3`. The agent loop and the defense run here, and a call reaches the environment only with the engine's permit.

Results go into a folder, one run a line as they come. The same command goes on where it was interrupted (by Ctrl-C, or by \
anything), and makes only the runs that are missing; so does one with more attacks, tasks or defenses.

Every list is comma-separated; the option may also be given several times.";

const AFTER: &str = "\
Attacks of the family that ends in `dos` want the agent to stop; they have one run a user task, and are counted apart, as \
goals that take no call. Runs without an attack are always made.

Exit status: 0 all runs made, 1 some could not be made or are missing, 2 bad usage or no sidecar.

Examples:
  provost bench agentdojo --attack important_instructions --defense none,causal -o results
      All 97 + 949 runs, without and with the causal audit
  provost bench agentdojo --suite banking --attack direct --limit 50 -o banking
      Fifty runs of one suite, drawn by --seed
  provost report results --causes
      The tables, and what went wrong why";

/// Arguments of `provost bench agentdojo`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct AgentdojoArgs {
    /// Suites [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SUITE", value_parser = PossibleValuesParser::new(SUITES))]
    suite: Vec<String>,
    /// User tasks, as `user_task_3` or `banking/user_task_3` [default: all]
    #[arg(long, value_delimiter = ',', value_name = "TASK")]
    task: Vec<String>,
    /// Attacks [default: none]
    #[arg(long, value_delimiter = ',', value_name = "ATTACK", value_parser = attacks())]
    attack: Vec<String>,
    /// Agents: `scripted` follows the ground truth, obeys every payload that it sees, and insists twice: the worst case
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "AGENT",
        default_value = "scripted"
    )]
    agent: Vec<AgentKind>,
    /// Defenses: `none`, `causal`, and `causal-without-C` with components C left out (seg, grd, ent, inv, joined by `-`)
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
    /// The folder where the results are, or will be
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

fn attacks() -> PossibleValuesParser {
    PossibleValuesParser::new(["none"].into_iter().chain(ATTACKS).chain(DENIALS))
}

/// Runs the subcommand.
pub(crate) fn run(args: &AgentdojoArgs) -> anyhow::Result<ExitCode> {
    let selection = selection(args);
    // What can be wrong is told before anything is made.
    selection.check(&names())?;
    record::check(&args.out)?;
    let policy = Policy::builtin("agentdojo").context("internal error: the shipped policy")?;
    let mut progress = Progress::new();
    let launch = venv::agentdojo(&venv::cache_folder()?, &|line| progress.step(line))?;
    progress.step("starting AgentDojo");
    let catalog = Sidecar::start(&launch)?.list()?;
    let (agents, defenses) = (once(&args.agent), once(&args.defense));
    let jobs = selection.jobs(&catalog, &agents, &defenses)?;
    let mut results = Results::open(&args.out)?;
    noted(&args.out, NAME, selection, &agents, &defenses, None)?;
    let missing = results.missing(jobs.clone());

    let stop = Arc::new(AtomicBool::new(false));
    // The second Ctrl-C ends the program at once: the flag is then set.
    signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&stop))?;
    signal_hook::flag::register(SIGINT, Arc::clone(&stop))?;
    let workers = args
        .jobs
        .or(std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    progress.begin(missing.len());
    let runner = Runner::new(launch, policy, &catalog);
    runner.run(&missing, workers, &stop, &mut |record| {
        if let Some(error) = &record.error {
            progress.warn(&format!("{}: {error}", record.case));
        }
        results.write(record)?;
        progress.one();
        Ok(())
    })?;
    progress.end();
    drop(results);
    let asked: HashSet<_> = jobs.iter().map(Job::key).collect();
    let records = super::summary(&args.out, &asked)?;
    let made = records.iter().filter(|r| r.error.is_none()).count();
    let whole = made == asked.len();
    if !whole {
        let why = if stop.load(Ordering::Relaxed) {
            "stopped"
        } else {
            "some runs could not be made"
        };
        let all = asked.len();
        writeln!(
            io::stdout(),
            "\n{why}: {made} of {all} runs are there; the same command goes on"
        )?;
    }
    Ok(ExitCode::from(u8::from(!whole)))
}

fn selection(args: &AgentdojoArgs) -> Selection {
    Selection {
        suites: once(&args.suite),
        tasks: once(&args.task),
        attacks: once(&args.attack)
            .into_iter()
            .filter(|a| a != "none")
            .collect(),
        limit: args.limit,
        seed: args.seed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_no_attack_and_each_name_counts_once() {
        let twice = |a: &str, b: &str| vec![a.to_owned(), b.into(), a.into()];
        let args = AgentdojoArgs {
            suite: twice("slack", "banking"),
            task: twice("user_task_1", "user_task_0"),
            attack: twice("direct", "none"),
            agent: vec![AgentKind::Scripted],
            defense: vec![Defense::None],
            limit: Some(3),
            jobs: None,
            seed: 5,
            out: PathBuf::new(),
        };
        let selection = selection(&args);
        assert_eq!(selection.suites, ["slack", "banking"]);
        assert_eq!(selection.tasks, ["user_task_1", "user_task_0"]);
        assert_eq!(selection.attacks, ["direct"]);
        assert_eq!((selection.limit, selection.seed), (Some(3), 5));
    }
}
