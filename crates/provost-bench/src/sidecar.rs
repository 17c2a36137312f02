//! The process that runs a benchmark's own package, and the JSON lines spoken with it.
//!
//! One request a line to its standard input, `{"id": n, "op": …}`; one reply a line from its standard output,
//! `{"id": n, "ok": …}` or `{"id": n, "err": "…"}`. It holds one run at a time. `sidecar/serve_agentdojo.py` lists the
//! operations; `sidecar/mini_suite.rs` is the smallest that works.

mod wire;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use provost::Permit;
use serde::de::DeserializeOwned;

pub use wire::{
    Attack, Catalog, InjectionTask, Returned, Scores, Started, Suite, Truth, Wanted, Whose,
};

use crate::plan::Case;
use wire::{Envelope, Reply, Request};

/// How many lines of a sidecar's standard error are kept for the message of its death.
const COMPLAINTS: usize = 12;

/// How to start a sidecar, and how long to wait for it.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// Where it runs; the present folder when absent.
    pub folder: Option<PathBuf>,
    /// How long any one reply may take; the first includes the start.
    pub patience: Duration,
}

impl Launch {
    /// The `program` without arguments, and a minute's patience.
    pub fn of(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            folder: None,
            patience: Duration::from_secs(60),
        }
    }
}

/// Why a sidecar did not answer as it should.
#[derive(Debug, thiserror::Error)]
pub enum SidecarError {
    /// It did not start.
    #[error("cannot start the sidecar {program}: {why}")]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// It ended, or closed its input or output.
    #[error("the sidecar ended{}", said(.0))]
    Ended(String),
    /// It took too long.
    #[error(
        "the sidecar did not answer within {}s; where the machine is busy, try again with fewer at once (`--jobs`){}",
        .0.as_secs(), said(.1)
    )]
    Late(Duration, String),
    /// What it said is not a reply to what it was asked.
    #[error("the sidecar broke the protocol: {0}")]
    Protocol(String),
    /// It could not do what it was asked.
    #[error("{0}")]
    Refused(String),
}

impl SidecarError {
    /// Whether a fresh sidecar may do better: this one is gone or cannot be trusted any more.
    pub fn is_broken(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }

    /// Whether no start will do better: the program is not there, or may not be run.
    pub(crate) fn is_lasting(&self) -> bool {
        use io::ErrorKind::{NotFound, PermissionDenied};
        matches!(self, Self::Start { why, .. } if matches!(why.kind(), NotFound | PermissionDenied))
    }
}

fn said(complaints: &str) -> String {
    if complaints.is_empty() {
        return String::new();
    }
    format!("; its last words:\n{complaints}")
}

