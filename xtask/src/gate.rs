//! `cargo xtask test`: everything that must hold before a change lands.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::{fuzz, tidy, workspace};

/// Options of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs these steps only (separated by commas, or repeated). Default: all.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Step>,
}

/// One step of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// `cargo fmt --check`
    Fmt,
    /// `cargo clippy` over every target, warnings denied
    Clippy,
    /// Unit and integration tests
    Test,
    /// The examples in the documentation
    Doctest,
    /// `cargo doc`, warnings denied
    Doc,
    /// `cargo xtask tidy`
    Tidy,
    /// `cargo deny check`, where cargo-deny is installed
    Deny,
    /// Every fuzz target for ten seconds, the same way each time
    Fuzz,
}

/// How a step ended.
enum Outcome {
    /// The step is one check, and it holds.
    Holds,
    /// The step ran tests.
    Tested(Counts),
    /// The step could not run here, and need not.
    Skipped(&'static str),
}

/// Counts as the test runner prints them. A step that runs no tests counts as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// How long each fuzz target runs.
const FUZZ: Duration = Duration::from_secs(10);

/// Runs the steps: all of them, even when one fails.
///
/// # Errors
/// A step failed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut summary = Vec::new();
    let mut total = Counts::default();
    let wanted = |step: &&Step| args.only.is_empty() || args.only.contains(step);
    for step in Step::value_variants().iter().filter(wanted) {
        let name = format!("{step:?}").to_lowercase();
        workspace::print(&format!("\n== {name}\n"))?;
        let start = Instant::now();
        let outcome = step.run();
        let seconds = start.elapsed().as_secs_f64();
        let (how, counts) = judge(outcome);
        total.add(counts);
        summary.push(format!("{name:<8} {seconds:>6.1} s  {how}"));
    }
    let Counts {
        passed,
        failed,
        skipped,
    } = total;
    let summary = summary.join("\n");
    workspace::print(&format!(
        "\n{summary}\n\nTests, and steps that are one check each:\n{passed} passed, {failed} failed, {skipped} skipped\n"
    ))?;
    ensure!(failed == 0, "the gate is closed");
    Ok(())
}

/// What the summary says of a step, and what it counts for.
fn judge(outcome: Result<Outcome>) -> (String, Counts) {
    let one = Counts::default();
    match outcome {
        Ok(Outcome::Holds) => ("passed".into(), Counts { passed: 1, ..one }),
        Ok(Outcome::Skipped(why)) => (format!("skipped: {why}"), Counts { skipped: 1, ..one }),
        Ok(Outcome::Tested(counts)) => {
            let word = if counts.failed == 0 {
                "passed"
            } else {
                "FAILED"
            };
            (
                format!("{word}: {} tests", counts.passed + counts.failed),
                counts,
            )
        }
        Err(error) => (format!("FAILED: {error:#}"), Counts { failed: 1, ..one }),
    }
}

impl Step {
    fn run(self) -> Result<Outcome> {
        match self {
            Self::Fmt => holds(workspace::cargo().args(["fmt", "--all", "--check"])),
            Self::Clippy => holds(
                workspace::cargo()
                    .args([
                        "clippy",
                        "--workspace",
                        "--all-targets",
                        "--locked",
                        "--quiet",
                    ])
                    .args(["--", "--deny", "warnings"]),
            ),
            Self::Test => tests(&["--lib", "--bins", "--tests"]),
            Self::Doctest => tests(&["--doc"]),
            Self::Doc => holds(
                workspace::cargo()
                    .args([
                        "doc",
                        "--workspace",
                        "--exclude",
                        "provost-fuzz",
                        "--no-deps",
                        "--locked",
                        "--quiet",
                    ])
                    .env("RUSTDOCFLAGS", "-Dwarnings"),
            ),
            Self::Tidy => tidy::run().map(|()| Outcome::Holds),
            Self::Deny => deny(),
            Self::Fuzz => fuzz::all(FUZZ, fuzz::Start::Afresh).map(|()| Outcome::Holds),
        }
    }
}

fn holds(command: &mut Command) -> Result<Outcome> {
    let status = command.status().context("cannot start cargo")?;
    let shown = workspace::shown(command);
    ensure!(status.success(), "`{shown}` failed ({status})");
    Ok(Outcome::Holds)
}

fn deny() -> Result<Outcome> {
    let asked = workspace::cargo()
        .args(["deny", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !asked.is_ok_and(|status| status.success()) {
        return Ok(Outcome::Skipped(
            "cargo-deny is not installed; tidy has checked licences, sources and duplicates",
        ));
    }
    // The advisories need a database from the network; these checks do not.
    holds(workspace::cargo().args(["deny", "--offline", "check", "bans", "licenses", "sources"]))
}

/// Runs `cargo test`, shows what it prints, and counts.
fn tests(kind: &[&str]) -> Result<Outcome> {
    let mut command = workspace::cargo();
    command
        .args([
            "test",
            "--workspace",
            // Fuzz targets run without end; the fuzz step bounds them.
            "--exclude",
            "provost-fuzz",
            "--locked",
            "--quiet",
            "--no-fail-fast",
        ])
        .args(kind)
        .stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot start cargo")?;
    let mut counts = Counts::default();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line.context("output of cargo test")?;
            let line = String::from_utf8_lossy(&line);
            counts.add(result_line(&line).unwrap_or_default());
            workspace::print(&format!("{line}\n"))?;
        }
    }
    let status = child.wait().context("cargo test")?;
    ensure!(
        status.success() || counts.failed > 0,
        "`{}` failed ({status}) without a failed test",
        workspace::shown(&command)
    );
    ensure!(counts.passed + counts.failed > 0, "no test was run");
    Ok(Outcome::Tested(counts))
}

/// Reads `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
fn result_line(line: &str) -> Option<Counts> {
    let (_, rest) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |word: &str| {
        let part = rest.split("; ").find_map(|part| part.strip_suffix(word));
        part?.trim().parse().ok()
    };
    Some(Counts {
        passed: count("passed")?,
        failed: count("failed")?,
        skipped: count("ignored")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_counted() {
        let check = |line: &str, expected: Option<(usize, usize, usize)>| {
            let counts = result_line(line).map(|c| (c.passed, c.failed, c.skipped));
            assert_eq!(counts, expected, "{line}");
        };
        let rest = "0 measured; 2 filtered out; finished in 0.00s";
        check(
            &format!("test result: ok. 16 passed; 0 failed; 1 ignored; {rest}"),
            Some((16, 0, 1)),
        );
        check(
            &format!("test result: FAILED. 6 passed; 3 failed; 0 ignored; {rest}"),
            Some((6, 3, 0)),
        );
        check("test result: ok", None);
        check("test parse ... ok", None);
        check("", None);
    }

    #[test]
    fn a_step_that_fails_counts_as_failed() {
        let failed = |outcome| judge(outcome).1.failed;
        assert_eq!(failed(Ok(Outcome::Holds)), 0);
        assert_eq!(failed(Ok(Outcome::Skipped("x"))), 0);
        assert_eq!(failed(Err(anyhow::anyhow!("x"))), 1);
        let counts = Counts {
            failed: 2,
            ..Counts::default()
        };
        assert_eq!(failed(Ok(Outcome::Tested(counts))), 2);
    }
}
