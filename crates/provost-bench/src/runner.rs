//! Many runs at once: a worker has a sidecar of its own, takes the next job, plays it, and sends the record.

use std::any::Any;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use provost::{Policy, ToolDef};

use crate::plan::Job;
use crate::play::{PlayError, play};
use crate::record::{Record, ResultsError};
use crate::sidecar::{Catalog, Launch, Sidecar, SidecarError};

/// What all runs share.
#[derive(Debug)]
pub struct Runner {
    launch: Launch,
    policy: Policy,
    tools: HashMap<String, Vec<ToolDef>>,
}

/// Why no more runs could be made.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// No sidecar can be started.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// The results cannot be written.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

impl Runner {
    /// Runs of the benchmark that `launch` starts; defenses that need a policy go by `policy`.
    pub fn new(launch: Launch, policy: Policy, catalog: &Catalog) -> Self {
        let suites = catalog.suites.iter();
        Self {
            launch,
            policy,
            tools: suites.map(|s| (s.name.clone(), s.tools.clone())).collect(),
        }
    }

    /// Makes the runs, `workers` at a time, and hands each record to `sink` as it comes. When `stop` is set, the runs
    /// that have begun are ended and no others begun.
    ///
    /// # Errors
    /// No sidecar starts, or `sink` fails; it is then not called again. A run that fails by itself is a record that says so.
    pub fn run(
        &self,
        jobs: &[Job],
        workers: NonZeroUsize,
        stop: &AtomicBool,
        sink: &mut dyn FnMut(&Record) -> Result<(), ResultsError>,
    ) -> Result<(), RunnerError> {
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (sender, records) = mpsc::channel();
            for _ in 0..workers.get().min(jobs.len()) {
                let sender = sender.clone();
                let next = &next;
                scope.spawn(move || self.work(jobs, next, stop, &sender));
            }
            drop(sender);
            let mut outcome = Ok(());
            for record in records {
                match record.map(|record| sink(&record)) {
                    Ok(Ok(())) => {}
                    Ok(Err(unwritten)) => {
                        stop.store(true, Ordering::Relaxed);
                        return Err(unwritten.into());
                    }
                    // The runs that have begun are ended, and written.
                    Err(error) => {
                        stop.store(true, Ordering::Relaxed);
                        outcome = outcome.and(Err(error));
                    }
                }
            }
            outcome
        })
    }

    fn work(
        &self,
        jobs: &[Job],
        next: &AtomicUsize,
        stop: &AtomicBool,
        records: &Sender<Result<Record, RunnerError>>,
    ) {
        let mut sidecar = None;
        while !stop.load(Ordering::Relaxed) {
            let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let record = self.once_more(job, &mut sidecar, stop);
            let failed = record.is_err();
            // Nobody receives after a record that could not be written.
            if records.send(record).is_err() || failed {
                return;
            }
        }
    }

    /// Plays a job; where the sidecar breaks, once more with a fresh one, unless it is time to stop.
    fn once_more(
        &self,
        job: &Job,
        sidecar: &mut Option<Sidecar>,
        stop: &AtomicBool,
    ) -> Result<Record, RunnerError> {
        let mut error = String::new();
        for again in [false, true] {
            if again && stop.load(Ordering::Relaxed) {
                break;
            }
            let mut running = match sidecar.take() {
                Some(running) => running,
                None => match Sidecar::start(&self.launch) {
                    Ok(started) => started,
                    // The system may be short of something for a moment.
                    Err(error) if !again && !error.is_lasting() => continue,
                    Err(error) => return Err(error.into()),
                },
            };
            let tools = self
                .tools
                .get(&job.case.suite)
                .map_or(&[][..], Vec::as_slice);
            let played = catch_unwind(AssertUnwindSafe(|| {
                play(&mut running, job, &self.policy, tools)
            }));
            match played {
                Ok(Ok(record)) => {
                    *sidecar = Some(running);
                    // As where a benchmark does not say whether its attack succeeded.
                    let flaw = record
                        .flaw()
                        .map(|flaw| Record::failed(job, flaw.to_owned()));
                    return Ok(flaw.unwrap_or(record));
                }
                Ok(Err(PlayError::Sidecar(broken))) if broken.is_broken() => {
                    error = broken.to_string();
                }
                Ok(Err(other)) => {
                    *sidecar = Some(running);
                    return Ok(Record::failed(job, other.to_string()));
                }
                Err(panic) => {
                    let text = format!("internal error: {}", message(&*panic));
                    return Ok(Record::failed(job, text));
                }
            }
        }
        Ok(Record::failed(job, error))
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic")
}
