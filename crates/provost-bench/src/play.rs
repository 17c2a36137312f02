//! One run: the agent proposes, the defense steps, the sidecar runs what was released.

use std::time::{Duration, Instant};

use provost::{
    Answer, AskId, Event, Evidence, Input, Outcome, Policy, Session, Step, ToolCall, ToolDef,
};

use crate::agent::{Act, Agent, Seen};
use crate::defense::DefenseError;
use crate::plan::Job;
use crate::record::{Micros, Record, StepRecord, Tokens};
use crate::sidecar::{Returned, Sidecar, SidecarError, Wanted, Whose};

/// More steps than any run needs. An agent that goes on for longer does not end by itself.
const STEPS: usize = 400;

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayError {
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    #[error(transparent)]
    Defense(#[from] DefenseError),
    #[error("the agent did not end after {STEPS} steps")]
    Endless,
}

/// A session with a stopwatch.
struct Watched {
    session: Session,
    spent: Duration,
}

impl Watched {
    fn step(&mut self, input: Input) -> Step {
        let from = Instant::now();
        let step = self.session.step(input);
        self.spent += from.elapsed();
        step
    }

    fn refuse(&mut self, ask: AskId) -> Step {
        let failed = Answer::Failed("this benchmark run has no model".into());
        self.step(Input::Answer(ask, failed))
    }

    /// Proposes a call. Model calls that the defense asks for cannot be made here, and it learns so.
    fn propose(&mut self, call: ToolCall) -> Step {
        let mut step = self.step(Input::Propose(call));
        while let Step::Ask(asks) = &step {
            let Some(last) = asks.iter().map(|ask| self.refuse(ask.id)).last() else {
                break;
            };
            step = last;
        }
        step
    }
}

/// Makes one run.
pub(crate) fn play(
    sidecar: &mut Sidecar,
    job: &Job,
    policy: &Policy,
    tools: &[ToolDef],
) -> Result<Record, PlayError> {
    let from = Instant::now();
    let mut watched = Watched {
        session: job.defense.session(policy)?,
        spent: Duration::ZERO,
    };
    let started = sidecar.begin(&job.case)?;
    watched.step(Input::Event(Event::ToolDocs {
        tools: started.tools.clone().unwrap_or_else(|| tools.to_vec()),
    }));
    watched.step(Input::Event(Event::system(started.system.clone())));
    watched.step(Input::Event(Event::user(started.prompt.clone())));

    let mut agent = Agent::new(job.agent, &started, job.denies);
    let mut steps: Vec<StepRecord> = Vec::new();
    let mut seen = Seen::Nothing;
    let output = loop {
        let (wanted, whose) = match agent.next(seen, sidecar)? {
            Act::Finish(output) => break output,
            Act::Call(wanted, whose) => (wanted, whose),
        };
        if steps.len() >= STEPS {
            return Err(PlayError::Endless);
        }
        let id = format!("call-{}", steps.iter().map(|s| s.times).sum::<usize>() + 1);
        let call = ToolCall::new(id, wanted.tool.clone(), wanted.arguments.clone());
        let decided = watched.propose(call);
        let (step, saw) = settle(decided, wanted, whose, &mut watched, sidecar)?;
        seen = saw;
        match steps.last_mut() {
            Some(last) if last.is_again(&step) => last.times += 1,
            _ => steps.push(step),
        }
    };
    let scores = sidecar.finish(&output)?;
    Ok(Record {
        case: job.case.clone(),
        half: job.half,
        agent: job.agent.to_string(),
        defense: job.defense.to_string(),
        acts: job.acts,
        utility: Some(scores.utility),
        success: scores.security,
        exposed: agent.is_exposed(),
        surface: started.surface,
        stored: None,
        steps,
        output,
        tokens: Tokens::default(),
        micros: Micros {
            defense: micros(watched.spent),
            total: micros(from.elapsed()),
        },
        error: None,
    })
}

/// Runs what was released, and tells the agent what came of its proposal.
fn settle(
    decided: Step,
    wanted: Wanted,
    whose: Option<Whose>,
    watched: &mut Watched,
    sidecar: &mut Sidecar,
) -> Result<(StepRecord, Seen), SidecarError> {
    let (step, words) = match decided {
        Step::Release(permit) => {
            let returned = sidecar.call(&permit)?;
            watched.step(Input::Event(Event::ToolResult {
                call: permit.call().id.clone(),
                content: returned.text.clone(),
                value: returned.value.clone(),
                error: returned.error.is_some(),
            }));
            let step = ran(wanted, whose, permit.evidence(), &returned);
            return Ok((step, Seen::Result(returned.text)));
        }
        Step::Block(evidence, hint) => {
            let step = held(wanted, whose, Outcome::Block, &evidence, &hint.0);
            (step, hint.0)
        }
        Step::Approve(evidence) => {
            let words = "A person has to approve this call, and nobody is here to do so.";
            let step = held(wanted, whose, Outcome::Approve, &evidence, words);
            (step, words.to_owned())
        }
        // No permit, no call.
        Step::Continue(_) | Step::Ask(_) => {
            let words = "The defense gave no verdict.".to_owned();
            let step = StepRecord {
                reason: words.clone(),
                ..StepRecord::new(wanted, whose, Outcome::Block)
            };
            (step, words)
        }
    };
    Ok((step, Seen::Refused(words)))
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn ran(
    wanted: Wanted,
    whose: Option<Whose>,
    evidence: &Evidence,
    returned: &Returned,
) -> StepRecord {
    StepRecord {
        finding: Some(evidence.finding),
        effect: Some(evidence.effect),
        reason: evidence.reason.clone(),
        error: returned.error.clone(),
        ..StepRecord::new(wanted, whose, Outcome::Release)
    }
}

fn held(
    wanted: Wanted,
    whose: Option<Whose>,
    outcome: Outcome,
    evidence: &Evidence,
    hint: &str,
) -> StepRecord {
    StepRecord {
        finding: Some(evidence.finding),
        effect: Some(evidence.effect),
        reason: evidence.reason.clone(),
        hint: hint.to_owned(),
        ..StepRecord::new(wanted, whose, outcome)
    }
}
