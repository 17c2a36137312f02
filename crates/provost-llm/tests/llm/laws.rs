//! Laws: conversion never panics, unknown fields survive, results keep to calls.

use std::collections::HashSet;

use proptest::prelude::*;
use provost::{Event, Input};
use provost_llm::runs::{Parsed, parse, split};
use provost_llm::{Block, Item, Message, ToolCall, tools::Definition};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

/// Words that the formats know, so that arbitrary JSON comes near to them.
const WORDS: [&str; 34] = [
    "role",
    "user",
    "assistant",
    "tool",
    "content",
    "text",
    "type",
    "tool_calls",
    "id",
    "function",
    "name",
    "arguments",
    "args",
    "tool_call_id",
    "tool_call",
    "error",
    "is_error",
    "tool_use",
    "tool_result",
    "tool_use_id",
    "input",
    "output",
    "function_call",
    "function_call_output",
    "call_id",
    "messages",
    "tools",
    "system",
    "metadata",
    "document",
    "source",
    "refusal",
    "{}",
    "",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        1 => ".{0,6}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9f64).prop_map(Value::from),
        word().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((word(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    prop::collection::vec((word(), value()), 0..6)
        .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
}

/// A call or a result with few ids and names, so that they collide.
fn turn() -> impl Strategy<Value = Value> {
    let id = prop::sample::select(vec![
        json!("a"),
        json!("a#2"),
        json!("b"),
        json!(""),
        json!(null),
        json!(1),
    ]);
    let name = prop::sample::select(vec!["f", "g"]);
    let call = prop::collection::vec((id.clone(), name.clone()), 0..4).prop_map(|calls| {
        let calls: Vec<Value> = calls
            .into_iter()
            .map(|(id, name)| json!({"id": id, "function": {"name": name, "arguments": "{}"}}))
            .collect();
        json!({"role": "assistant", "content": "x", "tool_calls": calls})
    });
    let result = (id, prop::option::of(name)).prop_map(
        |(id, name)| json!({"role": "tool", "tool_call_id": id, "name": name, "content": "r"}),
    );
    prop_oneof![call, result, Just(json!({"role": "user", "content": "u"}))]
}

/// What can be read is written again unchanged.
fn round_trip<T: Serialize + DeserializeOwned>(value: &Value) -> Result<(), TestCaseError> {
    if let Ok(typed) = serde_json::from_value::<T>(value.clone()) {
        prop_assert_eq!(&serde_json::to_value(typed).unwrap(), value);
    }
    Ok(())
}

proptest! {
    #[test]
    fn unknown_fields_survive(value in object()) {
        round_trip::<Message>(&value)?;
        round_trip::<ToolCall>(&value)?;
        round_trip::<Block>(&value)?;
        round_trip::<Item>(&value)?;
        round_trip::<Definition>(&value)?;
    }

    #[test]
    fn no_json_panics(value in value(), messages in prop::collection::vec(object(), 0..4)) {
        let _ = parse(value.to_string().as_bytes());
        let run = json!({"messages": messages, "tools": value});
        let _ = parse(run.to_string().as_bytes());
        for message in messages {
            let _ = parse(json!([message]).to_string().as_bytes());
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let found = split(&bytes);
        for range in found.runs {
            let _ = parse(&bytes[range]);
        }
        if let Err(error) = parse(&bytes) {
            prop_assert!(error.at() <= bytes.len());
        }
    }

    /// A run that is cut off anywhere gives an error within what is left of it, never a shorter run.
    #[test]
    fn no_prefix_passes_for_a_run(turns in prop::collection::vec(turn(), 1..6), cut in 0.0..1.0f64) {
        let whole = json!({"messages": turns}).to_string();
        let cut = (whole.len() as f64 * cut) as usize;
        let error = parse(&whole.as_bytes()[..cut]).unwrap_err();
        prop_assert!(error.at() <= cut);
    }

    /// Every call has an id of its own; no call and no result is lost; a call is answered at most once and a result
    /// comes after its call, unless a warning says otherwise.
    #[test]
    fn results_keep_to_calls(turns in prop::collection::vec(turn(), 0..12)) {
        let calls = turns.iter().filter_map(|t| t.get("tool_calls")).flat_map(|c| c.as_array().unwrap()).count();
        let results = turns.iter().filter(|t| t["role"] == "tool").count();
        let Ok(Parsed::Run(run)) = parse(json!({"messages": turns}).to_string().as_bytes()) else {
            return Err(TestCaseError::fail("not a run"));
        };
        let mut ids = HashSet::new();
        let mut answered = Vec::new();
        for input in &run.inputs {
            match input {
                Input::Propose(call) => prop_assert!(ids.insert(call.id.clone()), "id {} twice", call.id),
                Input::Event(Event::ToolResult { call, .. }) => answered.push((call.clone(), ids.contains(call))),
                _ => {}
            }
        }
        prop_assert_eq!(ids.len(), calls);
        prop_assert_eq!(answered.len(), results);
        let strays = answered.iter().filter(|(_, known)| !known).count();
        let distinct: HashSet<_> = answered.iter().map(|(id, _)| id).collect();
        let kinds = |kind| run.warnings.iter().filter(|w| w.kind == kind).count();
        use provost_llm::runs::WarningKind as Kind;
        prop_assert_eq!(strays, kinds(Kind::ResultWithoutCall));
        prop_assert_eq!(answered.len() - distinct.len(), kinds(Kind::SecondResult));
    }
}
