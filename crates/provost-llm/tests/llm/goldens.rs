//! Each file in `data` holds runs in one format; beside it stands what they become. `UPDATE_GOLDENS=1` rewrites the
//! expectations.

use std::fmt::Write as _;
use std::path::Path;

use provost::Input;
use provost_llm::runs::{Parsed, parse, split};

fn convert(document: &[u8]) -> String {
    let mut out = String::new();
    let found = split(document);
    assert_eq!(found.error, None);
    for range in found.runs {
        match parse(&document[range]) {
            Ok(Parsed::Header) => out.push_str("header\n"),
            Ok(Parsed::Run(run)) => {
                out.push_str("run\n");
                for input in run.inputs {
                    let _ = writeln!(out, "  {}", serde_json::to_string(&input).unwrap());
                }
                for warning in run.warnings {
                    let _ = writeln!(out, "  warning: {warning}");
                }
            }
            Err(error) => {
                let _ = writeln!(out, "error at byte {}: {error}", error.at());
            }
        }
    }
    out
}

#[track_caller]
fn check(file: &str) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let found = convert(&std::fs::read(data.join(file)).unwrap());
    let golden = data.join(format!("{file}.expected"));
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&golden, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(found, expected, "{file}: UPDATE_GOLDENS=1 rewrites it");
}

#[test]
fn chat() {
    check("chat.jsonl");
}

#[test]
fn responses() {
    check("responses.json");
}

#[test]
fn anthropic() {
    check("anthropic.json");
}

#[test]
fn agentdojo() {
    check("agentdojo.json");
}

#[test]
fn recorded() {
    check("recorded.jsonl");
}

#[test]
fn mcp_list() {
    check("mcp-list.json");
}

#[test]
fn odd() {
    check("odd.jsonl");
}

/// What a proxy keeps beside the messages it forwarded belongs to the run.
#[test]
fn an_answer_beside_the_messages() {
    let call = r#"{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"pay","arguments":"{}"}}]}"#;
    let block =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"pay","input":{}}]}"#;
    let item = r#"{"type":"function_call","call_id":"c","name":"pay","arguments":"{}"}"#;
    for beside in [
        format!(r#""choices":[{{"index":0,"message":{call}}}]"#),
        format!(r#""response":{{"choices":[{{"message":{call}}}]}}"#),
        format!(r#""response":{block}"#),
        format!(r#""response":{{"output":[{item}]}}"#),
    ] {
        let text = format!(r#"{{"messages":[{{"role":"user","content":"Pay."}}],{beside}}}"#);
        let Ok(Parsed::Run(run)) = parse(text.as_bytes()) else {
            panic!("no run: {text}");
        };
        let proposed = run
            .inputs
            .iter()
            .any(|i| matches!(i, Input::Propose(c) if c.name == "pay"));
        assert!(proposed, "{text}");
    }
}
