//! `provost report`: what the results of `provost bench` say.

mod curves;
mod draw;
mod heat;
mod page;
mod plane;
mod rates;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use provost_bench::compare::{Change, changes_csv, changes_text, compare};
use provost_bench::report::{Style, causes_text, definitions_text, tables_text, to_csv, to_json};
use provost_bench::{Record, about, record};

use crate::written::written;

pub(crate) const ABOUT: &str = "\
Shows what the results of `provost bench` say, in the papers' own table: attack success, utility, refusal, cost, each with \
its 95 % Wilson interval and its definition; with --causes, every attack that succeeded and every task that was lost, by \
cause; with --since, what changed from other results, with the interval of the difference.

The same results always give the same report, byte for byte.";

const AFTER: &str = "\
Exit status: 0 reported, 2 bad usage, or results that are not there or cannot be read.

Examples:
  provost report results
      The tables
  provost report results --causes
      And what went wrong, the commonest first
  provost report results --format csv -o results.csv
      A line a measure, for a spreadsheet
  provost report results --format html -o results.html
      A page to look at, in any browser, also from a disk
  provost report results --since before
      What changed, of the runs that both hold";

/// Arguments of `provost report`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct ReportArgs {
    /// Folders of results, as given to `provost bench` as --out
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// How to print them
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// List what went wrong, by cause, the commonest first
    #[arg(long)]
    causes: bool,
    /// Say what changed from these results
    #[arg(long, value_name = "DIR")]
    since: Option<PathBuf>,
    /// How many causes or changes of each kind the text lists
    #[arg(long, value_name = "N", default_value_t = 30)]
    most: usize,
    /// Where to write the report instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For a page or an issue
    Markdown,
    /// For a spreadsheet: a line a measure; with --since, a line a difference
    Csv,
    /// For a program: everything
    Json,
    /// One self-contained page to look at
    Html,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ReportArgs) -> anyhow::Result<ExitCode> {
    if let Some(output) = &args.output {
        spare(output, args.folders.iter().chain(&args.since))?;
    }
    let records = read(&args.folders)?;
    let since = args.since.as_deref().map(record::read).transpose()?;
    let changes = since.map(|before| compare(&before, &records));
    let report = match args.format {
        Format::Text => text(args, &records, changes.as_deref(), Style::Plain),
        Format::Markdown => text(args, &records, changes.as_deref(), Style::Markdown),
        Format::Csv => changes
            .as_deref()
            .map_or_else(|| to_csv(&records), changes_csv),
        Format::Json => {
            let mut document = to_json(&records);
            if let Some(changes) = &changes {
                document["changes"] = serde_json::to_value(changes)?;
            }
            format!("{document:#}\n")
        }
        Format::Html => page::html(&records, changes.as_deref()),
    };
    written(args.output.as_deref(), &report)
}

/// Whether the report can go to `output` and leave all that it is read from, and the rest of each folder of results.
fn spare<'a>(output: &Path, inputs: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    // A file that is not there yet is known by its folder.
    let place = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    let target = place(output);
    for input in inputs {
        let files = [
            input.clone(),
            input.join(record::FILE),
            input.join(about::FILE),
        ];
        if target.is_some() && files.iter().any(|file| place(file) == target) {
            anyhow::bail!(
                "{} belongs to the results in {}; the report would overwrite it\n  remedy: name another file as --output",
                output.display(),
                input.display()
            );
        }
    }
    Ok(())
}

/// The runs in all folders, each of which may be in one only.
fn read(folders: &[PathBuf]) -> anyhow::Result<Vec<Record>> {
    let mut all: Vec<Record> = Vec::new();
    let mut seen: HashMap<_, &Path> = HashMap::new();
    for folder in folders {
        for record in record::read(folder)? {
            if let Some(other) = seen.insert(record.key(), folder) {
                if other.canonicalize().ok() == folder.canonicalize().ok() {
                    anyhow::bail!("{} is named twice", folder.display());
                }
                anyhow::bail!(
                    "{} and {} both hold {} of {} with {}; to compare them: provost report {1} --since {0}",
                    other.display(),
                    folder.display(),
                    record.case,
                    record.agent,
                    record.defense,
                );
            }
            all.push(record);
        }
    }
    all.sort_by_cached_key(Record::key);
    Ok(all)
}

fn text(args: &ReportArgs, records: &[Record], changes: Option<&[Change]>, style: Style) -> String {
    let mut out = tables_text(records, style, true) + "\n" + &definitions_text(records, style);
    if let Some(changes) = changes {
        out += &changes_text(changes, style, args.most);
    }
    if args.causes {
        out += &causes_text(records, style, args.most);
    }
    out
}
