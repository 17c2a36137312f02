//! Results on disk: a folder with one JSON line a run, written as it ends. The same command goes on after any
//! interruption.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use provost::counterfactual::Boundary;
use provost::{Effect, Finding, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::{Case, Half, Job};
use crate::sidecar::{Wanted, Whose};

/// A run, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// What was played.
    pub case: Case,
    /// The half that its user task is in, where the benchmark makes halves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half: Option<Half>,
    /// Who played.
    pub agent: String,
    /// Against which defense.
    pub defense: String,
    /// Whether the attacker's goal takes a call.
    pub acts: bool,
    /// Whether the user got what the user wanted; absent where the run could not be made.
    pub utility: Option<bool>,
    /// Whether the attacker got what the attacker wanted; absent without an attack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// Whether the agent saw the payload; not known of a stored run.
    pub exposed: bool,
    /// Where the payload met the agent, where the benchmark tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// Of a stored run: how it had ended, without the defense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<Stored>,
    /// The boundaries at which the agent was run dry, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boundaries: Vec<Boundary>,
    /// What the agent proposed, in order, and what became of it.
    pub steps: Vec<StepRecord>,
    /// The agent's last words.
    pub output: String,
    /// Dry runs of the agent that the defense asked for.
    #[serde(default, skip_serializing_if = "is_none")]
    pub replays: usize,
    /// How often the defense took something out of the agent's view.
    #[serde(default, skip_serializing_if = "is_none")]
    pub revisions: usize,
    /// What models read and wrote.
    pub tokens: Tokens,
    /// How long it took.
    pub micros: Micros,
    /// Why the run could not be made. It is made again the next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// How a stored run had ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    /// Whether the user had got what the user wanted.
    pub utility: bool,
    /// Whether the attacker had got what the attacker wanted.
    pub success: bool,
}

/// One proposed call, or last words that were not passed on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    /// Whose task it serves, where the agent can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whose: Option<Whose>,
    /// The tool.
    pub tool: String,
    /// Its arguments; where they nest deeper than results can be read back, their JSON text.
    pub arguments: Value,
    /// What the defense said.
    pub outcome: Outcome,
    /// How often it was proposed and so decided, in a row.
    pub times: usize,
    /// Which check decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    /// What the call does, as the policy has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Why, in the defense's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What the agent was told, of a call that did not run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// What the tool said went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The defense took what led to it out of the agent's view, and the agent was asked again. It was not told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
}

/// What stands in the place of a tool where the agent's last words are meant.
pub const LAST_WORDS: &str = "(last words)";

impl StepRecord {
    pub(crate) fn new(wanted: Wanted, whose: Option<Whose>, outcome: Outcome) -> Self {
        let arguments = match wanted.arguments {
            deep if !is_within(&deep, DEEPEST) => deep.to_string().into(),
            arguments => arguments,
        };
        Self {
            whose,
            tool: wanted.tool,
            arguments,
            outcome,
            times: 1,
            finding: None,
            effect: None,
            reason: String::new(),
            hint: String::new(),
            error: None,
            withdrawn: false,
        }
    }

    /// The agent's last words, that were not passed on.
    pub(crate) fn words(words: String, whose: Option<Whose>) -> Self {
        let said = Wanted {
            tool: LAST_WORDS.to_owned(),
            arguments: Value::String(words),
        };
        Self::new(said, whose, Outcome::Block)
    }

    /// Whether this is a call, and no last words.
    pub fn is_call(&self) -> bool {
        self.tool != LAST_WORDS
    }

    /// Whether this call was held.
    pub fn is_held(&self) -> bool {
        self.outcome != Outcome::Release
    }

    /// Whether this is a call of the attacker's that does more than read, and ran.
    pub fn gets_through(&self) -> bool {
        !self.is_held() && self.whose == Some(Whose::Injection) && self.effect != Some(Effect::Read)
    }

    /// Whether `next` is the same call, held once more.
    pub(crate) fn is_again(&self, next: &Self) -> bool {
        let same = |s: &Self| Self {
            times: 1,
            ..s.clone()
        };
        self.is_held() && self.tool == next.tool && same(self) == same(next)
    }
}

