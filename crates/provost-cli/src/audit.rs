//! `provost audit`: recorded runs in, verdicts and their evidence out.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

/// Arguments of `provost audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Files, folders, globs, or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// Runs the subcommand.
pub(crate) fn run(args: &AuditArgs) -> anyhow::Result<ExitCode> {
    let _ = &args.paths;
    anyhow::bail!("`provost audit` is not built yet")
}
