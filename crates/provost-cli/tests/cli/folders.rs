//! Folders: what lies beside runs, links, and nothing at all.

use serde_json::{Value, json};

use crate::tool::{Done, Place, RUN};

const TOOLS: &str = r#"[{"type": "function", "function": {"name": "look"}}]"#;

/// A folder `in` with these files: these runs are audited, with this exit status, and these lines are said.
#[track_caller]
fn check(files: &[(&str, &str)], runs: &[&str], code: i32, said: &[&str]) -> Done {
    let place = files.iter().fold(
        Place::new().with("other/x", ""),
        |place, (name, content)| place.with(&format!("in/{name}"), content),
    );
    let done = place.audit(&["in"]);
    assert_eq!(done.runs(), runs, "{}", done.err);
    assert_eq!(done.code, code, "{}", done.err);
    for part in said {
        assert!(done.err.contains(part), "no {part:?} in {}", done.err);
    }
    done
}

#[test]
fn what_is_no_run_is_passed_over() {
    let calm = |name: &str, content: &str, why: &str| {
        let said = format!("passed over: in/{name} holds no run: {why}\n");
        let done = check(
            &[("a.jsonl", RUN), (name, content)],
            &["a.jsonl:0"],
            0,
            &[&said, "0 skipped, 1 file without runs passed over\n"],
        );
        assert!(!done.err.contains("remedy: pass"), "{}", done.err);
    };
    calm("tools.json", TOOLS, "definitions of tools, not a run");
    calm(
        "mcp/tools.json",
        "{\"tools\": [{\"name\": \"f\", \"inputSchema\": {}}]}",
        "definitions of tools, not a run",
    );
    calm(
        "package.json",
        "{\"name\": \"p\", \"version\": \"1\"}",
        "an object without messages (it has: name, version)",
    );
    calm(
        "data.json",
        "[{\"name\": \"Ines\"}]",
        "message 0 cannot be read: it has neither `role` nor `type`",
    );
    calm(
        "labels.jsonl",
        &"{\"writes\": []}\n".repeat(300),
        "an object without messages (it has: writes)",
    );
}

/// Where runs are expected, what is none is a fault.
#[test]
fn what_should_be_a_run_is_not_passed_over() {
    let fault = |content: &str, runs: &[&str], said: &str| {
        check(&[("a.jsonl", content)], runs, 2, &[said]);
    };
    fault(
        &format!("{{\"writes\": []}}\n{RUN}"),
        &["a.jsonl:1"],
        "skipped: in/a.jsonl, run 0, line 1",
    );
    fault(
        &format!("{RUN}\n{TOOLS}"),
        &["a.jsonl:0"],
        "definitions of tools, not a run",
    );
    fault(
        "{\"writes\": []}\n{\"messages\": [",
        &[],
        "skipped: in/a.jsonl, run 0, line 1",
    );
    fault("{\"messages\": [7]}", &[], "message 0 cannot be read");
    // Named by itself, it was meant.
    let done = Place::new()
        .with("tools.json", TOOLS)
        .audit(&["tools.json"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("provost policy draft"), "{}", done.err);
}

#[test]
fn nothing_to_audit() {
    check(
        &[("notes.txt", "")],
        &[],
        2,
        &["skipped: in: nothing to audit"],
    );
    check(
        &[("tools.json", TOOLS)],
        &[],
        2,
        &[
            "passed over: in/tools.json",
            "nothing to audit: no run was found\n",
        ],
    );
    let place = Place::new();
    std::fs::create_dir(place.path().join("empty")).unwrap();
    for path in ["empty", "empty/*.json"] {
        let done = place.audit(&[path]);
        assert_eq!(done.code, 2);
        assert!(done.err.contains("nothing to audit"), "{}", done.err);
    }
}

#[test]
fn passed_over_in_json() {
    let place = Place::new()
        .with("in/a.json", RUN)
        .with("in/tools.json", TOOLS);
    let done = place.run(&["audit", "--format", "json", "in"], b"");
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        document["summary"]["passed_over"],
        json!([{"source": "tools.json", "path": "in/tools.json", "why": "definitions of tools, not a run"}])
    );
}

/// No file is audited twice, no loop is walked, and only a link that should lead to runs is missed.
#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;
    let place = Place::new()
        .with("in/b/run.jsonl", RUN)
        .with("outside/far.jsonl", RUN);
    let at = |name: &str| place.path().join("in").join(name);
    symlink(".", at("b/loop")).unwrap();
    symlink("b/run.jsonl", at("a-latest.jsonl")).unwrap();
    symlink("b", at("c")).unwrap();
    symlink("../outside", at("d")).unwrap();
    symlink("../outside/far.jsonl", at("e.jsonl")).unwrap();
    symlink("nowhere", at("gone")).unwrap();
    let done = place.audit(&["in"]);
    assert_eq!(
        done.runs(),
        ["b/run.jsonl:0", "d/far.jsonl:0"],
        "{}",
        done.err
    );
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(!done.err.contains("in/"), "{}", done.err);
    symlink("nowhere", at("gone.jsonl")).unwrap();
    let done = place.audit(&["in"]);
    assert_eq!((done.runs().len(), done.code), (2, 2));
    assert!(
        done.err
            .contains("in/gone.jsonl: is a link that leads nowhere"),
        "{}",
        done.err
    );
    // A link that is named is followed.
    assert_eq!(place.audit(&["in/a-latest.jsonl"]).code, 0);
}

/// A folder that may not be read: its error is said, and the rest is audited. Who may read everything reads it.
#[cfg(unix)]
#[test]
fn a_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new()
        .with("in/a.jsonl", RUN)
        .with("in/shut/b.jsonl", RUN);
    let shut = place.path().join("in/shut");
    let may =
        |mode| std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(mode)).unwrap();
    may(0o000);
    let readable = std::fs::read_dir(&shut).is_ok();
    let done = place.audit(&["in"]);
    may(0o755);
    if readable {
        assert_eq!((done.runs().len(), done.code), (2, 0), "{}", done.err);
    } else {
        assert_eq!(
            (done.runs(), done.code),
            (vec!["a.jsonl:0".to_owned()], 2),
            "{}",
            done.err
        );
        assert!(
            done.err.contains("skipped: in/shut: cannot be read"),
            "{}",
            done.err
        );
    }
}
