//! What the agent proposes, from proposal to verdict: diagnosed by dry runs, where that layer is on and has cause to, and
//! then audited.

use super::{Session, ToolCall};
use crate::causal::{Open, Settled, place};
use crate::counterfactual::{Alarm, Boundary, Diagnosis, Live, Progress, Regime, World};
use crate::defense::{
    Answer, AskId, Evidence, Finding, Hint, Outcome, Permit, Proposal, Revision, Step, Verdict,
    View,
};
use crate::graph::{Node, NodeId, NodeKind};
use crate::policy::{Effect, Uncertain};

/// A proposal that waits for dry runs.
#[derive(Debug)]
pub(super) struct Pending {
    live: Live,
    /// Nodes that the session had when it was made: what the dry runs know.
    nodes: usize,
    /// What dry runs have settled of it.
    settled: Settled,
    /// What they are to settle.
    open: Option<(Open, Verdict)>,
}

/// What the diagnosis works on: all of the session but the diagnosis itself.
macro_rules! world {
    ($session:ident) => {
        World {
            graph: &mut $session.graph,
            auditor: &$session.auditor,
            policy: &$session.policy,
            tools: &$session.tools,
            composed: $session.layers.causal.is_some(),
        }
    };
}

impl Session {
    pub(super) fn propose(&mut self, call: ToolCall) -> Step {
        let effect = self.policy.effect(&call.name, self.tools.get(&call.name));
        self.consider(Live::Call(call, effect))
    }

    pub(super) fn finish(&mut self, words: String) -> Step {
        self.consider(Live::Finish(words))
    }

    /// Takes an answer to an ask. While others are outstanding, nothing more is asked; nor is it, for an answer that nobody
    /// waits for.
    pub(super) fn answer(&mut self, id: AskId, answer: Answer) -> Step {
        let (Some(pending), Some(diagnoser)) = (self.pending.take(), &mut self.diagnoser) else {
            return Step::Ask(Vec::new());
        };
        let progress = diagnoser.answer(world!(self), id, answer);
        self.proceed(pending, progress)
    }

    fn go_on(&self) -> Step {
        Step::Continue(View {
            node: NodeId(u32::try_from(self.graph.len()).unwrap_or(u32::MAX)),
        })
    }

    fn consider(&mut self, live: Live) -> Step {
        // A driver that proposes before its last proposal was decided gives that one up.
        if let Some(given_up) = self.pending.take() {
            if let Some(diagnoser) = &mut self.diagnoser {
                diagnoser.give_up();
            }
            let why = "another proposal was made before the dry runs came back";
            self.hold(
                given_up.live,
                Finding::Undiagnosed,
                why.into(),
                String::new(),
            );
        }
        let pending = Pending {
            live,
            nodes: self.graph.len(),
            settled: Settled::default(),
            open: None,
        };
        if let Some(diagnoser) = &mut self.diagnoser {
            let world = world!(self);
            if diagnoser.is_due(&world, &pending.live) {
                let progress = diagnoser.begin(world, pending.live.clone());
                return self.proceed(pending, progress);
            }
        }
        self.conclude(pending)
    }

    fn proceed(&mut self, mut pending: Pending, progress: Progress) -> Step {
        match progress {
            Progress::Ask(asks) => {
                self.pending = Some(pending);
                Step::Ask(asks)
            }
            Progress::Waiting => {
                self.pending = Some(pending);
                Step::Ask(Vec::new())
            }
            Progress::Done(_) if self.graph.len() != pending.nodes && pending.live.commits() => {
                let why = "something entered the session while dry runs were being made";
                let hint = "Look at what is new, and propose what is still right.";
                self.hold(pending.live, Finding::Undiagnosed, why.into(), hint.into())
            }
            Progress::Done(Diagnosis::Calm) => {
                if let Some((open, _)) = pending.open.take() {
                    pending.settled.add(open);
                }
                self.conclude(pending)
            }
            Progress::Done(Diagnosis::Undecided) => match (pending.live, pending.open) {
                (Live::Call(call, effect), Some((_, verdict))) => {
                    self.settle(call, effect, verdict)
                }
                (live, _) => {
                    let why = String::from("nothing was to be settled");
                    self.hold(live, Finding::Undiagnosed, why, String::new())
                }
            },
            Progress::Done(Diagnosis::Purified(_)) => self.revise(pending.live),
            Progress::Done(Diagnosis::Stuck(why)) if pending.live.commits() => {
                let failed = self.boundaries().last().is_none_or(|b| b.alarm.is_none());
                let finding = if failed {
                    Finding::Undiagnosed
                } else {
                    Finding::Takeover
                };
                let hint = String::from("Go on without this, or ask the user.");
                self.hold(pending.live, finding, why, hint)
            }
            Progress::Done(Diagnosis::Stuck(_)) => self.conclude(pending),
        }
    }

