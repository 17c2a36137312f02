//! The verdicts in order, written as they become ready; and what is said at the end.

use std::collections::BTreeMap;
use std::io::{self, Write};

use provost_llm::runs::WarningKind;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Format;
use super::effects::Tools;
use super::fault::Fault;
use super::judge::{Audited, Body, Counts, Judged};
use super::paths::Name;
use super::text::{self, plain};
use crate::report::{self, RunView};

/// Faults of one source that are listed; the rest is counted.
const LISTED: usize = 100;
/// Files without runs that are listed for people; the rest is counted.
const LISTED_FILES: usize = 20;

/// Writes results in one format.
pub(crate) struct Output<'a> {
    out: Box<dyn Write + Send + 'a>,
    format: Format,
    name: Name,
    /// Number of the next run of the source.
    run: usize,
    /// Runs of the source that were audited.
    audited: usize,
    /// Faults of the source so far.
    faults: usize,
    /// What is no run in a source that was found, not named: faults, unless there is nothing else in it.
    foreign: Vec<(usize, Fault)>,
    /// How much more of it there is than is kept.
    foreign_more: usize,
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
    /// Files of a folder or a pattern that are something else than runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) passed_over: Vec<PassedOver>,
    /// The tools that were called.
    #[serde(skip)]
    pub(crate) tools: Tools,
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

/// A file that is something else than runs.
#[derive(Debug, Serialize)]
pub(crate) struct PassedOver {
    source: String,
    path: String,
    why: String,
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
            audited: 0,
            faults: 0,
            foreign: Vec::new(),
            foreign_more: 0,
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
        self.audited = 0;
        self.faults = 0;
    }

    /// The source ends; one without any run is a fault, unless it was only found beside others and is no broken run.
    pub(crate) fn source_ends(&mut self) {
        if self.is_foreign() && !self.foreign.is_empty() {
            let fault = self.foreign.drain(..).next().map(|(_, fault)| fault);
            self.foreign_more = 0;
            self.summary.passed_over.push(PassedOver {
                source: std::mem::take(&mut self.name.source),
                path: std::mem::take(&mut self.name.path),
                why: fault.map(|fault| fault.error).unwrap_or_default(),
            });
            return;
        }
        self.refuse_foreign();
        if self.run == 0 && self.faults == 0 {
            self.fault(Fault::no_runs("there is no run in it, only headers"));
        }
    }

    /// The next run of the source.
    pub(crate) fn judged(&mut self, judged: Judged) -> io::Result<()> {
        match judged {
            Judged::Header => return Ok(()),
            Judged::NoRun(fault) if self.is_foreign() => self.foreign(fault),
            Judged::NoRun(fault) | Judged::Fault(fault) => {
                self.refuse_foreign();
                self.skip(Some(self.run), fault);
            }
            Judged::Run(audited) => self.audited(*audited)?,
        }
        self.run += 1;
        Ok(())
    }

    /// Something that is no run and should be.
    pub(crate) fn fault(&mut self, fault: Fault) {
        self.refuse_foreign();
        self.skip(None, fault);
    }

    /// Whether the source may be something else than runs, so far.
    fn is_foreign(&self) -> bool {
        self.name.found && self.audited == 0 && self.faults == 0
    }

    fn foreign(&mut self, fault: Fault) {
        if self.foreign.len() < LISTED {
            self.foreign.push((self.run, fault));
        } else {
            self.foreign_more += 1;
        }
    }

    /// What is no run stands between runs: it should have been one.
    fn refuse_foreign(&mut self) {
        for (run, fault) in std::mem::take(&mut self.foreign) {
            self.skip(Some(run), fault);
        }
        self.summary.skipped_more += std::mem::take(&mut self.foreign_more);
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
        self.refuse_foreign();
        self.audited += 1;
        self.summary.count(&audited.counts);
        self.summary.tools.add(audited.tools);
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
        !self.skipped.is_empty() || (self.runs == 0 && !self.passed_over.is_empty())
    }

    /// The summary for people; `named`: whether they named a policy.
    pub(crate) fn write(&self, named: bool, mut out: impl Write) -> io::Result<()> {
        self.write_skipped(&mut out)?;
        for (note, times) in &self.notes {
            writeln!(out, "note: {note}: {}", text::count(*times, "time"))?;
        }
        self.tools.write(named, &mut out)?;
        if self.runs == 0 && self.skipped.is_empty() {
            writeln!(out, "nothing to audit: no run was found")?;
        }
        write!(
            out,
            "{}, {}: {} released, {} blocked, {} for a person to approve; {} skipped",
            text::count(self.runs, "run"),
            text::count(self.calls, "call"),
            self.released,
            self.blocked,
            self.approvals,
            self.skipped.len() + self.skipped_more
        )?;
        if !self.passed_over.is_empty() {
            let files = text::count(self.passed_over.len(), "file");
            write!(out, ", {files} without runs passed over")?;
        }
        writeln!(out)
    }

    fn write_skipped(&self, out: &mut impl Write) -> io::Result<()> {
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
        for file in self.passed_over.iter().take(LISTED_FILES) {
            let (path, why) = (plain(&file.path), plain(&file.why));
            writeln!(out, "passed over: {path} holds no run: {why}")?;
        }
        if self.passed_over.len() > LISTED_FILES {
            let more = self.passed_over.len() - LISTED_FILES;
            writeln!(out, "passed over: {} more", text::count(more, "file"))?;
        }
        Ok(())
    }
}
