//! The `provost` binary: one file a subcommand.

mod audit;
mod bench;
mod demo;
mod policy_cmd;
mod report;
mod report_cmd;
mod still;
mod written;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  provost demo
      See an attack being blocked; no set-up
  provost audit runs/
      Verdicts on the recorded runs below a folder
  provost policy draft tools.json > provost.toml
      Say what your tools do: a first policy to review
  provost audit --policy provost.toml --format html -o report.html runs/
      The same runs by that policy, as a page to look at

`provost COMMAND --help` has more of each.";

/// Decides whether an agent's tool calls have a benign cause.
#[derive(Debug, Parser)]
#[command(name = "provost", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Audit recorded runs of agents: a verdict, with its cause, for every call that changes something
    #[command(long_about = audit::ABOUT)]
    Audit(audit::AuditArgs),
    /// Measure defenses against attacks, with benchmarks' own tasks and scorers
    Bench(bench::BenchArgs),
    /// Show an attack being blocked and the right call being released
    Demo(demo::DemoArgs),
    /// Check, draft and describe policy files
    Policy(policy_cmd::PolicyArgs),
    /// Show what the results of benchmarks say: tables, causes, differences, a page to look at
    #[command(long_about = report_cmd::ABOUT)]
    Report(report_cmd::ReportArgs),
}

/// Exit status for bad input, bad usage and anything that could not be done.
const BAD_INPUT: u8 = 2;

/// Exit status where nobody reads our output any more: that of a program that SIGPIPE ended.
const ENOUGH: u8 = 141;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Audit(args) => audit::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Policy(args) => policy_cmd::run(&args),
        Command::Report(args) => report_cmd::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        // The reader of our output has seen enough, as `head` does.
        let broken = |e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe;
        if error
            .chain()
            .any(|why| why.downcast_ref().is_some_and(broken))
        {
            return ExitCode::from(ENOUGH);
        }
        // Nothing can be done where even standard error is closed.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::from(BAD_INPUT)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
