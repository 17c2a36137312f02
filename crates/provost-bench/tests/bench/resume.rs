//! A folder of results that was interrupted anywhere goes on, and ends as if it had not been.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use provost::Policy;
use provost_bench::record::{self, FILE, ResultsError};
use provost_bench::report::{Style, causes_text, tables_text, to_csv, to_json};
use provost_bench::runner::{Runner, RunnerError};
use provost_bench::{Job, Record, Results, Sidecar};
use serde_json::{Value, json};

use super::household::{jobs, mini, run, selection};

fn all() -> Vec<Job> {
    jobs(&selection(&["todo", "stop"]), &["none", "causal"])
}

/// Makes the missing runs of a folder, as the command does.
fn go_on(folder: &Path) -> usize {
    let mut results = Results::open(folder).unwrap();
    let missing = results.missing(all());
    for record in run(mini(&[]), &missing, 2).unwrap() {
        results.write(&record).unwrap();
    }
    missing.len()
}

/// The report in every form.
fn report(folder: &Path) -> String {
    let records = record::read(folder).unwrap();
    let mut out = to_csv(&records) + &to_json(&records).to_string();
    for style in [Style::Plain, Style::Markdown] {
        out += &tables_text(&records, style, true);
        out += &causes_text(&records, style, 9);
    }
    out
}

#[test]
fn goes_on_wherever_it_was_cut() {
    let temporary = tempfile::tempdir().unwrap();
    let whole = temporary.path().join("deep/whole");
    assert_eq!(go_on(&whole), 12);
    assert_eq!(go_on(&whole), 0, "finished runs are not made again");
    let text = fs::read(whole.join(FILE)).unwrap();
    let expected = report(&whole);
    let lines: Vec<usize> = text
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .map(|(n, _)| n)
        .collect();
    for (cut, left) in [
        (0, 12),
        (1, 12),
        (lines[0], 12),
        (lines[0] + 1, 11),
        (lines[5] + 40, 6),
        (text.len() - 1, 1),
    ] {
        let folder = temporary.path().join(format!("cut-{cut}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(FILE), &text[..cut]).unwrap();
        assert_eq!(go_on(&folder), left, "cut at {cut}");
        assert_eq!(report(&folder), expected, "cut at {cut}");
    }
}

/// Names the folder that [`writes_until_killed`] writes to, in a process of its own.
const VICTIM: &str = "PROVOST_TEST_RESULTS";

/// No test by itself: [`a_killed_process_leaves_what_goes_on`] starts it, and kills it.
#[test]
fn writes_until_killed() {
    let Some(folder) = std::env::var_os(VICTIM) else {
        return;
    };
    let mut results = Results::open(Path::new(&folder)).unwrap();
    for job in all() {
        for record in run(mini(&[]), &[job], 1).unwrap() {
            results.write(&record).unwrap();
        }
    }
    // It is killed at the latest here.
    std::thread::sleep(std::time::Duration::from_secs(600));
}

#[test]
fn a_killed_process_leaves_what_goes_on() {
    let temporary = tempfile::tempdir().unwrap();
    let (whole, killed) = (
        temporary.path().join("whole"),
        temporary.path().join("killed"),
    );
    go_on(&whole);
    let mut victim = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "resume::writes_until_killed"])
        .env(VICTIM, &killed)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let lines = || {
        let text = fs::read(killed.join(FILE)).unwrap_or_default();
        text.iter().filter(|b| **b == b'\n').count()
    };
    while lines() < 3 {
        assert_eq!(victim.try_wait().unwrap(), None, "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // On Unix this is SIGKILL.
    victim.kill().unwrap();
    victim.wait().unwrap();
    let left = go_on(&killed);
    assert!(left <= 9, "{left} runs were left");
    assert_eq!(report(&killed), report(&whole));
}

#[test]
fn a_run_that_could_not_be_made_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    let failing = run(mini(&["--die-at", "2"]), &all(), 1).unwrap();
    let failed = failing.iter().filter(|r| r.error.is_some()).count();
    assert!(failed > 0);
    let mut results = Results::open(&path).unwrap();
    for record in &failing {
        results.write(record).unwrap();
    }
    drop(results);
    assert_eq!(go_on(&path), failed);
    let records: Vec<Record> = record::read(&path).unwrap();
    assert_eq!(records.len(), 12);
    assert!(
        records.iter().all(|r| r.error.is_none()),
        "the last record of a run counts"
    );
}

#[test]
fn after_a_record_that_cannot_be_written_none_is() {
    let catalog = Sidecar::start(&mini(&[])).unwrap().list().unwrap();
    let runner = Runner::new(mini(&[]), Policy::default(), &catalog);
    let mut calls = 0;
    let workers = NonZeroUsize::new(2).unwrap();
    let outcome = runner.run(&all(), workers, &AtomicBool::new(false), &mut |_| {
        calls += 1;
        match calls {
            3 => Err(ResultsError::Busy { path: "x".into() }),
            _ => Ok(()),
        }
    });
    assert!(matches!(outcome, Err(RunnerError::Results(_))));
    assert_eq!(calls, 3);
}

/// A line, a field of which is other than it was; absent where that is null.
fn changed(line: &str, field: &str, value: Value) -> String {
    let mut line: Value = serde_json::from_str(line).unwrap();
    let (parent, name) = field.rsplit_once('/').unwrap();
    let parent = line.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Value::Null => parent.remove(name),
        value => parent.insert(name.to_owned(), value),
    };
    line.to_string()
}

