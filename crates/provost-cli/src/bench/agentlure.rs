//! `provost bench agentlure`: runs the benchmark of our own and writes its results.

use std::io;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use provost::Policy;
use provost_bench::runner::Runner;
use provost_bench::sidecar::Catalog;
use provost_bench::{Half, Launch, record};
use provost_lure::Environment;
use provost_lure::task::Vector;

use super::once;
use super::played::RunOptions;
use super::progress::Progress;
use super::sample::{library, whole};

/// What folders of results call it.
const NAME: &str = "AgentLure";

/// The hidden subcommand of `provost bench` that speaks the sidecar protocol.
pub(super) const SIDECAR: &str = "agentlure-sidecar";

pub(super) const ABOUT: &str = "\
Runs AgentLure: forty tasks in four environments, the decisive target, amount or choice of which can only be found at run \
time, and eight context-aware attacks on each, one a vector. It is built in; nothing is downloaded. The agent loop and the \
defense are those of the other benchmarks, and a call reaches the environment only with the engine's permit.

Results go into a folder, one run a line as they come. The same command goes on where it was interrupted (by Ctrl-C, or by \
anything), and makes only the runs that are missing; so does one with more attacks, tasks or defenses.

Every list is comma-separated; the option may also be given several times.";

const AFTER: &str = "\
Runs without an attack are always made.

Exit status: 0 all runs made, 1 some could not be made or are missing, 2 bad usage.

Examples:
  provost bench agentlure --attack all --defense none,causal -o lure
      All 40 + 320 runs, without and with the causal audit
  provost bench agentlure --suite banking --attack memory,skill --half test -o banking
      Two vectors in one environment, on the half of its tasks that no rule is made for
  provost bench agentlure --attack all --defense ablations -o ablations
      The ablation table: the audit whole, and without each of its components
  provost bench validate agentlure
      Prove that every sample is what it says it is";

/// Arguments of `provost bench agentlure`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct AgentlureArgs {
    /// Environments [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SUITE", value_parser = suites())]
    suite: Vec<String>,
    /// Attacks, by vector; `all` for all eight [default: none]
    #[arg(long, value_delimiter = ',', value_name = "ATTACK", value_parser = attacks())]
    attack: Vec<String>,
    /// Only tasks of this half: `dev`, the odd-numbered, or `test`, the even-numbered, which no rule is made for
    #[arg(long, conflicts_with = "task", value_parser = halves())]
    half: Option<Half>,
    #[command(flatten)]
    options: RunOptions,
}

fn suites() -> PossibleValuesParser {
    PossibleValuesParser::new(Environment::ALL.map(Environment::name))
}

fn halves() -> impl TypedValueParser<Value = Half> {
    PossibleValuesParser::new(Half::ALL.map(Half::name)).try_map(|name| name.parse::<Half>())
}

fn attacks() -> PossibleValuesParser {
    let vectors = Vector::ALL.map(Vector::name);
    PossibleValuesParser::new(["none", "all"].into_iter().chain(vectors))
}

/// Runs the subcommand.
pub(crate) fn run(args: &AgentlureArgs) -> anyhow::Result<ExitCode> {
    let attacks = if args.attack.iter().any(|a| a == "all") {
        Vector::ALL.map(|v| v.name().to_owned()).to_vec()
    } else {
        args.attack.clone()
    };
    let mut selection = args.options.selection(&args.suite, &attacks);
    selection.half = args.half;
    selection.tasks = once(&selection.tasks.iter().map(|n| whole(n)).collect::<Vec<_>>());
    let catalog: Catalog = serde_json::from_value(provost_lure::serve::catalog())
        .context("internal error: AgentLure's catalog")?;
    selection.check(&catalog)?;
    record::check(&args.options.out)?;
    let policy = Policy::builtin("agentlure").context("internal error: the shipped policy")?;
    let own = std::env::current_exe().context("cannot find the program itself")?;
    let launch = Launch {
        args: ["bench", SIDECAR].map(Into::into).into(),
        ..Launch::of(own)
    };
    let runner = Runner::new(launch, policy, &catalog);
    args.options
        .run(NAME, selection, &runner, &catalog, Progress::new())
}

/// Answers the requests of another process of this program.
pub(crate) fn sidecar() -> anyhow::Result<ExitCode> {
    provost_lure::serve::serve(&library()?, io::stdin().lock(), io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}
