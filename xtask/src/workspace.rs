//! Where things are: the workspace's root, its target folder, and the cargo that runs us.

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The workspace's root folder.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// A cargo command that runs in the workspace's root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// A command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = program.file_stem().into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

/// Runs a command to its end and returns what it printed to standard output.
///
/// # Errors
/// The command could not be started, or failed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let done = command
        .output()
        .with_context(|| format!("cannot start {shown}"))?;
    ensure!(
        done.status.success(),
        "{shown} failed ({}): {}",
        done.status,
        String::from_utf8_lossy(&done.stderr).trim()
    );
    String::from_utf8(done.stdout).with_context(|| format!("{shown} printed invalid UTF-8"))
}

/// The folder that cargo builds into.
///
/// # Errors
/// `cargo metadata` failed.
pub(crate) fn target_dir() -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let text = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Metadata = serde_json::from_str(&text).context("cargo metadata")?;
    Ok(metadata.target_directory)
}

/// Prints to standard output. A reader that has seen enough (`| head`) is no error.
///
/// # Errors
/// Any other failure to write.
pub(crate) fn print(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