#[test]
fn runs_that_contradict_themselves_and_those_of_other_versions_are_told() {
    let temporary = tempfile::tempdir().unwrap();
    let whole = temporary.path().join("whole");
    go_on(&whole);
    let text = fs::read_to_string(whole.join(FILE)).unwrap();
    let attacked = text.lines().find(|l| l.contains("\"attack\"")).unwrap();
    let clean = text.lines().find(|l| !l.contains("\"attack\"")).unwrap();
    let check = |line: &str, field: &str, value: Value, part: &str| {
        let file = temporary.path().join("changed.jsonl");
        fs::write(&file, format!("{clean}\n{}\n", changed(line, field, value))).unwrap();
        let error = record::read(&file).unwrap_err().to_string();
        for part in [
            part,
            "line 2 is not a run",
            "another version",
            "delete this one",
        ] {
            assert!(error.contains(part), "{part} is not in {error}");
        }
    };
    check(
        attacked,
        "/success",
        Value::Null,
        "whether the attack succeeded",
    );
    check(attacked, "/utility", Value::Null, "neither how it ended");
    check(
        attacked,
        "/error",
        json!("late"),
        "and that it could not be made",
    );
    check(
        attacked,
        "/case/injection_task",
        Value::Null,
        "without the other",
    );
    check(attacked, "/case/attack", Value::Null, "without the other");
    check(clean, "/success", json!(false), "and there was none");
    check(attacked, "/mood", json!("sunny"), "unknown field `mood`");
    check(attacked, "/steps", Value::Null, "missing field `steps`");
    check(attacked, "/half", json!("third"), "unknown variant `third`");
}

#[test]
fn what_is_no_results_folder_is_left_alone_and_told() {
    let temporary = tempfile::tempdir().unwrap();
    let at = |name: &str, text: Option<&str>| {
        let folder = temporary.path().join(name);
        fs::create_dir(&folder).unwrap();
        if let Some(text) = text {
            fs::write(folder.join(FILE), text).unwrap();
        }
        folder
    };
    let check = |path: &Path, parts: &[&str]| {
        let error = record::read(path).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{part} is not in {error}");
        }
        // Said once.
        assert_eq!(error.matches(parts[0]).count(), 1, "{error}");
    };
    let letter = "Dear Sir,\nyours\n";
    let other = at("letter", Some(letter));
    check(&other, &["line 1", FILE, "delete this one"]);
    let error = Results::open(&other).unwrap_err();
    assert!(
        matches!(error, ResultsError::Line { line: 1, .. }),
        "{error}"
    );
    assert!(record::check(&other).is_err());
    assert_eq!(fs::read_to_string(other.join(FILE)).unwrap(), letter);
    check(
        &temporary.path().join("nowhere"),
        &["is not there", "--out"],
    );
    check(&at("bare", None), &["holds no results.jsonl", "--out"]);
    check(&at("empty", Some("")), &["holds no runs yet", FILE]);
    // The beginning of a run was being written; any other line without an end was not.
    for half in ["{", "{\"case\"", "{\"case\":{\"suite\":\"todo"] {
        let folder = at(&format!("half-{}", half.len()), Some(half));
        check(&folder, &["holds no runs yet", FILE]);
        drop(Results::open(&folder).unwrap());
        assert_eq!(fs::read_to_string(folder.join(FILE)).unwrap(), "");
    }
    for (n, foreign) in ["Dear Sir", "{\"case\": 1}", "{\"id\": 7", "[1, 2]"]
        .into_iter()
        .enumerate()
    {
        let folder = at(&format!("foreign-{n}"), Some(foreign));
        check(&folder, &["line 1", FILE, "delete this one"]);
        assert!(record::check(&folder).is_err());
        assert!(matches!(
            Results::open(&folder),
            Err(ResultsError::Line { line: 1, .. })
        ));
        assert_eq!(fs::read_to_string(folder.join(FILE)).unwrap(), foreign);
    }
    let file = other.join(FILE);
    assert!(matches!(
        Results::open(&file),
        Err(ResultsError::NoFolder { .. })
    ));
    let inside = file.join("deeper");
    check(&inside, &["is not there"]);
    assert!(record::check(&inside).is_ok());
    let error = Results::open(&inside).unwrap_err();
    assert!(matches!(error, ResultsError::Unmade { .. }), "{error}");
    assert!(error.to_string().contains("as --out"), "{error}");

    // What has no end is not read, and neither is a folder.
    let folder = at("folder", None);
    fs::create_dir(folder.join(FILE)).unwrap();
    let mut endless = vec![folder];
    if cfg!(unix) {
        let device = at("device", None);
        std::os::unix::fs::symlink("/dev/zero", device.join(FILE)).unwrap();
        endless.push(device);
        check(Path::new("/dev/zero"), &["is no file of results"]);
    }
    for folder in endless {
        check(&folder, &["is no file of results", FILE]);
        let error = Results::open(&folder).unwrap_err();
        assert!(matches!(error, ResultsError::NoFile { .. }), "{error}");
    }
    assert!(record::check(&temporary.path().join("nowhere")).is_ok());

    let held = temporary.path().join("held");
    let _first = Results::open(&held).unwrap();
    assert!(matches!(
        Results::open(&held),
        Err(ResultsError::Busy { .. })
    ));
}
