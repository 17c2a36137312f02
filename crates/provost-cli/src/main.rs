//! The `provost` binary: one file a subcommand.

mod audit;
mod demo;
mod policy_cmd;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Decides whether an agent's tool calls have a benign cause.
#[derive(Debug, Parser)]
#[command(name = "provost", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Audit recorded runs of agents: a verdict, with its cause, for every call that changes something
    Audit(audit::AuditArgs),
    /// Show an attack being blocked and the right call being released
    Demo(demo::DemoArgs),
    /// Check, draft and describe policy files
    Policy(policy_cmd::PolicyArgs),
}

/// Exit status for bad input, bad usage and anything that could not be done.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Audit(args) => audit::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Policy(args) => policy_cmd::run(&args),
    };
    outcome.unwrap_or_else(|error| {
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