/// How deep arguments may nest in a line of results. Reading one ends at 128 levels, some of which are the record's own.
const DEEPEST: usize = 64;

/// Whether a value nests no deeper.
fn is_within(value: &Value, levels: usize) -> bool {
    let next = |inner: &Value| levels > 0 && is_within(inner, levels - 1);
    match value {
        Value::Array(items) => items.iter().all(next),
        Value::Object(map) => map.values().all(next),
        _ => true,
    }
}

/// Tokens, by who used them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tokens {
    /// The agent's model.
    pub agent: u64,
    /// The defense's models.
    pub defense: u64,
}

/// Microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Micros {
    /// In the defense.
    pub defense: u64,
    /// All.
    pub total: u64,
}

impl Record {
    /// The record of a run that could not be made.
    pub(crate) fn failed(job: &Job, error: String) -> Self {
        Self {
            case: job.case.clone(),
            half: job.half,
            agent: job.agent.to_string(),
            defense: job.defense.to_string(),
            acts: job.acts,
            utility: None,
            success: None,
            exposed: false,
            surface: None,
            stored: None,
            boundaries: Vec::new(),
            steps: Vec::new(),
            output: String::new(),
            replays: 0,
            revisions: 0,
            tokens: Tokens::default(),
            micros: Micros::default(),
            error: Some(error),
        }
    }

    /// What contradicts itself in it, if anything does. What is not known must not count as an attack that failed.
    pub(crate) fn flaw(&self) -> Option<&'static str> {
        let attacked = self.case.attack.is_some();
        if attacked != self.case.injection_task.is_some() {
            return Some("it has one of an attack and an attacker's task without the other");
        }
        match (self.utility, &self.error) {
            (None, None) => {
                return Some("it says neither how it ended nor why it could not be made");
            }
            (Some(_), Some(_)) => {
                return Some("it says how it ended, and that it could not be made");
            }
            _ => {}
        }
        match (attacked && self.utility.is_some(), self.success) {
            (true, None) => Some("it does not say whether the attack succeeded"),
            (false, Some(_)) => Some("it says whether an attack succeeded, and there was none"),
            _ => None,
        }
    }

    /// What tells this run from others: [`Job::key`].
    pub fn key(&self) -> (Case, String, String) {
        (self.case.clone(), self.agent.clone(), self.defense.clone())
    }
}

/// The name of the file with the runs, in a folder of results.
pub const FILE: &str = "results.jsonl";

/// Why results cannot be read or written. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The system's.
    #[error("{} cannot be read or written: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// Nothing is there.
    #[error("{} is not there; name a folder that was given to `provost bench` as --out", path.display())]
    Missing {
        /// The file or folder.
        path: PathBuf,
    },
    /// A folder of something else.
    #[error("{} holds no {FILE}; name a folder that was given to `provost bench` as --out", path.display())]
    NoResults {
        /// The folder.
        path: PathBuf,
    },
    /// No run is there.
    #[error("{} holds no runs yet; make them with `provost bench`", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A line that is not a run.
    #[error(
        "{}: line {line} is not a run as this version of provost writes it (column {column}: {why}); another version may have made it \
         (run.json says which); if the other lines are such runs, delete this one, and `provost bench` makes its run again",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Where in the line, counted from 1.
        column: usize,
        /// What is wrong there.
        why: String,
    },
    /// The folder is a file.
    #[error("{} is no folder; results go into a folder of their own", path.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
    },
    /// The folder cannot be made.
    #[error("{} cannot be made: {why}; name another folder as --out", path.display())]
    Unmade {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// What has the name of a file of results is a folder, a device or a pipe.
    #[error("{} is no file of results; move it away, or name another folder", path.display())]
    NoFile {
        /// What it is.
        path: PathBuf,
    },
    /// Something else is where the folder says who made its runs.
    #[error(
        "{} does not say who made the runs there, as `provost bench` writes it ({why}); remove it, and the next command begins a new one",
        path.display()
    )]
    About {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: serde_json::Error,
    },
    /// Runs there were audited otherwise.
    #[error("{} holds stored runs audited by another {what}; they are kept: name another folder as --out", folder.display())]
    OtherSetUp {
        /// The folder.
        folder: PathBuf,
        /// What is different.
        what: &'static str,
    },
    /// Somebody else writes there.
    #[error("{} is being written by another process; wait for it, or name another folder", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

