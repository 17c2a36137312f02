//! One run: a task's world, with or without an attack, and the calls that are made in it.

use provost::ToolDef;

use serde_json::{Map, Value, json};

use crate::env::{Environment, World};
use crate::library::{Library, TaskId};
use crate::oracle::{Evidence, Oracle, OracleError};
use crate::task::{Call, Carrier, Sample, Task, TextKind};

/// Why a run cannot begin, or a state cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Its file is missing.
    #[error("the environment {0} has no world")]
    NoWorld(Environment),
    /// A task or a sample adds records where none can be.
    #[error("{key} cannot be added to: {why}")]
    Add {
        /// The collection.
        key: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// What carries the payload is not there, or not once.
    #[error("the payload finds no place: {0}")]
    Carrier(String),
    /// The records are not what the environment takes.
    #[error("the world does not hold together: {0}")]
    State(#[from] serde_json::Error),
}

/// What a run begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage<'a> {
    /// The task's world alone.
    Task,
    /// The world of a sample, without its payload.
    Clean(&'a Sample),
    /// The world of a sample.
    Attacked(&'a Sample),
}

/// A payload where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Put {
    /// The carrier's text without it.
    pub(crate) carrier: String,
    /// The byte of that at which it stands.
    pub(crate) at: usize,
    /// The payload, with the space that was put around it.
    pub(crate) text: String,
}

/// A run, so far.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    world: World,
    before: Value,
    tools: Vec<ToolDef>,
    calls: Vec<Value>,
    put: Option<Put>,
}

impl Run {
    /// Begins one.
    pub(crate) fn begin(
        library: &Library,
        id: TaskId,
        task: &Task,
        stage: Stage<'_>,
    ) -> Result<Self, RunError> {
        let environment = id.environment;
        let world = library.world(environment);
        let mut state = world.ok_or(RunError::NoWorld(environment))?.clone();
        add(&mut state, &task.add)?;
        let mut tools = environment.tools();
        let mut placed = None;
        match stage {
            Stage::Task => {}
            Stage::Clean(sample) => add(&mut state, &sample.add)?,
            Stage::Attacked(sample) => {
                add(&mut state, &sample.add)?;
                let put = put(&mut state, &mut tools, sample).map_err(RunError::Carrier)?;
                placed = Some(put);
            }
        }
        let world = World::from_state(environment, &state)?;
        let before = world.state()?;
        Ok(Self {
            world,
            before,
            tools,
            calls: Vec::new(),
            put: placed,
        })
    }

    /// The agent's tools, with what the payload says in them.
    pub(crate) fn tools(&self) -> &[ToolDef] {
        &self.tools
    }

    /// The state at the beginning.
    pub(crate) fn before(&self) -> &Value {
        &self.before
    }

    /// The payload, where it stands.
    pub(crate) fn put(&self) -> Option<&Put> {
        self.put.as_ref()
    }

    /// Makes a call.
    pub(crate) fn call(&mut self, tool: &str, args: &Value) -> Result<Value, String> {
        let result = self.world.call(&self.tools, tool, args);
        let error = result.as_ref().err();
        self.calls
            .push(json!({"tool": tool, "args": args, "error": error}));
        result
    }

    /// Makes the calls of a script, and returns what each said.
    pub(crate) fn play(&mut self, script: &[Call]) -> Vec<Result<Value, String>> {
        let calls = script.iter();
        let play = calls.map(|c| self.call(&c.tool, &Value::Object(c.args.clone())));
        play.collect()
    }

    /// What an oracle says of the run.
    pub(crate) fn judge(&self, oracle: &Oracle, answer: &str) -> Result<bool, OracleError> {
        let state = self.world.state();
        let state = state.map_err(|e| OracleError::Evaluation(e.to_string()))?;
        oracle.judge(&Evidence {
            state: &state,
            before: &self.before,
            calls: &Value::Array(self.calls.clone()),
            answer,
        })
    }

    /// The calls of a script that were not made yet: equal calls each once.
    pub(crate) fn rest(&self, script: &[Call]) -> Vec<Call> {
        let mut made: Vec<&Value> = self.calls.iter().collect();
        let mut rest = Vec::new();
        for call in script {
            let at = made.iter().position(|m| is_made(call, m));
            match at {
                Some(at) => drop(made.swap_remove(at)),
                None => rest.push(call.clone()),
            }
        }
        rest
    }
}

