//! What benchmarks and their reports make of input that is not as they want it: one sentence that says what to do, nothing else.

use std::fs;
use std::process::{Command, Stdio};

use crate::tool::Place;

/// A command fails with status 2, says all parts on standard error, and leaves no folder `out`.
#[track_caller]
fn check(place: &Place, args: &str, parts: &[&str]) {
    let args: Vec<&str> = args.split(' ').collect();
    let done = place.run(&args, b"");
    assert_eq!((done.code, done.out.as_str()), (2, ""), "{args:?}");
    for part in parts {
        assert!(done.err.contains(part), "{part} is not in {}", done.err);
    }
    assert!(!done.err.contains("panicked"), "{}", done.err);
    assert!(!place.path().join("out").exists(), "{args:?}");
}

#[test]
fn names_and_numbers() {
    let place = Place::new();
    let bench = |args: &str| format!("bench agentlure -o out {args}");
    let tasks = "there are banking/01 to banking/10, travel/01 to travel/10";
    for name in [
        "banking/11",
        "banking/0",
        "banking",
        "11",
        "home/1",
        "banking/3/tool",
        "/",
        ".",
    ] {
        let unknown = format!("no user task is called `{}", &name[..1]);
        check(
            &place,
            &bench(&format!("--task {name}")),
            &[&unknown, tasks],
        );
        check(
            &place,
            &format!("bench serve agentlure -o out --task {name}"),
            &[tasks],
        );
    }
    let elsewhere = "--suite banking --task travel/3";
    check(
        &place,
        &bench(elsewhere),
        &["no user task is called `travel/03`; there are banking/01"],
    );
    check(
        &place,
        &bench("--attack tools"),
        &["invalid value 'tools'", "workflow"],
    );
    check(
        &place,
        &bench("--suite bank"),
        &["invalid value 'bank'", "workspace"],
    );
    check(
        &place,
        &bench("--defense prayer"),
        &["no defense is called `prayer`", "`causal`"],
    );
    check(
        &place,
        &bench("--agent me"),
        &["invalid value 'me'", "scripted"],
    );
    check(
        &place,
        &bench("--limit 0"),
        &["invalid value '0' for '--limit"],
    );
    check(
        &place,
        &bench("--jobs 0"),
        &["invalid value '0' for '--jobs"],
    );
    for part in ["banking/11", "bank", "banking/03/tool", "/"] {
        let said = format!("AgentLure has no `{part}`");
        check(
            &place,
            &format!("bench validate agentlure {part}"),
            &[&said, "`banking/03`"],
        );
    }
}

/// Tasks have the same short names everywhere.
#[test]
fn short_names() {
    let place = Place::new();
    for name in ["banking/3", "banking/03"] {
        let args = [
            "bench",
            "agentlure",
            "--task",
            name,
            "--defense",
            "none",
            "-o",
            "lure",
        ];
        assert_eq!(place.run(&args, b"").code, 0, "{name}");
        assert_eq!(
            place
                .run(&["bench", "validate", "agentlure", name], b"")
                .code,
            0,
            "{name}"
        );
    }
    let results = fs::read_to_string(place.path().join("lure/results.jsonl")).unwrap();
    assert_eq!(results.lines().count(), 1, "one task under two names");
}

#[test]
fn places() {
    let place = Place::new()
        .with("file", "")
        .with("lure/results.jsonl/x", "");
    let bench = |out: &str| format!("bench agentlure --task 1 -o {out}");
    check(&place, &bench("file"), &["file is no folder"]);
    check(
        &place,
        &bench("file/deeper"),
        &["file/deeper cannot be made", "another folder as --out"],
    );
    check(
        &place,
        &bench("lure"),
        &["lure/results.jsonl is no file of results", "another folder"],
    );
    check(
        &place,
        "report lure",
        &["lure/results.jsonl is no file of results"],
    );
    check(
        &place,
        "report file/deeper",
        &["file/deeper is not there", "--out"],
    );
    let served = "bench serve agentlure --task banking/1";
    check(
        &place,
        &format!("{served} -o nowhere/run.json"),
        &["cannot write nowhere/run.json"],
    );
    check(
        &place,
        &format!("{served} -o file/run.json"),
        &["cannot write file/run.json"],
    );
    check(
        &place,
        &format!("{served} -o lure"),
        &["lure is there already"],
    );
    check(
        &place,
        "bench show agentlure banking/1 -o lure",
        &["cannot write lure"],
    );
    if cfg!(target_os = "linux") {
        check(&place, &bench("/dev/null"), &["/dev/null is no folder"]);
        check(
            &place,
            &bench("/proc/none"),
            &["/proc/none cannot be made", "--out"],
        );
        check(
            &place,
            "report /dev/zero",
            &["/dev/zero is no file of results"],
        );
        check(
            &place,
            &format!("{served} -o /dev/zero"),
            &["/dev/zero is there already"],
        );
    }
}

