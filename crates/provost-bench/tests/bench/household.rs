//! Runs of the suite of our own.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use provost::Policy;
use provost_bench::runner::{Runner, RunnerError};
use provost_bench::{AgentKind, Defense, Job, Launch, Record, Selection, Sidecar};

/// What the household's operator says of its tools.
const POLICY: &str = r#"
[tools.read_file]
effect = "read"
output = "untrusted"
[tools.send_money]
effect = "write"
arguments.recipient = "target"
arguments.amount = "amount"
"#;

pub(crate) fn mini(args: &[&str]) -> Launch {
    Launch {
        args: args.iter().map(OsString::from).collect(),
        patience: Duration::from_secs(20),
        ..Launch::of(env!("CARGO_BIN_EXE_provost-mini-suite"))
    }
}

pub(crate) fn selection(attacks: &[&str]) -> Selection {
    Selection {
        attacks: attacks.iter().map(|&a| a.to_owned()).collect(),
        ..Selection::default()
    }
}

pub(crate) fn jobs(selection: &Selection, defenses: &[&str]) -> Vec<Job> {
    let catalog = Sidecar::start(&mini(&[])).unwrap().list().unwrap();
    let defenses: Vec<Defense> = defenses.iter().map(|d| d.parse().unwrap()).collect();
    selection
        .jobs(&catalog, &[AgentKind::Scripted], &defenses)
        .unwrap()
}

/// Makes the runs with sidecars started so; the records are in the order of their cases.
pub(crate) fn run(
    launch: Launch,
    jobs: &[Job],
    workers: usize,
) -> Result<Vec<Record>, RunnerError> {
    let catalog = Sidecar::start(&mini(&[])).unwrap().list().unwrap();
    let runner = Runner::new(launch, Policy::from_toml(POLICY, "mini").unwrap(), &catalog);
    let mut records: Vec<Record> = Vec::new();
    let workers = NonZeroUsize::new(workers).unwrap();
    runner.run(jobs, workers, &AtomicBool::new(false), &mut |record| {
        records.push(record.clone());
        Ok(())
    })?;
    records.sort_by_cached_key(Record::key);
    Ok(records)
}
