//! A whole session, under any layers: never a panic, spans partition what entered, dry runs come to an end, and the replayed
//! log gives the same verdicts.
#![no_main]
#![expect(clippy::expect_used, reason = "a broken law must stop the fuzzer")]

use libfuzzer_sys::fuzz_target;
use provost::counterfactual::Settings;
use provost::{
    Answer, Ask, Input, Layers, Options, Policy, Proposal, Session, Step, ToolCall, session,
};
use provost_fuzz::{assert_partition, script};

/// More dry runs than any boundary takes.
const RUNS: usize = 1000;

fuzz_target!(|text: &str| {
    let policy = || Policy::default().trusting_annotations();
    let inputs = script(text);
    let layers = Layers {
        causal: (!text.len().is_multiple_of(3)).then(Options::default),
        counterfactual: (text.len() % 3 != 1).then(Settings::default),
    };
    let calls: Vec<ToolCall> = inputs.iter().filter_map(proposed).collect();
    let mut live = Session::new(policy(), layers);
    for input in inputs {
        let mut step = live.step(input);
        let mut runs = 0;
        while let Step::Ask(asks) = step {
            step = Step::Ask(Vec::new());
            runs += asks.len();
            assert!(runs < RUNS && !asks.is_empty(), "{runs} dry runs");
            for ask in asks {
                let answer = answer(&ask, &calls);
                step = live.step(Input::Answer(ask.id, answer));
            }
        }
    }
    for (_, node) in live.graph().nodes().filter(|(_, n)| !n.kind.is_action()) {
        assert_partition(&node.content, node.spans.iter().map(|s| s.range()));
    }
    let log: Vec<String> = live.log_lines().collect();
    let replayed = session::replay(&log.join("\n"), policy(), layers);
    let replayed = replayed.expect("the log that a session writes can be read");
    let verdicts = |s: &Session| serde_json::to_string(s.verdicts()).expect("verdicts are JSON");
    assert_eq!(verdicts(&live), verdicts(&replayed));
    assert_eq!(live.boundaries(), replayed.boundaries());
    assert!(
        replayed.log_lines().eq(log),
        "the log of the replay differs"
    );
});

fn proposed(input: &Input) -> Option<ToolCall> {
    match input {
        Input::Propose(call) => Some(call.clone()),
        _ => None,
    }
}

/// A dry run proposes one of the script's calls, or ends.
fn answer(ask: &Ask, calls: &[ToolCall]) -> Answer {
    let number = usize::try_from(ask.id.0).unwrap_or(0);
    let call = calls.iter().cycle().nth(number % (2 * calls.len() + 1));
    Answer::Proposal(Proposal {
        text: String::new(),
        calls: call
            .filter(|_| number % 2 == 0)
            .cloned()
            .into_iter()
            .collect(),
    })
}
