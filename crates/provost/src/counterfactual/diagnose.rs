//! The diagnosis of a boundary, from the live proposal to an alarm or none.

use std::collections::BTreeMap;

use super::boundary::{Alarm, Boundary, trend};
use super::estimate::{Effects, Outcomes, is_significant};
use super::outcome::{Goal, Scored, Withheld, Wording, is_same};
use super::samples::Samples;
use super::search::{MOST, Search, Standing};
use super::views::{Views, mediators};
use super::{Regime, Settings};
use crate::causal::{Auditor, Open};
use crate::defense::{Altered, Answer, Ask, AskId, Proposal};
use crate::graph::{Graph, NodeId, NodeKind};
use crate::policy::{Effect, Policy};
use crate::session::{ToolCall, Tools};
use crate::span::SpanRef;

/// What the agent wants to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Live {
    /// To call a tool, with this effect.
    Call(ToolCall, Effect),
    /// To end with these words.
    Finish(String),
}

impl Live {
    fn proposal(&self) -> Proposal {
        match self {
            Self::Call(call, _) => Proposal {
                text: String::new(),
                calls: vec![call.clone()],
            },
            Self::Finish(words) => Proposal {
                text: words.clone(),
                calls: Vec::new(),
            },
        }
    }

    /// Whether something is done that cannot be undone by going on otherwise.
    pub(crate) fn commits(&self) -> bool {
        !matches!(self, Self::Call(_, Effect::Read))
    }
}

/// What the diagnosis is about.
pub(crate) struct World<'a> {
    pub(crate) graph: &'a mut Graph,
    pub(crate) auditor: &'a Auditor,
    pub(crate) policy: &'a Policy,
    pub(crate) tools: &'a Tools,
    /// Whether the causal audit judges calls too: then boundaries without an anomalous span and without a call that changes
    /// something need no dry runs.
    pub(crate) composed: bool,
}

/// How a diagnosis goes on.
#[derive(Debug)]
pub(crate) enum Progress {
    /// These dry runs are needed.
    Ask(Vec<Ask>),
    /// Others are still to come back.
    Waiting,
    /// It is made.
    Done(Diagnosis),
}

/// What was found.
#[derive(Debug, PartialEq)]
pub(crate) enum Diagnosis {
    /// The user is behind the proposal.
    Calm,
    /// The mediator is; the agent's view was purified of what commands.
    Purified(Alarm),
    /// What was to be settled is not.
    Undecided,
    /// The mediator is, or may be, and there is no purified view to go on with. Why, for people.
    Stuck(String),
}

/// What dry runs are being made for.
#[derive(Debug)]
enum Stage {
    /// The four regimes.
    Regimes,
    /// Which texts command.
    Search(Search),
    /// Whether the call is proposed without the text in question too.
    Settle(Open),
}

#[derive(Debug)]
struct Case {
    live: Live,
    stage: Stage,
    commands: Vec<SpanRef>,
    /// High-impact calls that the agent proposes whatever is withheld: no text is behind them.
    standing: Vec<ToolCall>,
}

/// What the diagnosis keeps between inputs.
#[derive(Debug)]
pub(crate) struct Diagnoser {
    settings: Settings,
    views: Views,
    boundaries: Vec<Boundary>,
    /// Boundaries up to the last alarm.
    before: usize,
    next: u64,
    samples: Samples,
    /// The newest content at the last boundary, and what was found calm there.
    last: Option<(NodeId, Vec<Live>)>,
    /// The agent was set back when the session had so many nodes: as long as it has no more, its samples hold.
    revised: Option<usize>,
    /// The newest content with which the mediator alone led to no call.
    quiet: Option<NodeId>,
    case: Option<Case>,
}

