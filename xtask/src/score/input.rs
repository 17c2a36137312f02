//! What is compared: recorded runs, their labels, and the audit's verdicts.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use provost_bench::recorded::Label;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One run and its label.
pub(crate) struct Case {
    /// Name of the file that the run is in.
    pub(crate) file: String,
    /// Position of the run in its file, from 0, header lines not counted.
    pub(crate) run: usize,
    /// Whether the run carries its own tool definitions.
    pub(crate) own_tools: bool,
    /// What the run's authors know about it.
    pub(crate) label: Label,
    /// What the user said.
    pub(crate) user: Vec<String>,
    /// Name and arguments of each call, in order, as recorded.
    pub(crate) calls: Vec<(String, Value)>,
}

impl Case {
    /// What the second table is broken down by.
    pub(crate) fn group(&self) -> Option<&str> {
        self.label.vector.as_deref().or(self.label.suite.as_deref())
    }

    /// Labels with vectors are grouped per file (attacked, clean, benign), others across files.
    pub(crate) fn group_prefix(&self) -> &str {
        match (&self.label.vector, &self.label.injection_task) {
            (Some(_), _) => self.file.trim_end_matches(".jsonl"),
            (None, Some(_)) => "attacked",
            (None, None) => "benign",
        }
    }
}

/// One line of the audit's output.
#[derive(Debug, Deserialize)]
pub(crate) struct Audited {
    source: String,
    run: usize,
    /// One verdict a call, in order.
    pub(crate) calls: Vec<Judged>,
}

/// The audit's verdict on one call.
#[derive(Debug, Deserialize)]
pub(crate) struct Judged {
    call: usize,
    /// Name of the tool.
    pub(crate) tool: String,
    /// How it ended.
    pub(crate) verdict: Verdict,
    /// Whatever `--evidence` adds.
    #[serde(flatten)]
    pub(crate) evidence: serde_json::Map<String, Value>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// It may run.
    Release,
    /// It may not.
    Block,
    /// A person must decide.
    Approve,
}

/// The files with runs, sorted by name.
///
/// # Errors
/// The folder cannot be read, or holds none.
pub(crate) fn run_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let runs = dir.join("runs");
    let mut files = Vec::new();
    for entry in fs::read_dir(&runs).with_context(|| runs.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "jsonl") {
            files.push(path);
        }
    }
    ensure!(!files.is_empty(), "no *.jsonl in {}", runs.display());
    files.sort();
    Ok(files)
}

/// Loads every run with its label.
///
/// # Errors
/// A file cannot be read, or has other runs than labels.
pub(crate) fn load(dir: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in run_files(dir)? {
        let file = file_name(&path);
        let runs = runs(&lines::<Value>(&path)?);
        let label_path = dir.join("labels").join(&file);
        let labels = lines::<Label>(&label_path)?;
        ensure!(
            runs.len() == labels.len(),
            "{}: {} labels for {} runs",
            label_path.display(),
            labels.len(),
            runs.len()
        );
        for (run, (recorded, label)) in runs.into_iter().zip(labels).enumerate() {
            cases.push(Case {
                file: file.clone(),
                run,
                label,
                own_tools: recorded.own_tools,
                user: recorded.user,
                calls: recorded.calls,
            });
        }
    }
    Ok(cases)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    parse_lines(&text).with_context(|| path.display().to_string())
}

fn parse_lines<T: DeserializeOwned>(text: &str) -> Result<Vec<T>> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(n, line)| serde_json::from_str(line).with_context(|| format!("line {}", n + 1)))
        .collect()
}

/// What is read of a recorded run besides its label.
#[derive(Debug, PartialEq)]
struct Recorded {
    own_tools: bool,
    user: Vec<String>,
    calls: Vec<(String, Value)>,
}

/// The runs: the lines with messages; others are headers.
fn runs(lines: &[Value]) -> Vec<Recorded> {
    let with_messages = lines.iter().filter_map(|line| {
        let messages = line.get("messages")?.as_array()?;
        let user = messages.iter().filter(|m| m["role"] == "user");
        let calls = messages
            .iter()
            .filter_map(|m| m.get("tool_calls")?.as_array());
        Some(Recorded {
            own_tools: line.get("tools").is_some(),
            user: user.map(|m| text(&m["content"])).collect(),
            calls: calls.flatten().map(call).collect(),
        })
    });
    with_messages.collect()
}

fn call(call: &Value) -> (String, Value) {
    let function = &call["function"];
    let name = function["name"].as_str().unwrap_or_default().to_owned();
    (name, function["arguments"].clone())
}

