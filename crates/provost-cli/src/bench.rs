//! `provost bench`: attacks × defenses × agents, in the papers' own tables.

mod agentdojo;
mod report;

use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Arguments of `provost bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run AgentDojo v1.2.2: its own environments, tools, attacks and scorers, under a defense
    Agentdojo(agentdojo::AgentdojoArgs),
    /// Show the tables of results, and what went wrong
    Report(report::ReportArgs),
}

/// Runs the subcommand.
pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Agentdojo(args) => agentdojo::run(args),
        Command::Report(args) => report::run(args),
    }
}
