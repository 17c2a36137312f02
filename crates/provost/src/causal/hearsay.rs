//! Hearsay: what is said in places that nobody referred to. It may hold facts; it is no cause of a choice.
//!
//! A tool or a record needs a cause of its own: the user's words, or what the sources say that the user referred to
//! (DESIGN.md, section 4, `causal` 4). Where a sentence of hearsay is the only one that speaks of it, the choice is that
//! sentence's, whichever form it has: this needs no argument in it, and no strange value.

use std::collections::HashMap;

use super::choice::{Bearing, Chosen, SPEAKS};
use super::designate::RECORDS;
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
    let picks = call.picks.get_or_init(|| picks(graph, call));
    let led = picks.iter().find(|p| is_lead_to(graph, suspect, call, p));
    led.map(|p| Bearing::Record(p.argument.to_owned()))
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

/// What an argument picks that the user did not name.
#[derive(Debug)]
pub(crate) struct Pick<'a> {
    argument: &'a str,
    value: &'a str,
    /// The value, folded.
    said: String,
    /// Fields that hold it.
    fields: Vec<SpanRef>,
    /// Its own words, and what is peculiar to its records.
    names: Stems,
}

fn picks<'a>(graph: &Graph, call: &Chosen<'a>) -> Vec<Pick<'a>> {
    let timed = |a: &Atom| {
        !matches!(a.kind, Kind::Id | Kind::Name | Kind::Path | Kind::Quoted) && !is_hard(a.kind)
    };
    // A date, a time or a number names no record.
    let names = |g: &&Grounded| g.atoms.is_empty() || !g.atoms.iter().all(timed);
    let pick = |g: &'a Grounded| {
        let fields = g.spans.iter().filter(|s| rank(graph, **s) == Rank::Field);
        let fields: Vec<SpanRef> = fields.take(RECORDS).copied().collect();
        let around = fields.iter();
        let mut names: Stems = around
            .flat_map(|at| call.evidence.own_names(graph, *at))
            .collect();
        names.extend(stems(&g.value, None));
        Pick {
            argument: &g.argument,
            value: &g.value,
            said: fold(&g.value).trim().to_owned(),
            fields,
            names,
        }
    };
    let chosen = call.grounded.iter().filter(|g| is_chosen(g));
    chosen.filter(names).map(pick).collect()
}

/// Whether `suspect` speaks of what an argument picks, and neither the user nor what the user referred to does. What stands in
/// the record itself, or was looked up by it, is about it anyway.
fn is_lead_to(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>, pick: &Pick<'_>) -> bool {
    let path = graph.span(suspect.at).path();
    let same = |at: &SpanRef| {
        let record = graph.span(*at).path().record();
        at.node == suspect.at.node && !record.is_empty() && path.steps().starts_with(record)
    };
    let mut looked_up = suspect.lookup.arguments.iter();
    let about = looked_up.any(|(_, v)| v == pick.value) || pick.fields.iter().any(same);
    let cause = |w: &str| call.asked.contains(w) || call.given.has(w, suspect.at);
    if about || pick.names.iter().any(|w| cause(w)) {
        return false;
    }
    let mentions = || pick.said.len() > 2 && fold(graph.text(suspect.at)).contains(&pick.said);
    !pick.names.is_disjoint(&suspect.stems) || mentions()
}