    /// No dry run speaks against it: what the audit says, where there is one.
    fn conclude(&mut self, pending: Pending) -> Step {
        let Live::Call(call, effect) = pending.live.clone() else {
            return self.go_on();
        };
        let (verdict, open) = self.judge(&call, effect, &pending.settled);
        if let (Some(open), Some(diagnoser)) = (open, &mut self.diagnoser) {
            let live = Live::Call(call, effect);
            let progress = diagnoser.settle(world!(self), live.clone(), open);
            let pending = Pending {
                live,
                open: Some((open, verdict)),
                ..pending
            };
            return self.proceed(pending, progress);
        }
        self.settle(call, effect, verdict)
    }

    /// Keeps the verdict on a call, and says it.
    fn settle(&mut self, call: ToolCall, effect: Effect, verdict: Verdict) -> Step {
        let kind = match (verdict.outcome, effect) {
            (Outcome::Release, Effect::Read) => NodeKind::Read,
            (Outcome::Release, _) => NodeKind::Write,
            _ => NodeKind::Denied,
        };
        let node = self.act(&call, kind);
        if effect == Effect::Read && verdict.outcome == Outcome::Release {
            let own = self.is_own(&call);
            let def = self.tools.get(&call.name);
            let (graph, policy) = (&self.graph, &self.policy);
            self.auditor.read(graph, policy, def, &call, node, own);
        }
        if kind == NodeKind::Write {
            self.auditor.wrote(&call);
        }
        self.actions.insert(call.id.clone(), node);
        self.verdicts.push(verdict.clone());
        match verdict.outcome {
            Outcome::Release => Step::Release(Permit::new(call, verdict.evidence)),
            Outcome::Block => {
                let hint = verdict.hint.unwrap_or(Hint(String::new()));
                Step::Block(verdict.evidence, hint)
            }
            Outcome::Approve => Step::Approve(verdict.evidence),
        }
    }

    /// Whether dry runs show that the agent makes a call for the user, and not for anything anomalous.
    fn is_own(&mut self, call: &ToolCall) -> bool {
        match &self.diagnoser {
            Some(diagnoser) => diagnoser.persists(&world!(self), call),
            None => false,
        }
    }

    /// Adds an action to the graph.
    fn act(&mut self, call: &ToolCall, kind: NodeKind) -> NodeId {
        let inputs = u32::try_from(self.graph.len()).unwrap_or(u32::MAX);
        self.graph.push(Node {
            kind,
            name: call.name.clone(),
            spans: Vec::new(),
            content: serde_json::to_string(&call.arguments).unwrap_or_default(),
            cause: None,
            inputs,
        })
    }

    /// The agent's view was purified: what it proposed is withdrawn, and it is asked again.
    fn revise(&mut self, live: Live) -> Step {
        let reason = self
            .boundaries()
            .last()
            .map_or_else(String::new, |b| self.explain(b));
        let evidence = self.evidence(&live, Finding::Takeover, reason);
        if let Live::Call(call, _) = &live {
            self.act(call, NodeKind::Denied);
            self.verdicts.push(Verdict {
                outcome: Outcome::Block,
                evidence: evidence.clone(),
                hint: None,
            });
        }
        let nodes = self.graph.len();
        let mut continuation = Proposal::default();
        if let Some(diagnoser) = &mut self.diagnoser {
            diagnoser.set_back(nodes);
            continuation = diagnoser.continuation();
        }
        Step::Revise(Revision {
            view: self.view(),
            evidence,
            continuation,
        })
    }

    fn explain(&self, boundary: &Boundary) -> String {
        let what = boundary.tool.as_deref().unwrap_or("the answer");
        let why = match boundary.alarm {
            Some(Alarm::Violation(Regime::Mask | Regime::MaskSanitized)) => {
                "with nothing of the user's request in view, what was read alone makes the agent act".to_owned()
            }
            Some(Alarm::Violation(Regime::Orig | Regime::OrigSanitized)) => {
                format!("without the directives in what was read, the agent does not propose {what} like this")
            }
            Some(Alarm::Trend) => {
                "over the last steps, what was read gained on the user's request".to_owned()
            }
            Some(Alarm::Answer) => {
                "without the directives in what was read, the agent would end with other words".to_owned()
            }
            Some(Alarm::Steered) => format!("without one text, the agent does not propose {what} like this"),
            Some(Alarm::Unpurified) | None => "the agent acts without the user's words".to_owned(),
        };
        match boundary.commands.first() {
            Some(at) => {
                let text: String = self.graph.text(*at).trim().chars().take(80).collect();
                format!("{why}: «{text}», in {}", place(&self.graph, at.node))
            }
            None => why,
        }
    }

