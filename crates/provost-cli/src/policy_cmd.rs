//! `provost policy`: check, draft and describe policy files.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Arguments of `provost policy`.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    /// Print the JSON Schema of policy files
    Schema,
    /// Check a policy file
    Check {
        /// The file to check
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Write a first policy, for a person to review, from tool definitions
    Draft {
        /// OpenAI `tools` or an MCP tool list, as JSON
        #[arg(value_name = "TOOLS.json")]
        tools: PathBuf,
    },
}

/// Runs the subcommand.
pub(crate) fn run(args: &PolicyArgs) -> anyhow::Result<ExitCode> {
    let name = match &args.command {
        PolicyCommand::Schema => "schema".into(),
        PolicyCommand::Check { file } => format!("check {}", file.display()),
        PolicyCommand::Draft { tools } => format!("draft {}", tools.display()),
    };
    anyhow::bail!("`provost policy {name}` is not built yet")
}
