//! Recorded runs in every wire format: errors lie inside the input, runs do not overlap, call ids are unique.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use provost::Input;
use provost_llm::runs::{Parsed, RunError, parse, split};

fuzz_target!(|document: &[u8]| {
    let found = split(document);
    if let Some(error) = &found.error {
        check_error(error, document);
    }
    let mut end = 0;
    for range in found.runs {
        assert!(
            end <= range.start && range.start < range.end,
            "runs overlap"
        );
        end = range.end;
        check_run(&document[range]);
    }
    assert!(end <= document.len());
    check_run(document);
});

fn check_run(json: &[u8]) {
    match parse(json) {
        Err(error) => check_error(&error, json),
        Ok(Parsed::Header) => {}
        Ok(Parsed::Run(run)) => {
            let calls = run.inputs.iter().filter_map(|input| match input {
                Input::Propose(call) => Some(&call.id),
                _ => None,
            });
            let mut ids = HashSet::new();
            assert!(calls.into_iter().all(|id| ids.insert(id)), "an id twice");
            for warning in &run.warnings {
                assert!(!warning.to_string().is_empty());
            }
        }
    }
}

fn check_error(error: &RunError, text: &[u8]) {
    assert!(error.at() <= text.len(), "{error} lies outside");
    assert!(!error.to_string().is_empty());
}
