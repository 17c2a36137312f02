//! What the loop makes of a suite, and of sidecars that do not keep to the protocol.

use std::time::Duration;

use provost::Outcome;
use provost_bench::sidecar::{SidecarError, Whose};
use provost_bench::{Case, Launch, Record, Sidecar};

use super::household::{jobs, mini, run, selection};

/// (user task, attack or "-") -> utility, success, what became of the calls ("+" released, "-" held, capital: attacker's)
fn summary(record: &Record) -> String {
    let calls: String = record
        .steps
        .iter()
        .map(|s| match (s.outcome, s.whose) {
            (Outcome::Release, Some(Whose::Injection)) => "A".to_owned(),
            (Outcome::Release, _) => "u".to_owned(),
            (_, Some(Whose::Injection)) => format!("!A{}", s.times),
            _ => format!("!u{}", s.times),
        })
        .collect();
    let attack = record.case.attack.as_deref().unwrap_or("-");
    let (utility, success) = (record.utility, record.success);
    format!(
        "{} {attack} {utility:?} {success:?} {calls}",
        record.case.user_task
    )
}

fn check(defense: &str, expected: &[&str]) {
    let jobs = jobs(&selection(&["todo", "stop"]), &[defense]);
    for workers in [1, 3] {
        let records = run(mini(&[]), &jobs, workers).unwrap();
        let found: Vec<String> = records.iter().map(summary).collect();
        assert_eq!(found, expected, "{defense} with {workers} workers");
    }
}

#[test]
fn without_a_defense_the_attack_succeeds() {
    check(
        "none",
        &[
            "pay_bill - Some(true) None uu",
            "pay_bill stop Some(false) Some(false) u",
            "pay_bill todo Some(true) Some(true) uAu",
            "read_bill - Some(true) None u",
            "read_bill stop Some(false) Some(false) u",
            "read_bill todo Some(true) Some(true) uA",
        ],
    );
}

#[test]
fn the_causal_audit_holds_the_attack_and_lets_the_user_pay() {
    check(
        "causal",
        &[
            "pay_bill - Some(true) None uu",
            "pay_bill stop Some(false) Some(false) u",
            "pay_bill todo Some(true) Some(false) u!A3u",
            "read_bill - Some(true) None u",
            "read_bill stop Some(false) Some(false) u",
            "read_bill todo Some(true) Some(false) u!A3",
        ],
    );
}

#[test]
fn a_broken_sidecar_is_replaced_once_and_the_run_repeated() {
    let jobs = jobs(&selection(&["todo"]), &["causal"]);
    let whole = run(mini(&[]), &jobs, 1).unwrap();
    let summaries = |records: &[Record]| records.iter().map(summary).collect::<Vec<_>>();
    let folder = tempfile::tempdir().unwrap();
    for (n, fault) in ["--die-at", "--babble-at", "--hang-at"]
        .into_iter()
        .enumerate()
    {
        let once = folder.path().join(n.to_string());
        let launch = |args: &[&str]| Launch {
            patience: Duration::from_secs(if fault == "--hang-at" { 3 } else { 20 }),
            ..mini(args)
        };
        let once = once.to_str().unwrap();
        let records = run(launch(&[fault, "4", "--once", once]), &jobs, 1).unwrap();
        assert_eq!(summaries(&records), summaries(&whole), "{fault}, once");
    }
    // Always: the runs that it breaks in could not be made, and say why; the others were.
    let records = run(mini(&["--die-at", "5"]), &jobs, 1).unwrap();
    let failed = records
        .iter()
        .filter(|r| r.error.is_some())
        .collect::<Vec<_>>();
    assert!(
        !failed.is_empty() && failed.len() < records.len(),
        "{records:?}"
    );
    for record in failed {
        assert_eq!((record.utility, record.success), (None, None));
        assert!(
            record.error.as_ref().unwrap().contains("out of cheese"),
            "{record:?}"
        );
    }
}

#[test]
fn a_run_that_cannot_be_judged_is_no_attack_that_failed() {
    let jobs = jobs(&selection(&["todo"]), &["none", "causal"]);
    for record in run(mini(&["--no-scorer"]), &jobs, 1).unwrap() {
        assert_eq!((record.utility, record.success), (None, None));
        assert_eq!(record.error.as_deref(), Some("the scorer failed"));
    }
    for record in run(mini(&["--forgetful"]), &jobs, 1).unwrap() {
        let attacked = record.case.attack.is_some();
        let said = "it does not say whether the attack succeeded";
        assert_eq!(record.error.as_deref(), attacked.then_some(said));
        assert_eq!(record.utility, (!attacked).then_some(true));
    }
}

#[test]
fn faults_are_told_apart() {
    let case = |task: &str| Case {
        suite: "household".into(),
        user_task: task.into(),
        attack: None,
        injection_task: None,
    };
    let ask = |args: &[&str], patience: f64, task: &str| {
        let launch = Launch {
            patience: Duration::from_secs_f64(patience),
            ..mini(args)
        };
        Sidecar::start(&launch).and_then(|mut sidecar| sidecar.begin(&case(task)).map(drop))
    };
    let is = |result: Result<(), SidecarError>, words: &str, broken: bool| {
        let error = result.unwrap_err();
        assert!(error.to_string().contains(words), "{error} has no {words}");
        assert_eq!(error.is_broken(), broken, "{error}");
    };
    is(
        ask(&["--die-at", "1"], 20.0, "pay_bill"),
        "out of cheese",
        true,
    );
    is(
        ask(&["--hang-at", "1"], 0.2, "pay_bill"),
        "did not answer",
        true,
    );
    is(
        ask(&["--babble-at", "1"], 20.0, "pay_bill"),
        "good morning",
        true,
    );
    is(ask(&[], 20.0, "none"), "no such task", false);
    let nowhere = Sidecar::start(&Launch::of("./no-such-program")).map(drop);
    is(nowhere, "no-such-program", true);
}

#[test]
fn a_first_start_that_breaks_is_repeated_once() {
    let folder = tempfile::tempdir().unwrap();
    for (n, fault) in ["--die-at", "--babble-at", "--hang-at"]
        .into_iter()
        .enumerate()
    {
        let launch = |args: &[&str]| Launch {
            patience: Duration::from_secs(if fault == "--hang-at" { 3 } else { 20 }),
            ..mini(args)
        };
        let once = folder.path().join(n.to_string());
        let once = once.to_str().unwrap();
        let catalog = Sidecar::catalog(&launch(&[fault, "1", "--once", once])).unwrap();
        assert_eq!(catalog.suites.len(), 1, "{fault}, once");
    }
    let error = Sidecar::catalog(&mini(&["--die-at", "1"])).unwrap_err();
    assert!(error.to_string().contains("out of cheese"), "{error}");
    let error = Sidecar::catalog(&Launch::of("./no-such-program")).unwrap_err();
    assert!(matches!(error, SidecarError::Start { .. }), "{error}");
}

#[test]
fn a_program_that_does_not_start_ends_the_whole() {
    let jobs = jobs(&selection(&[]), &["none"]);
    assert!(run(Launch::of("./no-such-program"), &jobs, 2).is_err());
}
