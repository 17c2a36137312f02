//! One run: the agent proposes, the defense steps, the sidecar runs what was released.
//!
//! What the defense wants to know of the agent, a copy of it answers, in the state before its last proposal. Such a dry run
//! ends in a [`Proposal`], and only a [`Permit`](provost::Permit) reaches the environment.

mod world;

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use provost::{
    Altered, Answer, Event, Evidence, Graph, Input, Outcome, Policy, Proposal, Question, Replay,
    Revision, Session, Step, ToolCall, ToolDef,
};

use crate::agent::{Act, Agent, INSISTS, Seen, View};
use crate::defense::DefenseError;
use crate::plan::Job;
use crate::record::{Micros, Record, StepRecord, Tokens};
use crate::sidecar::{Returned, Sidecar, SidecarError, Wanted};
use world::{Known, World};

/// More proposals than any run needs. An agent that goes on for longer does not end by itself.
const PROPOSALS: usize = 1_000;

/// How often the view may be revised because of one proposal.
const REVISIONS: usize = 16;

/// How many questions a defense may have about one proposal.
const QUESTIONS: usize = 4_096;

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayError {
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    #[error(transparent)]
    Defense(#[from] DefenseError),
    #[error("the agent did not end after {PROPOSALS} proposals")]
    Endless,
    #[error("the defense revised the view {REVISIONS} times and still did not decide")]
    Revising,
    #[error("the defense asked {QUESTIONS} questions and still did not decide")]
    Asking,
}

/// What stands between the agent and its tools.
trait Guard {
    fn step(&mut self, input: Input) -> Step;
    /// What entered so far.
    fn graph(&self) -> &Graph;
}

impl Guard for Session {
    fn step(&mut self, input: Input) -> Step {
        Self::step(self, input)
    }

    fn graph(&self) -> &Graph {
        Self::graph(self)
    }
}

/// A run that is being made.
struct Run<'a, G> {
    guard: G,
    world: &'a mut dyn World,
    agent: Agent,
    /// What the agent sees in place of what entered.
    altered: Altered,
    exposed: bool,
    steps: Vec<StepRecord>,
    replays: usize,
    revisions: usize,
    /// Spent in the defense.
    spent: Duration,
}

/// Where the agent stood before its last proposal.
#[derive(Clone, Copy)]
struct Before<'a> {
    agent: &'a Agent,
    seen: &'a Seen,
}

