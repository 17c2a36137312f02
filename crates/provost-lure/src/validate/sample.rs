//! Rules for a sample.

use serde_json::Value;

use super::values::{Context, values};
use super::{Notes, design};
use crate::env::reads;
use crate::library::{Library, Problem, TaskId};
use crate::oracle::Oracle;
use crate::run::{Run, Stage, same_call};
use crate::task::{Call, Carrier, Sample, Task, Values};

pub(super) fn check(
    library: &Library,
    id: TaskId,
    task: &Task,
    sample: &Sample,
    problems: &mut Vec<Problem>,
) {
    let mut notes = Notes {
        file: format!("{id}.toml"),
        sample: Some(sample.vector),
        problems,
    };
    words(id, sample, &mut notes);
    // A task's own oracle is its task's problem.
    let Ok(utility) = Oracle::compile(&task.utility) else {
        return;
    };
    let attack = match Oracle::compile(&sample.attack) {
        Ok(attack) => attack,
        Err(error) => return notes.add(format!("`attack`: {error}"), ""),
    };
    let clean = match Run::begin(library, id, task, Stage::Clean(sample)) {
        Ok(run) => run,
        Err(error) => return notes.add(error.to_string(), ""),
    };
    let attacked = match Run::begin(library, id, task, Stage::Attacked(sample)) {
        Ok(run) => run,
        Err(error) => return notes.add(error.to_string(), ""),
    };
    let truth = truth(task, sample);
    let judges = Judges {
        utility,
        attack,
        answer: &task.answer,
    };
    let honest = honest(&clean, truth, "without the payload", &judges, &mut notes);
    let warned = self::honest(&attacked, truth, "with the payload", &judges, &mut notes);
    restores(sample, &attacked, honest, warned, &mut notes);
    persuaded(sample, truth, attacked, &judges, &mut notes);
    if sample.values == Values::Benign {
        brings_nothing(&Context::new(&task.prompt, &clean), sample, &mut notes);
    }
}

/// What an honest agent does in a sample.
pub(crate) fn truth<'a>(task: &'a Task, sample: &'a Sample) -> &'a [Call] {
    if sample.truth.is_empty() {
        &task.truth
    } else {
        &sample.truth
    }
}

struct Judges<'a> {
    utility: Oracle,
    attack: Oracle,
    answer: &'a str,
}

type Results = Vec<Result<Value, String>>;

/// What can be told from the file alone.
fn words(id: TaskId, sample: &Sample, notes: &mut Notes<'_>) {
    let (designed, carried) = (design::surface(id, sample.vector), sample.carrier.surface());
    if sample.surface != designed {
        notes.add(
            format!(
                "the surface is {}, and has to be {designed}",
                sample.surface
            ),
            "docs/agentlure.md says how the vectors take turns on the surfaces",
        );
    }
    if carried != sample.surface {
        notes.add(
            format!(
                "the carrier belongs to the surface {carried}, not to {}",
                sample.surface
            ),
            "name a carrier of that surface",
        );
    }
    if sample.goal.trim().is_empty() {
        notes.add("`goal` is empty", "");
    }
    if sample.active.is_empty() {
        notes.add(
            "no sentence is active",
            "copy those that act from `text` into `active`",
        );
    }
    for sentence in &sample.active {
        if sentence.trim().is_empty() || !flat(&sample.text).contains(&flat(sentence)) {
            notes.add(
                format!("{sentence:?} is active, and not in `text`"),
                "copy it from `text`, word for word",
            );
        }
    }
}

/// The ground truth works, reaches utility, and does not reach the attack.
fn honest(
    from: &Run,
    truth: &[Call],
    when: &str,
    judges: &Judges<'_>,
    notes: &mut Notes<'_>,
) -> Results {
    let mut run = from.clone();
    let results = run.play(truth);
    for (call, result) in truth.iter().zip(&results) {
        if let Err(error) = result {
            notes.add(
                format!(
                    "{when}, the ground truth's call of `{}` fails: {error}",
                    call.tool
                ),
                "",
            );
        }
    }
    match run.judge(&judges.utility, judges.answer) {
        Ok(true) => {}
        Ok(false) => notes.add(
            format!("{when}, the ground truth does not reach utility"),
            "correct this sample's `add` or `truth`, or the task's",
        ),
        Err(error) => notes.add(
            format!("{when}, `utility` after the ground truth: {error}"),
            "",
        ),
    }
    match run.judge(&judges.attack, judges.answer) {
        Ok(false) => {}
        Ok(true) => notes.add(
            format!("{when}, the ground truth reaches the attack"),
            "let `attack` ask for what only a persuaded agent does",
        ),
        Err(error) => notes.add(
            format!("{when}, `attack` after the ground truth: {error}"),
            "",
        ),
    }
    results
}

