//! What the report shows of one run: a plain, serialisable picture of a session, bounded in size.

use std::collections::{BTreeMap, HashSet};

use provost::{
    Effect, Finding, Grounding, InvariantCheck, Label, Node, NodeId, NodeKind, Outcome,
    Sensitivity, Session, SpanRef, Support, Verdict,
};
use serde::Serialize;

use super::parts::{NAME, Part, SENTENCE, bounded, parts};

/// Bytes of uncited benign text kept of one run.
const RUN_TEXT: usize = 2 * 1024 * 1024;
/// Spans kept as the support of one argument.
const SUPPORTS: usize = 24;

/// One run, as the report shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RunView {
    /// The file that the run came from.
    pub(crate) source: String,
    /// Number of the run within its source, from 0.
    pub(crate) run: usize,
    /// What the record calls the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// The nodes, in the order in which they entered the session.
    pub(crate) nodes: Vec<NodeView>,
    /// What followed from what.
    pub(crate) edges: Vec<EdgeView>,
    /// One per proposed call, in order.
    pub(crate) verdicts: Vec<VerdictView>,
    /// The statements extracted from the user's words.
    pub(crate) invariants: Vec<String>,
}

/// One node of the provenance graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct NodeView {
    /// What it is.
    pub(crate) kind: NodeKind,
    /// Tool, document, sender or role.
    pub(crate) name: String,
    /// The content in order: every span, and a gap where spans were left out.
    pub(crate) parts: Vec<Part>,
}

/// A direct edge. The edges from every context to every later action are not listed: they follow from the order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct EdgeView {
    /// Index of the earlier node.
    pub(crate) from: u32,
    /// Index of the later node.
    pub(crate) to: u32,
    /// What the edge says.
    pub(crate) kind: EdgeKind,
    /// Whether a span that no action may rest on is carried along it.
    #[serde(rename = "a", skip_serializing_if = "is_false")]
    pub(crate) anomalous: bool,
}

/// What an edge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EdgeKind {
    /// The action returned the context.
    Returned,
    /// An argument of the action rests on the context, or the verdict turned on it.
    Evidence,
    /// The action came after this one was refused.
    Refused,
}

/// One verdict: how a proposed call ended, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct VerdictView {
    /// The action's node.
    pub(crate) node: u32,
    /// The tool.
    pub(crate) tool: String,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// What the call does.
    pub(crate) effect: Effect,
    /// Which check decided.
    pub(crate) finding: Finding,
    /// One plain sentence.
    pub(crate) reason: String,
    /// What the agent was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// What each argument rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) arguments: Vec<ArgumentView>,
    /// The spans that the decision turned on, from source to action.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) chain: Vec<SpanRef>,
    /// The invariants, as checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) invariants: Vec<InvariantCheck>,
}

/// What one argument rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ArgumentView {
    /// Path into the arguments.
    pub(crate) argument: String,
    /// The value.
    pub(crate) value: String,
    /// What the argument decides.
    pub(crate) sensitivity: Sensitivity,
    /// `Anomalous` when nothing benign supports it.
    pub(crate) label: Label,
    /// What supports it: the first few spans.
    pub(crate) support: Support,
    /// How many more spans support it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) more: usize,
}

impl RunView {
    /// The picture of `session`, which is run number `run` of `source`.
    pub(crate) fn of(source: &str, run: usize, session: &Session) -> Self {
        let graph: Vec<&Node> = session.graph().nodes().map(|(_, node)| node).collect();
        let verdicts: Vec<VerdictView> = session
            .verdicts()
            .iter()
            .map(|v| VerdictView::of(v, &graph))
            .collect();
        let cited: HashSet<SpanRef> = verdicts.iter().flat_map(VerdictView::cites).collect();
        let mut left = RUN_TEXT;
        let nodes = (0u32..)
            .map(NodeId)
            .zip(&graph)
            .map(|(id, node)| {
                let keep = |span| cited.contains(&SpanRef { node: id, span });
                NodeView::of(node, keep, &mut left)
            })
            .collect();
        Self {
            source: source.to_owned(),
            run,
            id: None,
            nodes,
            edges: edges(&graph, &verdicts),
            verdicts,
            invariants: session.invariants(),
        }
    }

