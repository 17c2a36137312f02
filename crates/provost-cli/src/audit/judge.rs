//! One recorded run under audit.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use provost::{Input, Options, Outcome, Policy, Session};
use provost_llm::runs::{Parsed, Run, Warning, parse};

use super::Format;
use super::evidence::CallOut;
use super::fault::Fault;
use super::reader::RunText;
use super::text;

/// How runs are audited, and what is kept of it.
#[derive(Debug)]
pub(crate) struct Judge {
    /// The policy that the person named.
    pub(crate) policy: Option<Policy>,
    /// The policy for runs that bring no tool definitions, where none was named.
    pub(crate) shipped: Policy,
    /// Whether annotations of tool definitions are believed.
    pub(crate) trust_annotations: bool,
    /// Which components are on.
    pub(crate) options: Options,
    /// What the output will be.
    pub(crate) format: Format,
    /// Whether it says why.
    pub(crate) evidence: bool,
}

/// What became of a run's text.
#[derive(Debug)]
pub(crate) enum Judged {
    /// It is a header, not a run.
    Header,
    /// It could not be audited.
    Fault(Fault),
    /// It was audited.
    Run(Box<Audited>),
}

/// A run with its verdicts.
#[derive(Debug)]
pub(crate) struct Audited {
    /// How the calls ended.
    pub(crate) counts: Counts,
    /// What was peculiar about the run.
    pub(crate) warnings: Vec<Warning>,
    /// The output, but for what only the order of the runs can tell.
    pub(crate) body: String,
}

/// How many calls ended how.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Counts {
    /// All calls.
    pub(crate) calls: usize,
    /// Released.
    pub(crate) released: usize,
    /// Blocked.
    pub(crate) blocked: usize,
    /// Left to a person.
    pub(crate) approvals: usize,
}

impl Counts {
    fn add(&mut self, outcome: Outcome) {
        self.calls += 1;
        match outcome {
            Outcome::Release => self.released += 1,
            Outcome::Block => self.blocked += 1,
            Outcome::Approve => self.approvals += 1,
        }
    }
}

thread_local! {
    /// What the last panic on this thread said.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics off the terminal; [`Judge::judge`] reports them where they belong.
pub(crate) fn keep_panics() {
    panic::set_hook(Box::new(|panic| {
        PANIC.with(|kept| *kept.borrow_mut() = panic.to_string());
    }));
}

impl Judge {
    /// Audits one run. A panic ends this run only, and releases nothing.
    pub(crate) fn judge(&self, text: &RunText) -> Judged {
        let attempt = AssertUnwindSafe(|| self.attempt(text));
        panic::catch_unwind(attempt).unwrap_or_else(|_| {
            let panic = PANIC.with(RefCell::take);
            Judged::Fault(Fault::internal(&panic, text.place(0)))
        })
    }

    fn attempt(&self, text: &RunText) -> Judged {
        let run = match parse(text.bytes()) {
            Ok(Parsed::Header) => return Judged::Header,
            Ok(Parsed::Run(run)) => run,
            Err(error) => return Judged::Fault(Fault::unreadable(&error, text.place(error.at()))),
        };
        let mut session = Session::new(self.policy(&run), self.options);
        let mut tools = Vec::new();
        for input in run.inputs {
            if let Input::Propose(call) = &input {
                tools.push(call.name.clone());
            }
            session.step(input);
        }
        let verdicts = session.verdicts();
        if verdicts.len() != tools.len() {
            let error = format!("{} verdicts for {} calls", verdicts.len(), tools.len());
            return Judged::Fault(Fault::internal(&error, text.place(0)));
        }
        let mut counts = Counts::default();
        let mut calls = Vec::with_capacity(tools.len());
        for (number, (tool, verdict)) in tools.into_iter().zip(verdicts).enumerate() {
            counts.add(verdict.outcome);
            let call = CallOut::new(number, tool, verdict);
            let why = self.evidence
                || (self.format == Format::Text && verdict.outcome != Outcome::Release);
            calls.push(if why {
                call.with_why(verdict, &session)
            } else {
                call
            });
        }
        Judged::Run(Box::new(Audited {
            counts,
            warnings: run.warnings,
            body: match self.format {
                Format::Text => text::calls(&calls, self.evidence),
                Format::Json | Format::Jsonl => serde_json::to_string(&calls).unwrap_or_default(),
            },
        }))
    }

    fn policy(&self, run: &Run) -> Policy {
        let policy = match &self.policy {
            Some(policy) => policy.clone(),
            None if run.has_tools() => Policy::default(),
            None => self.shipped.clone(),
        };
        if self.trust_annotations {
            policy.trusting_annotations()
        } else {
            policy
        }
    }
}
