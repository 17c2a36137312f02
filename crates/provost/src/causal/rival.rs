//! Rivals: fields that give another place for the effect than the one that the call goes to.

use super::Auditor;
use super::evidence::{is_hard, places};
use super::ground::{Grounded, Rank, rank, shorten};
use super::lexicon::Language;
use super::speech::Speech;
use super::verdict::{Judgement, place};
use super::vocabulary::stems;
use crate::defense::Finding;
use crate::graph::{Graph, NodeKind};
use crate::policy::Sensitivity;
use crate::read::{Path, Role, Seg};
use crate::session::{Surface, ToolCall};
use crate::span::{Reason, SpanRef};
use crate::value::Kind;

/// Fields of one kind that are compared with a place.
const FIELDS: usize = 64;

impl Auditor {
    /// A place for the effect that only prose names, while a field of the same kind from another source names another
    /// one (DESIGN.md, section 4, `causal` 0: a filler that stronger evidence contradicts).
    pub(super) fn contradicted(
        &self,
        graph: &Graph,
        call: &ToolCall,
        grounded: &[Grounded],
    ) -> Option<Judgement> {
        let (g, at, kind) = grounded.iter().find_map(|g| {
            let kind = g.atoms.iter().find(|a| is_hard(a.kind))?.kind;
            let at = *g.spans.first()?;
            let asked_for = graph.span(at).reason == Reason::Delegated
                && Speech::of(graph.text(at), Language::of(graph.text(at))).asks();
            let open = !asked_for && !self.is_meant(graph, at);
            (g.sensitivity == Sensitivity::Target && g.rank == Rank::Prose && open)
                .then_some((g, at, kind))
        })?;
        let rival = self.evidence.fields(kind).iter().map(|f| f.at).find(|f| {
            let key = kind == Kind::Account && graph.span(at).role() == Role::Key;
            let apart = f.node != at.node || key || is_denied(graph, at);
            apart && rank(graph, *f) == Rank::Field && !is_outcome(graph, *f, &call.name)
        })?;
        let reason = format!(
            "{} of {} is named only in the prose of {}; {} has a field for it: {}",
            shorten(&g.value),
            call.name,
            place(graph, at.node),
            place(graph, rival.node),
            shorten(graph.text(rival))
        );
        let hint = format!("Take {} from the record, or ask the user.", g.argument);
        Some(not_entailed(grounded, reason, hint, [at, rival]))
    }

    /// Whether a sentence is what the user sent the agent to: it stands in a message that the user referred to, and is no
    /// hearsay there. A rule is none: it holds for many cases, and a record for its own.
    fn is_meant(&self, graph: &Graph, at: SpanRef) -> bool {
        let plain = match graph.node(at.node).kind {
            NodeKind::Context(Surface::ToolResult | Surface::AgentMessage) => true,
            NodeKind::Context(Surface::Document) => !self.suspects.doubt(at),
            _ => false,
        };
        plain && self.referred.contains(&at.node) && !is_denied(graph, at)
    }

    /// A place that a field gives, while another field with an equal claim gives another one: one of the same name in the
    /// same record, or one in the source that the user named where this one's source is not (DESIGN.md, section 4,
    /// `causal` 0 and 4: a value that is selected among several needs a cause).
    pub(super) fn ambiguous(
        &self,
        graph: &Graph,
        call: &ToolCall,
        grounded: &[Grounded],
    ) -> Option<Judgement> {
        let open = |g: &&Grounded| g.sensitivity == Sensitivity::Target && g.rank == Rank::Field;
        let (g, at, rival) = grounded.iter().filter(open).find_map(|g| {
            let place = places(&g.atoms).next()?;
            let at = *g.spans.first()?;
            let fields = self.evidence.fields(place.kind);
            let rival = fields.iter().rev().take(FIELDS).find(|f| {
                let held = rank(graph, f.at) == Rank::Field;
                held && !g.spans.contains(&f.at)
                    && (self.is_twin(graph, at, f.at)
                        || self.is_named_instead(graph, &g.spans, f.at, place.kind))
            })?;
            Some((g, at, rival.at))
        })?;
        let reason = format!(
            "{} of {} is given by {}, and {} gives {}; nothing says which is meant",
            shorten(&g.value),
            call.name,
            place(graph, at.node),
            place(graph, rival.node),
            shorten(graph.text(rival))
        );
        let hint = format!("Ask the user which {} is meant.", g.argument);
        Some(not_entailed(grounded, reason, hint, [at, rival]))
    }

    /// Two fields of one record where the words of the one's name are all in the other's (`iban`, `iban_new`), and the user
    /// has none of the words that tell them apart.
    fn is_twin(&self, graph: &Graph, a: SpanRef, b: SpanRef) -> bool {
        let (first, second) = (graph.span(a).path(), graph.span(b).path());
        let key = |p: &Path| p.field().map(|f| stems(f, None)).unwrap_or_default();
        let (own, other) = (key(first), key(second));
        let told = own
            .difference(&other)
            .any(|w| self.request.words.contains(w));
        a.node == b.node
            && first.record() == second.record()
            && matches!(first.steps().last(), Some(Seg::Key(_)))
            && !own.is_empty()
            && (own.is_subset(&other) || other.is_subset(&own) && !other.is_empty())
            && !told
    }

    /// The user named the source of the one field, and no source of the other.
    fn is_named_instead(
        &self,
        graph: &Graph,
        spans: &[SpanRef],
        other: SpanRef,
        kind: Kind,
    ) -> bool {
        let named = |s: &SpanRef| {
            let cause = graph.node(s.node).cause;
            cause.is_none_or(|c| graph.node(c).kind == NodeKind::Read && self.is_named(graph, c))
        };
        let users = |s: &SpanRef| {
            let names = self.evidence.own_names(graph, *s);
            names.iter().any(|w| self.request.words.contains(w))
        };
        kind == Kind::Account
            && !spans.iter().any(users)
            && !spans.iter().any(named)
            && named(&other)
    }
}

/// Whether a span reads like a field, and the value that was printed has no such field.
fn is_denied(graph: &Graph, at: SpanRef) -> bool {
    let span = graph.span(at);
    span.role() == Role::Value && !span.field
}

/// Whether a field stands in what an earlier call of this tool returned: it speaks of that call.
fn is_outcome(graph: &Graph, at: SpanRef, tool: &str) -> bool {
    let cause = graph.node(at.node).cause;
    cause.is_some_and(|c| graph.node(c).name == tool)
}

fn not_entailed(
    grounded: &[Grounded],
    reason: String,
    hint: String,
    spans: [SpanRef; 2],
) -> Judgement {
    let finding = Finding::NotEntailed;
    Judgement::of(finding, grounded.to_vec(), reason, hint, spans.to_vec())
}
