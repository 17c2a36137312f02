//! Laws of the session and its graph.

use proptest::prelude::*;
use provost::counterfactual::Settings;
use provost::session::replay;
use provost::{Event, Input, Layers, Options, Outcome, Session, SpanRef, Support, Surface};

use crate::any;

fn session(inputs: &[Input], layers: impl Into<Layers>) -> Session {
    let mut session = Session::new(any::policy(), layers);
    for input in inputs {
        session.step(input.clone());
    }
    session
}

fn options() -> impl Strategy<Value = Options> {
    prop::bool::ANY.prop_flat_map(|all| {
        (any_bool(all), any_bool(all), any_bool(all), any_bool(all)).prop_map(
            |(segment, ground, entail, invariants)| Options {
                segment,
                ground,
                entail,
                invariants,
            },
        )
    })
}

fn layers() -> impl Strategy<Value = Layers> {
    let settings = (1_u32..3, any::<bool>()).prop_map(|(samples, text)| Settings {
        samples,
        text,
        ..Settings::default()
    });
    (prop::option::of(options()), prop::option::of(settings)).prop_map(
        |(causal, counterfactual)| Layers {
            causal,
            counterfactual,
        },
    )
}

fn any_bool(all: bool) -> impl Strategy<Value = bool> {
    if all {
        Just(true).boxed()
    } else {
        any::<bool>().boxed()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn spans_partition_every_context(inputs in any::inputs(), options in options()) {
        let session = session(&inputs, options);
        for (_, node) in session.graph().nodes() {
            if node.kind.is_action() {
                prop_assert!(node.spans.is_empty());
                continue;
            }
            let mut end = 0;
            for span in &node.spans {
                let range = span.range();
                prop_assert_eq!(range.start, end);
                prop_assert!(range.end > range.start && node.content.get(range.clone()).is_some());
                end = range.end;
            }
            prop_assert_eq!(end, node.content.len());
        }
    }

    #[test]
    fn a_replayed_log_gives_equal_verdicts(inputs in any::inputs(), layers in layers()) {
        let live = session(&inputs, layers);
        let log: Vec<String> = live.log_lines().collect();
        let again = replay(&log.join("\n"), any::policy(), layers).unwrap();
        prop_assert_eq!(
            serde_json::to_string(live.verdicts()).unwrap(),
            serde_json::to_string(again.verdicts()).unwrap()
        );
        prop_assert_eq!(log, again.log_lines().collect::<Vec<_>>());
        prop_assert_eq!(live.invariants(), again.invariants());
        prop_assert_eq!(live.boundaries(), again.boundaries());
        prop_assert_eq!(live.view(), again.view());
    }

    #[test]
    fn evidence_points_at_what_came_before(inputs in any::inputs()) {
        let session = session(&inputs, Options::default());
        let proposals = inputs.iter().filter(|i| matches!(i, Input::Propose(_))).count();
        prop_assert_eq!(session.verdicts().len(), proposals);
        for verdict in session.verdicts() {
            let evidence = &verdict.evidence;
            prop_assert!(session.graph().node(evidence.action).kind.is_action());
            let supports = evidence.arguments.iter().flat_map(|g| match &g.support {
                Support::Verbatim { spans } | Support::Derived { spans, .. } => spans.as_slice(),
                Support::Default { .. } | Support::Nothing => &[],
            });
            for SpanRef { node, span } in evidence.chain.iter().chain(supports) {
                prop_assert!(*node < evidence.action);
                prop_assert!((*span as usize) < session.graph().node(*node).spans.len());
            }
            prop_assert_eq!(verdict.hint.is_some(), verdict.outcome == Outcome::Block);
        }
    }

    #[test]
    fn an_unrelated_event_changes_no_verdict(inputs in any::inputs(), at in any::<prop::sample::Index>()) {
        let before = session(&inputs, Options::default());
        let mut more = inputs.clone();
        more.insert(
            at.index(inputs.len() + 1),
            Input::Event(Event::Context {
                surface: Surface::Document,
                name: String::from("weather"),
                content: String::from("Fog lay over the meadow until noon."),
            }),
        );
        let after = session(&more, Options::default());
        let outcomes = |s: &Session| -> Vec<_> {
            s.verdicts().iter().map(|v| (v.outcome, v.evidence.finding)).collect()
        };
        prop_assert_eq!(outcomes(&before), outcomes(&after));
    }
}
