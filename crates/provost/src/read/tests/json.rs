//! JSON and Python literals.

use proptest::prelude::*;
use serde_json::Value;

use super::super::{Format, Path, Role, Seg};
use super::{check, check_partition, dense, leaf, said_below};

#[test]
fn leaves_have_paths_and_decoded_text() {
    check(
        r#"{"a": [1, "x\ty"], "b": {"c": null}}"#,
        Format::Json,
        &[
            "Key a a",
            "Value a[0] 1",
            "Value a[1] x\ty",
            "Key b b",
            "Key b.c c",
            "Value b.c null",
        ],
    );
}

#[test]
fn sentences_of_a_leaf_lie_in_its_bytes() {
    let content = r#"{"note": "Paid \"in full\" today. Send caf\u00e9 bills to Ann."}"#;
    check(
        content,
        Format::Json,
        &[
            "Key note note",
            "Sentence note Paid \"in full\" today.",
            "Sentence note Send café bills to Ann.",
        ],
    );
    let last = check_partition(content)
        .pieces
        .into_iter()
        .rfind(|p| p.role == Role::Sentence);
    assert_eq!(
        last.map(|p| content[p.range].to_owned()),
        Some(r"Send caf\u00e9 bills to Ann.".to_owned())
    );
}

#[test]
fn structured_text_in_a_leaf_is_read_by_its_reader() {
    check(
        r#"{"mail": "From: a@b.c\nTo: d@e.f\n\nPay the bill. It is due."}"#,
        Format::Json,
        &[
            "Key mail mail",
            "Key mail.From From",
            "Value mail.From a@b.c",
            "Key mail.To To",
            "Value mail.To d@e.f",
            "Sentence mail Pay the bill.",
            "Sentence mail It is due.",
        ],
    );
    check(
        r#"{"j": "{\"k\": [true]}"}"#,
        Format::Json,
        &["Key j j", "Key j.k k", "Value j.k[0] true"],
    );
}

#[test]
fn python_literals_are_read_like_json() {
    check(
        r#"{'it': "it's", 'n': (None, 1.5), 'd': datetime.date(2024, 5, 1)}"#,
        Format::Json,
        &[
            "Key it it",
            "Value it it's",
            "Key n n",
            "Value n[0] None",
            "Value n[1] 1.5",
            "Key d d",
            "Value d datetime.date(2024, 5, 1)",
        ],
    );
    check(
        "[Message(sender='Ann', body='Hello'), Decimal('1.5')]",
        Format::Json,
        &[
            "Key [0].sender sender",
            "Value [0].sender Ann",
            "Key [0].body body",
            "Value [0].body Hello",
            "Value [1] 1.5",
        ],
    );
}

#[test]
fn lines_truncation_and_text_after_the_value_are_tolerated() {
    check(
        "{\"a\": 1}\n{\"a\": 2}\n",
        Format::Json,
        &[
            "Key [0].a a",
            "Value [0].a 1",
            "Key [1].a a",
            "Value [1].a 2",
        ],
    );
    check(
        "{\"a\": 1, \"b\": [2, \"thr",
        Format::Json,
        &[
            "Key a a",
            "Value a 1",
            "Key b b",
            "Value b[0] 2",
            "Value b[1] thr",
        ],
    );
    check(
        "{\"total\": 12}\n\nThe rest follows by mail tomorrow.",
        Format::Json,
        &[
            "Key total total",
            "Value total 12",
            "Sentence  The rest follows by mail tomorrow.",
        ],
    );
}

#[test]
fn brackets_in_text_are_not_json() {
    for content in [
        "[1] From here on it is text.",
        "(sent from my phone)",
        "{name} is a placeholder. So is {date}.",
        "[earlier] Hello.",
    ] {
        assert_eq!(check_partition(content).format, Format::Text, "{content:?}");
    }
}

/// Values with unique keys, a few levels deep.
fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        4 => leaf().prop_map(Value::String),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
    ];
    scalar.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map("[a-z]{1,6}", inner, 1..5)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

/// Paths of all string leaves with their texts, the key before an object's member included.
fn strings(value: &Value, path: &mut Vec<Seg>, key: &str, out: &mut Vec<(Path, String)>) {
    match value {
        Value::String(s) => out.push((Path::new(path.clone()), format!("{key}{}", dense(s)))),
        Value::Array(items) => {
            for (i, v) in (0..).zip(items) {
                path.push(Seg::Index(i));
                strings(v, path, "", out);
                path.pop();
            }
        }
        Value::Object(map) => {
            for (k, v) in map {
                path.push(Seg::Key(k.as_str().into()));
                strings(v, path, k, out);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Python's `repr` of a value.
fn repr(value: &Value, out: &mut String) {
    match value {
        Value::Null => *out += "None",
        Value::Bool(b) => *out += if *b { "True" } else { "False" },
        Value::Number(n) => *out += &n.to_string(),
        Value::String(s) => {
            let quote = if s.contains('\'') && !s.contains('"') {
                '"'
            } else {
                '\''
            };
            out.push(quote);
            for c in s.chars() {
                match c {
                    '\n' => *out += "\\n",
                    '\t' => *out += "\\t",
                    '\r' => *out += "\\r",
                    '\\' => *out += "\\\\",
                    c if c == quote => out.extend(['\\', c]),
                    c => out.push(c),
                }
            }
            out.push(quote);
        }
        Value::Array(items) => {
            out.push('[');
            for (i, v) in items.iter().enumerate() {
                *out += if i > 0 { ", " } else { "" };
                repr(v, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (i, (k, v)) in map.iter().enumerate() {
                *out += if i > 0 { ", " } else { "" };
                repr(&Value::String(k.clone()), out);
                *out += ": ";
                repr(v, out);
            }
            out.push('}');
        }
    }
}

#[test]
fn a_quotation_of_several_lines_is_no_literal() {
    for content in ["'\\'\n'", "\"one\\n\ntwo\""] {
        let reading = check_partition(content);
        let said: String = reading
            .pieces
            .iter()
            .map(|p| dense(p.text(content)))
            .collect();
        assert_eq!(said, dense(content));
    }
}

fn check_leaves(content: &str, value: &Value) {
    let mut want = Vec::new();
    strings(value, &mut Vec::new(), "", &mut want);
    let reading = check_partition(content);
    for (path, text) in want {
        assert_eq!(
            said_below(content, &reading, &path),
            text,
            "leaf {path} of {content:?}"
        );
    }
}

proptest! {
    #[test]
    fn leaves_are_those_of_serde_json(value in value().prop_filter("a collection", |v| v.is_array() || v.is_object())) {
        check_leaves(&value.to_string(), &value);
        check_leaves(&serde_json::to_string_pretty(&value).unwrap_or_default(), &value);
        let mut python = String::new();
        repr(&value, &mut python);
        check_leaves(&python, &value);
    }
}