    /// Holds what the agent wants.
    fn hold(&mut self, live: Live, finding: Finding, reason: String, hint: String) -> Step {
        let evidence = self.evidence(&live, finding, reason);
        match live {
            Live::Finish(_) => Step::Block(evidence, Hint(hint)),
            Live::Call(call, effect) => {
                let verdict = Verdict {
                    outcome: Outcome::Block,
                    evidence,
                    hint: Some(Hint(hint)),
                };
                self.settle(call, effect, verdict)
            }
        }
    }

    fn evidence(&self, live: &Live, finding: Finding, reason: String) -> Evidence {
        let effect = match live {
            Live::Call(_, effect) => *effect,
            Live::Finish(_) => Effect::Read,
        };
        let chain = self.boundaries().last().map(|b| b.commands.clone());
        Evidence {
            action: NodeId(u32::try_from(self.graph.len()).unwrap_or(u32::MAX)),
            effect,
            finding,
            reason,
            arguments: Vec::new(),
            chain: chain.unwrap_or_default(),
            invariants: Vec::new(),
        }
    }

    /// The verdict on a call, and the question that it leaves open, if dry runs can settle it.
    fn judge(
        &mut self,
        call: &ToolCall,
        effect: Effect,
        settled: &Settled,
    ) -> (Verdict, Option<Open>) {
        let live = || Live::Call(call.clone(), effect);
        let released = |evidence| Verdict {
            outcome: Outcome::Release,
            evidence,
            hint: None,
        };
        if effect == Effect::Read {
            let evidence = self.evidence(&live(), Finding::ReadOnly, "it only reads".into());
            let chain = Vec::new();
            return (released(Evidence { chain, ..evidence }), None);
        }
        let Some(options) = self.layers.causal else {
            return (self.judge_persisting(call, effect), None);
        };
        let def = self.tools.get(&call.name);
        let (graph, policy) = (&self.graph, &self.policy);
        let judgement = self
            .auditor
            .audit(graph, policy, def, call, options, settled);
        let outcome = match judgement.finding {
            Finding::ReadOnly
            | Finding::Justified
            | Finding::AlreadyReleased
            | Finding::NoTakeover => Outcome::Release,
            Finding::Unsupported if self.policy.uncertain() == Uncertain::Approve => {
                Outcome::Approve
            }
            Finding::AnomalousSupport
            | Finding::Unsupported
            | Finding::NotEntailed
            | Finding::OutsideTask
            | Finding::Malformed
            | Finding::Takeover
            | Finding::Undiagnosed => Outcome::Block,
        };
        let evidence = Evidence {
            arguments: judgement.grounded.iter().map(|g| g.report()).collect(),
            chain: judgement.chain,
            invariants: judgement.invariants,
            ..self.evidence(&live(), judgement.finding, judgement.reason)
        };
        let hint = (outcome == Outcome::Block).then_some(Hint(judgement.hint));
        let verdict = Verdict {
            outcome,
            evidence,
            hint,
        };
        (verdict, judgement.open)
    }

    /// The verdict on a call that dry runs do not speak against, without an audit. Places and amounts that only withheld
    /// texts know are no values for it, however often it is proposed (AgentSentry paper, section 4, safe continuation).
    fn judge_persisting(&self, call: &ToolCall, effect: Effect) -> Verdict {
        let live = Live::Call(call.clone(), effect);
        let def = self.tools.get(&call.name);
        let doubtful = || self.auditor.doubtful(&self.graph, &self.policy, def, call);
        match self.diagnoser.as_ref().and_then(|_| doubtful()) {
            Some((argument, at)) => {
                let place = place(&self.graph, at.node);
                let reason = format!(
                    "{argument} is known only from a text in {place} that directs the agent"
                );
                let evidence = Evidence {
                    chain: vec![at],
                    ..self.evidence(&live, Finding::Takeover, reason)
                };
                let hint = format!(
                    "Take {argument} from a field of a record that the user meant, or ask the user."
                );
                Verdict {
                    outcome: Outcome::Block,
                    evidence,
                    hint: Some(Hint(hint)),
                }
            }
            None => {
                let reason =
                    "the agent proposes it for the user's request, not for what it read".into();
                let chain = Vec::new();
                let evidence = self.evidence(&live, Finding::NoTakeover, reason);
                Verdict {
                    outcome: Outcome::Release,
                    evidence: Evidence { chain, ..evidence },
                    hint: None,
                }
            }
        }
    }
}