impl Diagnoser {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            views: Views::default(),
            boundaries: Vec::new(),
            before: 0,
            next: 0,
            samples: Samples::default(),
            last: None,
            revised: None,
            quiet: None,
            case: None,
        }
    }

    pub(crate) fn boundaries(&self) -> &[Boundary] {
        &self.boundaries
    }

    /// What the agent sees otherwise than as it entered.
    pub(crate) fn view(&self) -> &Altered {
        &self.views.live
    }

    /// What the agent would do on the purified view.
    pub(crate) fn continuation(&self) -> Proposal {
        let proposals = self.samples.on(&self.views.live);
        proposals.first().map(|p| (*p).clone()).unwrap_or_default()
    }

    /// Whether a proposal needs a diagnosis before anything else is said of it.
    pub(crate) fn is_due(&self, world: &World<'_>, live: &Live) -> bool {
        let Some(newest) = newest(world.graph) else {
            return false;
        };
        // Nothing stands between the user and the agent.
        if mediators(world.graph).next().is_none() {
            return false;
        }
        if matches!(live, Live::Finish(_)) && !self.settings.text {
            return false;
        }
        let known = |(at, seen): &(NodeId, Vec<Live>)| *at == newest && seen.contains(live);
        if self.revised.is_none() && self.last.as_ref().is_some_and(known) {
            return false;
        }
        if !world.composed || matches!(live, Live::Call(..)) && hangs(world, live) {
            return true;
        }
        let open = |n: &NodeId| self.views.is_doubtful(world.graph, *n);
        let mut doubtful = mediators(world.graph).filter(open);
        match (live, &self.last) {
            // What an answer says may come from anything that was read.
            (Live::Finish(_), _) => doubtful.next().is_some(),
            // One sample of a mere reading shows no trend.
            (Live::Call(..), _) if !self.settings.shows_trends() => false,
            (Live::Call(..), Some((at, _))) => doubtful.any(|n| n > *at),
            (Live::Call(..), None) => doubtful.next().is_some(),
        }
    }

    /// Begins the diagnosis of a proposal.
    pub(crate) fn begin(&mut self, mut world: World<'_>, live: Live) -> Progress {
        self.views.enter(&world);
        if self.revised.take() != Some(world.graph.len()) {
            self.samples = Samples::default();
        }
        self.samples.replays = 0;
        self.samples.live(&self.views.live, live.proposal());
        self.case = Some(Case {
            live,
            stage: Stage::Regimes,
            commands: Vec::new(),
            standing: Vec::new(),
        });
        self.go_on(&mut world)
    }

    /// Whether the agent proposes the call of the last boundary from benign spans alone, and without the text in question:
    /// entailment, settled by replay (DESIGN.md, section 4, `causal` 5).
    pub(crate) fn settle(&mut self, mut world: World<'_>, live: Live, open: Open) -> Progress {
        self.views.enter(&world);
        self.case = Some(Case {
            live,
            stage: Stage::Settle(open),
            commands: Vec::new(),
            standing: Vec::new(),
        });
        self.go_on(&mut world)
    }

    /// The agent was set back, and so many nodes are there.
    pub(crate) fn set_back(&mut self, nodes: usize) {
        self.revised = Some(nodes);
    }

    /// Forgets what is being diagnosed: what comes back of it says nothing any more.
    pub(crate) fn give_up(&mut self) {
        self.case = None;
        self.samples = Samples::default();
        self.last = None;
        self.revised = None;
    }

    /// Takes an answer.
    pub(crate) fn answer(&mut self, mut world: World<'_>, id: AskId, answer: Answer) -> Progress {
        self.samples.answer(id, answer);
        if self.samples.is_waiting() {
            return Progress::Waiting;
        }
        self.go_on(&mut world)
    }

    fn go_on(&mut self, world: &mut World<'_>) -> Progress {
        loop {
            if let Some(why) = &self.samples.failed {
                self.case = None;
                let why = format!("the agent could not be run dry: {why}");
                return Progress::Done(Diagnosis::Stuck(why));
            }
            let asks = self.wanted(world);
            if !asks.is_empty() {
                return Progress::Ask(asks);
            }
            let Some(mut case) = self.case.take() else {
                return Progress::Done(Diagnosis::Stuck("no proposal is open".into()));
            };
            match &mut case.stage {
                Stage::Regimes
                    if self.acts(world, &self.views.of(world.graph, Regime::MaskSanitized)) =>
                {
                    if case.commands.len() > MOST {
                        return Progress::Done(self.decide(world, case, true));
                    }
                    case.stage = Stage::Search(Search::new(self.candidates(world.graph)));
                }
                Stage::Regimes => return Progress::Done(self.decide(world, case, false)),
                Stage::Search(search) => {
                    let view = self.views.trial(world, search.withheld());
                    let acts = !self.high_impact(world, &view, &case.standing).is_empty();
                    match search.tried(acts) {
                        Standing::Goes => {}
                        Standing::Found => {
                            let found = std::mem::take(&mut search.found);
                            let out = self.views.withhold(world, &found);
                            case.commands.extend(found);
                            if !out {
                                return Progress::Done(self.decide(world, case, true));
                            }
                            case.stage = Stage::Regimes;
                        }
                        // What else it proposes may have a cause.
                        Standing::Innocent => {
                            case.standing.extend(self.high_impact(world, &view, &[]));
                            if !self.acts_beyond(world, &case.standing) {
                                return Progress::Done(self.decide(world, case, false));
                            }
                            case.stage = Stage::Regimes;
                        }
                        Standing::Endless => return Progress::Done(self.decide(world, case, true)),
                    }
                }
                Stage::Settle(open) => {
                    let open = *open;
                    return Progress::Done(self.settled(world, case, open));
                }
            }
            self.case = Some(case);
        }
    }

    /// The dry runs that are missing.
    fn wanted(&mut self, world: &World<'_>) -> Vec<Ask> {
        let count = self.settings.samples;
        let views: Vec<(Regime, Altered, u32)> = match self.case.as_ref().map(|c| &c.stage) {
            None => Vec::new(),
            Some(Stage::Regimes) => {
                let regimes = self.regimes(world).into_iter();
                regimes
                    .map(|r| (r, self.views.of(world.graph, r), count))
                    .collect()
            }
            Some(Stage::Search(search)) => {
                let view = self.views.trial(world, search.withheld());
                vec![(Regime::MaskSanitized, view, 1)]
            }
            Some(Stage::Settle(open)) => {
                let view = self.views.without(world, in_question(*open));
                vec![(Regime::OrigSanitized, view, count)]
            }
        };
        let want = |(regime, view, count): &(Regime, Altered, u32)| {
            self.samples.want(*regime, view, *count, &mut self.next)
        };
        views.iter().flat_map(want).collect()
    }

    /// The regimes that have to be sampled. Composed with the audit, no more than it takes: where something hangs on the
    /// proposal, first what the user's goal is; if that does not speak against it, or nothing hangs on it, what the mediator
    /// leads to alone; and all of them, if that is anything.
    fn regimes(&self, world: &World<'_>) -> Vec<Regime> {
        let Some(case) = self.case.as_ref().filter(|_| world.composed) else {
            return Regime::ALL.into();
        };
        let hangs = hangs(world, &case.live);
        let mut out = Vec::new();
        if hangs {
            out.extend([Regime::Orig, Regime::OrigSanitized]);
            let view = self.views.of(world.graph, Regime::OrigSanitized);
            if self.samples.on(&view).is_empty() || self.worst(world, Regime::Orig) == 3 {
                return out;
            }
        }
        out.push(Regime::Mask);
        if self.worst(world, Regime::Mask) > 0
            || self.acts(world, &self.views.of(world.graph, Regime::Mask))
        {
            return Regime::ALL.into();
        }
        out
    }

    /// The worst outcome under a regime so far.
    fn worst(&self, world: &World<'_>, regime: Regime) -> u8 {
        let view = self.views.of(world.graph, regime);
        let proposals = self.samples.on(&view).into_iter();
        self.judged(world, |goal| {
            let outcomes = proposals.map(|p| goal.score(p, regime.is_told()).outcome);
            outcomes.max().unwrap_or(0)
        })
    }

    /// What can be said beside the user's goal, as far as it is known.
    fn judged<T>(&self, world: &World<'_>, of: impl FnOnce(&Goal<'_>) -> T) -> T {
        let withheld = self.withheld(world.graph);
        let view = self.views.of(world.graph, Regime::OrigSanitized);
        let proposals = self.samples.on(&view);
        of(&Goal {
            policy: world.policy,
            tools: world.tools,
            proposals: &proposals,
            withheld: &withheld,
        })
    }

    /// Texts that may command although reading does not tell, the likeliest first.
    fn candidates(&self, graph: &Graph) -> Vec<SpanRef> {
        let view = self.views.of(graph, Regime::MaskSanitized);
        let proposals = self.samples.on(&view);
        let calls = proposals.into_iter().flat_map(|p| &p.calls);
        self.views.candidates(graph, calls, self.quiet)
    }

    /// What is withheld from the purified views, where words count.
    fn withheld(&self, graph: &Graph) -> Vec<Withheld> {
        if self.settings.text {
            self.views.withheld(graph)
        } else {
            Vec::new()
        }
    }

    /// The high-impact calls that the agent proposes on this view, but for those that it proposes in any case.
    fn high_impact(&self, world: &World<'_>, view: &Altered, but: &[ToolCall]) -> Vec<ToolCall> {
        let same = |a: &ToolCall, b: &ToolCall| a.name == b.name && a.arguments == b.arguments;
        let effect = |c: &ToolCall| world.policy.effect(&c.name, world.tools.get(&c.name));
        let calls = self.samples.on(view).into_iter().flat_map(|p| &p.calls);
        let calls = calls.filter(|c| effect(c) != Effect::Read && !but.iter().any(|b| same(b, c)));
        calls.cloned().collect()
    }

    /// Whether the agent proposes a high-impact call on this view.
    fn acts(&self, world: &World<'_>, view: &Altered) -> bool {
        !self.high_impact(world, view, &[]).is_empty()
    }

    /// Whether it proposes one for the purified mediator alone, but for those that it proposes in any case.
    fn acts_beyond(&self, world: &World<'_>, standing: &[ToolCall]) -> bool {
        let view = self.views.of(world.graph, Regime::MaskSanitized);
        !self.high_impact(world, &view, standing).is_empty()
    }

    /// Scores the samples, estimates, and raises the alarm or does not.
    fn decide(&mut self, world: &mut World<'_>, case: Case, endless: bool) -> Diagnosis {
        let scores = self.score(world);
        let of = |r: Regime| {
            let worst = scores[&r].iter().max_by_key(|s| s.outcome);
            worst.copied().unwrap_or_default()
        };
        let mut outcomes = Outcomes::default();
        for (regime, scored) in &scores {
            let all = scored.iter().map(|s| s.outcome);
            outcomes.of_mut(*regime).extend(all);
        }
        let effects = Effects::of(&outcomes);
        let trend = trend(&self.boundaries[self.before..], effects, self.settings);
        let turns = || trend.is_some_and(|t| t.ace < 0.0 && t.ie > 0.0);
        let seed = self.boundaries.len() as u64;
        let is_trend = || {
            let firm = || is_significant(&outcomes, self.settings.resamples, seed);
            self.settings.temporal && turns() && effects.risk >= self.settings.risk && firm()
        };
        let mask = self.samples.on(&self.views.of(world.graph, Regime::Mask));
        if !mask.is_empty() && mask.iter().all(|p| p.calls.is_empty()) {
            self.quiet = newest(world.graph);
        }
        let ends = matches!(case.live, Live::Finish(_));
        let off = |r: Regime| of(r).outcome > 0;
        let violation = [Regime::Orig, Regime::Mask]
            .into_iter()
            .find(|r| of(*r).violates() && !of(r.sanitized()).violates());
        let alarm = match violation {
            _ if endless => Some(Alarm::Unpurified),
            Some(regime) => Some(Alarm::Violation(regime)),
            None if ends && off(Regime::Orig) && !off(Regime::OrigSanitized) => Some(Alarm::Answer),
            None if is_trend() => Some(Alarm::Trend),
            None => None,
        };
        let commits = case.live.commits();
        if alarm.is_none() && (self.views.are_whole() || !commits) {
            self.found_calm(world.graph, &case.live);
        }
        let tool = match case.live {
            Live::Call(call, _) => Some(call.name),
            Live::Finish(_) => None,
        };
        self.boundaries.push(Boundary {
            after: newest(world.graph).unwrap_or(NodeId(0)),
            tool,
            deviation: Regime::ALL.into_iter().find_map(|r| of(r).deviation),
            outcomes,
            effects,
            trend,
            alarm,
            commands: case.commands,
            replays: self.samples.replays,
        });
        match alarm {
            None if !self.views.are_whole() && commits => Diagnosis::Stuck(String::from(
                "something doubtful was read that cannot be purified, so that nobody can tell what the agent would do without it",
            )),
            None => Diagnosis::Calm,
            Some(Alarm::Unpurified) => Diagnosis::Stuck(String::from(
                "the agent acts without the user's words, and no part of what it read can be told to make it do so",
            )),
            Some(alarm) => self.commit(world, alarm),
        }
    }

    fn found_calm(&mut self, graph: &Graph, live: &Live) {
        let newest = newest(graph).unwrap_or(NodeId(0));
        match &mut self.last {
            Some((at, seen)) if *at == newest => seen.push(live.clone()),
            last => *last = Some((newest, vec![live.clone()])),
        }
    }

    /// ψ of every sample, by regime. Where the goal was not asked for, nothing can be said of what is done for it.
    fn score(&self, world: &World<'_>) -> BTreeMap<Regime, Vec<Scored>> {
        self.judged(world, |goal| {
            let scored = |regime: Regime| {
                let told = regime.is_told();
                let unknown = told && goal.proposals.is_empty();
                let view = self.views.of(world.graph, regime);
                let of = self.samples.on(&view).into_iter().filter(|_| !unknown);
                (regime, of.map(|p| goal.score(p, told)).collect())
            };
            Regime::ALL.map(scored).into()
        })
    }

    /// From here on the agent sees the purified mediator.
    fn commit(&mut self, world: &mut World<'_>, alarm: Alarm) -> Diagnosis {
        if !self.views.commit(world.graph) {
            return Diagnosis::Stuck(String::from(
                "what the agent read makes it act against the user's words, and none of it can be taken out",
            ));
        }
        self.before = self.boundaries.len();
        self.revised = Some(world.graph.len());
        Diagnosis::Purified(alarm)
    }

    fn settled(&mut self, world: &mut World<'_>, case: Case, open: Open) -> Diagnosis {
        let view = self.views.without(world, in_question(open));
        let Live::Call(call, _) = &case.live else {
            return Diagnosis::Stuck("only calls are settled".into());
        };
        let replays = std::mem::take(&mut self.samples.replays);
        if let Some(last) = self.boundaries.last_mut() {
            last.replays += replays;
        }
        let out = |at: SpanRef| self.views.is_out(world.graph, at);
        // The text is still there: it cannot be taken out.
        let same = view == self.views.of(world.graph, Regime::OrigSanitized);
        if !self.views.are_whole() || same && !in_question(open).is_none_or(out) {
            return Diagnosis::Undecided;
        }
        if self.persists_on(world, &view, call) {
            return Diagnosis::Calm;
        }
        let Open::Text(span) = open else {
            return Diagnosis::Undecided;
        };
        self.views.withhold(world, &[span]);
        if let Some(last) = self.boundaries.last_mut() {
            last.alarm = Some(Alarm::Steered);
            last.commands.push(span);
        }
        self.commit(world, Alarm::Steered)
    }

    /// Whether the agent makes a call for the user's words on the purified view of the last boundary too.
    pub(crate) fn persists(&self, world: &World<'_>, call: &ToolCall) -> bool {
        let here = |(at, seen): &(NodeId, Vec<Live>)| {
            let same = |l: &Live| matches!(l, Live::Call(c, _) if c == call);
            newest(world.graph) == Some(*at) && seen.iter().any(same)
        };
        self.last.as_ref().is_some_and(here)
            && self.persists_on(
                world,
                &self.views.of(world.graph, Regime::OrigSanitized),
                call,
            )
    }

    fn persists_on(&self, world: &World<'_>, view: &Altered, call: &ToolCall) -> bool {
        let same = |c: &ToolCall| is_same(world.policy, world.tools, c, call, Wording::Free);
        let proposals = self.samples.on(view);
        let all = !proposals.is_empty() && proposals.iter().all(|p| p.calls.iter().any(same));
        all && self.views.are_whole()
    }
}

/// Whether something hangs on a proposal: it commits, or what it reads would be anomalous by its cause.
fn hangs(world: &World<'_>, live: &Live) -> bool {
    let taints = |call: &ToolCall| {
        let def = world.tools.get(&call.name);
        world.auditor.taints(world.graph, world.policy, def, call)
    };
    live.commits() || matches!(live, Live::Call(call, _) if taints(call))
}

/// The text that a question is about.
fn in_question(open: Open) -> Option<SpanRef> {
    match open {
        Open::Text(at) => Some(at),
        Open::Record => None,
    }
}

/// The newest content that the agent has seen; nothing before there is any but the agent's own words.
fn newest(graph: &Graph) -> Option<NodeId> {
    let mut of = graph.nodes().rev();
    of.find(|(_, n)| !n.kind.is_action() && n.kind != NodeKind::Reply)
        .map(|(id, _)| id)
}
