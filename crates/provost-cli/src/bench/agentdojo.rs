//! `provost bench agentdojo`: runs the benchmark and writes its results.

use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use clap::builder::PossibleValuesParser;
use provost::Policy;
use provost_bench::agentdojo::{ATTACKS, DENIALS, NAME, SUITES, names};
use provost_bench::runner::Runner;
use provost_bench::{Sidecar, record, venv};

use super::played::RunOptions;
use super::progress::Progress;

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
  provost bench agentdojo --attack important_instructions --defense ablations -o ablations
      The ablation table: the audit whole, and without each of its components
  provost report results --causes
      The tables, and what went wrong why";

/// Arguments of `provost bench agentdojo`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct AgentdojoArgs {
    /// Suites [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SUITE", value_parser = PossibleValuesParser::new(SUITES))]
    suite: Vec<String>,
    /// Attacks [default: none]
    #[arg(long, value_delimiter = ',', value_name = "ATTACK", value_parser = attacks())]
    attack: Vec<String>,
    #[command(flatten)]
    options: RunOptions,
}

fn attacks() -> PossibleValuesParser {
    PossibleValuesParser::new(["none"].into_iter().chain(ATTACKS).chain(DENIALS))
}

/// Runs the subcommand.
pub(crate) fn run(args: &AgentdojoArgs) -> anyhow::Result<ExitCode> {
    let selection = args.options.selection(&args.suite, &args.attack);
    // What can be wrong is told before anything is made.
    selection.check(&names())?;
    record::check(&args.options.out)?;
    let policy = Policy::builtin("agentdojo").context("internal error: the shipped policy")?;
    let progress = Progress::new();
    let launch = venv::agentdojo(&venv::cache_folder()?, &|line| progress.step(line))?;
    progress.step("starting AgentDojo");
    let catalog = Sidecar::catalog(&launch)?;
    let runner = Runner::new(launch, policy, &catalog);
    args.options
        .run(NAME, selection, &runner, &catalog, progress)
}
