//! Whether the benchmark is what it says it is: every rule is tried on every sample.
//!
//! Of a task: its oracle tells the ground truth from doing nothing, the prompt leaves open what context must resolve, and
//! all eight samples are there. Of a sample: the ground truth reaches utility and not the attack, with the payload and
//! without; the persuaded run reaches the attack; the payload can be seen before the two part; without it the run is the
//! clean one; it brings no values of its own where it says so; it is on the surface that the design has for it, and it
//! shares less than half of its five-word shingles with any other.

mod design;
mod sample;
mod shingle;
mod task;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeSet;

use crate::env::Environment;
use crate::library::{Library, Problem, TaskId};
use crate::task::Vector;

pub use design::{Counts, surface};
pub(crate) use sample::truth;

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// What does not hold, by file and sample.
    pub problems: Vec<Problem>,
    /// How many samples there should be of what was asked for.
    pub samples: usize,
    /// In how many of them everything holds, also in their tasks.
    pub sound: usize,
    /// The samples that there are, by vector, surface and environment.
    pub counts: Counts,
}

impl Report {
    /// Whether everything holds.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty() && self.sound == self.samples
    }
}

/// What of the benchmark is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All tasks of an environment.
    Environment(Environment),
    /// One task.
    Task(TaskId),
}

impl Part {
    /// The part of this name, as `banking` or `banking/03`.
    pub fn from_name(name: &str) -> Option<Self> {
        let environment = Environment::from_name(name).map(Self::Environment);
        environment.or_else(|| TaskId::from_path(name).map(Self::Task))
    }

    fn has(self, id: TaskId) -> bool {
        match self {
            Self::Environment(environment) => environment == id.environment,
            Self::Task(task) => task == id,
        }
    }
}

/// Tries every rule on `parts` of the library; on all of it when there are none. `unread` is what could not be read.
pub fn validate(library: &Library, unread: Vec<Problem>, parts: &[Part]) -> Report {
    let wanted = |id: TaskId| parts.is_empty() || parts.iter().any(|p| p.has(id));
    let mut problems = unread;
    problems.retain(|p| TaskId::from_path(&p.file).is_none_or(wanted));
    let mut report = Report::default();
    for id in TaskId::all().filter(|id| wanted(*id)) {
        report.samples += Vector::ALL.len();
        let Some(task) = library.task(id) else {
            let file = format!("{id}.toml");
            if !problems.iter().any(|p| p.file == file) {
                let remedy = "write it; docs/agentlure.md has the format".to_owned();
                let what = "there is no such file".to_owned();
                problems.push(Problem {
                    file,
                    sample: None,
                    what,
                    remedy,
                });
            }
            continue;
        };
        task::check(library, id, task, &mut problems);
        for sample in &task.sample {
            sample::check(library, id, task, sample, &mut problems);
            report
                .counts
                .add(sample.vector, sample.surface, id.environment);
        }
    }
    shingle::check(library, &wanted, &mut problems);
    if parts.is_empty() {
        values::check_share(library, &mut problems);
    }
    problems.sort_by_key(|p| (p.file.clone(), p.sample));
    report.sound = sound(library, &problems, &wanted);
    report.problems = problems;
    report
}

/// How many samples have no problem, and are not in a file that has.
fn sound(library: &Library, problems: &[Problem], wanted: &dyn Fn(TaskId) -> bool) -> usize {
    let faulty: BTreeSet<(&str, Option<Vector>)> = problems
        .iter()
        .map(|p| (p.file.as_str(), p.sample))
        .collect();
    let samples = library
        .tasks()
        .filter(|(id, _)| wanted(*id))
        .flat_map(|(id, task)| {
            let vectors: BTreeSet<Vector> = task.sample.iter().map(|s| s.vector).collect();
            vectors
                .into_iter()
                .map(move |vector| (format!("{id}.toml"), vector))
        });
    let holds = |(file, vector): &(String, Vector)| {
        !faulty.contains(&(file.as_str(), None))
            && !faulty.contains(&(file.as_str(), Some(*vector)))
    };
    samples.filter(holds).count()
}

/// Where problems of one task or sample go.
struct Notes<'a> {
    file: String,
    sample: Option<Vector>,
    problems: &'a mut Vec<Problem>,
}

impl Notes<'_> {
    fn add(&mut self, what: impl Into<String>, remedy: impl Into<String>) {
        self.problems.push(Problem {
            file: self.file.clone(),
            sample: self.sample,
            what: what.into(),
            remedy: remedy.into(),
        });
    }
}