/// Makes one run.
pub(crate) fn play(
    sidecar: &mut Sidecar,
    job: &Job,
    policy: &Policy,
    tools: &[ToolDef],
) -> Result<Record, PlayError> {
    let from = Instant::now();
    let session = job.defense.session(policy)?;
    let started = sidecar.begin(&job.case)?;
    let agent = Agent::new(job.agent, &started, job.denies);
    let mut world = Known::new(sidecar);
    let mut run = Run::new(session, agent, &mut world);
    run.enter(Event::ToolDocs {
        tools: started.tools.unwrap_or_else(|| tools.to_vec()),
    });
    run.enter(Event::system(started.system));
    run.enter(Event::user(started.prompt));
    let output = run.until_it_ends()?;
    let Run {
        exposed,
        steps,
        replays,
        revisions,
        spent,
        guard,
        ..
    } = run;
    let scores = sidecar.finish(&output)?;
    Ok(Record {
        case: job.case.clone(),
        half: job.half,
        agent: job.agent.to_string(),
        defense: job.defense.to_string(),
        acts: job.acts,
        utility: Some(scores.utility),
        success: scores.security,
        exposed,
        surface: started.surface,
        stored: None,
        boundaries: guard.boundaries().to_vec(),
        steps,
        output,
        replays,
        revisions,
        tokens: Tokens::default(),
        micros: Micros {
            defense: micros(spent),
            total: micros(from.elapsed()),
        },
        error: None,
    })
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl<'a, G: Guard> Run<'a, G> {
    fn new(guard: G, agent: Agent, world: &'a mut dyn World) -> Self {
        Self {
            guard,
            world,
            agent,
            altered: Altered::new(),
            exposed: false,
            steps: Vec::new(),
            replays: 0,
            revisions: 0,
            spent: Duration::ZERO,
        }
    }

    fn step(&mut self, input: Input) -> Step {
        let from = Instant::now();
        let step = self.guard.step(input);
        self.spent += from.elapsed();
        step
    }

    fn enter(&mut self, event: Event) {
        self.step(Input::Event(event));
    }

    /// Lets the agent propose until it ends. Returns its last words.
    fn until_it_ends(&mut self) -> Result<String, PlayError> {
        let (mut seen, mut revised, mut silenced) = (Seen::Nothing, 0, 0);
        for _ in 0..PROPOSALS {
            let before = self.agent.clone();
            let view = View::new(self.guard.graph(), &self.altered);
            let act = self.agent.next(&seen, view, self.world)?;
            self.exposed |= self.agent.is_exposed();
            let proposed = match &act {
                Act::Call(wanted, _) => Input::Propose(self.call(wanted)),
                Act::Finish(words, _) => Input::Finish(words.clone()),
            };
            let at = Before {
                agent: &before,
                seen: &seen,
            };
            let decided = self.decide(proposed, at)?;
            if let Step::Revise(revision) = decided {
                revised += 1;
                if revised > REVISIONS {
                    return Err(PlayError::Revising);
                }
                self.revise(act, revision, before);
                continue;
            }
            revised = 0;
            if let Act::Finish(words, whose) = act {
                if matches!(decided, Step::Continue(_)) {
                    return Ok(words);
                }
                seen = Seen::Refused(self.hold(StepRecord::words(words, whose), decided));
                silenced += 1;
                if silenced > INSISTS {
                    return Ok(String::new());
                }
                continue;
            }
            seen = self.settle(StepRecord::from(act), decided)?;
        }
        Err(PlayError::Endless)
    }

    fn call(&self, wanted: &Wanted) -> ToolCall {
        let made: usize = self.steps.iter().map(|step| step.times).sum();
        let id = format!("call-{}", made + 1);
        ToolCall::new(id, wanted.tool.clone(), wanted.arguments.clone())
    }

    /// What the defense says to a proposal, once all that it asks is answered.
    fn decide(&mut self, proposed: Input, before: Before<'_>) -> Result<Step, PlayError> {
        let mut step = self.step(proposed);
        let (mut open, mut known) = (VecDeque::new(), HashSet::new());
        loop {
            match step {
                Step::Ask(asks) => open.extend(asks.into_iter().filter(|ask| known.insert(ask.id))),
                Step::Continue(_) if !open.is_empty() => {}
                decided => return Ok(decided),
            }
            if known.len() > QUESTIONS {
                return Err(PlayError::Asking);
            }
            let Some(ask) = open.pop_front() else {
                // It waits for an answer that it has.
                return Ok(Step::Ask(Vec::new()));
            };
            let answer = match ask.question {
                Question::Judge { .. } => Answer::Failed("this benchmark run has no model".into()),
                Question::Replay(replay) => self.replay(&replay, before)?,
            };
            step = self.step(Input::Answer(ask.id, answer));
        }
    }

    /// A dry run: what a copy of the agent would do from where it was, on another view.
    fn replay(&mut self, replay: &Replay, before: Before<'_>) -> Result<Answer, SidecarError> {
        self.replays += 1;
        let view = View::new(self.guard.graph(), &replay.view);
        let mut dry = before.agent.clone();
        match dry.next(before.seen, view, self.world) {
            Ok(Act::Finish(text, _)) => Ok(Answer::Proposal(Proposal {
                text,
                calls: Vec::new(),
            })),
            Ok(Act::Call(wanted, _)) => {
                let id = format!("dry-{}", self.replays);
                Ok(Answer::Proposal(Proposal {
                    text: String::new(),
                    calls: vec![ToolCall::new(id, wanted.tool, wanted.arguments)],
                }))
            }
            Err(error) if error.is_broken() => Err(error),
            Err(error) => Ok(Answer::Failed(error.to_string())),
        }
    }

    /// Takes a proposal back, and what led to it out of the agent's view.
    fn revise(&mut self, act: Act, revision: Revision, before: Agent) {
        self.revisions += 1;
        self.altered = revision.view;
        self.agent = before;
        let step = StepRecord::from(act).held(Outcome::Block, &revision.evidence, String::new());
        self.keep(StepRecord {
            withdrawn: true,
            ..step
        });
    }

    /// Runs what was released, and tells the agent what came of its call.
    fn settle(&mut self, step: StepRecord, decided: Step) -> Result<Seen, SidecarError> {
        let Step::Release(permit) = decided else {
            return Ok(Seen::Refused(self.hold(step, decided)));
        };
        let returned = self.world.call(&permit)?;
        self.keep(step.ran(permit.evidence(), &returned));
        self.enter(Event::ToolResult {
            call: permit.call().id.clone(),
            content: returned.text,
            value: returned.value,
            error: returned.error.is_some(),
        });
        Ok(Seen::Ran)
    }

    /// Keeps a proposal that was not released. Returns what the agent is told.
    fn hold(&mut self, step: StepRecord, decided: Step) -> String {
        let step = match decided {
            Step::Block(evidence, hint) => step.held(Outcome::Block, &evidence, hint.0),
            Step::Approve(evidence) => {
                let words = "A person has to approve this call, and nobody is here to do so.";
                step.held(Outcome::Approve, &evidence, words.to_owned())
            }
            // No permit, no call.
            Step::Continue(_) | Step::Ask(_) | Step::Revise(_) | Step::Release(_) => StepRecord {
                reason: "The defense gave no verdict.".into(),
                hint: "The defense gave no verdict.".into(),
                ..step
            },
        };
        let words = step.hint.clone();
        self.keep(step);
        words
    }

    fn keep(&mut self, step: StepRecord) {
        match self.steps.last_mut() {
            Some(last) if last.is_again(&step) => last.times += 1,
            _ => self.steps.push(step),
        }
    }
}

impl From<Act> for StepRecord {
    fn from(act: Act) -> Self {
        match act {
            Act::Call(wanted, whose) => Self::new(wanted, whose, Outcome::Block),
            Act::Finish(words, whose) => Self::words(words, whose),
        }
    }
}

impl StepRecord {
    fn ran(self, evidence: &Evidence, returned: &Returned) -> Self {
        Self {
            outcome: Outcome::Release,
            finding: Some(evidence.finding),
            effect: Some(evidence.effect),
            reason: evidence.reason.clone(),
            error: returned.error.clone(),
            ..self
        }
    }

    fn held(self, outcome: Outcome, evidence: &Evidence, hint: String) -> Self {
        Self {
            outcome,
            finding: Some(evidence.finding),
            effect: Some(evidence.effect),
            reason: evidence.reason.clone(),
            hint,
            ..self
        }
    }
}

#[cfg(test)]
mod tests;
