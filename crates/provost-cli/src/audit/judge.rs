//! One recorded run under audit.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use provost::{Input, Options, Outcome, Session};
use provost_llm::runs::{Parsed, Warning, parse};

use super::Format;
use super::effects::{By, Decided, Tools};
use super::evidence::{CallOut, Detail};
use super::fault::Fault;
use super::foreign::{self, Foreign};
use super::policy::Policies;
use super::reader::RunText;
use super::text;
use crate::report::RunView;

/// How runs are audited, and what is kept of it.
#[derive(Debug)]
pub(crate) struct Judge {
    /// By which policy.
    pub(crate) policies: Policies,
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
    /// It is JSON and something else than a run.
    NoRun(Fault),
    /// It could not be audited.
    Fault(Fault),
    /// It was audited.
    Run(Box<Audited>),
}

/// A run with its verdicts.
#[derive(Debug)]
pub(crate) struct Audited {
    /// What the record calls the run.
    pub(crate) id: Option<String>,
    /// How the calls ended.
    pub(crate) counts: Counts,
    /// What was peculiar about the run.
    pub(crate) warnings: Vec<Warning>,
    /// The tools that were called, and what was decided of them.
    pub(crate) tools: Tools,
    /// The output, but for what only the order of the runs can tell.
    pub(crate) body: Body,
}

/// What a run looks like in the output.
#[derive(Debug)]
pub(crate) enum Body {
    /// Lines for people.
    Text(String),
    /// The calls, as a JSON array.
    Calls(String),
    /// What the page shows.
    View(Box<RunView>),
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

fn guarded(text: &RunText, attempt: impl FnOnce() -> Judged) -> Judged {
    panic::catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
        let panic = PANIC.with(RefCell::take);
        Judged::Fault(Fault::internal(&panic, text.place(0)))
    })
}

impl Judge {
    /// Audits one run. A panic ends this run only, and releases nothing.
    pub(crate) fn judge(&self, text: &RunText) -> Judged {
        guarded(text, || self.attempt(text))
    }

    fn attempt(&self, text: &RunText) -> Judged {
        let run = match parse(text.bytes()) {
            Ok(Parsed::Header) => return Judged::Header,
            Ok(Parsed::Run(run)) if foreign::is_tools(&run, text.bytes()) => {
                return Judged::NoRun(Fault::tools(text.place(0)));
            }
            Ok(Parsed::Run(run)) => run,
            Err(error) => {
                let fault = Fault::unreadable(&error, text.place(error.at()));
                return match foreign::kind(&error, text.bytes()) {
                    Some(Foreign::Tools) => Judged::NoRun(Fault::tools(text.place(0))),
                    Some(Foreign::Other) => Judged::NoRun(fault),
                    None => Judged::Fault(fault),
                };
            }
        };
        let policy = self.policies.of(&run);
        let judging = if self.policies.named.is_none() && !run.has_tools() {
            By::Shipped
        } else {
            By::Rule
        };
        let mut decided = Decided::new(&policy, judging, self.policies.trust_annotations, &run);
        let mut session = Session::new(policy, self.options);
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
            decided.called(&tool, verdict.evidence.effect);
            let detail = self.detail(verdict.outcome);
            calls.push(CallOut::new(number, tool, verdict, &session, detail));
        }
        Judged::Run(Box::new(Audited {
            id: run.id,
            counts,
            warnings: run.warnings,
            tools: decided.tools,
            body: match self.format {
                Format::Text => Body::Text(text::calls(&calls, self.evidence)),
                Format::Json | Format::Jsonl => {
                    Body::Calls(serde_json::to_string(&calls).unwrap_or_default())
                }
                Format::Html => Body::View(Box::new(RunView::of("", 0, &session))),
            },
        }))
    }

    /// How much the output says of a call that ended so.
    fn detail(&self, outcome: Outcome) -> Detail {
        match self.format {
            Format::Text | Format::Json | Format::Jsonl if self.evidence => Detail::Evidence,
            Format::Text | Format::Json if outcome != Outcome::Release => Detail::Reason,
            // The page has a view of its own.
            Format::Text | Format::Json | Format::Jsonl | Format::Html => Detail::Verdict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_of_its_run() {
        let text = RunText::line(b"{}".to_vec(), 7);
        keep_panics();
        let judged = guarded(&text, || panic!("out of cheese"));
        let _ = panic::take_hook();
        let Judged::Fault(fault) = judged else {
            panic!("{judged:?}");
        };
        assert!(fault.error.contains("out of cheese"), "{}", fault.error);
        assert_eq!(fault.place.map(|at| at.line), Some(7));
    }
}
