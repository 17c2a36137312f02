//! Bad input: never a panic, always a verdict or a clear error, and the runs beside it are audited.

use std::io::Write as _;

use serde_json::json;

use crate::tool::{Place, RUN};

/// A file with this content beside a good one: the error names its place, the good one is audited.
#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>, runs: &[&str], said: &[&str]) {
    let place = Place::new().with(name, content).with("z-good.jsonl", RUN);
    let done = place.audit(&[name, "z-good.jsonl"]);
    let expected: Vec<String> = runs
        .iter()
        .map(|run| format!("{name}:{run}"))
        .chain(["z-good.jsonl:0".to_owned()])
        .collect();
    assert_eq!(done.runs(), expected, "{}", done.err);
    for part in said {
        assert!(done.err.contains(part), "no {part:?} in {}", done.err);
    }
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(
        done.err.contains("expected: ") && done.err.contains("remedy: "),
        "{}",
        done.err
    );
    assert!(!done.err.contains("panicked"), "{}", done.err);
}

/// A peculiar run that is audited all the same; `said` is noted.
#[track_caller]
fn check_audited(run: &str, said: &str) -> serde_json::Value {
    let done = Place::new().with("r.jsonl", run).audit(&["r.jsonl"]);
    assert!(matches!(done.code, 0 | 1), "{}", done.err);
    assert!(done.err.contains(said), "{}", done.err);
    done.lines().remove(0)["calls"].take()
}

fn lines(broken: &str) -> String {
    format!("{RUN}\n{broken}\n{RUN}\n")
}

#[test]
fn empty_files() {
    check("e.json", "", &[], &["e.json: the file is empty"]);
    check("e.jsonl", " \n\n", &[], &["e.jsonl: the file is empty"]);
    check("e.jsonl.gz", [0x1f, 0x8b], &[], &["e.jsonl.gz"]);
    check(
        "h.jsonl",
        "{\"metadata\": {}}",
        &[],
        &["h.jsonl: there is no run in it"],
    );
}

#[test]
fn truncated_json() {
    let half = &RUN[..RUN.len() / 2];
    check(
        "t.jsonl",
        lines(half),
        &["0", "2"],
        &[
            "t.jsonl, run 1, line 2, byte",
            "the JSON ends in the middle",
        ],
    );
    check(
        "t.json",
        format!("[\n{RUN},\n{half}"),
        &["0"],
        &["t.json, line 3, byte"],
    );
    check(
        "t.json",
        "{\n  \"messages\": [\n",
        &[],
        &["t.json, line 3, byte 1"],
    );
}

fn gz(content: &str) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    out.write_all(content.as_bytes()).unwrap();
    out.finish().unwrap()
}

/// What was unpacked before an archive breaks off is audited.
#[test]
fn broken_archives() {
    let mut packed = gz(&lines(RUN));
    packed.truncate(packed.len() - RUN.len());
    let said = ["t.jsonl.gz, line 3, byte", "breaks off"];
    check("t.jsonl.gz", packed, &["0", "1"], &said);
    let mut packed = gz(RUN);
    let checksum = packed.len() - 8;
    packed[checksum] ^= 1;
    check(
        "c.jsonl.gz",
        packed,
        &["0"],
        &["c.jsonl.gz, line 1, byte 247: breaks off", "checksum"],
    );
    let mut packed = gz(RUN);
    packed.extend(b"garbage");
    check(
        "g.jsonl.gz",
        packed,
        &["0"],
        &["g.jsonl.gz, line 1, byte 247: breaks off"],
    );
    // A frame for each run, the last of them cut.
    let frame = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    let mut packed = [frame(&format!("{RUN}\n")), frame(RUN)].concat();
    packed.truncate(packed.len() - 10);
    check(
        "t.jsonl.zst",
        packed,
        &["0"],
        &["t.jsonl.zst, line 2, byte", "breaks off"],
    );
    check(
        "n.json.zst",
        b"\x28\xb5\x2f\xfdnonsense",
        &[],
        &["n.json.zst, line 1, byte 1: breaks off"],
    );
}

