//! `provost bench`: attacks × defenses × agents, in the papers' own tables.

mod agentdojo;
mod agentlure;
mod defenses;
mod played;
mod progress;
mod recorded;
mod sample;
mod serve;
mod show;
mod validate;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use provost_bench::about::{self, Made, SetUp};
use provost_bench::report::{Style, definitions_text, tables_text};
use provost_bench::{Case, Defense, Record, Selection, record};

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
    /// Run AgentLure: context-aware attacks on context-dependent tasks, under a defense
    #[command(long_about = agentlure::ABOUT)]
    Agentlure(agentlure::AgentlureArgs),
    /// AgentLure's environments, for another process of this program
    #[command(name = agentlure::SIDECAR, hide = true)]
    AgentlureSidecar,
    /// Audit stored runs of real agents, without running anything, and count them as the others
    #[command(long_about = recorded::ABOUT)]
    Recorded(recorded::RecordedArgs),
    /// Serve one sample of a benchmark over MCP, for any agent to take
    #[command(long_about = serve::ABOUT)]
    Serve(Of<serve::ServeArgs>),
    /// Show samples of a benchmark: what carries the payload, without it and with it, and what follows
    #[command(long_about = show::ABOUT)]
    Show(Of<show::ShowArgs>),
    /// Prove that a benchmark's samples are what they say they are
    #[command(long_about = validate::ABOUT)]
    Validate(Of<validate::ValidateArgs>),
}

/// The benchmark that a command is about, with the command's arguments. So far there is one with samples of our own.
#[derive(Debug, Args)]
struct Of<A: Args> {
    #[command(subcommand)]
    benchmark: Benchmark<A>,
}

// What its help says is said by the arguments.
#[derive(Debug, Subcommand)]
enum Benchmark<A: Args> {
    Agentlure(A),
}

impl<A: Args> Of<A> {
    fn agentlure(&self) -> &A {
        let Benchmark::Agentlure(args) = &self.benchmark;
        args
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Agentdojo(args) => agentdojo::run(args),
        Command::Agentlure(args) => agentlure::run(args),
        Command::AgentlureSidecar => agentlure::sidecar(),
        Command::Recorded(args) => recorded::run(args),
        Command::Serve(args) => serve::run(args.agentlure()),
        Command::Show(args) => show::run(args.agentlure()),
        Command::Validate(args) => validate::run(args.agentlure()),
    }
}

/// Each name once, in the order given.
fn once<T: PartialEq + Clone>(names: &[T]) -> Vec<T> {
    let mut out = Vec::new();
    for name in names {
        if !out.contains(name) {
            out.push(name.clone());
        }
    }
    out
}

/// Prints the tables of what was asked for, also where the folder holds more, and returns these runs.
fn summary(folder: &Path, asked: &HashSet<(Case, String, String)>) -> anyhow::Result<Vec<Record>> {
    let mut records = match record::read(folder) {
        Err(record::ResultsError::Empty { .. }) => Vec::new(),
        read => read?,
    };
    records.retain(|record| asked.contains(&record.key()));
    let mut out = io::stdout().lock();
    let tables = tables_text(&records, Style::Plain, false);
    write!(
        out,
        "{tables}\n{}",
        definitions_text(&records, Style::Plain)
    )?;
    writeln!(
        out,
        "By suite, by cause, as a page: provost report {}",
        folder.display()
    )?;
    Ok(records)
}

/// Notes the command in the folder of its results, and tells when others made runs there.
fn noted<A: ToString>(
    folder: &Path,
    benchmark: &str,
    selection: Selection,
    agents: &[A],
    defenses: &[Defense],
    set_up: Option<SetUp>,
) -> anyhow::Result<()> {
    let made = Made {
        provost: env!("CARGO_PKG_VERSION").to_owned(),
        sources: Some(env!("PROVOST_SOURCES").to_owned()),
        benchmark: benchmark.to_owned(),
        agents: agents.iter().map(A::to_string).collect(),
        defenses: defenses.iter().map(Defense::to_string).collect(),
        selection,
        set_up,
    };
    let ours = made.program();
    if let Some(other) = about::note(folder, made)?.last() {
        let folder = folder.display();
        // Nothing can be done where standard error is closed.
        let _ = writeln!(
            io::stderr(),
            "{folder} holds runs made by {other}; this is {ours}. They are kept; name another folder to make \
             all runs anew"
        );
    }
    Ok(())
}
