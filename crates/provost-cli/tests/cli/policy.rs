//! `provost policy`, and `--policy`: what it prints, and what it says of bad input.

use crate::tool::{Place, RUN};

const TOOLS: &str =
    r#"[{"name": "look", "description": "Looks."}, {"name": "pay", "description": "Pays."}]"#;

/// Bad input: exit status 2, and an error with these parts, nothing on standard output.
#[track_caller]
fn check(place: &Place, args: &[&str], stdin: &[u8], said: &[&str]) {
    let done = place.run(args, stdin);
    assert_eq!(
        (done.code, done.out.as_str()),
        (2, ""),
        "{args:?}: {}",
        done.err
    );
    for part in said {
        assert!(done.err.contains(part), "no {part:?} in {}", done.err);
    }
    assert!(!done.err.contains("panicked"), "{}", done.err);
}

#[test]
fn tools_that_cannot_be_read() {
    let run = format!("{{\"tools\": {TOOLS}, {}", &RUN[1..]);
    let deep = "[".repeat(10_000);
    let cases: &[(&str, &[u8], &[&str])] = &[
        (
            "e.json",
            b"",
            &["e.json: the file is empty", "remedy: name the file"],
        ),
        (
            "l.jsonl",
            b"{\"name\": \"look\"}\n{\"name\": \"pay\"}\n",
            &[
                "l.jsonl: this is JSON Lines",
                "remedy: make one list",
                "jq -s",
            ],
        ),
        (
            "r.jsonl",
            &format!("{RUN}\n{RUN}\n").into_bytes(),
            &[
                "r.jsonl: this is JSON Lines with recorded runs",
                "head -n 1",
            ],
        ),
        (
            "r.json",
            RUN.as_bytes(),
            &["r.json: this is a recorded run that brings no tool definitions"],
        ),
        (
            "t.json",
            b"[{\"name\": \"lo",
            &["t.json: EOF", "line 1 column", "remedy: correct the JSON"],
        ),
        (
            "u.json",
            b"[\n\xff]",
            &[
                "u.json: line 2: byte 2 of the file is not UTF-8",
                "remedy: convert",
            ],
        ),
        (
            "d.json",
            deep.as_bytes(),
            &["d.json: ", "line 1", "expected: one JSON value"],
        ),
        ("n.json", b"7", &["n.json: ", "expected: one JSON value"]),
        ("z.json", b"[]", &["z.json: the list of tools is empty"]),
        ("m.json", b"{\"tools\": 3}", &["m.json: ", "line 1"]),
    ];
    for (name, content, said) in cases {
        let place = Place::new().with(name, content).with("p.toml", "");
        check(&place, &["policy", "draft", name], b"", said);
        check(
            &place,
            &["policy", "check", "p.toml", "--tools", name],
            b"",
            said,
        );
    }
    check(
        &Place::new(),
        &["policy", "draft", "nowhere.json"],
        b"",
        &["cannot read nowhere.json"],
    );
    check(
        &Place::new(),
        &["policy", "draft", "-"],
        b"\n",
        &["standard input: the file is empty"],
    );
    // The tools that a recorded run brings along.
    let place = Place::new().with("one.json", &run);
    let draft = place.run(&["policy", "draft", "one.json"], b"");
    assert!(draft.out.contains("[tools.pay]"), "{}", draft.err);
    assert_eq!(draft.code, 0);
}

#[test]
fn a_draft_checks() {
    let place = Place::new().with("tools.json", TOOLS);
    let draft = place.run(&["policy", "draft", "tools.json"], b"");
    let place = place.with("p.toml", &draft.out);
    let check = |args: &[&str], code: i32, said: &str| {
        let done = place.run(args, b"");
        assert_eq!(done.code, code, "{}", done.err);
        assert!(
            (done.out.clone() + &done.err).contains(said),
            "{} {}",
            done.out,
            done.err
        );
    };
    check(
        &["policy", "check", "p.toml", "--tools", "tools.json"],
        0,
        "p.toml: no problems\n",
    );
    check(
        &["policy", "check", "p.toml"],
        0,
        "unchecked: name the tools with --tools",
    );
    let place = Place::new()
        .with("tools.json", TOOLS)
        .with("p.toml", "[tools.pey]\neffect = \"write\"\n");
    let done = place.run(&["policy", "check", "p.toml", "--tools", "tools.json"], b"");
    assert!(
        done.code == 1 && done.err.contains("did you mean `pay`?"),
        "{}",
        done.err
    );
}

#[test]
fn policies_that_cannot_be_read() {
    let place = Place::new()
        .with("r.jsonl", RUN)
        .with("provost.toml", "")
        .with("conf/shop.toml", "")
        .with("u.toml", b"x = \"\xff\"")
        .with("bad.toml", "[tools.x]\nefect = \"read\"\n");
    let audit = |policy: &str, said: &[&str]| {
        check(&place, &["audit", "--policy", policy, "r.jsonl"], b"", said);
    };
    audit(
        "agentdoj",
        &[
            "cannot read the policy agentdoj; did you mean `agentdojo`?",
            "remedy: ",
        ],
    );
    audit("AgentDojo", &["did you mean `agentdojo`?"]);
    audit("provst.toml", &["did you mean `provost.toml`?"]);
    audit("conf/shp.toml", &["did you mean `conf/shop.toml`?"]);
    audit(
        "something-else",
        &["cannot read the policy something-else\n", "expected: "],
    );
    audit(
        "u.toml",
        &[
            "u.toml: line 1: byte 5 of the file is not UTF-8",
            "remedy: ",
        ],
    );
    audit("bad.toml", &["bad.toml:2", "did you mean `effect`"]);
    audit("conf", &["cannot read the policy conf\n", "irectory"]);
}

/// Every problem of a policy file says its line and its column.
#[test]
fn policies_with_problems() {
    let deep = format!("a = {}", "[".repeat(20_000));
    let long = "a".repeat(3_000_000);
    for (content, said) in [
        ("[tools.\"a", "p.toml:1:"),
        ("\n[tools.f]\neffect = \"reed\"\n", "p.toml:3:"),
        ("[tools.f]\n[tools.f]\n", "p.toml:2:"),
        ("[tools]\nf = 7\n", "p.toml:2:"),
        ("\0", "p.toml:1:"),
        (&deep, "p.toml:1:"),
        (&long, "p.toml:1:"),
    ] {
        let place = Place::new().with("p.toml", content);
        for args in [
            &["policy", "check", "p.toml"][..],
            &["audit", "--policy", "p.toml", "r.jsonl"],
        ] {
            let done = place.run(args, b"");
            assert!(matches!(done.code, 1 | 2), "{args:?}: {}", done.err);
            assert!(done.err.contains(said), "{args:?}: {}", done.err);
            assert!(!done.err.contains("panicked"), "{}", done.err);
            assert!(done.err.len() < 20_000, "{}", done.err.len());
        }
    }
    let done = Place::new().run(&["policy", "check", "nowhere.toml"], b"");
    assert!(
        done.code == 2 && done.err.contains("remedy: check the path"),
        "{}",
        done.err
    );
}