#[test]
fn other_encodings_and_archives() {
    let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = format!("\u{feff}{RUN}");
        text.encode_utf16().flat_map(order).collect()
    };
    check(
        "u.jsonl",
        utf16(u16::to_le_bytes),
        &[],
        &["u.jsonl: this is text in UTF-16"],
    );
    check(
        "u.json",
        utf16(u16::to_be_bytes),
        &[],
        &["u.json: this is text in UTF-16"],
    );
    for (content, what) in [
        (&b"\xfd7zXZ\0rest"[..], "an xz archive"),
        (b"BZh9rest", "a bzip2 archive"),
        (b"PK\x03\x04rest", "a zip archive"),
    ] {
        check(
            "a.json",
            content,
            &[],
            &[&format!("a.json: this is {what}"), "remedy: unpack"],
        );
    }
    let latin = b"{\"messages\": [{\"role\": \"user\", \"content\": \"caf\xe9\"}]}";
    check(
        "l.jsonl",
        latin,
        &[],
        &["l.jsonl, run 0, line 1, byte 47: not valid UTF-8"],
    );
    check(
        "n.jsonl",
        [0; 64],
        &[],
        &["n.jsonl, run 0, line 1, byte 1: not valid JSON"],
    );
}

/// Text that somebody took for JSON.
#[test]
fn almost_json() {
    let not = |name: &str, content: &str, runs: &[&str], said: &str| {
        check(name, content, runs, &[&format!("{name}, {said}")]);
    };
    not(
        "q.json",
        "{'messages': []}",
        &[],
        "line 1, byte 2: not valid JSON",
    );
    not(
        "c.json",
        &format!("{},}}", &RUN[..RUN.len() - 1]),
        &[],
        "line 1, byte 2",
    );
    not(
        "n.json",
        "{\"messages\": [{\"role\": \"user\", \"content\": NaN}]}",
        &[],
        "line 1, byte 4",
    );
    not(
        "y.json",
        "messages:\n  - role: user\n",
        &[],
        "line 1, byte 1: not valid JSON",
    );
    not(
        "h.json",
        "<html></html>",
        &[],
        "line 1, byte 1: not valid JSON",
    );
    not(
        "j.jsonl",
        &format!("// runs\n{RUN}"),
        &["1"],
        "run 0, line 1, byte 1: not valid JSON",
    );
    not(
        "o.json",
        &format!("{RUN},\n{RUN}"),
        &["1"],
        "run 0, line 1, byte 2",
    );
    not(
        "r.jsonl",
        &format!("{RUN}\r{RUN}"),
        &[],
        "run 0, line 1, byte 2",
    );
    // Windows line ends and a byte order mark are no fault.
    let done = Place::new()
        .with("w.jsonl", format!("\u{feff}{RUN}\r\n{RUN}\r\n"))
        .audit(&["w.jsonl"]);
    assert_eq!((done.runs().len(), done.code), (2, 0), "{}", done.err);
}

/// Standard input is as good as a file, and as bad.
#[test]
fn standard_input() {
    let place = Place::new().with("z-good.jsonl", RUN);
    let check = |stdin: &[u8], paths: &[&str], runs: usize, said: &str| {
        let args = [&["audit", "--format", "jsonl"][..], paths].concat();
        let done = place.run(&args, stdin);
        assert_eq!((done.runs().len(), done.code), (runs, 2), "{}", done.err);
        assert!(done.err.contains(said), "no {said:?} in {}", done.err);
        assert!(done.err.contains("remedy: "), "{}", done.err);
    };
    let with = ["-", "z-good.jsonl"];
    check(b"", &with, 1, "skipped: standard input: the file is empty");
    check(
        lines("{").as_bytes(),
        &with,
        3,
        "skipped: standard input, run 1, line 2, byte 2: the JSON ends",
    );
    check(
        b"\xff\xff",
        &with,
        1,
        "skipped: standard input, line 1, byte 1: not valid UTF-8",
    );
    let cut = gz(&lines(RUN));
    check(
        &cut[..cut.len() - 12],
        &with,
        3,
        "skipped: standard input, line 3, byte",
    );
    check(
        RUN.as_bytes(),
        &["-", "-"],
        1,
        "skipped: standard input: it was named before",
    );
}