fn is_made(call: &Call, made: &Value) -> bool {
    let args = made.get("args").and_then(Value::as_object);
    made.get("error").is_some_and(Value::is_null)
        && made.get("tool").and_then(Value::as_str) == Some(&call.tool)
        && args.is_some_and(|args| same_map(args, &call.args))
}

/// Whether two calls are equal.
pub(crate) fn same_call(a: &Call, b: &Call) -> bool {
    a.tool == b.tool && same_map(&a.args, &b.args)
}

/// Whether two values are equal, where 84 is 84.0.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y))
        }
        (Value::Object(x), Value::Object(y)) => same_map(x, y),
        _ => a == b,
    }
}

fn same_map(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
}

/// The collections of a world's knowledge.
const KNOWLEDGE: [&str; 4] = ["documents", "skills", "memory", "handoffs"];

/// A collection of the state: one of the world's own, or of its knowledge.
fn collection<'a>(state: &'a mut Value, key: &str) -> Result<&'a mut Vec<Value>, RunError> {
    let wrong = |why| RunError::Add {
        key: key.to_owned(),
        why,
    };
    let map = state.as_object_mut();
    let mut map = map.ok_or_else(|| wrong("the world is no table"))?;
    let known = KNOWLEDGE.contains(&key);
    if known {
        let knowledge = map.entry("knowledge").or_insert_with(|| json!({}));
        let knowledge = knowledge.as_object_mut();
        map = knowledge.ok_or_else(|| wrong("the world's knowledge is no table"))?;
    }
    // Collections of the world that are empty need not be in its file.
    let found = map.entry(key).or_insert_with(|| json!([]));
    found
        .as_array_mut()
        .ok_or_else(|| wrong("it is no collection of records"))
}

fn add(state: &mut Value, records: &Map<String, Value>) -> Result<(), RunError> {
    for (key, more) in records {
        let Value::Array(more) = more else {
            return Err(RunError::Add {
                key: key.clone(),
                why: "write [[add.…]], a record each",
            });
        };
        collection(state, key)?.extend(more.iter().cloned());
    }
    Ok(())
}

/// Puts a sample's payload where it belongs, and returns it as it stands there.
fn put(state: &mut Value, tools: &mut [ToolDef], sample: &Sample) -> Result<Put, String> {
    let text = sample.text.as_str();
    match &sample.carrier {
        Carrier::Tool {
            tool,
            parameter,
            after,
        } => {
            let found = tools.iter_mut().find(|t| t.name == *tool);
            let found = found.ok_or_else(|| format!("there is no tool `{tool}`"))?;
            match parameter {
                None => insert(&mut found.description, after.as_deref(), text),
                Some(name) => {
                    let path = format!("/properties/{name}/description");
                    let place = found.parameters.pointer_mut(&path);
                    let place =
                        place.ok_or_else(|| format!("`{tool}` describes no parameter `{name}`"))?;
                    insert_in(place, after.as_deref(), text)
                }
            }
        }
        Carrier::Record {
            collection: key,
            record,
            field,
            after,
        } => {
            let records = collection(state, key).map_err(|e| e.to_string())?;
            let place = the_one(records, record, &format!("`{key}`"))?.get_mut(field);
            let place = place.ok_or_else(|| format!("the record in `{key}` has no `{field}`"))?;
            insert_in(place, after.as_deref(), text)
        }
        Carrier::Memory { key, saved } => {
            let memory = collection(state, "memory").map_err(|e| e.to_string())?;
            memory.push(json!({"key": key, "saved": saved, "text": text}));
            Ok(Put {
                carrier: String::new(),
                at: 0,
                text: text.to_owned(),
            })
        }
        Carrier::Text { kind, name, after } => {
            let records = collection(state, kind.collection()).map_err(|e| e.to_string())?;
            let record = Map::from_iter([(kind.key().to_owned(), json!(name))]);
            let what = match kind {
                TextKind::Document => "the documents",
                TextKind::Skill => "the skills",
                TextKind::Handoff => "what was handed over",
            };
            let place = the_one(records, &record, what)?.get_mut("text");
            let place = place.ok_or_else(|| format!("`{name}` has no text"))?;
            insert_in(place, after.as_deref(), text)
        }
    }
}

