//! Samples of AgentLure, by name.

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use provost_lure::task::Vector;
use provost_lure::{Environment, Library, TaskId};

/// What is built in.
pub(super) fn library() -> anyhow::Result<Library> {
    let (library, unread) = Library::builtin();
    if let Some(problem) = unread.first() {
        bail!("internal error: {problem}");
    }
    Ok(library)
}

/// A task's name with the zero that people leave out: `banking/3` is `banking/03`, and `3` is `03`.
pub(super) fn whole(name: &str) -> String {
    let number = name.rsplit('/').next().unwrap_or(name);
    let (before, _) = name.split_at(name.len() - number.len());
    let is_short = number.len() == 1 && number.chars().all(|c| c.is_ascii_digit());
    let zero = if is_short { "0" } else { "" };
    format!("{before}{zero}{number}")
}

/// A task, as `banking/03` or `banking/3`.
pub(super) fn task(name: &str) -> Result<TaskId, String> {
    TaskId::from_path(&whole(name)).ok_or_else(|| {
        let names = Environment::ALL.map(|e| format!("{e}/01 to {e}/10"));
        format!("there are {}", names.join(", "))
    })
}

/// The vectors, by name.
pub(super) fn vectors() -> impl TypedValueParser<Value = Vector> {
    let names = PossibleValuesParser::new(Vector::ALL.map(Vector::name));
    names.try_map(|name| Vector::from_name(&name).ok_or("there is no such vector"))
}

/// A task, and perhaps one of its attacks: `banking/03`, `banking/03/argument`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) task: TaskId,
    pub(super) vector: Option<Vector>,
}

/// Reads one.
pub(super) fn named(name: &str) -> Result<Named, String> {
    let (whole, vector) = match name.match_indices('/').nth(1) {
        None => (name, None),
        Some((at, _)) => {
            let (whole, vector) = name.split_at(at);
            let vector = vector.trim_start_matches('/');
            let known = Vector::from_name(vector).ok_or_else(|| {
                let names = Vector::ALL.map(Vector::name).join(", ");
                format!("no vector is called `{vector}`; there are {names}")
            })?;
            (whole, Some(known))
        }
    };
    let task = task(whole)?;
    Ok(Named { task, vector })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names() {
        let check = |name: &str, expected: &str| assert_eq!(whole(name), expected);
        check("banking/3", "banking/03");
        check("3", "03");
        check("banking/03", "banking/03");
        check("10", "10");
        check("banking", "banking");
        check("banking/", "banking/");
        check("", "");
    }

    #[test]
    fn names() {
        let check = |name: &str, expected: &str| {
            let found = named(name).map(|n| format!("{} {:?}", n.task, n.vector));
            assert_eq!(
                found.as_deref().unwrap_or_else(|why| why),
                expected,
                "{name}"
            );
        };
        check("banking/03", "banking/03 None");
        check("banking/3", "banking/03 None");
        check("banking/3/tool", "banking/03 Some(Tool)");
        check("slack/10/memory", "slack/10 Some(Memory)");
        let vectors = "tool, argument, condition, reasoning, workflow, memory, skill, handoff";
        check(
            "slack/10/x",
            &format!("no vector is called `x`; there are {vectors}"),
        );
        check(
            "slack/10/",
            &format!("no vector is called ``; there are {vectors}"),
        );
        let tasks = "there are banking/01 to banking/10, travel/01 to travel/10, \
                     workspace/01 to workspace/10, slack/01 to slack/10";
        for name in [
            "slack",
            "slack/11",
            "slack/011",
            "home/01",
            "",
            "/",
            "x/y/tool",
        ] {
            check(name, tasks);
        }
    }
}