#[test]
fn deep_nesting() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        let message = format!("{{\"messages\": [{{\"role\": \"user\", \"content\": {deep}}}]}}");
        check(
            "d.jsonl",
            lines(&message),
            &["0", "2"],
            &["d.jsonl, run 1, line 2", "nested too deeply, in message 0"],
        );
        let tools = format!("{{\"messages\": [], \"tools\": {deep}}}");
        check(
            "d.jsonl",
            lines(&tools),
            &["0", "2"],
            &["d.jsonl, run 1, line 2"],
        );
    }
    check("d.json", "[".repeat(10_000), &[], &["d.json, line 1"]);
    // Beside the messages nobody reads it, and as a string it is text.
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    check_audited(
        &format!("{{\"messages\": [], \"extra\": {deep}}}"),
        "1 run, 0 calls",
    );
    let run = json!({"messages": [{"role": "assistant", "tool_calls": [
        {"id": "1", "function": {"name": "f", "arguments": deep}}]}, {"role": "tool", "content": deep}]});
    check_audited(&run.to_string(), "arguments are not JSON");
}

#[test]
fn a_key_that_stands_twice_is_held() {
    let arguments = r#"{"to": "a@b.example", "to": "c@d.example"}"#;
    let run = json!({"messages": [{"role": "user", "content": "Send it to a@b.example."}, {"role": "assistant",
        "tool_calls": [{"id": "1", "function": {"name": "send", "arguments": arguments}}]}]});
    check_audited(&run.to_string(), "1 blocked");
}

