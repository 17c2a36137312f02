//! Atoms and normal forms: ranges lie in the text and in order, a filed atom is found, normalisation is idempotent.
#![no_main]

use std::cmp::Reverse;

use libfuzzer_sys::fuzz_target;
use provost::value::{Index, atoms, fold, normal, words};
use provost::{NodeId, SpanRef};

fuzz_target!(|text: &str| {
    let found = atoms(text);
    assert!(
        found.is_sorted_by_key(|atom| (atom.range.start, Reverse(atom.range.end))),
        "out of order"
    );
    let span = SpanRef {
        node: NodeId(0),
        span: 0,
    };
    let mut index = Index::default();
    index.insert(span, &found);
    for atom in &found {
        let inside = text.get(atom.range.clone());
        assert!(inside.is_some_and(|s| !s.is_empty()), "{atom:?}");
        assert!(!atom.norm.is_empty(), "{atom:?}");
        assert!(index.lookup(atom).next().is_some(), "lost: {atom:?}");
    }
    for form in [normal, fold] {
        let once = form(text);
        assert_eq!(form(&once), once, "not idempotent");
    }
    words(text);
});
