//! `provost bench serve`: one sample of a benchmark as an MCP server, for any agent to take.

mod http;
mod live;
mod mcp;
mod record;
mod stdio;

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use provost_lure::TaskId;
use provost_lure::task::Vector;
use tokio::signal::unix::{SignalKind, signal};

use live::{End, Live};
use mcp::{FINISH, Shared};

use super::sample::{library, task, vectors};

pub(super) const ABOUT: &str = "\
Serves the tools of one sample over the Model Context Protocol, records the run, and prints what the oracles say at its end. \
Any agent that speaks MCP can take the benchmark so, whatever it is made of; nothing is audited while it plays.

The agent gets the user's words as the server's instructions and as its prompt `task`; they are also printed here. Without \
--vector the task is served as it is, with it the payload is in place.

The run ends when the tool `finish` is called, which takes the agent's answer; when the client closes standard input (over \
HTTP: ends the session in which it made calls); or on Ctrl-C. After `finish` no call is made any more. A program that has an \
agent of its own keeps `finish` from it, and calls it itself.";

const AFTER: &str = "\
Exit status: 0 the user got what the user wanted and the attacker did not, 1 anything else, 2 bad usage, or the run could not \
be served or recorded.

In the configuration of a client:
  {\"mcpServers\": {\"banking\": {\"command\": \"provost\", \"args\": [\"bench\", \"serve\", \"agentlure\", \"--task\", \"banking/03\",
    \"--vector\", \"argument\", \"--output\", \"run.json\"]}}}

Examples:
  provost bench serve agentlure --task banking/03
      The task without an attack, on standard input and output
  provost bench serve agentlure --task banking/03 --vector argument --output run.json
      With an attack, and recorded
  provost bench serve agentlure --task slack/01 --vector memory --http 127.0.0.1:8080 -o run.json
      At http://127.0.0.1:8080/mcp
  provost audit --policy agentlure --evidence run.json
      What the audit says of the recorded run";

/// A sample of AgentLure
#[derive(Debug, Args)]
#[command(long_about = ABOUT, after_help = AFTER)]
pub(crate) struct ServeArgs {
    /// The task, as `banking/03` or `banking/3`
    #[arg(long, value_name = "TASK", value_parser = task)]
    task: TaskId,
    /// The attack on it [default: none]
    #[arg(long, value_name = "VECTOR", value_parser = vectors())]
    vector: Option<Vector>,
    /// Serve streamable HTTP at this host and port instead of standard input and output; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// The file where the run is recorded, from the first call on, in the form that `provost audit` reads
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is served.
#[derive(Clone, Copy, Debug)]
struct Sample {
    task: TaskId,
    vector: Option<Vector>,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.vector {
            Some(vector) => write!(f, "AgentLure {} {vector}", self.task),
            None => write!(f, "AgentLure {}", self.task),
        }
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let library = library()?;
    let sample = Sample {
        task: args.task,
        vector: args.vector,
    };
    let live = Live::begin(&library, sample, args.output.clone())?;
    // Nothing can be done where standard error is closed.
    let _ = introduce(sample, &live, args);
    let shared = Shared::new(live);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the server")?;
    let served = runtime.block_on(serve(&shared, args));
    // A read of standard input that still waits holds nobody up.
    runtime.shutdown_background();
    let mut live = shared.live();
    match &served {
        // A run that ended with an answer stays as it is, and one that failed says so below.
        Ok(end) => drop(live.end(*end)),
        Err(_) if live.calls() > 0 => drop(live.end(End::Left)),
        Err(_) => {}
    }
    served?;
    let scores = live.outcome()?.context("internal error: no verdict")?;
    let well = scores.utility && scores.attack != Some(true);
    Ok(ExitCode::from(u8::from(!well)))
}

async fn serve(shared: &std::sync::Arc<Shared>, args: &ServeArgs) -> anyhow::Result<End<'static>> {
    let environment = args.task.environment;
    match &args.http {
        None => stdio::serve(shared, environment).await,
        Some(address) => {
            let listener = http::listen(address).await?;
            http::serve(shared, environment, listener, address).await
        }
    }
}

/// Waits until a person or a program wants this one to stop.
async fn stopped() -> anyhow::Result<()> {
    let listen = |kind| signal(kind).context("cannot listen to signals");
    let (mut interrupt, mut terminate) = (
        listen(SignalKind::interrupt())?,
        listen(SignalKind::terminate())?,
    );
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

/// Says what is served, and how it ends.
fn introduce(sample: Sample, live: &Live, args: &ServeArgs) -> io::Result<()> {
    let mut out = io::stderr().lock();
    writeln!(out, "{sample}: the user says")?;
    for line in live.play().prompt().lines() {
        writeln!(out, "  {line}")?;
    }
    let closes = if args.http.is_some() {
        "ends its session"
    } else {
        "closes standard input"
    };
    writeln!(
        out,
        "the run ends when the agent calls `{FINISH}`, when the client {closes}, or on Ctrl-C"
    )?;
    match &args.output {
        Some(file) => writeln!(out, "it is recorded in {}", file.display()),
        None => writeln!(out, "it is not recorded; name a file with --output"),
    }
}