    /// How many calls ended this way.
    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        self.verdicts
            .iter()
            .filter(|v| v.outcome == outcome)
            .count()
    }

    /// The user's first words.
    pub(crate) fn task(&self) -> String {
        let user = self.nodes.iter().find(|n| n.kind == NodeKind::User);
        let words = user.map(NodeView::text).unwrap_or_default();
        let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(140).collect()
    }

    /// The verdicts alone, for a run whose graph has no room in the report.
    pub(crate) fn outline(&self) -> Self {
        Self {
            source: self.source.clone(),
            run: self.run,
            id: self.id.clone(),
            nodes: Vec::new(),
            edges: Vec::new(),
            verdicts: self.verdicts.iter().map(VerdictView::outline).collect(),
            invariants: self.invariants.clone(),
        }
    }
}

impl NodeView {
    fn of(node: &Node, cited: impl Fn(u32) -> bool, left: &mut usize) -> Self {
        Self {
            kind: node.kind,
            name: bounded(&node.name, NAME),
            parts: parts(node, cited, left),
        }
    }

    /// The text that was kept.
    pub(crate) fn text(&self) -> String {
        self.parts
            .iter()
            .map(|p| match p {
                Part::Plain(text) => text.as_str(),
                Part::Span(span) => span.text.as_str(),
                Part::Gap { .. } => "",
            })
            .collect()
    }
}

impl VerdictView {
    fn of(verdict: &Verdict, graph: &[&Node]) -> Self {
        let evidence = &verdict.evidence;
        let action = graph.get(evidence.action.0 as usize);
        let tool = action.map_or_else(String::new, |n| bounded(&n.name, NAME));
        Self {
            node: evidence.action.0,
            tool,
            outcome: verdict.outcome,
            effect: evidence.effect,
            finding: evidence.finding,
            reason: bounded(&evidence.reason, SENTENCE),
            hint: verdict.hint.as_ref().map(|h| bounded(&h.0, SENTENCE)),
            arguments: evidence.arguments.iter().map(ArgumentView::of).collect(),
            chain: evidence.chain.iter().copied().take(SUPPORTS).collect(),
            invariants: evidence.invariants.clone(),
        }
    }

    /// Every span that the verdict names.
    fn cites(&self) -> impl Iterator<Item = SpanRef> {
        let supports = self.arguments.iter().flat_map(|a| spans(&a.support));
        supports.chain(&self.chain).copied()
    }

    fn outline(&self) -> Self {
        Self {
            arguments: Vec::new(),
            chain: Vec::new(),
            invariants: Vec::new(),
            ..self.clone()
        }
    }
}

impl ArgumentView {
    fn of(grounding: &Grounding) -> Self {
        let mut support = grounding.support.clone();
        let mut more = 0;
        if let Support::Verbatim { spans } | Support::Derived { spans, .. } = &mut support {
            more = spans.len().saturating_sub(SUPPORTS);
            spans.truncate(SUPPORTS);
        }
        Self {
            argument: bounded(&grounding.argument, NAME),
            value: bounded(&grounding.value, SENTENCE),
            sensitivity: grounding.sensitivity,
            label: grounding.label,
            support,
            more,
        }
    }
}

/// The spans of a support.
fn spans(support: &Support) -> &[SpanRef] {
    match support {
        Support::Verbatim { spans } | Support::Derived { spans, .. } => spans,
        Support::Default { .. } | Support::Nothing => &[],
    }
}

/// The direct edges, each once, in order of the later node.
fn edges(graph: &[&Node], verdicts: &[VerdictView]) -> Vec<EdgeView> {
    let mut found: BTreeMap<(u32, u32, EdgeKind), bool> = BTreeMap::new();
    let mut refused = None;
    for (id, node) in (0u32..).zip(graph) {
        if let Some(cause) = node.cause {
            let tainted = node.spans.iter().any(|s| s.label == Label::Anomalous);
            found.insert((id, cause.0, EdgeKind::Returned), tainted);
        }
        if node.kind.is_action() {
            if let Some(before) = refused {
                found.insert((id, before, EdgeKind::Refused), false);
            }
            refused = (node.kind == NodeKind::Denied).then_some(id);
        }
    }
    let label = |at: SpanRef| {
        let node = graph.get(at.node.0 as usize);
        let span = node.and_then(|n| n.spans.get(at.span as usize));
        span.is_some_and(|s| s.label == Label::Anomalous)
    };
    for verdict in verdicts {
        for at in verdict.cites().filter(|at| at.node.0 < verdict.node) {
            let key = (verdict.node, at.node.0, EdgeKind::Evidence);
            *found.entry(key).or_default() |= label(at);
        }
    }
    found
        .into_iter()
        .map(|((to, from, kind), anomalous)| EdgeView {
            from,
            to,
            kind,
            anomalous,
        })
        .collect()
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes references"
)]
pub(super) fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes references"
)]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}