/// A running sidecar. It is killed when dropped.
#[derive(Debug)]
pub struct Sidecar {
    child: Child,
    requests: ChildStdin,
    replies: Receiver<String>,
    complaints: Arc<Mutex<VecDeque<String>>>,
    patience: Duration,
    asked: u64,
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Sidecar {
    /// Starts one.
    ///
    /// # Errors
    /// The program is not there, or may not be run.
    pub fn start(launch: &Launch) -> Result<Self, SidecarError> {
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.args)
            .envs(launch.env.iter().map(|(k, v)| (k, v)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        // Ctrl-C is for us: we end our sidecars when the runs that they are in have ended.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let failed = |why| SidecarError::Start {
            program: launch.program.clone(),
            why,
        };
        let mut child = command.spawn().map_err(failed)?;
        let (Some(requests), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed(io::Error::other(
                "its standard streams are not open",
            )));
        };
        let (sender, replies) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // The receiver goes with the sidecar.
            lines
                .map(|line| sender.send(line))
                .take_while(Result::is_ok)
                .for_each(drop);
        });
        let complaints = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&complaints);
        thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == COMPLAINTS {
                    kept.pop_front();
                }
                kept.push_back(line);
            }
        });
        Ok(Self {
            child,
            requests,
            replies,
            complaints,
            patience: launch.patience,
            asked: 0,
        })
    }

    /// Starts one to learn what the benchmark holds; where that breaks, once more. The first start may be slow: nothing is in
    /// the system's memory yet.
    ///
    /// # Errors
    /// The program is not there or may not be run, or twice it did not answer as it should.
    pub fn catalog(launch: &Launch) -> Result<Catalog, SidecarError> {
        let listed = || Self::start(launch)?.list();
        match listed() {
            Err(error) if error.is_broken() && !error.is_lasting() => listed(),
            other => other,
        }
    }

    /// Everything that the benchmark holds.
    ///
    /// # Errors
    /// See [`SidecarError`]; so for all operations.
    pub fn list(&mut self) -> Result<Catalog, SidecarError> {
        self.ask(Request::List)
    }

    /// Puts a fresh environment in the place of the last run's.
    ///
    /// # Errors
    /// The benchmark has no such task or attack.
    pub fn begin(&mut self, case: &Case) -> Result<Started, SidecarError> {
        self.ask(Request::Start {
            suite: &case.suite,
            user_task: &case.user_task,
            attack: case.attack.as_deref(),
            injection_task: case.injection_task.as_deref(),
        })
    }

    /// What solves a task from here: values that a solver looks up are filled in from the present environment.
    ///
    /// # Errors
    /// The environment has changed so much that nothing solves it.
    pub fn truth(&mut self, of: Whose) -> Result<Truth, SidecarError> {
        self.ask(Request::Truth { of })
    }

    /// Which of `calls`, done in this order from here, would undo what the attacker has got, by the benchmark's own
    /// scorer; none where the attacker has got nothing. Nothing is done.
    ///
    /// # Errors
    /// A scorer failed.
    pub fn undoing(&mut self, calls: &[Wanted]) -> Result<Vec<usize>, SidecarError> {
        self.ask(Request::Undoing { calls })
    }

    /// Runs a call that the defense released.
    ///
    /// # Errors
    /// Only those of the sidecar. What goes wrong in the tool is an answer.
    pub fn call(&mut self, permit: &Permit) -> Result<Returned, SidecarError> {
        let call = permit.call();
        self.ask(Request::Call {
            tool: &call.name,
            arguments: &call.arguments,
        })
    }

    /// Ends the run and scores it, with the agent's last words.
    ///
    /// # Errors
    /// A scorer failed.
    pub fn finish(&mut self, output: &str) -> Result<Scores, SidecarError> {
        self.ask(Request::Finish { output })
    }

    fn ask<T: DeserializeOwned>(&mut self, request: Request<'_>) -> Result<T, SidecarError> {
        self.asked += 1;
        let id = self.asked;
        let mut line = serde_json::to_string(&Envelope { id, request })
            .map_err(|e| SidecarError::Protocol(e.to_string()))?;
        line.push('\n');
        if self.requests.write_all(line.as_bytes()).is_err() {
            return Err(self.ended());
        }
        let reply = match self.replies.recv_timeout(self.patience) {
            Ok(reply) => reply,
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            Err(RecvTimeoutError::Timeout) => {
                return Err(SidecarError::Late(self.patience, self.last_words()));
            }
        };
        let wrong = |what: String| {
            let start: String = reply.chars().take(80).collect();
            SidecarError::Protocol(format!("{what}: {start}"))
        };
        let parsed: Reply<'_> =
            serde_json::from_str(&reply).map_err(|e| wrong(format!("not a reply ({e})")))?;
        if parsed.id != id {
            return Err(wrong(format!("not the reply to request {id}")));
        }
        match (parsed.ok, parsed.err) {
            (Some(ok), None) => serde_json::from_str(ok.get())
                .map_err(|e| wrong(format!("not the answer to what was asked ({e})"))),
            (None, Some(err)) => Err(SidecarError::Refused(err)),
            _ => Err(wrong("neither `ok` nor `err`".into())),
        }
    }

    fn ended(&mut self) -> SidecarError {
        // It is gone or going; with that, its standard error is complete.
        let _ = self.child.kill();
        let _ = self.child.wait();
        thread::sleep(Duration::from_millis(20));
        SidecarError::Ended(self.last_words())
    }

    fn last_words(&self) -> String {
        let kept = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        kept.iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }
}
