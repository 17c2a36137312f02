//! Why this call: which anomalous spans bear on the choice of a call, and whether it is determined without them.
//!
//! A value can be benign while the choice of it is not: a sentence that steers which record, which branch or which
//! tool is taken names only values that occur elsewhere too (DESIGN.md, section 4, `causal` 4).

use std::collections::BTreeMap;

use super::ground::{Grounded, Rank, places};
use super::vocabulary::{Stems, Terms};
use crate::graph::{Graph, NodeId};
use crate::policy::Sensitivity;
use crate::read::Seg;
use crate::span::SpanRef;
use crate::value::{Atom, Kind};

/// An anomalous span that says, or may say, what to do.
#[derive(Clone, Debug)]
pub(crate) struct Suspect {
    /// The span.
    pub(crate) at: SpanRef,
    /// Its content words.
    pub(crate) stems: Stems,
    /// Addresses, accounts and numbers that it, or the block it belongs to, names as places for an effect.
    pub(crate) hard: Vec<Atom>,
    /// The tool in whose documentation it stands.
    pub(crate) docs_of: Option<String>,
    /// Weight of the argument that it carries (see [`super::speech::Speech::argues`]).
    pub(crate) weight: u8,
    /// It speaks of what is at hand: this call, this tool.
    pub(crate) points: bool,
    /// It speaks to a model.
    pub(crate) meta: bool,
    /// Identifiers that it names.
    pub(crate) ids: Vec<Box<str>>,
}

/// How a suspect bears on a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bearing {
    /// It carries the value of this argument.
    Value(String),
    /// It speaks of what the tool does.
    Tool,
    /// It stands in the documentation that the call goes by.
    Docs,
    /// It stands in what was read for the thing that the call acts on.
    Subject,
}

/// Affinity from which a sentence speaks of a tool.
const SPEAKS: usize = 3;
/// Weight from which a sentence argues at all.
const CLAIM: u8 = 3;
/// Weight from which a sentence that names neither the tool nor a value of the call is taken to bear on it.
const STRONG: u8 = 4;

/// A call as the choice check sees it.
pub(crate) struct Chosen<'a> {
    pub(crate) tool: &'a str,
    pub(crate) grounded: &'a [Grounded],
    /// Tools that can be chosen instead: every tool that changes something, by name.
    pub(crate) tools: &'a BTreeMap<String, Terms>,
    /// Actions whose results the call's values rest on.
    pub(crate) sources: &'a [NodeId],
    /// Content words of the user's request.
    pub(crate) asked: &'a Stems,
}

/// How `suspect` bears on `call`, if it does.
pub(crate) fn bears(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>) -> Option<Bearing> {
    let mut carried = call.grounded.iter().filter(|g| {
        let open = !matches!(g.sensitivity, Sensitivity::Benign | Sensitivity::Content);
        open && g.rank != Rank::Principal && g.spans.contains(&suspect.at)
    });
    if let Some(g) = carried.clone().find(|g| g.rank == Rank::Anomalous) {
        return Some(Bearing::Value(g.argument.clone()));
    }
    if aims_elsewhere(suspect, call) {
        return None;
    }
    if let Some(g) = carried.find(|g| suspect.weight >= CLAIM && g.value.chars().count() > 2) {
        return Some(Bearing::Value(g.argument.clone()));
    }
    if names_others(suspect, call) {
        return None;
    }
    let scores: BTreeMap<&str, usize> = call
        .tools
        .iter()
        .map(|(n, t)| (n.as_str(), owed(t, suspect, call.asked)))
        .collect();
    let best = scores.values().copied().max().unwrap_or(0);
    let own = scores.get(call.tool).copied().unwrap_or(0);
    if let Some(docs) = &suspect.docs_of {
        return bears_from_docs(graph, suspect, call, docs, own, best);
    }
    if best >= SPEAKS {
        let spoken =
            own > 0 && own + 1 >= best && (suspect.weight >= CLAIM || own > SPEAKS || suspect.meta);
        return spoken.then_some(Bearing::Tool);
    }
    let related = suspect.weight >= STRONG
        && (best > 0 || suspect.stems.iter().any(|w| call.asked.contains(w)))
        && !is_about_another(graph, suspect, call);
    related.then_some(Bearing::Subject)
}

/// How much of what the suspect says of a tool is its own doing: what the user's words say of it too is theirs.
fn owed(terms: &Terms, suspect: &Suspect, asked: &Stems) -> usize {
    let users = terms
        .name
        .iter()
        .filter(|w| asked.contains(*w) && suspect.stems.contains(*w))
        .count();
    terms.affinity(&suspect.stems).saturating_sub(2 * users)
}

/// The suspect names records by their identifiers, and the call acts on another one of the same kind.
fn names_others(suspect: &Suspect, call: &Chosen<'_>) -> bool {
    let shape = |id: &str| -> String {
        id.chars()
            .map(|c| {
                if c.is_ascii_digit() {
                    '9'
                } else if c.is_alphabetic() {
                    'a'
                } else {
                    c
                }
            })
            .collect()
    };
    let mut other = false;
    for id in call
        .grounded
        .iter()
        .flat_map(|g| g.atoms.iter())
        .filter(|a| a.kind == Kind::Id)
    {
        if suspect.ids.contains(&id.norm) {
            return false;
        }
        other |= suspect.ids.iter().any(|s| shape(s) == shape(&id.norm));
    }
    other
}

/// A sentence in a tool's documentation bears on that tool when it speaks of it or of its parameters, on what is
/// decided by that tool's results, and on another tool that it speaks of more.
fn bears_from_docs(
    graph: &Graph,
    suspect: &Suspect,
    call: &Chosen<'_>,
    docs: &str,
    own: usize,
    best: usize,
) -> Option<Bearing> {
    let here = docs == call.tool;
    let spoken = best >= SPEAKS && own >= best;
    let parameters = call
        .tools
        .get(docs)
        .is_some_and(|t| suspect.stems.iter().any(|s| t.params.contains(s)));
    let feeds = call.sources.iter().any(|s| graph.node(*s).name == docs);
    let bears = if here {
        suspect.points || parameters || best < SPEAKS
    } else {
        spoken || feeds
    };
    bears.then_some(Bearing::Docs)
}

/// The suspect stands in one record of a list, and the call acts on another record of the same list.
fn is_about_another(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>) -> bool {
    let path = graph.span(suspect.at).path().steps();
    let Some(first) = path.iter().position(|s| matches!(s, Seg::Index(_))) else {
        return false;
    };
    if !matches!(path.get(first + 1), Some(Seg::Key(_))) {
        return false;
    }
    let (list, record) = (&path[..first], &path[..=first]);
    let mut elsewhere = false;
    for at in call
        .grounded
        .iter()
        .filter(|g| g.rank == Rank::Field)
        .flat_map(|g| &g.spans)
    {
        if at.node != suspect.at.node {
            continue;
        }
        let steps = graph.span(*at).path().steps();
        if steps.starts_with(record) {
            return false;
        }
        elsewhere |= steps.len() > list.len() && steps.starts_with(list);
    }
    elsewhere
}

/// The suspect says where the effect is to go, and this call goes somewhere else.
fn aims_elsewhere(suspect: &Suspect, call: &Chosen<'_>) -> bool {
    let mut targets = call
        .grounded
        .iter()
        .filter(|g| g.sensitivity == Sensitivity::Target)
        .flat_map(|g| places(&g.atoms))
        .peekable();
    !suspect.hard.is_empty()
        && targets.peek().is_some()
        && targets.all(|t| suspect.hard.iter().all(|h| h.norm != t.norm))
}
