//! What the output says of one call: the contract's four fields, why, and what that rests on.

use provost::{
    Effect, Evidence, Finding, Graph, InvariantCheck, Label, NodeKind, Outcome, Reason,
    Sensitivity, Session, SpanRef, Support, Verdict,
};
use serde::Serialize;

use crate::report::trail;

/// Longest text of a span that is shown, in characters.
const SHOWN: usize = 240;

/// One call of a run.
#[derive(Debug, Serialize)]
pub(crate) struct CallOut {
    /// Number of the call among the assistant's calls of the run, from 0.
    pub(crate) call: usize,
    /// Name of the tool.
    pub(crate) tool: String,
    /// What the call does.
    pub(crate) effect: Effect,
    /// How it ended.
    pub(crate) verdict: Outcome,
    /// Why, in a sentence.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<Why>,
    /// What that rests on.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<EvidenceOut>,
}

/// How much is said of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// How it ended.
    Verdict,
    /// Also why.
    Reason,
    /// Also what that rests on.
    Evidence,
}

/// Why a call got its verdict.
#[derive(Debug, Serialize)]
pub(crate) struct Why {
    /// One plain sentence.
    pub(crate) reason: String,
    /// What the agent is told; `null` where it is told nothing.
    pub(crate) hint: Option<String>,
}

/// What a verdict rests on.
#[derive(Debug, Serialize)]
pub(crate) struct EvidenceOut {
    /// Which check decided.
    pub(crate) finding: Finding,
    /// What each argument rests on.
    pub(crate) arguments: Vec<ArgumentOut>,
    /// The spans that the decision turned on, from source to action.
    pub(crate) chain: Vec<SpanOut>,
    /// The invariants, as checked.
    pub(crate) invariants: Vec<InvariantCheck>,
}

/// What one argument rests on.
#[derive(Debug, Serialize)]
pub(crate) struct ArgumentOut {
    /// Path into the arguments.
    pub(crate) argument: String,
    /// Its value, shortened.
    pub(crate) value: String,
    /// What it decides.
    pub(crate) sensitivity: Sensitivity,
    /// Whether anything benign supports it.
    pub(crate) label: Label,
    /// How it is supported.
    pub(crate) support: SupportOut,
}

/// [`Support`] with its spans spelt out.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub(crate) enum SupportOut {
    Verbatim { spans: Vec<SpanOut> },
    Derived { how: String, spans: Vec<SpanOut> },
    Default { why: String },
    Nothing,
}

/// A span, and where it stands.
#[derive(Debug, Serialize)]
pub(crate) struct SpanOut {
    /// Number of its node in the order in which the nodes entered the session.
    pub(crate) node: u32,
    /// What the node is.
    pub(crate) kind: NodeKind,
    /// The tool, the document, the sender or the role.
    pub(crate) name: String,
    /// Structural path within the node.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) path: String,
    /// The same for people.
    #[serde(skip)]
    pub(crate) trail: String,
    /// Byte range within the node's content.
    pub(crate) bytes: [usize; 2],
    /// What it says, shortened.
    pub(crate) text: String,
    /// Whether it may serve as evidence.
    pub(crate) label: Label,
    /// Why.
    pub(crate) reason: Reason,
}

impl CallOut {
    /// Call number `call`, of `tool`.
    pub(crate) fn new(
        call: usize,
        tool: String,
        verdict: &Verdict,
        session: &Session,
        detail: Detail,
    ) -> Self {
        Self {
            call,
            tool,
            effect: verdict.evidence.effect,
            verdict: verdict.outcome,
            why: (detail != Detail::Verdict).then(|| Why {
                reason: verdict.evidence.reason.clone(),
                hint: verdict.hint.as_ref().map(|hint| hint.0.clone()),
            }),
            evidence: (detail == Detail::Evidence)
                .then(|| EvidenceOut::of(&verdict.evidence, session.graph())),
        }
    }
}

impl EvidenceOut {
    fn of(evidence: &Evidence, graph: &Graph) -> Self {
        let arguments = evidence.arguments.iter().map(|grounding| ArgumentOut {
            argument: grounding.argument.clone(),
            value: grounding.value.clone(),
            sensitivity: grounding.sensitivity,
            label: grounding.label,
            support: support(&grounding.support, graph),
        });
        Self {
            finding: evidence.finding,
            arguments: arguments.collect(),
            chain: spans(&evidence.chain, graph),
            invariants: evidence.invariants.clone(),
        }
    }
}

fn support(support: &Support, graph: &Graph) -> SupportOut {
    match support {
        Support::Verbatim { spans: at } => SupportOut::Verbatim {
            spans: spans(at, graph),
        },
        Support::Derived { how, spans: at } => SupportOut::Derived {
            how: how.clone(),
            spans: spans(at, graph),
        },
        Support::Default { why } => SupportOut::Default { why: why.clone() },
        Support::Nothing => SupportOut::Nothing,
    }
}

fn spans(at: &[SpanRef], graph: &Graph) -> Vec<SpanOut> {
    at.iter().map(|at| span(*at, graph)).collect()
}

fn span(at: SpanRef, graph: &Graph) -> SpanOut {
    let node = graph.node(at.node);
    let span = graph.span(at);
    let range = span.range();
    let text = graph.text(at);
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    SpanOut {
        node: at.node.0,
        kind: node.kind,
        name: node.name.clone(),
        path: span.path().to_string(),
        trail: trail(span.path()),
        bytes: [range.start, range.end],
        text: shown,
        label: span.label,
        reason: span.reason,
    }
}