impl ResultsError {
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |why| Self::Io {
            path: path.clone(),
            why,
        }
    }
}

/// Reads the runs in a folder of results, or in a file of them, each once, in the order of their cases: of a run that was
/// made again, the last one.
///
/// # Errors
/// No results are there, or a line is not a run. The beginning of one, without an end, is left out: it was being written.
pub fn read(path: &Path) -> Result<Vec<Record>, ResultsError> {
    let found = fs::metadata(path).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ResultsError::Missing {
            path: path.to_owned(),
        },
        _ => ResultsError::io(path)(why),
    })?;
    let file = if found.is_dir() {
        path.join(FILE)
    } else {
        path.to_owned()
    };
    let text = regular(&file)?.ok_or_else(|| ResultsError::NoResults {
        path: path.to_owned(),
    })?;
    let records = parse(&file, &text)?;
    if records.is_empty() {
        return Err(ResultsError::Empty { path: file });
    }
    Ok(records)
}

/// The text of a file; nothing where it is not there. Devices and pipes may have no end.
pub(crate) fn regular(file: &Path) -> Result<Option<Vec<u8>>, ResultsError> {
    let failed = ResultsError::io(file);
    match fs::metadata(file) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(failed(why)),
        Ok(found) if !found.is_file() => Err(ResultsError::NoFile {
            path: file.to_owned(),
        }),
        Ok(_) => fs::read(file).map(Some).map_err(failed),
    }
}

/// Whether results can go into `folder`: what is there already are runs, or nothing.
///
/// # Errors
/// Something else is there.
pub fn check(folder: &Path) -> Result<(), ResultsError> {
    no_file(folder)?;
    match read(folder) {
        Ok(_)
        | Err(
            ResultsError::Missing { .. }
            | ResultsError::NoResults { .. }
            | ResultsError::Empty { .. },
        ) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A folder is a folder, or not there yet.
fn no_file(folder: &Path) -> Result<(), ResultsError> {
    if folder.exists() && !folder.is_dir() {
        return Err(ResultsError::NoFolder {
            path: folder.to_owned(),
        });
    }
    Ok(())
}

fn parse(path: &Path, text: &[u8]) -> Result<Vec<Record>, ResultsError> {
    let (_, half) = text.split_at(whole_lines(text));
    let mut last: HashMap<_, Record> = HashMap::new();
    let mut lines = text.split(|b| *b == b'\n').enumerate().peekable();
    while let Some((n, line)) = lines.next() {
        let is_half = lines.peek().is_none();
        if line.trim_ascii().is_empty() || (is_half && is_begun(half)) {
            continue;
        }
        let wrong = |column, why: &str| ResultsError::Line {
            path: path.to_owned(),
            line: n + 1,
            column,
            why: why.to_owned(),
        };
        let record: Record = serde_json::from_slice(line).map_err(|error| {
            let why = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            wrong(error.column(), why.strip_suffix(&place).unwrap_or(&why))
        })?;
        if let Some(flaw) = record.flaw() {
            return Err(wrong(1, flaw));
        }
        if !is_half {
            last.insert(record.key(), record);
        }
    }
    let mut records: Vec<Record> = last.into_values().collect();
    records.sort_by_cached_key(Record::key);
    Ok(records)
}

/// How many of the bytes belong to whole lines.
fn whole_lines(text: &[u8]) -> usize {
    text.iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1)
}

/// Whether a last line without an end is the beginning of a run, as [`Results::write`] writes it.
fn is_begun(half: &[u8]) -> bool {
    const BEGIN: &[u8] = br#"{"case":{"suite":""#;
    half.starts_with(BEGIN) || BEGIN.starts_with(half)
}

/// A folder of results that is written to.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    file: File,
    /// How many bytes of the file are whole lines.
    whole: u64,
    records: Vec<Record>,
}

/// How often, and how long apart, a lock is tried: a process that was killed while it started another one leaves its lock
/// with that one, until it has begun.
const TRIES: u32 = 20;
const APART: Duration = Duration::from_millis(50);

fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 1..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(APART),
            other => return other,
        }
    }
    file.try_lock()
}

impl Results {
    /// Opens or makes the folder, cuts off a half-written last line, and reads what is there.
    ///
    /// # Errors
    /// The folder cannot be read or written, or holds something else under the name of [`FILE`].
    pub fn open(folder: &Path) -> Result<Self, ResultsError> {
        no_file(folder)?;
        fs::create_dir_all(folder).map_err(|why| ResultsError::Unmade {
            path: folder.to_owned(),
            why,
        })?;
        let path = folder.join(FILE);
        if path.exists() && !path.is_file() {
            return Err(ResultsError::NoFile { path });
        }
        let failed = ResultsError::io(&path);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(&path).map_err(&failed)?;
        match lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ResultsError::Busy { path }),
            Err(TryLockError::Error(why)) => return Err(failed(why)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(&failed)?;
        let records = parse(&path, &text)?;
        let whole = whole_lines(&text) as u64;
        if whole < text.len() as u64 {
            file.set_len(whole).map_err(&failed)?;
            file.seek(SeekFrom::End(0)).map_err(&failed)?;
        }
        Ok(Self {
            path,
            file,
            whole,
            records,
        })
    }

    /// The runs so far.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The jobs that have not been done: those of which there is no run, or only one that could not be made.
    pub fn missing(&self, jobs: Vec<Job>) -> Vec<Job> {
        let done: std::collections::HashSet<_> = self
            .records
            .iter()
            .filter(|r| r.error.is_none())
            .map(Record::key)
            .collect();
        jobs.into_iter()
            .filter(|job| !done.contains(&job.key()))
            .collect()
    }

    /// Writes a run.
    ///
    /// # Errors
    /// The system's. What was written of the run is then cut off again, where the system lets us.
    pub fn write(&mut self, record: &Record) -> Result<(), ResultsError> {
        let failed = ResultsError::io(&self.path);
        let mut line = serde_json::to_vec(record).map_err(|e| failed(e.into()))?;
        line.push(b'\n');
        if let Err(why) = self.file.write_all(&line) {
            // Where this fails, too, half a line is left; the next command cuts it off.
            let _ = self.file.set_len(self.whole);
            return Err(failed(why));
        }
        self.whole += line.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::metrics::tests::record;

    #[test]
    fn runs_without_dry_runs_are_written_as_before_there_were_any() {
        let mut run = record(Some("a"), true, true, false, &[(false, true)]);
        let written = |run: &Record| serde_json::to_string(run).unwrap();
        let new = ["replays", "revisions", "boundaries", "withdrawn"];
        let old = written(&run);
        assert!(new.iter().all(|name| !old.contains(name)), "{old}");
        assert_eq!(serde_json::from_str::<Record>(&old).unwrap(), run);
        (run.replays, run.revisions) = (4, 1);
        run.steps[0].withdrawn = true;
        assert_eq!(serde_json::from_str::<Record>(&written(&run)).unwrap(), run);
    }

    #[test]
    fn a_withdrawn_call_is_not_the_same_call_held() {
        let held = StepRecord::words("Pay.".into(), None);
        let withdrawn = StepRecord {
            withdrawn: true,
            ..held.clone()
        };
        assert!(held.is_again(&held) && withdrawn.is_again(&withdrawn));
        assert!(!held.is_again(&withdrawn) && !withdrawn.is_again(&held));
    }

    #[test]
    fn arguments_of_any_depth_can_be_read_back() {
        for depth in [0, 1, DEEPEST, DEEPEST + 1, 2000] {
            let nested = (0..depth).fold(json!(7), |inner, _| json!([inner]));
            let wanted = Wanted {
                tool: "t".into(),
                arguments: nested.clone(),
            };
            let step = StepRecord::new(wanted, None, Outcome::Release);
            let mut record = crate::metrics::tests::record(None, false, true, false, &[]);
            record.steps = vec![step];
            let line = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
            let kept = &record.steps[0].arguments;
            let as_text = kept.as_str() == Some(&*nested.to_string());
            assert!(if depth > DEEPEST {
                as_text
            } else {
                *kept == nested
            });
        }
    }
}
