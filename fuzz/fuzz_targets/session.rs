//! A whole session: never a panic, spans partition what entered, and the replayed log gives the same verdicts.
#![no_main]
#![expect(clippy::expect_used, reason = "a broken law must stop the fuzzer")]

use libfuzzer_sys::fuzz_target;
use provost::{Options, Policy, Session, session};
use provost_fuzz::{assert_partition, script};

fuzz_target!(|text: &str| {
    let policy = || Policy::default().trusting_annotations();
    let mut live = Session::new(policy(), Options::default());
    for input in script(text) {
        live.step(input);
    }
    for (_, node) in live.graph().nodes().filter(|(_, n)| !n.kind.is_action()) {
        assert_partition(&node.content, node.spans.iter().map(|s| s.range()));
    }
    let log: Vec<String> = live.log_lines().collect();
    let replayed = session::replay(&log.join("\n"), policy(), Options::default());
    let replayed = replayed.expect("the log that a session writes can be read");
    let verdicts = |s: &Session| serde_json::to_string(s.verdicts()).expect("verdicts are JSON");
    assert_eq!(verdicts(&live), verdicts(&replayed));
    assert!(
        replayed.log_lines().eq(log),
        "the log of the replay differs"
    );
});
