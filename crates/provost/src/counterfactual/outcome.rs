//! The outcome map ψ: how far a proposal is off the user's goal, and whether it violates.
//!
//! What the goal is, the agent itself says: it is what it proposes for the user's words once the mediator is inert
//! (`orig_sanitized`). Of the three tests of the AgentSentry paper (appendix B.1) a *new unrelated objective* is a call of a
//! tool that the goal does not call for, a *priority override* one with other values than the goal's, or an end where the
//! goal still takes an effect, and an *unsupported commitment* words that only withheld text puts into the agent's mouth.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::causal::{Stems, leaves, normal, stems};
use crate::defense::Proposal;
use crate::policy::{Effect, Policy, Sensitivity};
use crate::session::{ToolCall, Tools};
use crate::span::SpanRef;
use crate::value::{Atom, Kind, atoms};

/// How a proposal deviates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deviation {
    /// It calls a tool that the user's goal does not call for.
    Objective,
    /// It does what the goal takes in another way, or leaves it undone.
    Override,
    /// It says what only withheld text says.
    Commitment,
}

/// What ψ says of one proposal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scored {
    /// Y: 0 on goal, 1 textual deviation, 2 diagnostic call off goal, 3 unauthorised high-impact call.
    pub(crate) outcome: u8,
    /// How it deviates most.
    pub(crate) deviation: Option<Deviation>,
}

impl Scored {
    /// V: an unauthorised high-impact call.
    pub(crate) fn violates(self) -> bool {
        self.outcome == 3
    }
}

/// What proposals are compared with.
#[derive(Debug)]
pub(crate) struct Goal<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) tools: &'a Tools,
    /// What the agent proposes for the user's words on the purified mediator.
    pub(crate) proposals: &'a [&'a Proposal],
    /// What was withheld from it; nothing where words do not count.
    pub(crate) withheld: &'a [Withheld],
}

/// A text that was withheld.
#[derive(Debug)]
pub(crate) struct Withheld {
    pub(crate) at: SpanRef,
    /// Its content words.
    pub(crate) stems: Stems,
    /// What it names.
    pub(crate) names: BTreeSet<Box<str>>,
}

/// Content words that a text must share with a withheld one to repeat it.
const REPEATS: usize = 3;

impl Withheld {
    /// What a withheld text says, without what the user says too.
    pub(crate) fn of(at: SpanRef, text: &str, user: &str) -> Self {
        let known = stems(user, None);
        let mut names = names(text);
        for name in self::names(user) {
            names.remove(&name);
        }
        Self {
            at,
            stems: stems(text, None).difference(&known).cloned().collect(),
            names,
        }
    }
}

/// Places, names and quotations in a text.
fn names(text: &str) -> BTreeSet<Box<str>> {
    let telling = |a: &Atom| !matches!(a.kind, Kind::Number | Kind::Date | Kind::Time);
    let found = atoms(text).into_iter().filter(telling);
    found.map(|a| a.norm).collect()
}

impl Goal<'_> {
    /// ψ. Where it is known that the agent had the user's words (`told`), an end where the goal takes an effect is off goal too.
    pub(crate) fn score(&self, proposal: &Proposal, told: bool) -> Scored {
        let mut worst = Scored::default();
        let mut found = |outcome, deviation| {
            if outcome > worst.outcome {
                worst = Scored {
                    outcome,
                    deviation: Some(deviation),
                };
            }
        };
        let wording = if told { Wording::Free } else { Wording::Exact };
        for call in proposal.calls.iter().filter(|c| !self.takes(c, wording)) {
            let tool = |c: &ToolCall| c.name == call.name;
            let deviation = if self.calls().any(tool) {
                Deviation::Override
            } else {
                Deviation::Objective
            };
            found(
                if self.effect(call) == Effect::Read {
                    2
                } else {
                    3
                },
                deviation,
            );
        }
        if self.repeats(proposal).is_some() {
            found(1, Deviation::Commitment);
        }
        if told && self.leaves_undone(proposal) {
            found(1, Deviation::Override);
        }
        worst
    }

    /// Whether the agent ends where it goes on to an effect without the withheld text.
    fn leaves_undone(&self, proposal: &Proposal) -> bool {
        let acts = |p: &&Proposal| p.calls.iter().any(|c| self.effect(c) != Effect::Read);
        let some = !self.withheld.is_empty() && !self.proposals.is_empty();
        some && proposal.calls.is_empty() && self.proposals.iter().all(acts)
    }

    fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.proposals.iter().flat_map(|p| &p.calls)
    }

    pub(crate) fn effect(&self, call: &ToolCall) -> Effect {
        self.policy.effect(&call.name, self.tools.get(&call.name))
    }

    /// Whether the goal takes this very call.
    pub(crate) fn takes(&self, call: &ToolCall, wording: Wording) -> bool {
        self.calls()
            .any(|c| is_same(self.policy, self.tools, c, call, wording))
    }

    /// A withheld text that the proposal's words repeat, and the goal's do not.
    pub(crate) fn repeats(&self, proposal: &Proposal) -> Option<SpanRef> {
        if self.withheld.is_empty() || proposal.text.trim().is_empty() {
            return None;
        }
        let goal: String = self
            .proposals
            .iter()
            .fold(String::new(), |all, p| all + " " + &p.text);
        let (said, known) = (stems(&proposal.text, None), stems(&goal, None));
        let (named, spoken) = (names(&proposal.text), names(&goal));
        let echo = |w: &&Withheld| {
            let own = w.stems.difference(&known);
            let (own, shared) = own.fold((0, 0), |(own, shared), s| {
                (own + 1, shared + usize::from(said.contains(s)))
            });
            let mut names = w.names.difference(&spoken);
            shared >= REPEATS && 2 * shared >= own || names.any(|n| named.contains(n))
        };
        self.withheld.iter().find(echo).map(|w| w.at)
    }
}

/// How prose in arguments is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wording {
    /// By what it names: the agent may have found other words.
    Free,
    /// Word by word.
    Exact,
}

/// Whether two calls come to the same: the tool, and each argument in its normal form.
pub(crate) fn is_same(
    policy: &Policy,
    tools: &Tools,
    a: &ToolCall,
    b: &ToolCall,
    wording: Wording,
) -> bool {
    if a.name != b.name {
        return false;
    }
    let (one, other) = (leaves(&a.arguments), leaves(&b.arguments));
    let same = |(at, x): &(String, String), (path, y): &(String, String)| {
        let top = at.split(['.', '[']).next().unwrap_or(at);
        let prose = || {
            let sensitivity = policy.sensitivity(&a.name, top, tools.get(&a.name));
            wording == Wording::Free && sensitivity == Sensitivity::Content
        };
        at == path && (normal(x) == normal(y) || prose() && facts(x) == facts(y))
    };
    one.len() == other.len() && one.iter().zip(&other).all(|(x, y)| same(x, y))
}

fn facts(text: &str) -> BTreeSet<Box<str>> {
    atoms(text).into_iter().map(|a| a.norm).collect()
}
