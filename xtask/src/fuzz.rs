//! `cargo xtask fuzz`: coverage-guided fuzzing (libFuzzer) on the stable toolchain.
//!
//! The targets are compiled into a folder of their own, with coverage counters. The flags are the ones that cargo-fuzz passes for `--sanitizer none`; they are all stable, and no address sanitizer is
//! needed where unsafe code is forbidden. What the fuzzer finds by itself is kept below the target folder; the seeds in
//! `fuzz/corpus` are written by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::workspace;

/// Coverage counters for libFuzzer.
const RUSTFLAGS: &str = "--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Limits of one input: milliseconds would be enough for anything in the corpus.
const LIMITS: [&str; 4] = [
    "-timeout=10",
    "-rss_limit_mb=2048",
    "-max_len=16384",
    "-print_final_stats=1",
];

/// Options of `fuzz`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the target; all of them when left out.
    target: Option<String>,
    /// How long each target runs.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

/// Fuzzes one target, or all.
///
/// # Errors
/// A target found something, or cannot be built.
pub(crate) fn run(args: &Args) -> Result<()> {
    let time = Duration::from_secs(args.seconds);
    let Some(target) = &args.target else {
        return all(time, Start::WithFinds);
    };
    let known = targets()?;
    ensure!(
        known.contains(target),
        "no target {target}; there are {}",
        known.join(", ")
    );
    fuzz(&build()?, target, time, Start::WithFinds)
}

/// Where fuzzing starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The seeds and everything that was found before; another way each time.
    WithFinds,
    /// The seeds alone, and the same way each time: what passes on one machine passes on another.
    Afresh,
}

/// Fuzzes every target for `time`.
///
/// # Errors
/// A target found something (the others still run), or cannot be built.
pub(crate) fn all(time: Duration, start: Start) -> Result<()> {
    let folder = build()?;
    let mut found = Vec::new();
    for target in targets()? {
        if let Err(error) = fuzz(&folder, &target, time, start) {
            found.push(format!("{error:#}"));
        }
    }
    if !found.is_empty() {
        bail!("{}", found.join("\n"));
    }
    Ok(())
}

/// The targets: one file each.
fn targets() -> Result<Vec<String>> {
    let folder = workspace::root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "rs")
            && let Some(stem) = path.file_stem()
        {
            names.push(stem.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Builds every target and returns the folder with the binaries.
fn build() -> Result<PathBuf> {
    let host = host()?;
    let folder = workspace::target_dir()?.join("fuzz");
    // A target triple keeps the flags away from build scripts and macros, which run without the fuzzer.
    let status = workspace::cargo()
        .args([
            "build",
            "--quiet",
            "--locked",
            "--package",
            "provost-fuzz",
            "--bins",
        ])
        .args(["--profile", "fuzz", "--target", &host])
        .arg("--target-dir")
        .arg(&folder)
        .env("RUSTFLAGS", RUSTFLAGS)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the fuzz targets do not build");
    Ok(folder.join(host).join("fuzz"))
}

fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let text = workspace::output(Command::new(rustc).arg("-vV"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc -vV names no host")?.to_owned())
}

fn fuzz(folder: &Path, target: &str, time: Duration, start: Start) -> Result<()> {
    let work = workspace::target_dir()?.join("fuzz");
    let afresh = start == Start::Afresh;
    let corpus = work
        .join(if afresh { "afresh" } else { "corpus" })
        .join(target);
    if afresh && corpus.exists() {
        fs::remove_dir_all(&corpus).with_context(|| corpus.display().to_string())?;
    }
    let found = work.join("found").join(target);
    for folder in [&corpus, &found] {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let own = workspace::root().join("fuzz");
    let seeds = own.join("corpus").join(target);
    let words = own.join("dict").join(format!("{target}.dict"));
    let mut command = Command::new(folder.join(target));
    command
        .current_dir(workspace::root())
        .args(LIMITS)
        .args(afresh.then_some("-seed=1"))
        .arg(format!("-max_total_time={}", time.as_secs()))
        .arg(format!("-artifact_prefix={}/", found.display()))
        .args(
            words
                .is_file()
                .then(|| format!("-dict={}", words.display())),
        )
        .arg(&corpus)
        .args(seeds.is_dir().then_some(&seeds));
    let done = command
        .output()
        .with_context(|| format!("cannot start {target}"))?;
    let log = String::from_utf8_lossy(&done.stderr);
    ensure!(
        done.status.success(),
        "{target} found something ({}); run {} on the file named here:\n{}",
        done.status,
        folder.join(target).display(),
        tail(&log, 40)
    );
    let stat = |name: &str| {
        let line = log.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or("?").trim().to_owned()
    };
    workspace::print(&format!(
        "{target}: {} inputs, {} that reached something new, coverage {}\n",
        stat("stat::number_of_executed_units:"),
        stat("stat::new_units_added:"),
        coverage(&log).unwrap_or("?")
    ))
}

/// The last coverage figure that libFuzzer printed (`#123 DONE cov: 456 ft: …`).
fn coverage(log: &str) -> Option<&str> {
    let line = log.lines().rev().find(|line| line.contains(" cov: "))?;
    line.split_once(" cov: ")?.1.split_whitespace().next()
}

fn tail(log: &str, lines: usize) -> String {
    let all: Vec<&str> = log.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_read() {
        let log = "#2\tINITED cov: 10 ft: 11 corp: 1/1b\n#9\tDONE   cov: 345 ft: 400 corp: 9/99b\nDone 9 runs\n";
        assert_eq!(coverage(log), Some("345"));
        assert_eq!(coverage("nothing"), None);
        assert_eq!(tail("a\nb\nc\n", 2), "b\nc");
        assert_eq!(tail("a\n", 2), "a");
    }

    #[test]
    fn every_target_is_declared_and_has_seeds() {
        let manifest = fs::read_to_string(workspace::root().join("fuzz/Cargo.toml")).unwrap();
        for target in targets().unwrap() {
            assert!(
                manifest.contains(&format!("name = \"{target}\"")),
                "{target}"
            );
            let seeds = workspace::root().join("fuzz/corpus").join(&target);
            assert!(
                fs::read_dir(&seeds).is_ok_and(|d| d.count() > 0),
                "{target}"
            );
        }
    }
}
