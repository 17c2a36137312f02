//! `cargo xtask tidy`: the rules of the house that the compiler and clippy do not know.

mod deps;
mod licences;
mod source;
mod text;
mod tokens;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Line, counted from 1; 0 for the whole file.
    line: usize,
    what: String,
}

impl Problem {
    fn at(line: usize, what: impl Into<String>) -> Self {
        Self {
            line,
            what: what.into(),
        }
    }
}

/// Checks every committed (or not yet ignored) file, and the dependency trees.
///
/// # Errors
/// Anything untidy, all of it in the message; or a command that failed.
pub(crate) fn run() -> Result<()> {
    let mut errors = Vec::new();
    let mut warnings = Vec::new();
    let mut seen = 0;
    for name in files()? {
        let path = workspace::root().join(&name);
        let Ok(text) = fs::read_to_string(&path) else {
            // Deleted in the work tree, or not text.
            continue;
        };
        seen += 1;
        let mut found = text::check(&name, &text);
        if name.ends_with(".rs") {
            found.extend(source::check(&name, &text));
            warnings.extend(source::warning(&name, &text));
        }
        for problem in found {
            let Problem { line, what } = problem;
            errors.push(match line {
                0 => format!("{name}: {what}"),
                _ => format!("{name}:{line}: {what}"),
            });
        }
    }
    errors.extend(deps::check()?);
    errors.extend(licences::check()?);
    for warning in warnings {
        workspace::print(&format!("warning: {warning}\n"))?;
    }
    if !errors.is_empty() {
        bail!("{} untidy:\n  {}", errors.len(), errors.join("\n  "));
    }
    workspace::print(&format!("{seen} files and the dependency tree are tidy\n"))
}

/// Every file that git knows or would add.
fn files() -> Result<Vec<String>> {
    let mut git = std::process::Command::new("git");
    git.current_dir(workspace::root());
    git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let listed = workspace::output(&mut git).context("tidy reads the file list from git")?;
    let names = listed.split('\0').filter(|name| !name.is_empty());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Whether a source file holds nothing but tests, benches or fuzz targets.
fn is_test_file(name: &str) -> bool {
    let path = Path::new(name);
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
    let in_test_folder = path
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .any(|c| {
            ["tests", "benches", "fuzz_targets"]
                .iter()
                .any(|t| c.as_os_str() == *t)
        });
    in_test_folder || stem == "tests" || stem.ends_with("_tests")
}
