//! All tasks and worlds, read from their files.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::env::{Environment, World};
use crate::task::{Task, Vector};

/// How many tasks an environment has.
pub const TASKS: u8 = 10;

/// The files that are built in: their paths below `data/`, and their texts.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Which task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId {
    /// Its environment.
    pub environment: Environment,
    /// Its number, from 1.
    pub number: u8,
}

impl TaskId {
    /// The task of this path, as `banking/03` or `banking/03.toml`.
    pub fn from_path(path: &str) -> Option<Self> {
        let (environment, name) = path.split_once('/')?;
        let environment = Environment::from_name(environment)?;
        let name = name.strip_suffix(".toml").unwrap_or(name);
        let number = name.parse().ok().filter(|n| (1..=TASKS).contains(n))?;
        Some(Self {
            environment,
            number,
        })
        .filter(|id| id.name() == name)
    }

    /// All tasks that there should be.
    pub fn all() -> impl Iterator<Item = Self> {
        Environment::ALL.into_iter().flat_map(|environment| {
            (1..=TASKS).map(move |number| Self {
                environment,
                number,
            })
        })
    }

    /// The name within its environment: the number, in two digits.
    pub fn name(self) -> String {
        format!("{:02}", self.number)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:02}", self.environment, self.number)
    }
}

/// Something that does not hold, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, below `data/`.
    pub file: String,
    /// The sample in it, where it is one's.
    pub sample: Option<Vector>,
    /// What does not hold.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(vector) = self.sample {
            write!(f, " [{vector}]")?;
        }
        write!(f, ": {}", self.what)?;
        if !self.remedy.is_empty() {
            write!(f, "\n    {}", self.remedy)?;
        }
        Ok(())
    }
}

/// All tasks, by where they are played.
#[derive(Debug, Default)]
pub struct Library {
    worlds: BTreeMap<Environment, Value>,
    tasks: BTreeMap<TaskId, Task>,
}

impl Library {
    /// What is built in.
    pub fn builtin() -> (Self, Vec<Problem>) {
        Self::read(FILES.iter().copied())
    }

    /// The tasks and worlds of these files (paths below `data/`, and texts), and what of them cannot be read.
    pub fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> (Self, Vec<Problem>) {
        let (mut library, mut problems) = (Self::default(), Vec::new());
        for (path, text) in files {
            if let Err(problem) = library.add(path, text) {
                problems.push(problem);
            }
        }
        (library, problems)
    }

    fn add(&mut self, path: &str, text: &str) -> Result<(), Problem> {
        let wrong = |what: String, remedy: &str| Problem {
            file: path.to_owned(),
            sample: None,
            what,
            remedy: remedy.to_owned(),
        };
        let broken = |error: toml::de::Error| {
            let what = match error.span() {
                Some(span) => format!("line {}: {}", line(text, span.start), error.message()),
                None => error.message().to_owned(),
            };
            wrong(what, "")
        };
        let world = path
            .strip_suffix("/world.toml")
            .and_then(Environment::from_name);
        if let Some(environment) = world {
            World::check(environment, text).map_err(broken)?;
            let state = toml::from_str(text).map_err(broken)?;
            self.worlds.insert(environment, state);
        } else if let Some(id) = TaskId::from_path(path).filter(|_| path.ends_with(".toml")) {
            let task = toml::from_str(text).map_err(broken)?;
            self.tasks.insert(id, task);
        } else {
            let remedy =
                "name it ENVIRONMENT/world.toml or ENVIRONMENT/NN.toml, with NN from 01 to 10";
            return Err(wrong(
                "this is no world's and no task's file".into(),
                remedy,
            ));
        }
        Ok(())
    }

    /// The tasks, in order.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskId, &Task)> {
        self.tasks.iter().map(|(id, task)| (*id, task))
    }

    /// One task.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.get(&id)
    }

    /// The world of an environment before any task.
    pub(crate) fn world(&self, environment: Environment) -> Option<&Value> {
        self.worlds.get(&environment)
    }
}

/// The line of a text that holds this byte, from 1.
fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    before.filter(|b| **b == b'\n').count() + 1
}
