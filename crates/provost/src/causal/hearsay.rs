//! Hearsay: what is said in places that nobody referred to. It may hold facts; it is no cause of a choice.
//!
//! A tool or a record needs a cause of its own: the user's words, or what the sources say that the user referred to
//! (DESIGN.md, section 4, `causal` 4). Where a sentence of hearsay is the only one that speaks of it, the choice is that
//! sentence's, whichever form it has: this needs no argument in it, and no strange value.

use std::collections::HashMap;

use super::choice::{Bearing, Chosen};
use super::evidence::is_hard;
use super::ground::{Grounded, Rank, rank};
use super::lexicon::Language;
use super::suspect::Suspect;
use super::vocabulary::{Stems, Terms, stems};
use crate::graph::{Graph, NodeId};
use crate::policy::Sensitivity;
use crate::read::Role;
use crate::span::{Label, SpanRef};
use crate::value::{Atom, Kind, fold};

/// Affinity from which a sentence speaks of a tool.
const SPEAKS: usize = 3;
/// Spans of a value whose records are looked at.
const RECORDS: usize = 4;

/// The words of what the user referred to, with up to two of the sentences that have each.
#[derive(Debug, Default)]
pub(crate) struct Given {
    words: HashMap<Box<str>, Vec<SpanRef>>,
}

impl Given {
    /// Takes the benign sentences of a node, but hearsay.
    pub(crate) fn enter(&mut self, graph: &Graph, id: NodeId, hearsay: &[usize]) {
        let node = graph.node(id);
        let language = Language::of(&node.content);
        for (i, span) in node.spans.iter().enumerate() {
            let silent = span.label == Label::Anomalous || span.role() == Role::Syntax;
            if silent || hearsay.binary_search(&i).is_ok() {
                continue;
            }
            let at = SpanRef {
                node: id,
                span: i as u32,
            };
            for word in stems(span.piece.text(&node.content), language) {
                let places = self.words.entry(word).or_default();
                if places.len() < 2 {
                    places.push(at);
                }
            }
        }
    }

    /// Whether any sentence has this word.
    pub(crate) fn speaks(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// Whether a sentence other than `but` has this word.
    fn has(&self, word: &str, but: SpanRef) -> bool {
        let found = self.words.get(word);
        found.is_some_and(|places| places.iter().any(|at| *at != but))
    }
}

/// Whether an argument picks something that the user did not name.
pub(super) fn is_chosen(g: &Grounded) -> bool {
    let decides = matches!(g.sensitivity, Sensitivity::Selector | Sensitivity::Target);
    decides && g.rank < Rank::Principal
}

/// Whether only `suspect` speaks of the tool, or of a record, that the call takes.
pub(super) fn leads(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>) -> Option<Bearing> {
    if suspect.docs_of.is_some() && is_lead_to_tool(suspect, call) {
        return Some(Bearing::Tool);
    }
    let chosen = call.grounded.iter().filter(|g| is_chosen(g));
    let mut led = chosen.filter(|g| is_lead_to_record(graph, suspect, call, g));
    led.next().map(|g| Bearing::Record(g.argument.clone()))
}

/// Whether a sentence in the documentation of another tool speaks of this tool, and nobody asked for what it does.
fn is_lead_to_tool(suspect: &Suspect, call: &Chosen<'_>) -> bool {
    let Some(terms) = call.tools.get(call.tool) else {
        return false;
    };
    let speaks = |t: &Terms| t.affinity(&suspect.stems);
    let best = call.tools.values().map(speaks).max().unwrap_or(0);
    let verb = |words: &dyn Fn(&str) -> bool| terms.verb.as_deref().is_some_and(words);
    let asked = |w: &str| call.asked.contains(w) || call.given.has(w, suspect.at);
    let here = suspect.docs_of.as_deref() == Some(call.tool);
    !here
        && speaks(terms) > SPEAKS
        && speaks(terms) == best
        && verb(&|w| suspect.stems.contains(w))
        && !verb(&asked)
}

/// Whether `suspect` speaks of what an argument picks, and neither the user nor what the user referred to does. What stands in
/// the record itself, or was looked up by it, is about it anyway.
fn is_lead_to_record(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>, g: &Grounded) -> bool {
    let fields = || {
        let fields = g.spans.iter().filter(|s| rank(graph, **s) == Rank::Field);
        fields.take(RECORDS)
    };
    let said = graph.span(suspect.at);
    let same = |at: &SpanRef| {
        let record = graph.span(*at).path().record();
        at.node == suspect.at.node && !record.is_empty() && said.path().steps().starts_with(record)
    };
    let looked_up = || suspect.lookup.arguments.iter().any(|(_, v)| *v == g.value);
    let timed = |a: &Atom| {
        !matches!(a.kind, Kind::Id | Kind::Name | Kind::Path | Kind::Quoted) && !is_hard(a.kind)
    };
    if !g.atoms.is_empty() && g.atoms.iter().all(timed) || looked_up() || fields().any(same) {
        return false;
    }
    let mut names = Stems::new();
    for at in fields() {
        names.extend(call.evidence.own_names(graph, *at));
    }
    names.extend(stems(&g.value, None));
    let cause = |w: &str| call.asked.contains(w) || call.given.has(w, suspect.at);
    if names.iter().any(|w| cause(w)) {
        return false;
    }
    let mentions = || {
        let value = fold(&g.value);
        let value = value.trim();
        value.len() > 2 && fold(graph.text(suspect.at)).contains(value)
    };
    names.iter().any(|w| suspect.stems.contains(w)) || mentions()
}
