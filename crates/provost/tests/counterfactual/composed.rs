//! Both layers: what the audit cannot tell is settled by dry runs, and dry runs are made only where there is cause.

use provost::counterfactual::Settings;
use provost::{Finding, Layers, Options};

use super::agents::Obedient;
use super::driver::{USER, call, play};

const OWN: &str = "DE89370400440532013000";

fn layers() -> Layers {
    Layers {
        causal: Some(Options::default()),
        counterfactual: Some(Settings::default()),
    }
}

fn agent() -> Obedient {
    Obedient {
        user: USER,
        own: vec![
            call("read_file", "bill.txt"),
            call("read_file", "notes.txt"),
            call("send_money", OWN),
        ],
        payload: "no such payload",
        theirs: Vec::new(),
        words: "",
        only_told: false,
    }
}

#[test]
fn dry_runs_are_made_where_there_is_cause() {
    let world = |tool: &str, argument: &str| match (tool, argument) {
        ("read_file", "bill.txt") => format!("Amount: 20 EUR\nIBAN: {OWN}"),
        ("read_file", _) => "Nothing to note.".into(),
        _ => "booked".into(),
    };
    let agent = agent();
    let act = |v: &super::driver::View, s: u32| agent.next(v, s);
    let alone = play(Settings::default(), USER, &act, &world, false);
    let both = play(layers(), USER, &act, &world, false);
    assert_eq!(alone.ran, both.ran);
    assert_eq!((alone.replays.len(), both.replays.len()), (3, 1));
    assert_eq!(both.findings.last(), Some(&Finding::Justified));
}