fn text(content: &Value) -> String {
    content
        .as_str()
        .map_or_else(|| content.to_string(), str::to_owned)
}

/// Reads the audit's output.
///
/// # Errors
/// A line that is not as the contract says.
pub(crate) fn verdicts(text: &str) -> Result<Vec<Audited>> {
    parse_lines(text).context("output of provost audit")
}

/// Gives every run its verdicts.
///
/// # Errors
/// A run that the audit left out or reported twice, a call without verdict, or a labelled call of another tool.
pub(crate) fn join(cases: &[Case], audited: Vec<Audited>) -> Result<Vec<(&Case, Audited)>> {
    let mut by_run = HashMap::new();
    for audited in audited {
        let key = (file_name(Path::new(&audited.source)), audited.run);
        if let Some(twice) = by_run.insert(key, audited) {
            bail!("{} run {}: audited twice", twice.source, twice.run);
        }
    }
    let mut joined = Vec::with_capacity(cases.len());
    for case in cases {
        let Some(audited) = by_run.remove(&(case.file.clone(), case.run)) else {
            bail!("{} run {}: not audited", case.file, case.run);
        };
        check(case, &audited).with_context(|| format!("{} run {}", case.file, case.run))?;
        joined.push((case, audited));
    }
    ensure!(by_run.is_empty(), "{} runs too many", by_run.len());
    Ok(joined)
}

fn check(case: &Case, audited: &Audited) -> Result<()> {
    let numbers = audited.calls.iter().map(|c| c.call);
    ensure!(
        numbers.eq(0..audited.calls.len()),
        "calls are not numbered from 0"
    );
    ensure!(
        audited.calls.len() == case.calls.len(),
        "{} verdicts for {} calls",
        audited.calls.len(),
        case.calls.len()
    );
    for write in &case.label.writes {
        let Some(call) = audited.calls.get(write.call) else {
            bail!("no verdict for call {}", write.call);
        };
        ensure!(
            call.tool == write.tool,
            "call {} is {} in the audit and {} in the label",
            write.call,
            call.tool,
            write.tool
        );
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    pub(crate) fn label(text: &str) -> Label {
        serde_json::from_str(text).unwrap()
    }

    pub(crate) fn audited(calls: &[(&str, &str)]) -> Audited {
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(n, (tool, verdict))| json!({"call": n, "tool": tool, "verdict": verdict}))
            .collect();
        serde_json::from_value(json!({"source": "a.jsonl", "run": 0, "calls": calls})).unwrap()
    }

    fn case(label: Label, calls: usize) -> Case {
        Case {
            file: "a.jsonl".into(),
            run: 0,
            own_tools: false,
            label,
            user: vec![],
            calls: vec![("pay".into(), Value::Null); calls],
        }
    }

    const LABEL: &str = r#"{"injection_task": null, "utility": true, "attack_succeeded": null,
        "writes": [{"call": 1, "tool": "pay", "class": "user"}]}"#;

    #[test]
    fn header_lines_are_no_runs() {
        let call = json!({"function": {"name": "pay", "arguments": {"to": "x"}}});
        let lines = [
            json!({"metadata": {}}),
            json!({"messages": [{"role": "assistant", "tool_calls": [call]}, {"role": "user", "content": "hello", "tool_calls": null}]}),
            json!({"tools": [], "messages": []}),
        ];
        let recorded = |own_tools, user: &[&str], calls: &[(&str, Value)]| Recorded {
            own_tools,
            user: user.iter().map(|&u| u.into()).collect(),
            calls: calls
                .iter()
                .map(|(n, a)| ((*n).into(), a.clone()))
                .collect(),
        };
        let expected = [
            recorded(false, &["hello"], &[("pay", json!({"to": "x"}))]),
            recorded(true, &[], &[]),
        ];
        assert_eq!(runs(&lines), expected);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let fits = |calls: &[(&str, &str)], recorded: usize| {
            let cases = [case(label(LABEL), recorded)];
            join(&cases, vec![audited(calls)]).is_ok()
        };
        assert!(fits(&[("read", "release"), ("pay", "block")], 2));
        assert!(!fits(&[("read", "release")], 2), "a call left out");
        assert!(!fits(&[("read", "release"), ("pay", "block")], 3));
        assert!(!fits(&[("pay", "release"), ("read", "block")], 2), "moved");
        let cases = [case(label(LABEL), 2)];
        assert!(join(&cases, vec![]).is_err(), "a run left out");
        let one = || audited(&[("read", "release"), ("pay", "block")]);
        assert!(join(&cases, vec![one(), one()]).is_err(), "a run twice");
    }
}
