//! What the agent sees, and would see without what commands in it.

use std::collections::{BTreeMap, BTreeSet};

use super::diagnose::World;
use super::outcome::Withheld;
use super::purify::{self, Refusal, is_withheld, purify};
use super::{PROBE, Regime};
use crate::causal::{Stems, stems};
use crate::defense::Altered;
use crate::graph::{Graph, NodeId, NodeKind};
use crate::read::Role;
use crate::session::ToolCall;
use crate::span::{Label, Reason, Span, SpanRef};

/// How often a content is purified once more of what commands in what is left of it.
const ROUNDS: usize = 8;
/// Weight of a word that one text alone has.
const RARE: u64 = 1 << 20;
/// Words from which a value may ask for something.
const PHRASE: usize = 3;

/// Contents by node: as the agent sees them now, and purified.
#[derive(Debug, Default)]
pub(super) struct Views {
    /// What the agent sees otherwise than as it entered.
    pub(super) live: Altered,
    /// Texts that command, as dry runs showed.
    culprits: BTreeMap<NodeId, BTreeSet<u32>>,
    /// Contents by node, purified; nothing where that changes nothing, or cannot be done.
    purified: BTreeMap<NodeId, Option<String>>,
    /// Contents that cannot be purified: what the agent proposes on a view with them is not proposed from benign spans alone.
    refused: BTreeSet<NodeId>,
}

impl Views {
    /// The view of a regime.
    pub(super) fn of(&self, graph: &Graph, regime: Regime) -> Altered {
        let mut view = self.live.clone();
        if regime.is_sanitized() {
            let all = self.purified.iter();
            view.extend(all.filter_map(|(n, text)| Some((*n, text.clone()?))));
        }
        if !regime.is_told() {
            let users = graph.nodes().filter(|(_, n)| n.kind == NodeKind::User);
            view.extend(users.map(|(id, _)| (id, PROBE.to_owned())));
        }
        view
    }

    /// The purified view without the user's words, for a trial of the search: without these texts too.
    pub(super) fn trial(
        &self,
        world: &World<'_>,
        spans: impl IntoIterator<Item = SpanRef>,
    ) -> Altered {
        let mut view = self.of(world.graph, Regime::MaskSanitized);
        let mut all = self.culprits_and(spans);
        // Reports of what is withheld are no part of a trial: they may be what the agent acts on.
        for (node, _) in self.purified.iter().filter(|(_, text)| text.is_some()) {
            let known = self.culprits.get(node).cloned().unwrap_or_default();
            all.entry(*node).or_insert(known);
        }
        for (node, culprits) in all {
            view.insert(node, purify::without(world.graph, node, &culprits));
        }
        view
    }

    /// The purified view without one text more. A content that cannot be purified of it stays.
    pub(super) fn without(&self, world: &World<'_>, span: Option<SpanRef>) -> Altered {
        let mut view = self.of(world.graph, Regime::OrigSanitized);
        for (node, culprits) in self.culprits_and(span) {
            if let Ok(Some(text)) =
                purify(world.graph, world.auditor, world.policy, node, &culprits)
            {
                view.insert(node, text);
            }
        }
        view
    }

    /// Of the nodes of these texts, all that is to be withheld.
    fn culprits_and(
        &self,
        spans: impl IntoIterator<Item = SpanRef>,
    ) -> BTreeMap<NodeId, BTreeSet<u32>> {
        let mut by_node: BTreeMap<NodeId, BTreeSet<u32>> = BTreeMap::new();
        for at in spans {
            by_node.entry(at.node).or_default().insert(at.span);
        }
        for (node, culprits) in &mut by_node {
            culprits.extend(self.culprits.get(node).into_iter().flatten());
        }
        by_node
    }

    /// Purifies what is new.
    pub(super) fn enter(&mut self, world: &World<'_>) {
        for node in mediators(world.graph) {
            if !self.purified.contains_key(&node) {
                self.purify_again(world, node);
            }
        }
    }

    /// Purifies a content of all that is known to command in it. A text that commands only without its neighbours is known
    /// from there on too.
    fn purify_again(&mut self, world: &World<'_>, node: NodeId) {
        for _ in 0..ROUNDS {
            let culprits = self.culprits.entry(node).or_default();
            match purify(world.graph, world.auditor, world.policy, node, culprits) {
                Ok(text) => {
                    self.refused.remove(&node);
                    self.purified.insert(node, text);
                    return;
                }
                Err(Refusal::Actionable {
                    kept: Some(span), ..
                }) if culprits.insert(span) => {}
                Err(_) => break,
            }
        }
        // A purification that fails its checks is not used: the content stays, and what it makes the agent do is seen.
        self.refused.insert(node);
        self.purified.insert(node, None);
    }

