//! Rules for a task, before any attack.

use std::collections::BTreeSet;

use provost::ToolDef;
use serde_json::Value;

use super::Notes;
use super::values::{forms, occurs};
use crate::env::reads;
use crate::library::{Library, Problem, TaskId};
use crate::oracle::Oracle;
use crate::run::{Run, Stage};
use crate::task::{Call, Task, Vector};

pub(super) fn check(library: &Library, id: TaskId, task: &Task, problems: &mut Vec<Problem>) {
    let mut notes = Notes {
        file: format!("{id}.toml"),
        sample: None,
        problems,
    };
    vectors(task, &mut notes);
    let texts = [
        ("title", &task.title),
        ("kind", &task.kind),
        ("prompt", &task.prompt),
        ("answer", &task.answer),
    ];
    for (name, _) in texts.iter().filter(|(_, text)| text.trim().is_empty()) {
        notes.add(format!("`{name}` is empty"), "");
    }
    let utility = match Oracle::compile(&task.utility) {
        Ok(utility) => utility,
        Err(error) => return notes.add(format!("`utility`: {error}"), ""),
    };
    let run = match Run::begin(library, id, task, Stage::Task) {
        Ok(run) => run,
        Err(error) => return notes.add(error.to_string(), ""),
    };
    match run.judge(&utility, "") {
        Ok(false) => {}
        Ok(true) => notes.add(
            "`utility` holds before anything is done",
            "let it ask for what the task changes or answers",
        ),
        Err(error) => notes.add(format!("`utility`, before anything is done: {error}"), ""),
    }
    reaches(run.clone(), task, &utility, &mut notes);
    open(&writes(&task.truth, run.tools()), task, &mut notes);
}

fn vectors(task: &Task, notes: &mut Notes<'_>) {
    let found: Vec<Vector> = task.sample.iter().map(|s| s.vector).collect();
    if found != Vector::ALL {
        let list = |vectors: &[Vector]| {
            let names: Vec<&str> = vectors.iter().map(|v| v.name()).collect();
            names.join(", ")
        };
        notes.add(
            format!("the samples are {}", list(&found)),
            format!("write one each, in this order: {}", list(&Vector::ALL)),
        );
    }
}

/// The ground truth works, and reaches utility.
fn reaches(mut run: Run, task: &Task, utility: &Oracle, notes: &mut Notes<'_>) {
    let results = run.play(&task.truth);
    for (call, result) in task.truth.iter().zip(results) {
        if let Err(error) = result {
            notes.add(
                format!("the ground truth's call of `{}` fails: {error}", call.tool),
                "",
            );
        }
    }
    match run.judge(utility, &task.answer) {
        Ok(true) => {}
        Ok(false) => notes.add(
            "the ground truth does not reach utility",
            "correct `utility`, `truth` or `answer`",
        ),
        Err(error) => notes.add(format!("`utility`, after the ground truth: {error}"), ""),
    }
}

/// The calls of a script that do more than read.
fn writes<'a>(script: &'a [Call], tools: &[ToolDef]) -> Vec<&'a Call> {
    let only_reads = |call: &Call| tools.iter().any(|t| t.name == call.tool && reads(t));
    script.iter().filter(|call| !only_reads(call)).collect()
}

/// The prompt leaves something open, and does not contain what context must resolve; every argument has a source.
fn open(writes: &[&Call], task: &Task, notes: &mut Notes<'_>) {
    if writes.is_empty() {
        notes.add(
            "the ground truth only reads",
            "an attack on calls needs a task that changes something",
        );
        return;
    }
    let named: BTreeSet<&str> = task.sources.iter().map(|s| s.argument.as_str()).collect();
    let given = writes
        .iter()
        .flat_map(|call| call.args.keys().map(|arg| format!("{}.{arg}", call.tool)));
    for argument in given.collect::<BTreeSet<_>>() {
        if !named.contains(argument.as_str()) {
            notes.add(
                format!("nothing says where `{argument}` comes from"),
                "add a [[sources]] entry (from = \"prompt\" where the user says it)",
            );
        }
    }
    let mut resolved = 0;
    for source in &task.sources {
        let of = |call: &Call| {
            let name = source
                .argument
                .strip_prefix(call.tool.as_str())?
                .strip_prefix('.')?;
            call.args.get(name).cloned()
        };
        let values: Vec<Value> = task.truth.iter().filter_map(of).collect();
        if values.is_empty() {
            notes.add(
                format!(
                    "[[sources]] names `{}`, which no call of the ground truth has",
                    source.argument
                ),
                "name a tool and its argument, as send_payment.to",
            );
        }
        if source.from.to_lowercase().contains("prompt") {
            continue;
        }
        for value in &values {
            match given_by(&task.prompt, value) {
                Some(said) => notes.add(
                    format!(
                        "the prompt already says {said:?}, the value of `{}`",
                        source.argument
                    ),
                    format!(
                        "take it out of the prompt: it is to come from {}",
                        source.from
                    ),
                ),
                None => resolved += 1,
            }
        }
    }
    if resolved == 0 {
        notes.add(
            "the prompt leaves nothing open",
            "let a decisive target, amount or choice come from context alone",
        );
    }
}

/// Where the prompt has this value whole, what it says.
fn given_by(prompt: &str, value: &Value) -> Option<String> {
    let said = |text: String| {
        let (all, text) = (prompt.to_lowercase(), text.to_lowercase());
        (!text.trim().is_empty() && occurs(&all, &text)).then_some(text)
    };
    match value {
        Value::String(text) => said(text.clone()),
        Value::Number(n) => forms(n.as_f64()?).into_iter().find_map(said),
        Value::Array(items) if !items.is_empty() => {
            let found: Option<Vec<String>> =
                items.iter().map(|item| given_by(prompt, item)).collect();
            found.map(|f| f.join(", "))
        }
        _ => None,
    }
}
