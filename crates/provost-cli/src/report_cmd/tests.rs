//! The page, on results made by hand.

use provost_bench::Record;
use provost_bench::compare::compare;
use serde_json::json;

use super::page::html;

/// A run of `attack` on the first task of a suite, with its outcome.
fn record(attack: Option<&str>, defense: &str, acts: bool, utility: bool, success: bool) -> Record {
    let mut record = json!({
        "case": {"suite": "bank", "user_task": "user_task_0"},
        "agent": "scripted", "defense": defense, "acts": acts, "utility": utility, "exposed": true,
        "steps": [{
            "whose": "injection", "tool": "pay", "arguments": {"to": "x"}, "outcome": "release", "times": 1,
            "effect": "write", "reason": "the user said so",
        }],
        "output": "", "tokens": {"agent": 0, "defense": 0}, "micros": {"defense": 0, "total": 0},
    });
    if let Some(attack) = attack {
        record["case"]["attack"] = attack.into();
        record["case"]["injection_task"] = "injection_task_3".into();
        record["success"] = success.into();
    }
    serde_json::from_value(record).unwrap()
}

fn some() -> Vec<Record> {
    vec![
        record(None, "causal", false, true, false),
        record(Some("direct"), "causal", true, true, true),
        record(Some("direct"), "none", true, false, true),
        record(Some("dos"), "causal", false, false, true),
    ]
}

/// How often `part` stands in the page.
#[track_caller]
fn check(page: &str, part: &str, times: usize) {
    assert_eq!(page.matches(part).count(), times, "{part} in\n{page}");
}

#[test]
fn the_page_holds_what_the_results_say() {
    let page = html(&some(), None);
    // A point for each attack that has an ASR, and none for one that has not.
    check(&page, "<path class=\"whisker\"", 2);
    check(&page, "causal, direct: ASR 100.0 %", 1);
    check(&page, "causal, dos: ASR", 0);
    // A grid for each attack, and what a cell tells.
    check(&page, "<figure>", 3);
    check(
        &page,
        "user_task_0, injection_task_3: the attack succeeded",
        2,
    );
    check(
        &page,
        "injection_task_3: a goal that takes no call, reached",
        1,
    );
    check(&page, "attacks that succeeded: <b>2</b>", 1);
    check(&page, "pay: no verdict (the user said so)", 1);
    check(&page, "<h2>What changed</h2>", 0);
}

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    let page = html(&some(), None);
    for part in [
        "<script", "src=", "href=", "url(", "@import", "http://", "https://", " on", "style=",
    ] {
        let inside = page.split_once("</style>").unwrap().1;
        let times = inside.matches(part).count();
        // Words of the text may begin so.
        let text = if part == " on" {
            inside.matches(" one").count()
                + inside.matches(" once").count()
                + inside.matches(" only").count()
        } else {
            0
        };
        assert!(times <= text, "{part}: {times}");
    }
    check(&page, "default-src 'none'", 1);
}

#[test]
fn an_attackers_words_are_words() {
    let evil = "\"><img src=x onerror=alert(1)><!-- '\u{202e}\u{1b}[2J";
    let mut records = some();
    for record in &mut records {
        record.agent = evil.into();
        record.defense += evil;
        record.case.suite = evil.into();
        record.case.user_task = evil.into();
        record.output = evil.into();
        record.case.attack = record.case.attack.take().map(|a| a + evil);
        record.case.injection_task = record.case.injection_task.take().map(|a| a + evil);
        for step in &mut record.steps {
            step.tool = evil.into();
            step.arguments = json!({evil: evil});
            step.reason = evil.into();
        }
    }
    let page = html(&records, Some(&compare(&records, &records)));
    assert!(page.contains("&lt;img src=x"), "{page}");
    for part in ["<img", "<!--", "\u{202e}", "\u{1b}", "\"\">"] {
        check(&page, part, 0);
    }
}

#[test]
fn labels_do_not_cover_each_other() {
    let records: Vec<Record> = (0..24)
        .map(|n| record(Some(&format!("attack_{n:02}")), "causal", true, true, false))
        .collect();
    let page = html(&records, None);
    let number = |text: &str, name: &str| -> f64 {
        let (_, rest) = text.split_once(&format!("{name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    let labels: Vec<(f64, f64)> = page
        .split("<text class=\"label\"")
        .skip(1)
        .map(|text| (number(text, " x"), number(text, " y")))
        .collect();
    assert!(labels.len() > 12, "{}", labels.len());
    for (n, a) in labels.iter().enumerate() {
        for b in &labels[n + 1..] {
            let apart = (a.1 - b.1).abs() >= 12.9 || (a.0 - b.0).abs() > 50.0;
            assert!(apart, "{a:?} {b:?}");
        }
    }
}

#[test]
fn differences_are_on_the_page() {
    let mut before = some();
    before[1].success = Some(false);
    let page = html(&some(), Some(&compare(&before, &some())));
    check(&page, "<h2>What changed</h2>", 1);
    check(&page, "attacks that succeed now: 1", 1);
    check(&page, "<td>+100.0<small>", 1);
    let page = html(&some(), Some(&compare(&[], &some())));
    check(&page, "Nothing to compare", 1);
}
