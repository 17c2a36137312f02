//! A results file that was interrupted anywhere goes on, and ends as if it had not been.

use std::fs;
use std::path::Path;

use provost_bench::causes::causes_text;
use provost_bench::record::{self, ResultsError};
use provost_bench::report::{Style, tables};
use provost_bench::{Job, Record, Results};

use super::household::{jobs, mini, run, selection};

fn all() -> Vec<Job> {
    jobs(&selection(&["todo", "stop"]), &["none", "causal"])
}

/// Makes the missing runs of a file, as the command does.
fn go_on(path: &Path) -> usize {
    let mut results = Results::open(path).unwrap();
    let missing = results.missing(all());
    for record in run(mini(&[]), &missing, 2).unwrap() {
        results.write(&record).unwrap();
    }
    missing.len()
}

fn report(path: &Path) -> String {
    let records = record::read(path).unwrap();
    tables(&records, Style::Plain) + &causes_text(&records, 9)
}

#[test]
fn goes_on_wherever_it_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.jsonl");
    assert_eq!(go_on(&whole), 12);
    assert_eq!(go_on(&whole), 0, "finished runs are not made again");
    let text = fs::read(&whole).unwrap();
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
        let path = folder.path().join(format!("cut-{cut}.jsonl"));
        fs::write(&path, &text[..cut]).unwrap();
        assert_eq!(go_on(&path), left, "cut at {cut}");
        assert_eq!(report(&path), expected, "cut at {cut}");
    }
}

#[test]
fn a_run_that_could_not_be_made_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
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
fn what_is_no_results_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.txt");
    let letter = "Dear Sir,\nyours\n";
    fs::write(&path, letter).unwrap();
    let error = Results::open(&path).unwrap_err();
    assert!(
        matches!(error, ResultsError::Line { line: 1, .. }),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), letter);
    let held = folder.path().join("held.jsonl");
    let _first = Results::open(&held).unwrap();
    assert!(matches!(
        Results::open(&held),
        Err(ResultsError::Busy { .. })
    ));
}
