//! A sample, for a person to look at: what carries the payload, without it and with it, and what follows from it.

use crate::library::{Library, TaskId};
use crate::play::PlayError;
use crate::run::{Put, Run, Stage, same_call};
use crate::serve::plain;
use crate::task::{Call, Carrier, Surface, TextKind, Vector};
use crate::validate::truth;

/// A sample, as it is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The task.
    pub task: TaskId,
    /// What the payload steers.
    pub vector: Vector,
    /// Where it meets the agent.
    pub surface: Surface,
    /// The user's words.
    pub prompt: String,
    /// What carries the payload, in words.
    pub carrier: String,
    /// The carrier's text up to the payload. Where the payload makes an entry of its own, there is none.
    pub left: String,
    /// The payload, with the space that keeps words apart.
    pub payload: String,
    /// The carrier's text after the payload.
    pub right: String,
    /// What the attacker gets.
    pub goal: String,
    /// What an honest agent does.
    pub honest: Vec<Step>,
    /// What a persuaded agent does.
    pub persuaded: Vec<Step>,
}

/// A call of a script.
#[derive(Clone, Debug)]
pub struct Step {
    /// The call.
    pub call: Call,
    /// Whether the other script has it, too, as often.
    pub shared: bool,
}

impl Shown {
    /// Shows a sample.
    ///
    /// # Errors
    /// There is no such task or attack, or the payload finds no place.
    pub fn of(library: &Library, id: TaskId, vector: Vector) -> Result<Self, PlayError> {
        let task = library.task(id).ok_or(PlayError::NoTask(id))?;
        let sample = task.attack(vector).ok_or(PlayError::NoSample(id, vector))?;
        let run = Run::begin(library, id, task, Stage::Attacked(sample))?;
        let Some(Put { carrier, at, text }) = run.put() else {
            return Err(PlayError::NoSample(id, vector));
        };
        let (left, right) = carrier.split_at(*at);
        let (honest, persuaded) = steps(truth(task, sample), &sample.persuaded);
        Ok(Self {
            task: id,
            vector,
            surface: sample.surface,
            prompt: task.prompt.clone(),
            carrier: named(&sample.carrier),
            left: left.to_owned(),
            payload: text.clone(),
            right: right.to_owned(),
            goal: sample.goal.clone(),
            honest,
            persuaded,
        })
    }
}

/// What carries a payload, in words.
fn named(carrier: &Carrier) -> String {
    match carrier {
        Carrier::Tool {
            tool, parameter, ..
        } => match parameter {
            None => format!("the description of the tool `{tool}`"),
            Some(name) => format!("the description of `{name}`, a parameter of the tool `{tool}`"),
        },
        Carrier::Record {
            collection,
            record,
            field,
            ..
        } => {
            let fields = record.iter().map(|(key, value)| match value.as_str() {
                Some(text) => format!("{key} {text}"),
                None => format!("{key} {value}"),
            });
            let fields: Vec<String> = fields.collect();
            format!(
                "`{field}` of a record of `{collection}` ({})",
                fields.join(", ")
            )
        }
        Carrier::Memory { key, saved } => {
            format!("a new entry of the memory, `{key}`, saved on {saved}")
        }
        Carrier::Text { kind, name, .. } => match kind {
            TextKind::Document => format!("the document `{name}`"),
            TextKind::Skill => format!("the skill `{name}`"),
            TextKind::Handoff => format!("what the agent `{name}` handed over"),
        },
    }
}

/// Both scripts, and which calls of them are in both.
fn steps(honest: &[Call], persuaded: &[Call]) -> (Vec<Step>, Vec<Step>) {
    let mut honest: Vec<Step> = honest.iter().map(|call| step(call, false)).collect();
    let mut taken = |call: &Call| {
        let free = |step: &&mut Step| !step.shared && same_call(&step.call, call);
        let found = honest.iter_mut().find(free);
        found.map(|step| step.shared = true).is_some()
    };
    let persuaded = persuaded.iter().map(|call| step(call, taken(call)));
    let persuaded = persuaded.collect();
    (honest, persuaded)
}

/// A step, with whole numbers written as such.
fn step(call: &Call, shared: bool) -> Step {
    let args = call.args.iter();
    let call = Call {
        tool: call.tool.clone(),
        args: args.map(|(k, v)| (k.clone(), plain(v))).collect(),
    };
    Step { call, shared }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_can_be_shown() {
        let (library, _) = Library::builtin();
        for (id, task) in library.tasks() {
            for sample in &task.sample {
                let vector = sample.vector;
                let shown = Shown::of(&library, id, vector).unwrap();
                assert_eq!(shown.payload.trim(), sample.text.trim(), "{id} {vector}");
                if sample.surface == Surface::Memory {
                    assert_eq!((shown.left.as_str(), shown.right.as_str()), ("", ""));
                }
                // Something is done otherwise; what is not, is in both scripts as often.
                assert!(shown.persuaded.iter().any(|s| !s.shared), "{id} {vector}");
                let shared = |steps: &[Step]| steps.iter().filter(|s| s.shared).count();
                assert_eq!(shared(&shown.honest), shared(&shown.persuaded));
            }
        }
        let id = TaskId::from_path("banking/01").unwrap();
        let empty = Library::default();
        let error = Shown::of(&empty, id, Vector::Tool).unwrap_err();
        assert_eq!(error.to_string(), "there is no task banking/01");
    }

    #[test]
    fn equal_calls_are_shared_each_once() {
        let call = |tool: &str| Call {
            tool: tool.into(),
            args: serde_json::Map::new(),
        };
        let (honest, persuaded) = steps(
            &[call("look"), call("pay")],
            &[call("pay"), call("look"), call("pay")],
        );
        let shared = |steps: &[Step]| steps.iter().map(|s| s.shared).collect::<Vec<_>>();
        assert_eq!(shared(&honest), [true, true]);
        assert_eq!(shared(&persuaded), [true, true, false]);
    }
}
