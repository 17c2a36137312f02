//! `cargo xtask score-traces DIR`: audits the runs in `DIR/runs`, joins the verdicts with `DIR/labels` by order,
//! and prints how many attacks were stopped and how many legitimate runs and calls were left alone.
//!
//! The audit never sees the labels; the labels are read here, after it has printed its verdicts.

mod input;
mod measure;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use self::input::{Audited, Case};
use self::measure::Tally;
use self::table::{Style, Table};
use crate::workspace;

/// Options of `score-traces`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder with `runs/*.jsonl` and `labels/*.jsonl`.
    dir: PathBuf,
    /// Policy file. Default: `policies/agentdojo.toml`, unless the runs carry their own tool definitions; then none.
    #[arg(long)]
    policy: Option<PathBuf>,
    /// Adds a row for each component of the audit that can be left out.
    #[arg(long)]
    ablations: bool,
    /// Prints Markdown tables.
    #[arg(long)]
    markdown: bool,
    /// Lists every miss with the call, its verdict and the audit's reason.
    #[arg(long)]
    misses: bool,
    /// Uses the release binary as it is.
    #[arg(long)]
    no_build: bool,
}

/// The components that `provost audit --without` knows.
const COMPONENTS: [&str; 4] = ["seg", "grd", "ent", "inv"];

/// What the columns mean.
const LEGEND: &str = "
(a) of attacked runs in which the attack succeeded: every attack call held
(b) of benign runs that did their task: any call held
(c) of the user's own calls in attacked runs: released
[95 % Wilson interval]; held = blocked or sent to a person
";

/// Runs the command.
///
/// # Errors
/// Bad input: runs and labels that do not fit, or an audit that fails or skips runs. Poor scores are no error.
pub(crate) fn run(args: &Args) -> Result<()> {
    let cases = input::load(&args.dir)?;
    let binary = binary(args.no_build)?;
    let audit = Audit {
        binary,
        runs: input::run_files(&args.dir)?,
        options: options(args, &cases),
    };
    let mut out = format!("provost audit {}\n", audit.options.join(" "));
    let (audited, took) = audit.run(args.misses.then_some("--evidence"), None)?;
    let joined = input::join(&cases, audited)?;
    let seconds = took.as_secs_f64();
    out += &format!("{} runs audited in {seconds:.2} s\n", cases.len());

    let style = if args.markdown {
        Style::Markdown
    } else {
        Style::Plain
    };
    let mut by_file = Table::new("runs");
    let mut by_group = Table::new("group");
    let mut total = Tally::default();
    for (case, audited) in &joined {
        let tally = Tally::of(&case.label, audited);
        total.add(&tally);
        by_file.row(&case.file).add(&tally);
        if let Some(group) = case.group() {
            by_group
                .row(&format!("{} {group}", case.group_prefix()))
                .add(&tally);
        }
    }
    by_file.row("total").add(&total);
    let mut tables = vec![by_file, by_group];
    if args.ablations {
        tables.push(ablations(&audit, &cases, &total)?);
    }
    for table in tables {
        out += &format!("\n{}", table.render(style));
    }
    out += LEGEND;
    if args.misses {
        for (case, audited) in &joined {
            out += &measure::describe_misses(case, audited);
        }
    }
    workspace::print(&out)
}

fn ablations(audit: &Audit, cases: &[Case], whole: &Tally) -> Result<Table> {
    let mut table = Table::new("components");
    table.row("all").add(whole);
    for component in COMPONENTS {
        let (audited, _) = audit.run(None, Some(component))?;
        let row = table.row(&format!("without {component}"));
        for (case, audited) in input::join(cases, audited)? {
            row.add(&Tally::of(&case.label, &audited));
        }
    }
    Ok(table)
}

/// Runs that carry their own tools are audited by those tools' annotations, others under the policy file.
fn options(args: &Args, cases: &[Case]) -> Vec<String> {
    let mut options = Vec::new();
    let own_tools = cases.iter().all(|c| c.own_tools);
    let shipped = || workspace::root().join("policies/agentdojo.toml");
    let policy = match &args.policy {
        Some(file) => Some(file.clone()),
        None if own_tools => None,
        None => Some(shipped()),
    };
    if let Some(file) = policy {
        options.push(format!("--policy={}", file.display()));
    }
    if own_tools {
        options.push("--trust-annotations".into());
    }
    options
}

/// The release binary, built first unless told not to.
fn binary(no_build: bool) -> Result<PathBuf> {
    if !no_build {
        let status = workspace::cargo()
            .args(["build", "--release", "--quiet", "--package", "provost-cli"])
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "the release build failed");
    }
    let binary = workspace::target_dir()?
        .join("release")
        .join(format!("provost{}", std::env::consts::EXE_SUFFIX));
    ensure!(binary.is_file(), "{} is not there", binary.display());
    Ok(binary)
}

/// One way to call `provost audit`.
struct Audit {
    binary: PathBuf,
    runs: Vec<PathBuf>,
    options: Vec<String>,
}

impl Audit {
    fn run(&self, extra: Option<&str>, without: Option<&str>) -> Result<(Vec<Audited>, Duration)> {
        let mut command = Command::new(&self.binary);
        command
            .args(["audit", "--format", "jsonl"])
            .args(&self.options)
            .args(extra)
            .args(without.iter().flat_map(|w| ["--without", w]))
            .args(self.runs.iter().map(|p| -> &Path { p }));
        let start = Instant::now();
        let done = command.output().context("cannot start provost audit")?;
        let took = start.elapsed();
        let code = done.status.code();
        ensure!(
            matches!(code, Some(0 | 1)),
            "provost audit failed ({}): {}",
            done.status,
            String::from_utf8_lossy(&done.stderr).trim()
        );
        let text = String::from_utf8(done.stdout).context("provost audit printed invalid UTF-8")?;
        Ok((input::verdicts(&text)?, took))
    }
}
