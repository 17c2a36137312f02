//! The first pass over a policy file: TOML, and every key and value against the schema of the raw layer. Finds all
//! problems, where a deserializer stops at the first.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::policy::problem::{Problem, listed, nearest, quoted};
use crate::policy::raw::schema;

/// A problem and the bytes that it is about.
pub(crate) type Found = (Range<usize>, Problem);

/// Reads TOML. The table holds what could be read, also when there are problems.
pub(crate) fn parse(text: &str) -> (Spanned<DeTable<'_>>, Vec<Found>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let problems = errors
        .into_iter()
        .map(|error| {
            let at = error.span().unwrap_or(0..0);
            let problem = if error.message() == "duplicate key" {
                Problem::Twice {
                    found: quoted(text.get(at.clone()).unwrap_or("")),
                }
            } else {
                Problem::Syntax {
                    found: quoted(error.message()),
                }
            };
            (at, problem)
        })
        .collect();
    (table, problems)
}

/// Compares a table with the schema of policy files.
pub(crate) fn check(table: &DeTable<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    check_table(schema(), table, &mut found);
    found
}

fn check_table(schema: &Value, table: &DeTable<'_>, found: &mut Vec<Found>) {
    let none = Map::new();
    let known = schema.get("properties").and_then(Value::as_object);
    let known = known.unwrap_or(&none);
    let other = schema.get("additionalProperties").filter(|o| o.is_object());
    for (key, value) in table.iter() {
        let name: &str = key.get_ref();
        match known.get(name).or(other) {
            Some(schema) => check_value(resolve(schema), name, value, found),
            None => found.push((
                key.span(),
                Problem::UnknownKey {
                    found: quoted(name),
                    nearest: nearest(name, known.keys().map(String::as_str)),
                    known: known.keys().cloned().collect(),
                },
            )),
        }
    }
}

fn check_value(schema: &Value, key: &str, value: &Spanned<DeValue<'_>>, found: &mut Vec<Found>) {
    let expected = match (schema.get("type").and_then(Value::as_str), value.get_ref()) {
        (Some("object"), DeValue::Table(table)) => return check_table(schema, table, found),
        (Some("boolean"), DeValue::Boolean(_)) => return,
        (Some("object"), _) => "a table".to_owned(),
        (Some("boolean"), _) => "`true` or `false`".to_owned(),
        (_, DeValue::String(text)) => {
            let known = choices(schema);
            if !known.iter().any(|k| k == text) {
                let problem = Problem::UnknownValue {
                    key: quoted(key),
                    found: quoted(text),
                    nearest: nearest(text, known.iter().map(String::as_str)),
                    known,
                };
                found.push((value.span(), problem));
            }
            return;
        }
        _ => format!("one of the texts {}", listed(&choices(schema))),
    };
    let problem = Problem::WrongType {
        key: quoted(key),
        found: described(value.get_ref()),
        expected,
    };
    found.push((value.span(), problem));
}

/// Follows a reference into the definitions of the schema.
fn resolve(part: &Value) -> &Value {
    part.get("$ref")
        .and_then(Value::as_str)
        .and_then(|r| r.strip_prefix('#'))
        .and_then(|pointer| schema().pointer(pointer))
        .unwrap_or(part)
}

/// The values that a closed set allows.
fn choices(schema: &Value) -> Vec<String> {
    let one_of = schema.get("oneOf").and_then(Value::as_array);
    one_of
        .into_iter()
        .flatten()
        .filter_map(|c| c.get("const")?.as_str().map(str::to_owned))
        .collect()
}

fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) => "a text".into(),
        DeValue::Integer(i) => format!("the number {}", quoted(i.as_str())),
        DeValue::Float(f) => format!("the number {}", quoted(f.as_str())),
        DeValue::Boolean(b) => format!("`{b}`"),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// Where a key stands: the bytes of the key at this path.
pub(crate) fn key_span(table: &DeTable<'_>, path: &[&str]) -> Range<usize> {
    let Some((first, rest)) = path.split_first() else {
        return 0..0;
    };
    let Some((key, value)) = table.get_key_value(*first) else {
        return 0..0;
    };
    match value.get_ref() {
        DeValue::Table(inner) if !rest.is_empty() => key_span(inner, rest),
        _ => key.span(),
    }
}
