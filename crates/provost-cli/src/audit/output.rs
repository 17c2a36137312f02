//! The verdicts in order, written as they become ready; and what is said at the end.

use std::collections::BTreeMap;
use std::io::{self, Write};

use provost_llm::runs::WarningKind;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Format;
use super::fault::Fault;
use super::judge::{Audited, Body, Counts, Judged};
use super::paths::Name;
use super::text::{self, plain};
use crate::report::{self, RunView};

/// Faults of one source that are listed; the rest is counted.
const LISTED: usize = 100;

/// Writes results in one format.
pub(crate) struct Output<'a> {
    out: Box<dyn Write + Send + 'a>,
    format: Format,
    name: Name,
    /// Number of the next run of the source.
    run: usize,
    /// Faults of the source so far.
    faults: usize,
    /// What the page will show.
    views: Vec<RunView>,
    /// Everything so far.
    pub(crate) summary: Summary,
}

/// What is said at the end.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Summary {
    /// Runs that were audited.
    pub(crate) runs: usize,
    /// Their calls.
    pub(crate) calls: usize,
    /// Calls that were released.
    pub(crate) released: usize,
    /// Calls that were blocked.
    pub(crate) blocked: usize,
    /// Calls that a person must decide.
    pub(crate) approvals: usize,
    /// What was skipped.
    pub(crate) skipped: Vec<Skipped>,
    /// How much more was skipped than is listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) skipped_more: usize,
    /// What was peculiar, and how often.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) notes: BTreeMap<String, usize>,
}

/// Something that was skipped.
#[derive(Debug, Serialize)]
pub(crate) struct Skipped {
    source: String,
    path: String,
    /// Number of the run, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<usize>,
    #[serde(flatten)]
    fault: Fault,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// One line of the JSON Lines output.
#[derive(Serialize)]
struct Line<'a> {
    source: &'a str,
    run: usize,
    calls: &'a RawValue,
}

/// One element of the JSON output's `runs`.
#[derive(Serialize)]
struct Element<'a> {
    source: &'a str,
    path: &'a str,
    run: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    calls: &'a RawValue,
}

impl<'a> Output<'a> {
    /// An output to `out`.
    pub(crate) fn new(out: Box<dyn Write + Send + 'a>, format: Format) -> Self {
        Self {
            out,
            format,
            name: Name::default(),
            run: 0,
            faults: 0,
            views: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// What stands before the first run.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        match self.format {
            Format::Json => self.out.write_all(b"{\"runs\":["),
            Format::Text | Format::Jsonl | Format::Html => Ok(()),
        }
    }

    /// The next source begins.
    pub(crate) fn source(&mut self, name: Name) {
        self.name = name;
        self.run = 0;
        self.faults = 0;
    }

    /// The source ends; one without any run is a fault.
    pub(crate) fn source_ends(&mut self) {
        if self.run == 0 && self.faults == 0 {
            self.fault(Fault::no_runs("there is no run in it, only headers"));
        }
    }

    /// The next run of the source.
    pub(crate) fn judged(&mut self, judged: Judged) -> io::Result<()> {
        match judged {
            Judged::Header => return Ok(()),
            Judged::Fault(fault) => self.skip(Some(self.run), fault),
            Judged::Run(audited) => self.audited(*audited)?,
        }
        self.run += 1;
        Ok(())
    }

    /// Something that is no run and should be.
    pub(crate) fn fault(&mut self, fault: Fault) {
        self.skip(None, fault);
    }

    fn skip(&mut self, run: Option<usize>, fault: Fault) {
        self.faults += 1;
        if self.faults > LISTED {
            self.summary.skipped_more += 1;
            return;
        }
        self.summary.skipped.push(Skipped {
            source: self.name.source.clone(),
            path: self.name.path.clone(),
            run,
            fault,
        });
    }

    fn audited(&mut self, audited: Audited) -> io::Result<()> {
        self.summary.count(&audited.counts);
        for warning in &audited.warnings {
            self.summary.note(warning.kind);
        }
        match audited.body {
            Body::Text(lines) => {
                let id = audited.id.as_deref();
                let line = text::run_line(&self.name.path, self.run, id, &audited.counts);
                self.out.write_all(line.as_bytes())?;
                self.out.write_all(lines.as_bytes())?;
            }
            Body::Calls(calls) => self.calls(calls, audited.id.as_deref())?,
            // A page is written whole.
            Body::View(mut view) => {
                view.source.clone_from(&self.name.path);
                view.run = self.run;
                view.id = audited.id;
                self.views.push(*view);
            }
        }
        // At once: what was computed must not be lost to whatever happens next.
        self.out.flush()
    }

    fn calls(&mut self, calls: String, id: Option<&str>) -> io::Result<()> {
        let (source, run) = (self.name.source.as_str(), self.run);
        let calls = &*RawValue::from_string(calls)?;
        if self.format == Format::Jsonl {
            let line = serde_json::to_string(&Line { source, run, calls })?;
            return writeln!(self.out, "{line}");
        }
        let element = serde_json::to_string(&Element {
            source,
            path: &self.name.path,
            run,
            id,
            calls,
        })?;
        let before = if self.summary.runs == 1 { "" } else { "," };
        write!(self.out, "{before}\n{element}")
    }

    /// What stands after the last run.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        match self.format {
            Format::Json => {
                let summary = serde_json::to_string(&self.summary)?;
                writeln!(self.out, "\n],\"summary\":{summary}}}")?;
            }
            Format::Html => self.out.write_all(report::html(&self.views).as_bytes())?,
            Format::Text | Format::Jsonl => {}
        }
        self.out.flush()
    }
}

impl Summary {
    fn count(&mut self, counts: &Counts) {
        self.runs += 1;
        self.calls += counts.calls;
        self.released += counts.released;
        self.blocked += counts.blocked;
        self.approvals += counts.approvals;
    }

    fn note(&mut self, kind: WarningKind) {
        *self.notes.entry(kind.to_string()).or_default() += 1;
    }

    /// Whether something could not be audited.
    pub(crate) fn is_incomplete(&self) -> bool {
        !self.skipped.is_empty()
    }

    /// The summary for people.
    pub(crate) fn write(&self, mut out: impl Write) -> io::Result<()> {
        for skipped in &self.skipped {
            write!(out, "skipped: {}", plain(&skipped.path))?;
            if let Some(run) = skipped.run {
                write!(out, ", run {run}")?;
            }
            let fault = &skipped.fault;
            if let Some(at) = fault.place {
                write!(out, ", line {}, byte {}", at.line, at.byte)?;
            }
            writeln!(out, ": {}", plain(&fault.error))?;
            writeln!(out, "  expected: {}", fault.expected)?;
            writeln!(out, "  remedy: {}", fault.remedy)?;
        }
        if self.skipped_more > 0 {
            writeln!(out, "skipped: {} more in the same files", self.skipped_more)?;
        }
        for (note, times) in &self.notes {
            writeln!(out, "note: {note}: {}", text::count(*times, "time"))?;
        }
        writeln!(
            out,
            "{}, {}: {} released, {} blocked, {} for a person to approve; {} skipped",
            text::count(self.runs, "run"),
            text::count(self.calls, "call"),
            self.released,
            self.blocked,
            self.approvals,
            self.skipped.len() + self.skipped_more
        )
    }
}
