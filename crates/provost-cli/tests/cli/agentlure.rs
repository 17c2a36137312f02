//! AgentLure, played by the program against itself, and validated.

use std::fs;

use serde_json::Value;

use crate::tool::Place;

fn records(place: &Place, folder: &str) -> Vec<Value> {
    let text = fs::read_to_string(place.path().join(folder).join("results.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn without_a_defense_every_attack_succeeds_and_every_clean_task_is_done() {
    let place = Place::new();
    let args = "bench agentlure --task 01,02 --attack all --defense none -o lure";
    let done = place.run(&args.split(' ').collect::<Vec<_>>(), b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let records = records(&place, "lure");
    assert_eq!(records.len(), 4 * 2 * 9);
    for record in records {
        assert_eq!(record["error"], Value::Null, "{record}");
        let half = if record["case"]["user_task"] == "01" {
            "dev"
        } else {
            "test"
        };
        assert_eq!(record["half"], half);
        if record["case"]["attack"].is_null() {
            assert_eq!(record["utility"], true, "{}", record["case"]);
            assert_eq!(record["surface"], Value::Null);
        } else {
            assert_eq!(record["success"], true, "{}", record["case"]);
            assert_eq!(record["exposed"], true);
            assert!(record["surface"].is_string());
        }
    }
    let check = |format: &str, parts: &[&str]| {
        let report = place.run(&["report", "lure", "--format", format], b"");
        assert_eq!(report.code, 0, "{}", report.err);
        for part in parts {
            let out = &report.out;
            assert!(out.contains(part), "{part} is not in\n{out}");
        }
    };
    let asr = "100.0 % (32/32)";
    for format in ["text", "markdown"] {
        check(format, &[asr, "development", "ASR by surface", "tool"]);
    }
    check("csv", &["none,all,test,all,all,ASR,32,32,1.000000"]);
    check("json", &["\"halves\": [", "\"half\": \"test\""]);
    check("html", &["<title>test, all, all: 100.0 % (32/32)"]);
}

#[test]
fn half_of_the_tasks() {
    let place = Place::new();
    let args = "bench agentlure --suite slack --half test --defense none -o lure";
    let done = place.run(&args.split(' ').collect::<Vec<_>>(), b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let records = records(&place, "lure");
    assert_eq!(records.len(), 5);
    assert!(records.iter().all(|r| r["half"] == "test"));
    let odd = place.run(&["bench", "agentlure", "--half", "odd", "-o", "lure"], b"");
    assert_eq!(odd.code, 2);
    assert!(
        odd.err.contains("possible values: dev, test"),
        "{}",
        odd.err
    );
}

#[test]
fn the_audit_stands_between() {
    let place = Place::new();
    let args = "bench agentlure --suite banking --task 01 --attack argument,memory --defense causal -o lure";
    let done = place.run(&args.split(' ').collect::<Vec<_>>(), b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    for record in records(&place, "lure") {
        let steps = record["steps"].as_array().unwrap();
        let audited = steps.iter().filter(|s| s["finding"].is_string()).count();
        assert_eq!(audited, steps.len(), "every call has a verdict");
    }
}

#[test]
fn samples_are_validated() {
    let place = Place::new();
    let done = place.run(&["bench", "validate", "agentlure", "slack/01"], b"");
    assert_eq!(done.code, 0, "{}", done.out);
    assert!(done.out.ends_with("8 of 8 samples hold\n"), "{}", done.out);
    let schema = place.run(&["bench", "validate", "agentlure", "--schema"], b"");
    let schema: Value = serde_json::from_str(&schema.out).unwrap();
    assert!(schema["properties"]["sample"].is_object());
    let unknown = place.run(&["bench", "validate", "agentlure", "slack/11"], b"");
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.err.contains("AgentLure has no `slack/11`"),
        "{}",
        unknown.err
    );
}
