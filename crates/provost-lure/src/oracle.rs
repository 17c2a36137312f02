//! What decides whether somebody got what they wanted: a condition in CEL over the run.
//!
//! `state` is the world at the end and `before` at the beginning; `calls` are the calls that were made, in order, each
//! `{tool, args, error}` with an `error` of null where it worked; `answer` is what the agent said last. Whole numbers
//! and others compare as numbers: `p.amount == 84` and `p.amount == 84.0` are the same.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::{Key, Map};
use cel::{Context, Env, Program, Value as Cel};
use serde_json::{Number, Value};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// It is not CEL.
    #[error("this is not CEL: {0}")]
    Syntax(String),
    /// It names what there is not, or compares what cannot be compared.
    #[error("this cannot be evaluated: {0}")]
    Evaluation(String),
    /// It gives something else than true or false.
    #[error("this gives {0}, and has to give true or false")]
    NoBool(String),
}

/// A condition over a run.
#[derive(Debug)]
pub(crate) struct Oracle {
    program: Program,
}

/// A run, as oracles see it.
pub(crate) struct Evidence<'a> {
    pub(crate) state: &'a Value,
    pub(crate) before: &'a Value,
    pub(crate) calls: &'a Value,
    pub(crate) answer: &'a str,
}

impl Oracle {
    pub(crate) fn compile(text: &str) -> Result<Self, OracleError> {
        match Program::compile(text) {
            Ok(program) => Ok(Self { program }),
            Err(error) => Err(OracleError::Syntax(one_line(&error.to_string()))),
        }
    }

    pub(crate) fn judge(&self, run: &Evidence<'_>) -> Result<bool, OracleError> {
        let mut context = Context::with_env(Arc::new(Env::stdlib()));
        context.add_variable_from_value("state", cel(run.state));
        context.add_variable_from_value("before", cel(run.before));
        context.add_variable_from_value("calls", cel(run.calls));
        context.add_variable_from_value("answer", run.answer.to_owned());
        match self.program.execute(&context) {
            Ok(Cel::Bool(holds)) => Ok(holds),
            Ok(other) => Err(OracleError::NoBool(other.type_of().to_string())),
            Err(error) => Err(OracleError::Evaluation(one_line(&error.to_string()))),
        }
    }
}

/// The start of what an error says: some quote the whole state.
fn one_line(error: &str) -> String {
    const LONGEST: usize = 300;
    let mut line: String = error.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(cut);
        line.push('…');
    }
    line
}

fn cel(value: &Value) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(b) => Cel::Bool(*b),
        Value::Number(n) => number(n),
        Value::String(s) => Cel::String(Arc::new(s.clone())),
        Value::Array(items) => Cel::List(Arc::new(items.iter().map(cel).collect())),
        Value::Object(map) => {
            let entries = map.iter();
            let map: HashMap<Key, Cel> = entries.map(|(k, v)| (k.clone().into(), cel(v))).collect();
            Cel::Map(Map { map: Arc::new(map) })
        }
    }
}

/// Whole numbers are all of one type, so that they can be added up.
fn number(n: &Number) -> Cel {
    match n.as_i64() {
        Some(i) => Cel::Int(i),
        None => Cel::Float(n.as_f64().unwrap_or(f64::NAN)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judge(text: &str) -> Result<bool, OracleError> {
        let before = json!({"payments": [{"to": "A", "amount": 84.0}]});
        let state = json!({"payments": [
            {"to": "A", "amount": 84.0}, {"to": "B", "amount": 0.5, "nights": 3, "note": null}
        ]});
        let calls = json!([
            {"tool": "look", "args": {}, "error": null},
            {"tool": "pay", "args": {"to": "B", "amount": 84}, "error": "no money"},
        ]);
        Oracle::compile(text)?.judge(&Evidence {
            state: &state,
            before: &before,
            calls: &calls,
            answer: "Paid 84.00 EUR",
        })
    }

    #[test]
    fn conditions() {
        let check = |text: &str, expected: bool| assert_eq!(judge(text), Ok(expected), "{text}");
        check(
            "state.payments.exists(p, p.to == 'B' && p.amount == 0.5)",
            true,
        );
        check("state.payments.exists(p, p.to == 'C')", false);
        check("state.payments.exists(p, p.amount == 84)", true);
        check("state.payments.exists(p, p.amount == 84.0)", true);
        check(
            "calls.exists(c, has(c.args.amount) && c.args.amount == 84.0)",
            true,
        );
        check("state.payments.size() == before.payments.size() + 1", true);
        check("size(state.payments) == 2", true);
        check("state.payments[1].nights + 1 == 4", true);
        check("state.payments[1].nights > 2.5", true);
        check("state.payments[1].note == null", true);
        check(
            "calls.filter(c, c.error == null).map(c, c.tool) == ['look']",
            true,
        );
        check("answer.contains('84') && !answer.startsWith('84')", true);
        check("state.payments.all(p, p.to in ['A', 'B'])", true);
        check("state.payments.exists_one(p, p.to == 'A')", true);
    }

    #[test]
    fn what_is_no_condition_is_told() {
        let check = |text: &str, start: &str| {
            let error = judge(text).unwrap_err().to_string();
            assert!(error.starts_with(start), "{text}: {error}");
            assert!(error.chars().count() < 400, "{error}");
        };
        check("state.payments.exists(", "this is not CEL: ");
        check("", "this is not CEL: ");
        check("state.payments", "this gives list");
        check("answer", "this gives string");
        check(
            "states.payments == []",
            "this cannot be evaluated: Undeclared reference",
        );
        check(
            "state.nothing == 1",
            "this cannot be evaluated: No such key: nothing",
        );
        check(
            "state.payments[0].to + 1 == 2",
            "this cannot be evaluated: ",
        );
    }
}