#[test]
fn invalid_utf8() {
    let mut bytes =
        format!("{RUN}\n{{\"messages\": [{{\"role\": \"user\", \"content\": \"").into_bytes();
    bytes.extend(b"\xff\xfe\"}]}\n");
    bytes.extend(RUN.as_bytes());
    check(
        "u.jsonl",
        bytes,
        &["0", "2"],
        &["u.jsonl, run 1, line 2, byte 44: not valid UTF-8"],
    );
    check(
        "u.json",
        [0xff, 0xff, b'{', 0],
        &[],
        &["u.json, line 1, byte 1: not valid UTF-8"],
    );
    check(
        "s.jsonl",
        lines(r#"{"messages": [{"role": "user", "content": "\ud800"}]}"#),
        &["0", "2"],
        &["s.jsonl, run 1, line 2", "message 0"],
    );
}

#[test]
fn not_a_run() {
    let not = |line: &str, said: &str| {
        check(
            "n.jsonl",
            lines(line),
            &["0", "2"],
            &["n.jsonl, run 1, line 2", said],
        )
    };
    not("7", "a number stands alone");
    not("nonsense", "not valid JSON");
    not(
        "{\"writes\": []}",
        "an object without messages (it has: writes)",
    );
    not(
        "{\"role\": \"user\", \"content\": \"hi\"}",
        "one message stands alone",
    );
    not("{\"messages\": {}}", "`messages` cannot be read");
    not("{\"messages\": [\"hi\"]}", "message 0 cannot be read");
    not(
        "{\"messages\": [{\"content\": \"hi\"}]}",
        "it has neither `role` nor `type`",
    );
    not(
        "{\"messages\": [{\"role\": 7}]}",
        "message 0 cannot be read",
    );
    not(
        "{\"messages\": [{\"role\": \"assistant\", \"tool_calls\": 7}]}",
        "message 0 cannot be read",
    );
    not(
        "{\"messages\": [], \"tools\": \"all\"}",
        "`tools` cannot be read",
    );
    not("{\"messages\": [], \"messages\": []}", "duplicate field");
}

#[test]
fn paths() {
    check("nothing/../nowhere.jsonl", "", &[], &["the file is empty"]);
    let place = Place::new()
        .with("z-good.jsonl", RUN)
        .with("texts/a.txt", "");
    let missing = |path: &str, said: &str| {
        let done = place.audit(&[path, "z-good.jsonl"]);
        assert_eq!(done.runs(), ["z-good.jsonl:0"]);
        assert!(
            done.err.contains(path) && done.err.contains(said),
            "{}",
            done.err
        );
        assert_eq!(done.code, 2);
    };
    missing("nowhere.jsonl", "cannot be opened");
    missing("z-good.jsonl/in", "cannot be opened");
    missing("[", "not a pattern");
    missing("no-*.jsonl", "the pattern matches no file");
    missing("texts", "nothing to audit: there is no file with runs");
}

#[test]
fn peculiar_runs() {
    let call = |id: &str, arguments: &str| {
        format!(r#"{{"id":{id},"function":{{"name":"get_balance","arguments":{arguments}}}}}"#)
    };
    let run = |messages: &[String]| format!(r#"{{"messages":[{}]}}"#, messages.join(","));
    let calls = |calls: &[String]| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{}]}}"#,
            calls.join(",")
        )
    };
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":{id},"content":"r"}}"#);

    check_audited(
        &run(&[result("\"x\"")]),
        "tool result without a call: 1 time\n",
    );
    let unanswered = check_audited(&run(&[calls(&[call("\"x\"", "{}")])]), "1 call: ");
    assert_eq!(unanswered.as_array().unwrap().len(), 1);
    let twice = run(&[
        calls(&[call("\"x\"", "{}"), call("\"x\"", "{}")]),
        result("\"x\""),
        result("\"x\""),
    ]);
    let twice = check_audited(&twice, "call id used twice, made unique: 1 time\n");
    assert_eq!(twice.as_array().unwrap().len(), 2);
    check_audited(
        &run(&[r#"{"role":"oracle","content":"x"}"#.into()]),
        "unknown role",
    );
    for arguments in [
        "7",
        "\"7\"",
        "[]",
        "\"[]\"",
        "null",
        "\"\"",
        "\"{\"",
        "true",
        "{\"n\": \"12\"}",
    ] {
        let calls = check_audited(
            &run(&[calls(&[call("5", arguments)]), result("\"5\"")]),
            "1 call: ",
        );
        assert_eq!(calls.as_array().unwrap().len(), 1, "{arguments}");
    }
    for text in [
        "\u{200b}\u{202e}\u{2066}pay\u{2069}",
        "pаypal.example",
        "\u{feff}",
        "\u{0}",
    ] {
        let user = json!({"role": "user", "content": text}).to_string();
        check_audited(
            &run(&[user.clone(), calls(&[call("5", "{}")]), user]),
            "1 call: ",
        );
    }
}

/// Fifty megabytes in one message; two where the engine is compiled without optimisation.
#[test]
fn a_huge_message() {
    let size = if cfg!(debug_assertions) {
        2_000_000
    } else {
        50_000_000
    };
    let text = "0123456789abcdef ".repeat(size / 17);
    let huge = json!({"messages": [
        {"role": "user", "content": "What is my balance?"},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "get_balance", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": text},
        {"role": "assistant", "tool_calls": [{"id": "d", "function": {"name": "get_balance", "arguments": "{}"}}]},
    ]});
    let done = Place::new()
        .with("huge.jsonl", lines(&huge.to_string()))
        .audit(&["huge.jsonl"]);
    assert_eq!(
        done.runs(),
        ["huge.jsonl:0", "huge.jsonl:1", "huge.jsonl:2"],
        "{}",
        done.err
    );
}
