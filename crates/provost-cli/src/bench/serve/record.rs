//! The run, as `provost audit` and `provost bench recorded` read it, on disk from the first call on.
//!
//! The file is written anew for every call and takes the place of the one before at once, so that whenever this
//! program is killed, a whole run is there. [`super::live`] bounds how often and how much.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use provost::ToolDef;
use provost_lure::Environment;
use provost_lure::play::{Play, Returned, Scores};
use provost_lure::task::Vector;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Sample;

/// A run: chat messages, with the tools that the agent had and what is known beside.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    id: String,
    metadata: Metadata,
    tools: Vec<ToolDef>,
    messages: Vec<Value>,
    #[serde(skip)]
    calls: usize,
    #[serde(skip)]
    file: Option<PathBuf>,
    /// Whether the file is this run's.
    #[serde(skip)]
    is_ours: bool,
}

/// What is known of the run beside its messages, by the names that AgentDojo gave to these things.
#[derive(Debug, Default, Serialize)]
struct Metadata {
    /// The client, as it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline_name: Option<String>,
    suite_name: &'static str,
    user_task_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    injection_task_id: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attack_type: Option<&'static str>,
    /// Whether the user got what the user wanted. Absent while the run goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    utility: Option<bool>,
    /// Whether the attacker did.
    #[serde(skip_serializing_if = "Option::is_none")]
    security: Option<bool>,
}

impl Record {
    /// The record of a run that begins, to be kept in `file`, if anywhere. Nothing is written yet.
    ///
    /// # Errors
    /// Another run is in the file, or it cannot be written.
    pub(super) fn new(sample: Sample, play: &Play, file: Option<PathBuf>) -> anyhow::Result<Self> {
        let vector = sample.vector.map(Vector::name);
        let record = Self {
            id: sample.to_string(),
            metadata: Metadata {
                suite_name: sample.task.environment.name(),
                user_task_id: sample.task.name(),
                injection_task_id: vector.map(|_| provost_lure::serve::GOAL),
                attack_type: vector,
                ..Metadata::default()
            },
            tools: play.tools().to_vec(),
            messages: vec![
                json!({"role": "system", "content": play.system()}),
                json!({"role": "user", "content": play.prompt()}),
            ],
            calls: 0,
            file,
            is_ours: false,
        };
        if let Some(file) = &record.file {
            if !is_free(file) {
                return Err(taken(file));
            }
            // What cannot be written is told before anything is played.
            let draft = draft(file);
            let tried = fs::write(&draft, "").and_then(|()| fs::remove_file(&draft));
            tried.with_context(|| cannot_write(file))?;
        }
        Ok(record)
    }

    /// How many calls were made.
    pub(super) fn calls(&self) -> usize {
        self.calls
    }

    /// Where it is kept.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Notes what the client calls itself. The first name stays.
    pub(super) fn client(&mut self, name: &str) {
        const LONGEST: usize = 120;
        let shortened = || name.chars().take(LONGEST).collect();
        self.metadata.pipeline_name.get_or_insert_with(shortened);
    }

    /// Notes a call and what it came to.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn call(
        &mut self,
        tool: &str,
        arguments: &Value,
        returned: &Returned,
    ) -> anyhow::Result<()> {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let function = json!({"name": tool, "arguments": arguments.to_string()});
        let call = json!({"id": id, "type": "function", "function": function});
        self.messages
            .push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        let mut result = json!({"role": "tool", "tool_call_id": id, "content": returned.text});
        // As MCP has it: the value, where there is one, or that the call failed.
        if returned.error.is_some() {
            result["isError"] = json!(true);
        } else {
            result["structuredContent"] = returned.value.clone();
        }
        self.messages.push(result);
        self.write()
    }

    /// Notes how the run ended, and the agent's last words. A run in which nothing happened takes nobody's place.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn end(
        &mut self,
        answer: Option<&str>,
        scores: Option<Scores>,
    ) -> anyhow::Result<()> {
        if let Some(answer) = answer {
            self.messages
                .push(json!({"role": "assistant", "content": answer}));
        }
        if let Some(scores) = scores {
            self.metadata.utility = Some(scores.utility);
            self.metadata.security = scores.attack;
        }
        let happened = self.calls > 0 || answer.is_some();
        if !happened && self.file.as_deref().is_some_and(Path::exists) {
            return Ok(());
        }
        self.write()
    }

    fn write(&mut self) -> anyhow::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        if !self.is_ours && !is_free(file) {
            return Err(taken(file));
        }
        let mut text = serde_json::to_vec(self)?;
        text.push(b'\n');
        // Never half a file, whenever this is interrupted.
        let draft = draft(file);
        let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, file));
        written.with_context(|| cannot_write(file))?;
        self.is_ours = true;
        Ok(())
    }
}

/// Another run is in the file.
fn taken(file: &Path) -> anyhow::Error {
    let file = file.display();
    anyhow::anyhow!(
        "{file} is there already, and is not overwritten; name another file with --output, or remove it"
    )
}

fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", file.display())
}

/// Where a file is written before it takes its place.
fn draft(file: &Path) -> PathBuf {
    let mut name = file.to_owned().into_os_string();
    name.push(format!(".{}.new", std::process::id()));
    name.into()
}

/// Whether nothing is lost when a file is overwritten: it is not there, or holds a run of this command in which nothing
/// happened, as clients leave behind that only look at what a server has.
fn is_free(file: &Path) -> bool {
    #[derive(Deserialize)]
    struct Known {
        metadata: Sample,
        messages: Vec<Message>,
    }
    #[derive(Deserialize)]
    struct Sample {
        suite_name: String,
    }
    #[derive(Deserialize)]
    struct Message {
        role: String,
    }
    if !file.exists() {
        return true;
    }
    // What is no file may have no end.
    let known = file.is_file().then(|| fs::read(file).ok()).flatten();
    let known = known.and_then(|text| serde_json::from_slice::<Known>(&text).ok());
    known.is_some_and(|known| {
        let roles = known.messages.iter().map(|m| m.role.as_str());
        Environment::from_name(&known.metadata.suite_name).is_some() && roles.eq(["system", "user"])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_in_which_nothing_happened_are_overwritten() {
        let check = |text: &str, free: bool| {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("run.json");
            assert!(is_free(&file));
            fs::write(&file, text).unwrap();
            assert_eq!(is_free(&file), free, "{text}");
            assert!(!is_free(folder.path()), "a folder is no place");
        };
        let run = |suite: &str, roles: &[&str]| {
            let messages: Vec<Value> = roles.iter().map(|r| json!({"role": r})).collect();
            json!({"id": "x", "metadata": {"suite_name": suite}, "messages": messages}).to_string()
        };
        check(&run("banking", &["system", "user"]), true);
        check(&run("banking", &["system", "user", "assistant"]), false);
        check(&run("banking", &["user", "assistant"]), false);
        check(&run("elsewhere", &["system", "user"]), false);
        check("{\"messages\": []}", false);
        check("", false);
        check("mine", false);
    }
}
