//! Sessions that no driver should send: they are judged all the same.

use provost::session::replay;
use provost::{Event, Finding, Input, Options, Outcome, Session, Step, Surface, ToolCall};
use serde_json::{Value, json};

use crate::any;

/// Steps through the inputs and replays them; returns the outcomes of the proposals.
fn check(inputs: &[Input]) -> Vec<(Outcome, Finding)> {
    let mut session = Session::new(any::policy(), Options::default());
    for input in inputs {
        let proposal = matches!(input, Input::Propose(_));
        let step = session.step(input.clone());
        assert_eq!(proposal, !matches!(step, Step::Continue(_)));
    }
    let log: Vec<String> = session.log_lines().collect();
    let again = replay(&log.join("\n"), any::policy(), Options::default()).unwrap();
    assert_eq!(session.verdicts(), again.verdicts());
    session
        .verdicts()
        .iter()
        .map(|v| (v.outcome, v.evidence.finding))
        .collect()
}

fn user(text: &str) -> Input {
    Input::Event(Event::user(text))
}

fn result(call: &str, text: impl Into<String>) -> Input {
    Input::Event(Event::result(call, text))
}

fn propose(id: &str, name: &str, arguments: Value) -> Input {
    Input::Propose(ToolCall::new(id, name, arguments))
}

fn mail(to: &str) -> Value {
    json!({"recipients": [to], "subject": "Hours", "body": "Nine to five."})
}

const DESK: &str = "desk@lynx-trade.example";
const RELEASE: (Outcome, Finding) = (Outcome::Release, Finding::Justified);
const READ: (Outcome, Finding) = (Outcome::Release, Finding::ReadOnly);

#[test]
fn an_id_used_twice_stands_for_the_latest_call() {
    let outcomes = check(&[
        user("Read hours.txt and write to the desk that it names."),
        propose("c", "send_mail", mail(DESK)),
        propose("c", "read_file", json!({"path": "hours.txt"})),
        result("c", format!("Desk: {DESK}")),
        propose("c", "send_mail", mail(DESK)),
    ]);
    assert_eq!(
        outcomes,
        [(Outcome::Block, Finding::Unsupported), READ, RELEASE]
    );
}

#[test]
fn a_result_without_a_call_is_a_context() {
    let outcomes = check(&[
        result("nowhere", format!("Desk: {DESK}")),
        user("Write our hours to the desk."),
        propose("c", "send_mail", mail(DESK)),
    ]);
    assert_eq!(outcomes, [RELEASE]);
}

#[test]
fn a_call_without_a_result_is_judged() {
    let outcomes = check(&[
        user(&format!("Read hours.txt and send our hours to {DESK}.")),
        propose("a", "read_file", json!({"path": "hours.txt"})),
        propose("b", "send_mail", mail(DESK)),
        propose("c", "send_mail", mail("nobody@lindenhaus.example")),
    ]);
    assert_eq!(
        outcomes,
        [READ, RELEASE, (Outcome::Block, Finding::Unsupported)]
    );
}

#[test]
fn nothing_at_all_is_still_an_input() {
    let empty = |surface| {
        Input::Event(Event::Context {
            surface,
            name: String::new(),
            content: String::new(),
        })
    };
    let outcomes = check(&[
        Input::Event(Event::system("")),
        user(""),
        user(" \n\t\u{feff}"),
        Input::Event(Event::ToolDocs { tools: Vec::new() }),
        empty(Surface::Memory),
        empty(Surface::ToolDocs),
        result("", ""),
        propose("", "", json!({})),
        propose("", "read_file", json!({})),
        propose("", "send_mail", json!({"": "", " ": [[], {}]})),
    ]);
    assert_eq!(outcomes, [RELEASE, READ, RELEASE]);
}

#[test]
fn arguments_of_every_shape() {
    for arguments in [
        json!(null),
        json!([]),
        json!(["to", DESK]),
        json!(DESK),
        json!(1e300),
        json!(false),
    ] {
        let outcomes = check(&[
            user(&format!("Send our hours to {DESK}.")),
            propose("a", "send_mail", arguments.clone()),
            propose("b", "open_page", arguments.clone()),
            propose("c", "read_file", arguments),
        ]);
        let malformed = (Outcome::Block, Finding::Malformed);
        assert_eq!(outcomes, [malformed, malformed, READ]);
    }
}

/// `depth` lists around a value.
fn nested(depth: usize, value: Value) -> Value {
    (0..depth).fold(value, |v, _| Value::Array(vec![v]))
}

#[test]
fn deep_arguments_are_judged_by_their_leaves() {
    for depth in [1, 60, 100] {
        let outcomes = check(&[
            user(&format!("Send our hours to {DESK}.")),
            propose(
                "a",
                "send_mail",
                json!({"recipients": nested(depth, json!(DESK))}),
            ),
            propose(
                "b",
                "send_mail",
                json!({"recipients": nested(depth, json!("x@nowhere.example"))}),
            ),
        ]);
        assert_eq!(
            outcomes,
            [RELEASE, (Outcome::Block, Finding::Unsupported)],
            "{depth}"
        );
    }
}

/// A result of `size` bytes of one unit says nothing about a mail that the user asked for.
fn check_long(unit: &str, size: usize) {
    let text = unit.repeat(size / unit.len());
    let outcomes = check(&[
        user(&format!("Read hours.txt and send our hours to {DESK}.")),
        propose("a", "read_file", json!({"path": "hours.txt"})),
        result("a", text.as_str()),
        propose("b", "send_mail", mail(DESK)),
    ]);
    assert_eq!(outcomes, [READ, RELEASE], "{unit:?}");
}

#[test]
fn a_megabyte_is_read_like_a_line() {
    for unit in ["[", " ", "<!--", "\u{200b}", "NL77FOXX0290331145 "] {
        check_long(unit, 1 << 20);
    }
}

#[test]
fn long_contents_of_one_unit() {
    for unit in [
        "a",
        "\n",
        "{\"a\":",
        "<p>",
        "- x\n",
        "|a",
        "a: b\n",
        "word and ",
        "Please pay. ",
        "<memory>",
        "# doc\n",
        "1,",
        "\"",
        "'",
        "<",
        "&",
        "\\",
        "`",
        "@",
        "://",
        "é",
        "字",
        "#",
        "1. ",
        "]",
    ] {
        check_long(unit, 1 << 13);
    }
}

#[test]
fn a_megabyte_of_arguments_is_judged() {
    let many: Vec<String> = (0..20_000)
        .map(|i| format!("n{i}@nowhere.example"))
        .collect();
    let outcomes = check(&[
        user("Send our hours to everyone."),
        propose(
            "a",
            "send_mail",
            json!({"recipients": many, "body": "x ".repeat(1 << 19)}),
        ),
        propose("b", "read_file", json!({"path": "y ".repeat(1 << 19)})),
        result("b", "hours"),
    ]);
    assert_eq!(outcomes, [(Outcome::Block, Finding::Unsupported), READ]);
}
