//! Where a command's text goes: to a file, or to standard output.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

/// Writes a text, and says how the command ends.
///
/// # Errors
/// The file, or standard output, cannot be written.
pub(crate) fn written(output: Option<&Path>, text: &str) -> anyhow::Result<ExitCode> {
    match output {
        Some(path) => {
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        None => {
            let mut out = io::stdout().lock();
            let done = out.write_all(text.as_bytes());
            done.context("cannot write to standard output")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
