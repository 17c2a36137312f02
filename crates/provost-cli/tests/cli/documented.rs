//! Every command that the README, the documents and the help show runs as written.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tool::{Place, RUN};

/// A line of `provost bench`.
const RESULT: &str = concat!(
    r#"{"case": {"suite": "s", "user_task": "u"}, "agent": "scripted", "defense": "causal", "acts": false, "#,
    r#""utility": true, "exposed": false, "steps": [], "output": "", "tokens": {"agent": 0, "defense": 0}, "#,
    r#""micros": {"defense": 0, "total": 0}}"#,
    "\n"
);

/// The folder that the README tells to run its commands in.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The examples, and beside them what other commands name.
fn place() -> Place {
    let read = |name: &str| fs::read(examples().join(name)).unwrap();
    let runs = read("runs.jsonl");
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&runs).unwrap();
    let mut place = Place::new();
    for file in walkdir::WalkDir::new(examples())
        .into_iter()
        .map(Result::unwrap)
    {
        if file.file_type().is_file() {
            let name = file.path().strip_prefix(examples()).unwrap();
            place = place.with(name.to_str().unwrap(), read(name.to_str().unwrap()));
        }
    }
    place
        .with("recorded/deep/may.json", RUN)
        .with("mcp-runs.jsonl", &runs)
        .with("runs.gz", gz.finish().unwrap())
        .with("logs/2026-05/may.json.zst", read("logs/may.json.zst"))
        .with("reports/old.html", "")
        .with("results/results.jsonl", RESULT)
        .with("before/results.jsonl", RESULT)
}

/// Runs a command line in a shell that finds the binary: it succeeds and skips nothing. An audit may hold calls.
#[track_caller]
fn check(command: &str) {
    let binary = Path::new(env!("CARGO_BIN_EXE_provost")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let place = place();
    let done = Command::new("sh")
        .args(["-c", command])
        .current_dir(place.path())
        .env("PATH", format!("{}:{path}", binary.display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    let well = if command.contains("provost audit") {
        1
    } else {
        0
    };
    assert!(
        done.status.code().is_some_and(|code| code <= well),
        "{command}: {said}"
    );
    assert!(
        !said.contains("error") && !said.contains("skipped: "),
        "{command}: {said}"
    );
}

/// The lines of a text that call the binary.
fn commands(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| line.split(" | ").any(|part| part.starts_with("provost ")))
        .filter(|line| line.starts_with("provost ") || line.contains(" | provost "))
        .collect()
}

#[test]
fn documents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (file, least) in [("README.md", 5), ("docs/policy.md", 3)] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        let found = commands(&text);
        assert!(found.len() >= least, "{file}: {found:?}");
        found.into_iter().for_each(check);
        for block in text.split("```toml\n").skip(1) {
            let (policy, _) = block.split_once("```").unwrap();
            let place = place().with("shown.toml", policy);
            let done = place.run(&["policy", "check", "shown.toml"], b"");
            assert_eq!(done.code, 0, "{file}: {}", done.err);
        }
    }
}

/// What the README shows is what the examples give, where nothing is left out.
#[test]
fn examples_give_what_is_shown() {
    let place = place();
    let draft = place.run(&["policy", "draft", "tools.json"], b"");
    assert_eq!(
        draft.out,
        fs::read_to_string(examples().join("provost.toml")).unwrap()
    );
    let audit = place.run(&["audit", "--policy", "provost.toml", "runs/"], b"");
    assert_eq!(audit.code, 1, "{}", audit.err);
    let readme = fs::read_to_string(examples().join("../README.md")).unwrap();
    let (_, shown) = readme.split_once("```text\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(shown.lines().count(), 3, "{shown}");
    for line in shown.lines() {
        let parts: Vec<&str> = line.split('…').collect();
        let is_it = |out: &str| {
            let mut rest = out.strip_prefix(parts[0]);
            for part in &parts[1..] {
                rest = rest
                    .and_then(|rest| rest.split_once(*part))
                    .map(|(_, rest)| rest);
            }
            rest.is_some_and(|rest| rest.is_empty() || line.ends_with('…'))
        };
        assert!(
            audit.out.lines().any(is_it),
            "{line}\nis not in\n{}",
            audit.out
        );
    }
}

/// Every subcommand shows examples.
#[test]
fn help() {
    for command in [
        &["--help"][..],
        &["audit", "--help"],
        &["demo", "--help"],
        &["policy", "--help"],
        &["policy", "schema", "--help"],
        &["policy", "check", "--help"],
        &["policy", "draft", "--help"],
        &["report", "--help"],
    ] {
        let help = Place::new().run(command, b"").out;
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        let found = commands(examples);
        assert!(!found.is_empty(), "{command:?}: {help}");
        found.into_iter().for_each(check);
    }
}
