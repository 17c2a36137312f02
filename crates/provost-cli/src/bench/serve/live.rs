//! The run that is served: one, whichever and however many clients play it.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use provost_lure::Library;
use provost_lure::play::{Play, Returned, Scores};
use serde_json::Value;

use super::Sample;
use super::record::Record;

/// More calls than any task takes, as in the benchmarks' own loop.
const CALLS: usize = 400;
/// More bytes than the arguments of any call here need.
const ARGUMENTS: usize = 64 * 1024;

/// A run, from its beginning to the oracles' verdict.
#[derive(Debug)]
pub(super) struct Live {
    sample: Sample,
    play: Play,
    record: Record,
    state: State,
}

#[derive(Debug)]
enum State {
    Running,
    Ended(Scores),
    /// It could not be recorded, or not be judged.
    Failed(String),
}

/// How a run comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End<'a> {
    /// The agent gave its last words.
    Answer(&'a str),
    /// The client went away without any.
    Left,
    /// A person or a program stopped this one.
    Stopped,
}

/// Why a call is not made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// Nothing is done any more.
    #[error("the session has ended; nothing more is done")]
    Over,
    /// This client does not end by itself.
    #[error("there were {CALLS} calls, and no more are made; end the session with `finish`")]
    Calls,
    /// Nothing here takes so much.
    #[error("the arguments are longer than {ARGUMENTS} bytes")]
    Arguments,
    /// What is not on record is not done.
    #[error("the harness failed: {0}")]
    Failed(String),
}

impl Live {
    /// Begins the run.
    ///
    /// # Errors
    /// The sample cannot be set up, or the run cannot be recorded where it is to be.
    pub(super) fn begin(
        library: &Library,
        sample: Sample,
        output: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        let play = Play::begin(library, sample.task, sample.vector);
        let play = play.context("internal error: AgentLure")?;
        let record = Record::new(sample, &play, output)?;
        Ok(Self {
            sample,
            play,
            record,
            state: State::Running,
        })
    }

    /// What the agent is given.
    pub(super) fn play(&self) -> &Play {
        &self.play
    }

    /// How many calls were made.
    pub(super) fn calls(&self) -> usize {
        self.record.calls()
    }

    /// Notes what the client calls itself.
    pub(super) fn client(&mut self, name: &str) {
        self.record.client(name);
    }

    /// Makes a call, and records it.
    ///
    /// # Errors
    /// It is not made, or what it came to cannot be recorded.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Returned, Refused> {
        self.running()?;
        if self.calls() >= CALLS {
            return Err(Refused::Calls);
        }
        if arguments.to_string().len() > ARGUMENTS {
            return Err(Refused::Arguments);
        }
        let returned = self.play.call(tool, arguments);
        match self.record.call(tool, arguments, &returned) {
            Ok(()) => Ok(returned),
            Err(error) => Err(self.fail(format!("{error:#}"))),
        }
    }

    /// Ends the run: the oracles judge it, the verdict is recorded, and people are told.
    ///
    /// # Errors
    /// It had ended before; or it cannot be judged or recorded.
    pub(super) fn end(&mut self, end: End<'_>) -> Result<(), Refused> {
        self.running()?;
        let answer = match end {
            End::Answer(answer) => Some(answer),
            End::Left | End::Stopped => None,
        };
        let judged = self.play.judge(answer.unwrap_or_default());
        if let Err(error) = self.record.end(answer, judged.as_ref().ok().copied()) {
            return Err(self.fail(format!("{error:#}")));
        }
        match judged {
            Err(error) => Err(self.fail(error.to_string())),
            Ok(scores) => {
                self.state = State::Ended(scores);
                // Nothing can be done where standard error is closed.
                let _ = self.tell(end, scores);
                Ok(())
            }
        }
    }

    /// What came of the run; nothing while it goes on.
    ///
    /// # Errors
    /// It could not be recorded or judged.
    pub(super) fn outcome(&self) -> anyhow::Result<Option<Scores>> {
        match &self.state {
            State::Running => Ok(None),
            State::Ended(scores) => Ok(Some(*scores)),
            State::Failed(error) => anyhow::bail!("{error}"),
        }
    }

    fn running(&self) -> Result<(), Refused> {
        match &self.state {
            State::Running => Ok(()),
            State::Ended(_) => Err(Refused::Over),
            State::Failed(error) => Err(Refused::Failed(error.clone())),
        }
    }

    fn fail(&mut self, error: String) -> Refused {
        self.state = State::Failed(error.clone());
        Refused::Failed(error)
    }

    fn tell(&self, end: End<'_>, scores: Scores) -> io::Result<()> {
        let how = match end {
            End::Answer(_) => "an answer was given",
            End::Left => "the client left without an answer",
            End::Stopped => "stopped without an answer",
        };
        let said = |reached| if reached { "reached" } else { "not reached" };
        let attack = scores.attack.map_or("none", said);
        let calls = match self.calls() {
            1 => "1 call".to_owned(),
            calls => format!("{calls} calls"),
        };
        let mut out = io::stderr().lock();
        writeln!(out, "verdict on {}: {how}, after {calls}", self.sample)?;
        writeln!(out, "  utility: {}", said(scores.utility))?;
        writeln!(out, "  attack: {attack}")?;
        if let Some(file) = self.record.file() {
            let file = file.display();
            writeln!(
                out,
                "  recorded: {file}\n  causes: provost audit --policy agentlure --evidence {file}"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use provost_lure::TaskId;
    use serde_json::json;

    use super::*;

    fn live() -> Live {
        let (library, _) = Library::builtin();
        let task = TaskId::from_path("banking/03").unwrap();
        let sample = Sample { task, vector: None };
        Live::begin(&library, sample, None).unwrap()
    }

    #[test]
    fn who_does_not_end_is_refused() {
        let mut live = live();
        for number in 0..CALLS {
            let returned = live.call("recall", &json!({"topic": number.to_string()}));
            assert!(returned.is_ok(), "{number}");
        }
        let refused = live.call("recall", &json!({"topic": "more"}));
        assert_eq!(refused.unwrap_err(), Refused::Calls);
        live.end(End::Left).unwrap();
        assert_eq!(live.end(End::Stopped), Err(Refused::Over));
        assert!(!live.outcome().unwrap().unwrap().utility);
    }

    #[test]
    fn what_is_refused_is_no_call() {
        let mut live = live();
        let long = json!({"topic": "x".repeat(ARGUMENTS)});
        assert_eq!(live.call("recall", &long).unwrap_err(), Refused::Arguments);
        assert_eq!(live.calls(), 0);
        assert_eq!(live.outcome().unwrap(), None);
    }
}
