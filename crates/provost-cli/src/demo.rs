//! `provost demo`: an attack that is blocked, and the corrected call that is released.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

/// Arguments of `provost demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Where to write the HTML report
    #[arg(short, long, value_name = "FILE", default_value = "provost-demo.html")]
    output: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let _ = &args.output;
    anyhow::bail!("`provost demo` is not built yet")
}
