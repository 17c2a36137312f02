//! Dry runs: which are wanted, which have come back.

use std::collections::BTreeMap;

use super::Regime;
use crate::defense::{Altered, Answer, Ask, AskId, Proposal, Question, Replay};

/// What the agent proposes on the views of one boundary, from one and the same state.
#[derive(Debug, Default)]
pub(super) struct Samples {
    runs: Vec<Run>,
    waiting: BTreeMap<AskId, (usize, usize)>,
    /// Dry runs asked for.
    pub(super) replays: u32,
    /// Why a dry run could not be made.
    pub(super) failed: Option<String>,
}

#[derive(Debug)]
struct Run {
    view: Altered,
    samples: Vec<Option<Proposal>>,
}

impl Samples {
    fn run(&mut self, view: &Altered) -> usize {
        let found = self.runs.iter().position(|r| r.view == *view);
        found.unwrap_or_else(|| {
            self.runs.push(Run {
                view: view.clone(),
                samples: Vec::new(),
            });
            self.runs.len() - 1
        })
    }

    /// The live proposal is the first sample on the view that the agent has.
    pub(super) fn live(&mut self, view: &Altered, proposal: Proposal) {
        let run = self.run(view);
        let samples = &mut self.runs[run].samples;
        match samples.first_mut() {
            Some(first) => *first = Some(proposal),
            None => samples.push(Some(proposal)),
        }
    }

    /// Asks for what is missing of `count` samples on a view.
    pub(super) fn want(
        &mut self,
        regime: Regime,
        view: &Altered,
        count: u32,
        next: &mut u64,
    ) -> Vec<Ask> {
        let run = self.run(view);
        let mut asks = Vec::new();
        for sample in self.runs[run].samples.len()..count.max(1) as usize {
            let id = AskId(*next);
            *next += 1;
            self.replays += 1;
            self.waiting.insert(id, (run, sample));
            self.runs[run].samples.push(None);
            asks.push(Ask {
                id,
                question: Question::Replay(Replay {
                    regime,
                    sample: u32::try_from(sample).unwrap_or(u32::MAX),
                    view: view.clone(),
                }),
            });
        }
        asks
    }

    /// Takes an answer. One that nobody asked for says nothing.
    pub(super) fn answer(&mut self, id: AskId, answer: Answer) {
        let Some((run, sample)) = self.waiting.remove(&id) else {
            return;
        };
        match answer {
            Answer::Proposal(proposal) => self.runs[run].samples[sample] = Some(proposal),
            Answer::Failed(why) => self.failed = Some(why),
            Answer::Output(_) => {
                self.failed = Some("a judgement came back in place of a dry run".into());
            }
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What was proposed on a view.
    pub(super) fn on(&self, view: &Altered) -> Vec<&Proposal> {
        let run = self.runs.iter().find(|r| r.view == *view);
        run.map_or_else(Vec::new, |r| r.samples.iter().flatten().collect())
    }
}
