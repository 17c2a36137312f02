//! Running the binary in a folder of its own.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// A folder with files, and the binary run in it.
pub(crate) struct Place(tempfile::TempDir);

/// What a run of the binary left behind.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// `provost audit --format jsonl ARGS`.
    pub(crate) fn audit(&self, args: &[&str]) -> Done {
        let args: Vec<&str> = ["audit", "--format", "jsonl"]
            .iter()
            .chain(args)
            .copied()
            .collect();
        self.run(&args, b"")
    }

    pub(crate) fn run(&self, args: &[&str], stdin: &[u8]) -> Done {
        let mut child = Command::new(env!("CARGO_BIN_EXE_provost"))
            .args(args)
            .current_dir(self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input is no fault of the test.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let done = child.wait_with_output().unwrap();
        Done {
            code: done.status.code().unwrap(),
            out: String::from_utf8(done.stdout).unwrap(),
            err: String::from_utf8(done.stderr).unwrap(),
        }
    }
}

impl Done {
    /// The JSON Lines of the output.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// `SOURCE:RUN` of every line.
    pub(crate) fn runs(&self) -> Vec<String> {
        self.lines()
            .iter()
            .map(|line| format!("{}:{}", line["source"].as_str().unwrap(), line["run"]))
            .collect()
    }
}

/// A run of one line in which the agent looks something up and has the answer.
pub(crate) const RUN: &str = r#"{"messages":[{"role":"user","content":"What is my balance?"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"get_balance","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"12.50"}]}"#;