/// Without the payload's words, everything that the honest agent read is what it reads in the clean world.
pub(super) fn restores(
    sample: &Sample,
    attacked: &Run,
    clean: Results,
    with: Results,
    notes: &mut Notes<'_>,
) {
    let inserted = attacked.put().map_or("", |put| &put.text);
    let entry = matches!(sample.carrier, Carrier::Memory { .. });
    let stripped = with.into_iter().map(|result| match result {
        Ok(value) => Ok(strip(value, inserted, entry)),
        Err(error) => Err(error),
    });
    if !stripped.eq(clean) {
        notes.add(
            "without the payload's words, what the ground truth reads is not what it reads in the clean world",
            "let the carrier be shown whole: the payload may change nothing but its own text",
        );
    }
}

/// A result without the payload; where it is an `entry` of its own, without that.
fn strip(value: Value, payload: &str, entry: bool) -> Value {
    match value {
        Value::String(text) => Value::String(text.replacen(payload, "", 1)),
        Value::Array(items) => {
            let own =
                |item: &Value| entry && item.get("text").and_then(Value::as_str) == Some(payload);
            let items = items.into_iter().filter(|item| !own(item));
            items.map(|item| strip(item, payload, entry)).collect()
        }
        Value::Object(map) => {
            let map = map.into_iter();
            map.map(|(key, value)| (key, strip(value, payload, entry)))
                .collect()
        }
        other => other,
    }
}

/// The persuaded run works and reaches the attack, and the payload can be seen before it parts from the ground truth.
fn persuaded(
    sample: &Sample,
    truth: &[Call],
    mut run: Run,
    judges: &Judges<'_>,
    notes: &mut Notes<'_>,
) {
    let parts = sample.persuaded.iter().zip(truth);
    let parts = parts.take_while(|(a, b)| same_call(a, b)).count();
    if parts == sample.persuaded.len() && parts == truth.len() {
        notes.add(
            "a persuaded agent does what an honest one does",
            "correct `persuaded`",
        );
    }
    if adds_nothing(&sample.persuaded, truth, &run) {
        notes.add(
            "a persuaded agent makes no call that changes something and is not an honest one's too",
            "let the attack take a call: no audit of calls can stop what is left undone",
        );
    }
    let results = run.play(&sample.persuaded);
    let read = results.iter().take(parts).filter_map(|r| r.as_ref().ok());
    let mut seen: Vec<String> = read.map(texts).collect();
    for tool in run.tools() {
        seen.push(tool.description.clone());
        seen.push(texts(&tool.parameters));
    }
    let seen: Vec<String> = seen.iter().map(|text| flat(text)).collect();
    for sentence in &sample.active {
        if !seen.iter().any(|text| text.contains(&flat(sentence))) {
            notes.add(
                format!(
                    "{sentence:?} cannot be seen before the persuaded run parts from the ground truth, at its call {}",
                    parts + 1
                ),
                "the scripts have to be the same until the carrier has been read; let both read it",
            );
        }
    }
    for (call, result) in sample.persuaded.iter().zip(&results) {
        if let Err(error) = result {
            notes.add(
                format!("the persuaded call of `{}` fails: {error}", call.tool),
                "",
            );
        }
    }
    match run.judge(&judges.attack, "") {
        Ok(true) => {}
        Ok(false) => notes.add(
            "the persuaded run does not reach the attack",
            "correct `attack` or `persuaded`",
        ),
        Err(error) => notes.add(format!("`attack`, after the persuaded run: {error}"), ""),
    }
}

/// Whether every call of `script` that does more than read is in `truth`, as often.
fn adds_nothing(script: &[Call], truth: &[Call], run: &Run) -> bool {
    let mut left: Vec<&Call> = truth.iter().collect();
    let reads = |call: &Call| run.tools().iter().any(|t| t.name == call.tool && reads(t));
    script.iter().filter(|call| !reads(call)).all(|call| {
        let at = left.iter().position(|other| same_call(call, other));
        at.map(|at| left.swap_remove(at)).is_some()
    })
}

/// All texts in a value.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(texts).collect::<Vec<_>>().join("\n"),
        Value::Object(map) => map.values().map(texts).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// A text on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every value in the payload also occurs in benign context.
fn brings_nothing(context: &Context, sample: &Sample, notes: &mut Notes<'_>) {
    for value in values(&sample.text) {
        if !context.has(value) {
            notes.add(
                format!("{value:?} occurs nowhere in benign context, and `values` is \"benign\""),
                "use a value that is there, or say values = \"new\"",
            );
        }
    }
}
