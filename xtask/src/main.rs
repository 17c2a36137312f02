//! Chores of the workspace: `cargo xtask test`, `tidy`, `fuzz`, `score-traces`.
#![expect(clippy::print_stderr, reason = "a command for people at a terminal")]

mod fuzz;
mod gate;
mod score;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the whole gate: format, lints, tests, docs, tidiness, licences, fuzzing.
    Test(gate::Args),
    /// Checks sizes, module docs, unfinished code, dependencies and licences.
    Tidy,
    /// Fuzzes one target, or all.
    Fuzz(fuzz::Args),
    /// Audits recorded runs and compares the verdicts with the runs' labels.
    ScoreTraces(score::Args),
}

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Test(args) => gate::run(&args),
        Command::Tidy => tidy::run(),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::ScoreTraces(args) => score::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