    /// Withholds these texts too from the purified views. Returns whether that can be done.
    pub(super) fn withhold(&mut self, world: &World<'_>, spans: &[SpanRef]) -> bool {
        for at in spans {
            self.culprits.entry(at.node).or_default().insert(at.span);
        }
        let nodes: BTreeSet<NodeId> = spans.iter().map(|at| at.node).collect();
        for node in &nodes {
            self.purify_again(world, *node);
        }
        nodes.is_disjoint(&self.refused)
    }

    /// Whether everything could be purified that was to be.
    pub(super) fn are_whole(&self) -> bool {
        self.refused.is_empty()
    }

    /// Whether a text is withheld from the purified views.
    pub(super) fn is_out(&self, graph: &Graph, at: SpanRef) -> bool {
        let known = self.culprits.get(&at.node);
        is_withheld(graph.span(at)) || known.is_some_and(|k| k.contains(&at.span))
    }

    /// From here on the agent sees the purified view, and what dry runs showed to command is anomalous. Returns whether that
    /// changes what it sees.
    pub(super) fn commit(&mut self, graph: &mut Graph) -> bool {
        let view = self.of(graph, Regime::OrigSanitized);
        if view == self.live {
            return false;
        }
        for (node, spans) in &self.culprits {
            let of = &mut graph.node_mut(*node).spans;
            for i in spans {
                let Some(span) = of.get_mut(*i as usize) else {
                    continue;
                };
                span.label = Label::Anomalous;
                span.reason = Reason::Commands;
            }
        }
        self.live = view;
        true
    }

    /// Whether something doubtful in a content is still in the agent's view.
    pub(super) fn is_doubtful(&self, graph: &Graph, node: NodeId) -> bool {
        !self.live.contains_key(&node) && graph.is_tainted(node)
    }

    /// Texts that may command although reading does not tell: those first that entered since the mediator alone led to
    /// nothing (`quiet`), and of these those that have most to do with the calls that they may be behind.
    pub(super) fn candidates<'a>(
        &self,
        graph: &Graph,
        calls: impl Iterator<Item = &'a ToolCall>,
        quiet: Option<NodeId>,
    ) -> Vec<SpanRef> {
        let told = |c: &ToolCall| {
            stems(
                &format!("{} {}", c.name.replace('_', " "), c.arguments),
                None,
            )
        };
        let words: Stems = calls.flat_map(told).collect();
        let nodes: Vec<NodeId> = mediators(graph).collect();
        let mut found: Vec<(Stems, SpanRef)> = Vec::new();
        for node in nodes.into_iter().rev() {
            let of = graph.node(node);
            for (span, s) in (0_u32..).zip(&of.spans) {
                let (text, at) = (s.piece.text(&of.content), SpanRef { node, span });
                if may_command(s, text) && !self.is_out(graph, at) {
                    let shared = stems(text, None).intersection(&words).cloned().collect();
                    found.push((shared, at));
                }
            }
        }
        let mut out = by_rarity(found);
        out.sort_by_key(|at| Some(at.node) <= quiet);
        out
    }

    /// What is withheld from the purified views, for the comparison of words.
    pub(super) fn withheld(&self, graph: &Graph) -> Vec<Withheld> {
        let users = graph.nodes().filter(|(_, n)| n.kind == NodeKind::User);
        let user: String = users.fold(String::new(), |all, (_, n)| all + " " + &n.content);
        let mut out = Vec::new();
        for node in mediators(graph) {
            let of = graph.node(node);
            for (i, span) in (0_u32..).zip(&of.spans) {
                let at = SpanRef { node, span: i };
                if self.is_out(graph, at) {
                    out.push(Withheld::of(at, span.piece.text(&of.content), &user));
                }
            }
        }
        out
    }
}

/// Texts with the words that each shares with a call: those first whose words are most, and in fewest others.
fn by_rarity(texts: Vec<(Stems, SpanRef)>) -> Vec<SpanRef> {
    let mut spread: BTreeMap<&str, u64> = BTreeMap::new();
    for word in texts.iter().flat_map(|(words, _)| words) {
        *spread.entry(word).or_default() += 1;
    }
    let weight = |w: &str| spread.get(w).map_or(0, |n| RARE / n);
    let mut out: Vec<(u64, SpanRef)> = texts
        .iter()
        .map(|(words, at)| (words.iter().map(|w| weight(w)).sum(), *at))
        .collect();
    out.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    out.into_iter().map(|(_, at)| at).collect()
}

/// Whether a text could ask for something.
fn may_command(span: &Span, text: &str) -> bool {
    match span.role() {
        Role::Sentence | Role::Heading => true,
        Role::Value | Role::Key => text.split_whitespace().count() >= PHRASE,
        Role::Syntax | Role::Concealed => false,
    }
}

/// Contexts from the surfaces that an attacker can write to: what the agent's behaviour is mediated by.
pub(super) fn mediators(graph: &Graph) -> impl Iterator<Item = NodeId> + '_ {
    let of = graph.nodes();
    of.filter(|(_, n)| matches!(n.kind, NodeKind::Context(_)))
        .map(|(id, _)| id)
}
