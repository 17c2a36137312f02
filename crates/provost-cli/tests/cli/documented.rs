//! Every command that the README, the documents and the help show runs as written.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use crate::tool::{Place, RUN};

const TOOLS: &str =
    r#"[{"name": "get_balance", "annotations": {"readOnlyHint": true, "openWorldHint": false}}]"#;

/// A line of `provost bench`.
const RESULT: &str = concat!(
    r#"{"case": {"suite": "s", "user_task": "u"}, "agent": "scripted", "defense": "causal", "acts": false, "#,
    r#""utility": true, "exposed": false, "steps": [], "output": "", "tokens": {"agent": 0, "defense": 0}, "#,
    r#""micros": {"defense": 0, "total": 0}}"#,
    "\n"
);

/// A folder with everything that the commands name.
fn place() -> Place {
    let run = format!("{{\"tools\": {TOOLS}, {}\n", &RUN[1..]);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(run.as_bytes()).unwrap();
    let gz = gz.finish().unwrap();
    let zst = zstd::encode_all(run.as_bytes(), 1).unwrap();
    Place::new()
        .with("tools.json", TOOLS)
        .with("provost.toml", "[tools.get_balance]\neffect = \"read\"\n")
        .with("runs/may.jsonl", &run)
        .with("recorded/deep/may.json", &run)
        .with("runs.jsonl", &run)
        .with("mcp-runs.jsonl", &run)
        .with("runs.gz", gz)
        .with("logs/may.json.zst", &zst)
        .with("logs/2026-05/may.json.zst", &zst)
        .with("reports/old.html", "")
        .with("results/results.jsonl", RESULT)
        .with("before/results.jsonl", RESULT)
}

/// Runs a command line in a shell that finds the binary: it succeeds and skips nothing.
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
    assert!(done.status.success(), "{command}: {said}");
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
