//! What the benchmarks that are played have in common: their options, and the making of runs.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use clap::Args;
use provost_bench::runner::Runner;
use provost_bench::sidecar::Catalog;
use provost_bench::{AgentKind, Job, Results, Selection};
use signal_hook::consts::SIGINT;

use super::defenses::Defenses;
use super::progress::Progress;
use super::{noted, once, summary};

/// Options of every benchmark that is played.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// User tasks, as `NAME` or `SUITE/NAME`, say `banking/user_task_3` or, of AgentLure, `banking/03` or `03` [default: all]
    #[arg(long, value_delimiter = ',', value_name = "TASK")]
    task: Vec<String>,
    /// Agents: `scripted` follows the ground truth, obeys every payload that it sees, and insists twice: the worst case
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "AGENT",
        default_value = "scripted"
    )]
    agent: Vec<AgentKind>,
    #[command(flatten)]
    defenses: Defenses,
    /// At most so many cases, each with every agent and defense; of each task that is drawn, the clean case too
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// How many runs at once, each with a sidecar of its own [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Decides the order of the cases
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The folder where the results are, or will be
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: PathBuf,
}

impl RunOptions {
    /// What is asked for, each once. `none` is no attack.
    pub(super) fn selection(&self, suites: &[String], attacks: &[String]) -> Selection {
        let attacks = once(attacks).into_iter().filter(|a| a != "none");
        Selection {
            suites: once(suites),
            tasks: once(&self.task),
            half: None,
            attacks: attacks.collect(),
            limit: self.limit.map(NonZeroUsize::get),
            seed: self.seed,
        }
    }

    /// Makes the runs that are missing, and shows the tables of all that were asked for.
    pub(super) fn run(
        &self,
        benchmark: &str,
        selection: Selection,
        runner: &Runner,
        catalog: &Catalog,
        mut progress: Progress,
    ) -> anyhow::Result<ExitCode> {
        let (agents, defenses) = (once(&self.agent), self.defenses.once());
        let jobs = selection.jobs(catalog, &agents, &defenses)?;
        let mut results = Results::open(&self.out)?;
        noted(&self.out, benchmark, selection, &agents, &defenses, None)?;
        let missing = results.missing(jobs.clone());

        let stop = Arc::new(AtomicBool::new(false));
        // The second Ctrl-C ends the program at once: the flag is then set.
        signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&stop))?;
        signal_hook::flag::register(SIGINT, Arc::clone(&stop))?;
        // What cannot be written stops the runs, too, but nobody asked for that.
        let asked = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGINT, Arc::clone(&asked))?;
        let workers = self
            .jobs
            .or(std::thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN);
        progress.begin(missing.len());
        let speak = progress.speaker();
        told_of_stop(&asked, &speak, || {
            runner.run(&missing, workers, &stop, &mut |record| {
                if let Some(error) = &record.error {
                    progress.warn(&format!("{}: {error}", record.case));
                }
                results.write(record)?;
                progress.one();
                Ok(())
            })
        })?;
        progress.end();
        drop(results);
        let wanted: HashSet<_> = jobs.iter().map(Job::key).collect();
        let records = summary(&self.out, &wanted)?;
        let made = records.iter().filter(|r| r.error.is_none()).count();
        let whole = made == wanted.len();
        if !whole {
            let why = if stop.load(Ordering::Relaxed) {
                "stopped"
            } else {
                "some runs could not be made"
            };
            let all = wanted.len();
            writeln!(
                io::stdout(),
                "\n{why}: {made} of {all} runs are there; the same command goes on"
            )?;
        }
        Ok(ExitCode::from(u8::from(!whole)))
    }
}

/// How long nobody is told that it is being stopped.
const HEARD: Duration = Duration::from_millis(100);

/// Does the work, and says at once that a person's wish to stop was heard: what has begun may take a while, or hang.
fn told_of_stop<T>(
    asked: &AtomicBool,
    speak: &(impl Fn(&str) + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let (working, over) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while over.recv_timeout(HEARD) == Err(RecvTimeoutError::Timeout) {
                if asked.load(Ordering::Relaxed) {
                    return speak(
                        "stopping: runs that have begun are ended first; Ctrl-C again ends the program at once",
                    );
                }
            }
        });
        // Goes with the work, also where that panics.
        let _working = working;
        work()
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        options: RunOptions,
    }

    #[test]
    fn a_stop_is_told_once_while_the_work_goes_on() {
        let (stop, said) = (AtomicBool::new(false), std::sync::Mutex::new(Vec::new()));
        let speak = |line: &str| said.lock().unwrap().push(line.to_owned());
        let quiet = told_of_stop(&stop, &speak, || said.lock().unwrap().len());
        assert_eq!(quiet, 0);
        told_of_stop(&stop, &speak, || {
            stop.store(true, Ordering::Relaxed);
            // The work ends only when it was told.
            while said.lock().unwrap().is_empty() {
                thread::yield_now();
            }
        });
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            told_of_stop(&AtomicBool::new(false), &speak, || panic!("broken"))
        }));
        assert!(broken.is_err(), "it ends with the work");
        let said = said.into_inner().unwrap();
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("stopping: "), "{said:?}");
    }

    #[test]
    fn none_is_no_attack_and_each_name_counts_once() {
        let args = "bench --task user_task_1,user_task_0,user_task_1 --limit 3 --seed 5 -o x";
        let options = Command::try_parse_from(args.split(' ')).unwrap().options;
        let own = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
        let selection = options.selection(
            &own(&["slack", "banking", "slack"]),
            &own(&["direct", "none", "direct"]),
        );
        assert_eq!(selection.attacks, ["direct"]);
        assert_eq!(selection.suites, ["slack", "banking"]);
        assert_eq!(selection.tasks, ["user_task_1", "user_task_0"]);
        assert_eq!((selection.limit, selection.seed), (Some(3), 5));
    }
}