/// The one record with these fields.
fn the_one<'a>(
    records: &'a mut [Value],
    fields: &Map<String, Value>,
    place: &str,
) -> Result<&'a mut Value, String> {
    let wanted = Value::Object(fields.clone());
    let fits = |r: &Value| {
        fields
            .iter()
            .all(|(k, v)| r.get(k).is_some_and(|w| same(v, w)))
    };
    let mut found = records.iter_mut().filter(|r| fits(r));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(format!("{place} has no record with {wanted}")),
        _ => Err(format!("{place} has several records with {wanted}")),
    }
}

fn insert_in(place: &mut Value, after: Option<&str>, text: &str) -> Result<Put, String> {
    match place {
        Value::String(place) => insert(place, after, text),
        _ => Err("what is named as the carrier is no text".into()),
    }
}

/// Puts `text` right after `after`, or at the end, and returns it with the spaces that keep words apart.
fn insert(place: &mut String, after: Option<&str>, text: &str) -> Result<Put, String> {
    let at = match after {
        None => place.len(),
        Some(after) => {
            let mut found = place.match_indices(after);
            match (found.next(), found.next()) {
                (Some((start, _)), None) => start + after.len(),
                (None, _) => return Err(format!("the carrier does not say {after:?}")),
                _ => return Err(format!("the carrier says {after:?} more than once")),
            }
        }
    };
    let (left, right) = place.split_at(at);
    let joins = |a: Option<char>, b: Option<char>| match (a, b) {
        (Some(a), Some(b)) => !a.is_whitespace() && !b.is_whitespace(),
        _ => false,
    };
    let mut put = String::new();
    if joins(left.chars().next_back(), text.chars().next()) {
        put.push(' ');
    }
    put.push_str(text);
    if joins(text.chars().next_back(), right.chars().next()) {
        put.push(' ');
    }
    let whole = format!("{left}{put}{right}");
    Ok(Put {
        carrier: std::mem::replace(place, whole),
        at,
        text: put,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::reads;

    #[test]
    fn payloads_stand_where_they_belong() {
        let check = |place: &str, after: Option<&str>, text: &str, expected: Result<&str, &str>| {
            let mut whole = place.to_owned();
            let found = insert(&mut whole, after, text);
            match expected {
                Ok(expected) => {
                    let put = found.unwrap();
                    assert_eq!(whole, expected);
                    assert_eq!(whole.replacen(&put.text, "", 1), place, "taken out again");
                    assert_eq!(put.carrier, place);
                    let (left, right) = place.split_at(put.at);
                    assert_eq!(format!("{left}{}{right}", put.text), expected);
                }
                Err(why) => assert_eq!(found, Err(why.to_owned())),
            }
        };
        check("One. Two.", Some("One."), "New.", Ok("One. New. Two."));
        check("One. Two.", None, "New.", Ok("One. Two. New."));
        check("One.\nTwo.\n", None, "New.", Ok("One.\nTwo.\nNew."));
        check("One.\nTwo.", Some("One."), "\nNew.", Ok("One.\nNew.\nTwo."));
        check("One (x).", Some("One"), "(y)", Ok("One (y) (x)."));
        check("", None, "New.", Ok("New."));
        check(
            "One.",
            Some("Two."),
            "New.",
            Err("the carrier does not say \"Two.\""),
        );
        check(
            "a a",
            Some("a"),
            "b",
            Err("the carrier says \"a\" more than once"),
        );
    }

    #[test]
    fn what_reads_changes_nothing() {
        let (library, _) = Library::builtin();
        for (id, task) in library.tasks() {
            let mut run = Run::begin(&library, id, task, Stage::Task).unwrap();
            let reads =
                |name: &str, run: &Run| run.tools.iter().any(|t| t.name == name && reads(t));
            for call in &task.truth {
                let before = run.world.state().unwrap();
                run.call(&call.tool, &Value::Object(call.args.clone()))
                    .unwrap();
                let same = before == run.world.state().unwrap();
                assert_eq!(same, reads(&call.tool, &run), "{id} {}", call.tool);
            }
        }
    }

    #[test]
    fn equal_values() {
        let check =
            |a: Value, b: Value, expected: bool| assert_eq!(same(&a, &b), expected, "{a} {b}");
        check(json!(84), json!(84.0), true);
        check(json!({"a": [1, 2.5]}), json!({"a": [1.0, 2.5]}), true);
        check(json!({"a": 1}), json!({"a": 1, "b": 2}), false);
        check(json!([1]), json!([1, 2]), false);
        check(json!("1"), json!(1), false);
    }
}
