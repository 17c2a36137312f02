//! `provost bench report`: results as tables.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use provost_bench::causes::{causes, causes_text};
use provost_bench::compare::compare;
use provost_bench::metrics::measure;
use provost_bench::record;
use provost_bench::report::{LEGEND, Style, tables};
use serde_json::json;

/// Arguments of `provost bench report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Results of `provost bench`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print them
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// List what went wrong, by cause, the commonest first
    #[arg(long)]
    causes: bool,
    /// Say what changed from these results
    #[arg(long, value_name = "FILE", conflicts_with = "causes")]
    since: Option<PathBuf>,
    /// How many causes or changes of each kind to list
    #[arg(long, value_name = "N", default_value_t = 30)]
    most: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For a page or an issue
    Markdown,
    /// For a program
    Json,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ReportArgs) -> anyhow::Result<ExitCode> {
    let mut records = Vec::new();
    for file in &args.files {
        records.extend(record::read(file)?);
    }
    let mut out = io::stdout().lock();
    let written = match args.format {
        Format::Json => {
            let groups: Vec<_> = measure(&records)
                .into_iter()
                .map(|(group, measures)| json!({"group": group, "measures": measures}))
                .collect();
            let document = json!({"groups": groups, "causes": causes(&records)});
            writeln!(out, "{document:#}")
        }
        Format::Text | Format::Markdown => {
            let style = if args.format == Format::Text {
                Style::Plain
            } else {
                Style::Markdown
            };
            let more = match &args.since {
                Some(before) => compare(&record::read(before)?, &records, args.most),
                None if args.causes => causes_text(&records, args.most),
                None => String::new(),
            };
            write!(out, "{}\n{LEGEND}{more}", tables(&records, style))
        }
    };
    match written {
        // The reader of our output has seen enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::from(141)),
        other => Ok(other.map(|()| ExitCode::SUCCESS)?),
    }
}
