//! `provost bench`: attacks × defenses × agents, in the papers' own tables.

mod agentdojo;
mod progress;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use provost_bench::about::{self, Made};
use provost_bench::{Defense, Selection};

/// Arguments of `provost bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run AgentDojo v1.2.2: its own environments, tools, attacks and scorers, under a defense
    #[command(long_about = agentdojo::ABOUT)]
    Agentdojo(agentdojo::AgentdojoArgs),
}

/// Runs the subcommand.
pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Agentdojo(args) => agentdojo::run(args),
    }
}

/// Notes the command in the folder of its results, and tells when others made runs there.
fn noted<A: ToString>(
    folder: &Path,
    benchmark: &str,
    selection: Selection,
    agents: &[A],
    defenses: &[Defense],
) -> anyhow::Result<()> {
    let provost = env!("CARGO_PKG_VERSION").to_owned();
    let made = Made {
        provost: provost.clone(),
        benchmark: benchmark.to_owned(),
        agents: agents.iter().map(A::to_string).collect(),
        defenses: defenses.iter().map(Defense::to_string).collect(),
        selection,
    };
    if let Some(other) = about::note(folder, made)?.first() {
        let folder = folder.display();
        // Nothing can be done where standard error is closed.
        let _ = writeln!(
            io::stderr(),
            "{folder} holds runs made by provost {other}; this is {provost}. They are kept; name another folder to make \
             all runs anew"
        );
    }
    Ok(())
}