#[test]
fn folders_of_results() {
    let place = Place::new();
    let bench = "bench agentlure --task banking/1 --defense none -o lure";
    let args: Vec<&str> = bench.split(' ').collect();
    assert_eq!(place.run(&args, b"").code, 0);
    check(
        &place,
        "report lure lure/../lure",
        &["lure/../lure is named twice"],
    );
    let about = place.path().join("lure/run.json");
    for other in ["{", "[]", ""] {
        fs::write(&about, other).unwrap();
        check(
            &place,
            bench,
            &["lure/run.json does not say who made the runs", "remove it"],
        );
        // Reports are of the results alone.
        assert_eq!(place.run(&["report", "lure"], b"").code, 0);
    }
    fs::remove_file(&about).unwrap();
    assert_eq!(place.run(&args, b"").code, 0, "the remedy helps");
    let runs = place.path().join("lure/results.jsonl");
    let text = fs::read_to_string(&runs).unwrap();
    for (other, part) in [
        (
            text.replacen('{', "{\"mood\": 1, ", 1),
            "unknown field `mood`",
        ),
        (
            text.replacen("\"utility\":true,", "\"utility\":null,", 1),
            "neither how it ended",
        ),
        (format!("\u{feff}{text}"), "column 1"),
        (
            text.replacen("\"case\"", "\"cases\"", 1),
            "unknown field `cases`",
        ),
    ] {
        fs::write(&runs, &other).unwrap();
        let parts = [
            "line 1 is not a run as this version",
            part,
            "delete this one",
        ];
        check(&place, "report lure", &parts);
        check(&place, bench, &parts);
        assert_eq!(fs::read_to_string(&runs).unwrap(), other, "nothing is lost");
    }
    // The remedy: without the line, its run is made again.
    fs::write(&runs, "").unwrap();
    assert_eq!(place.run(&args, b"").code, 0);
    assert_eq!(fs::read_to_string(&runs).unwrap().lines().count(), 1);
}

/// A stored run of another's may hold anything.
#[test]
fn what_is_written_can_be_read() {
    let run = |depth: usize| {
        let arguments = format!("{{\"a\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        let call = serde_json::json!({"id": "c", "type": "function", "function": {"name": "act", "arguments": arguments}});
        let messages = serde_json::json!([
            {"role": "user", "content": "Do it."},
            {"role": "assistant", "content": null, "tool_calls": [call]},
        ]);
        let task = format!("task {depth}");
        let told = serde_json::json!({"suite_name": "s", "user_task_id": task, "utility": true});
        serde_json::json!({"id": task, "metadata": told, "messages": messages}).to_string() + "\n"
    };
    let depths = [1, 60, 64, 100, 120, 122, 124, 125, 126];
    let runs: String = depths.into_iter().map(run).collect();
    let place = Place::new().with("deep.jsonl", runs);
    let done = place.run(&["bench", "recorded", "deep.jsonl", "-o", "deep"], b"");
    assert_eq!(done.code, 0, "{}", done.err);
    let report = place.run(&["report", "deep", "--format", "json"], b"");
    assert_eq!(report.code, 0, "{}", report.err);
}

/// Who has read enough of the output is told nothing more, as of any other program.
#[test]
fn readers_that_go_away() {
    let place = Place::new();
    let bench = [
        "bench",
        "agentlure",
        "--task",
        "1",
        "--defense",
        "none",
        "-o",
        "lure",
    ];
    assert_eq!(place.run(&bench, b"").code, 0);
    for args in [
        &bench[..],
        &["bench", "validate", "agentlure", "banking/1"],
        &["bench", "show", "agentlure", "banking/1"],
        &["report", "lure"],
        &["policy", "schema"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_provost"))
            .args(args)
            .current_dir(place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(141), "{args:?}: {said}");
        assert!(!said.contains("error"), "{args:?}: {said}");
    }
}

/// Ctrl-C is answered, and only it: runs also stop where they cannot be written.
#[cfg(target_os = "linux")]
#[test]
fn a_wish_to_stop_is_answered() {
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_provost"))
        .args([
            "bench",
            "agentlure",
            "--attack",
            "all",
            "-j",
            "1",
            "-o",
            "lure",
        ])
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let runs = place.path().join("lure/results.jsonl");
    while fs::read(&runs).unwrap_or_default().is_empty() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let interrupt = format!("kill -INT {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &interrupt])
            .status()
            .unwrap()
            .success()
    );
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    let out = String::from_utf8_lossy(&done.stdout);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(
        out.contains("stopped: ") && out.contains("the same command goes on"),
        "{out}"
    );
    let text = fs::read(&runs).unwrap();
    assert!(text.ends_with(b"\n"), "whole lines");

    // A disk that is full, as a limit on the size of files.
    let full = "trap '' XFSZ; ulimit -f 16; exec \"$0\" bench agentlure --attack all -j 1 -o other";
    let done = Command::new("sh")
        .args(["-c", full, env!("CARGO_BIN_EXE_provost")])
        .current_dir(place.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains("results.jsonl cannot be read or written: "),
        "{said}"
    );
    assert!(!said.contains("Ctrl-C"), "{said}");
}
