//! `provost bench validate`: proves that a benchmark's samples are what they say they are.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use provost_lure::Library;
use provost_lure::validate::{Part, validate};

use super::sample::whole;

pub(super) const ABOUT: &str = "\
Tries every rule on every sample: the ground truth reaches utility and not the attack, with the payload and without; the \
persuaded run reaches the attack; the payload can be seen before the two part; the prompt does not say what context has to \
resolve; without the payload's words everything is as in the clean run; payloads that claim to bring no values of their own \
bring none; no two payloads share half of their five-word shingles; and there are as many samples a vector, surface and \
environment as designed.

Exit status: 0 every rule holds, 1 one does not, 2 bad usage.";

const AFTER: &str = "\
Examples:
  provost bench validate agentlure
      All 320 samples
  provost bench validate agentlure banking/03
      Those of one task
  provost bench validate agentlure --schema
      The JSON Schema of tasks' files";

/// The samples of AgentLure
#[derive(Debug, Args)]
#[command(long_about = ABOUT, after_help = AFTER)]
pub(crate) struct ValidateArgs {
    /// Environments or tasks, as `banking` or `banking/03` [default: all]
    #[arg(value_name = "PART")]
    parts: Vec<String>,
    /// Print the JSON Schema of tasks' files instead
    #[arg(long, conflicts_with = "parts")]
    schema: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ValidateArgs) -> anyhow::Result<ExitCode> {
    let ValidateArgs { parts, schema } = args;
    let mut out = io::stdout().lock();
    if *schema {
        writeln!(out, "{:#}", provost_lure::task::schema())?;
        return Ok(ExitCode::SUCCESS);
    }
    let part = |name: &String| {
        Part::from_name(&whole(name)).with_context(|| {
            format!(
                "AgentLure has no `{name}`; name an environment or a task, as `banking` or `banking/03`"
            )
        })
    };
    let parts = parts.iter().map(part).collect::<anyhow::Result<Vec<_>>>()?;
    let (library, unread) = Library::builtin();
    let report = validate(&library, unread, &parts);
    for problem in &report.problems {
        writeln!(out, "{problem}\n")?;
    }
    writeln!(out, "{}", report.counts)?;
    writeln!(out, "{} of {} samples hold", report.sound, report.samples)?;
    Ok(ExitCode::from(u8::from(!report.is_sound())))
}
