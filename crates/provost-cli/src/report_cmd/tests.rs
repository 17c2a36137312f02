//! The page, on results made by hand.

use provost_bench::compare::compare;
use provost_bench::{Half, Record};
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
    // One task of the attacker's: a grid for each defense, with its attacks, and what a cell tells.
    check(&page, "<figure>", 2);
    check(&page, "user_task_0, direct: the attack succeeded", 2);
    let said = "user_task_0, dos: a goal that takes no call, reached";
    check(&page, said, 1);
    let counts = "of 1 attacks <b>1</b> succeeded, and <b>0</b> failed but cost the task";
    check(&page, counts, 2);
    let said = "of 1 goals that take no call <b>1</b> were reached";
    check(&page, said, 1);
    // One attack that takes a call, and no surfaces: no rates by attack.
    check(&page, "id=\"rates\"", 0);
    check(&page, "attacks that succeeded: <b>2</b>", 1);
    check(&page, "pay: no verdict (the user said so)", 1);
    check(&page, "<h2>What changed</h2>", 0);
}

#[test]
fn several_goals_are_columns_of_each_attack() {
    let mut records = some();
    let mut other = record(Some("direct"), "causal", true, false, false);
    other.case.injection_task = Some("injection_task_4".into());
    records.push(other);
    let page = html(&records, None);
    check(
        &page,
        "Rows are tasks of the user, columns tasks of the attacker.",
        1,
    );
    check(&page, "<figure>", 3);
    let told = "user_task_0, injection_task_3: the attack succeeded";
    check(&page, told, 2);
    let counts = "scripted, causal, direct: of 2 attacks <b>1</b> succeeded, and <b>1</b> failed but cost the task<";
    check(&page, counts, 1);
}

/// Two attacks on both halves.
fn halved() -> Vec<Record> {
    let run = |task: &str, half, attack, surface: &str, success| {
        let mut run = record(attack, "causal", attack.is_some(), true, success);
        run.case.user_task = task.into();
        run.half = Some(half);
        run.surface = attack.map(|_| surface.to_owned());
        run
    };
    let (dev, test) = (Half::Dev, Half::Test);
    vec![
        run("01", dev, None, "", false),
        run("01", dev, Some("memory"), "memory", true),
        run("01", dev, Some("tool"), "document", false),
        run("02", test, None, "", false),
        run("02", test, Some("memory"), "memory", false),
        run("02", test, Some("tool"), "document", false),
    ]
}

#[test]
fn halves_stand_side_by_side() {
    let page = html(&halved(), None);
    let header = "<th scope=\"col\">development</th><th scope=\"col\">test</th><th scope=\"col\">difference</th>";
    check(&page, header, 1);
    // The whole, and each half.
    let tables = page.split_once("<h2>Over all attacks</h2>").unwrap().1;
    let (overview, _) = tables.split_once("</table>").unwrap();
    check(overview, "<tr><th scope=\"row\">", 3);
    // Attack success of each half: by surface, by suite and over all.
    for (cell, times) in [
        (
            "<title>development, memory, memory: 100.0 % (1/1) [20.7, 100.0]</title>",
            1,
        ),
        (
            "<title>development, document, tool: 0.0 % (0/1) [0.0, 79.3]</title>",
            1,
        ),
        (
            "<title>test, memory, memory: 0.0 % (0/1) [0.0, 79.3]</title>",
            1,
        ),
        (
            "<title>development, bank, all: 50.0 % (1/2) [9.5, 90.5]</title>",
            1,
        ),
        ("<title>test, all, all: 0.0 % (0/2) [0.0, 65.8]</title>", 1),
        ("<title>development, document, memory", 0),
    ] {
        check(&page, cell, times);
    }
    // Four figures: rates and runs of each half.
    check(&page, "<figcaption>bank, development <span>2</span>", 1);
    check(&page, "<figcaption>bank, test <span>2</span>", 1);
    check(&page, "<figure>", 4);
}

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    let page = html(&[some(), halved()].concat(), None);
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
    let mut records = [some(), halved()].concat();
    for record in &mut records {
        record.surface = record.surface.take().map(|s| s + evil);
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
    // Below each is a plate, so that no whisker strikes it out.
    let plates = page.split("<rect class=\"plate\"").skip(1);
    let plates: Vec<[f64; 4]> = plates
        .map(|text| [" x", " y", " width", " height"].map(|name| number(text, name)))
        .collect();
    assert_eq!(plates.len(), labels.len());
    for ((x, y), [left, top, width, height]) in labels.iter().zip(&plates) {
        assert!(*left <= *x && *x <= left + width, "{x} {left} {width}");
        assert!(*top < *y && *y < top + height, "{y} {top} {height}");
    }
    for (n, a) in labels.iter().enumerate() {
        for b in &labels[n + 1..] {
            let apart = (a.1 - b.1).abs() >= 12.9 || (a.0 - b.0).abs() > 50.0;
            assert!(apart, "{a:?} {b:?}");
        }
    }
}

/// Names may be as many as runs.
#[test]
fn many_points_get_marks_and_some_of_them_labels() {
    let records: Vec<Record> = (0..2000)
        .map(|n| record(Some("ask"), &format!("defense {n}"), true, true, false))
        .collect();
    let page = html(&records, None);
    assert_eq!(page.matches("<path class=\"whisker\"").count(), 2000);
    assert!(page.matches("<text class=\"label\"").count() <= 200);
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
