//! Why this call: which anomalous spans bear on the choice of a call, and whether it is determined without them.
//!
//! A value can be benign while the choice of it is not: a sentence that steers which record, which branch or which
//! tool is taken names only values that occur elsewhere too (DESIGN.md, section 4, `causal` 4).

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::evidence::{Evidence, distinct_words, places};
use super::ground::{Grounded, Rank, rank};
use super::hearsay::{Given, Pick, is_chosen, leads};
use super::speech::CLAIM;
use super::suspect::Suspect;
use super::vocabulary::{Stems, Terms, stems};
use crate::graph::{Graph, NodeId, NodeKind};
use crate::policy::Sensitivity;
use crate::read::Seg;
use crate::span::SpanRef;
use crate::value::Kind;

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
    /// It alone speaks of the record that the value of this argument belongs to.
    Record(String),
}

/// Affinity from which a sentence speaks of a tool.
pub(super) const SPEAKS: usize = 3;
/// Words that a text must share with a claim to be taken for a repetition of it.
const REPEATS: usize = 4;

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
    /// Names in the records that the call's values were taken from.
    pub(crate) records: &'a Stems,
    /// Everything that was said so far.
    pub(crate) evidence: &'a Evidence,
    /// Who owns the places that could be meant; computed when first asked for.
    pub(crate) owners: OnceCell<Vec<Owners<'a>>>,
    /// What it picks; computed when first asked for.
    pub(crate) picks: OnceCell<Vec<Pick<'a>>>,
    /// What the sources say that the user referred to.
    pub(crate) given: &'a Given,
    /// The tool keeps what it is given for later sessions.
    pub(crate) persists: bool,
}

impl Chosen<'_> {
    /// Words of what the call does, takes, and was taken from: a suspect that shares none of them, and carries none of
    /// its values, has nothing to do with it.
    pub(crate) fn words(&self, graph: &Graph) -> Stems {
        let mut out = self.records.clone();
        if let Some(t) = self.tools.get(self.tool) {
            out.extend(t.name.iter().chain(&t.about).chain(&t.params).cloned());
        }
        out.extend(self.fields(graph));
        let content = |g: &&Grounded| self.persists && g.sensitivity == Sensitivity::Content;
        for g in self.grounded.iter().filter(|g| content(g) || is_chosen(g)) {
            out.extend(stems(&g.value, None));
        }
        out
    }

    /// Words of the fields that its amounts were taken from.
    fn fields(&self, graph: &Graph) -> Stems {
        let chosen = self
            .grounded
            .iter()
            .filter(|g| g.sensitivity == Sensitivity::Amount && g.rank == Rank::Field);
        chosen
            .flat_map(|g| g.spans.iter().take(2))
            .filter_map(|at| graph.span(*at).path().field())
            .flat_map(|f| stems(f, None))
            .collect()
    }
}

/// How `suspect` bears on `call`, if it does.
pub(crate) fn bears(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>) -> Option<Bearing> {
    if suspect.hearsay {
        leads(graph, suspect, call)
    } else {
        argues_for(graph, suspect, call)
    }
}

/// How an anomalous span bears on `call`, if it does.
fn argues_for(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>) -> Option<Bearing> {
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
    if suspect.directs
        && let Some(argument) = picks(graph, suspect, call)
    {
        return Some(Bearing::Value(argument));
    }
    if let Some(argument) = puts_another(graph, suspect, call) {
        return Some(Bearing::Value(argument));
    }
    if names_others(suspect, call) || means_another_place(graph, suspect, call) {
        return None;
    }
    if let Some(g) = call
        .grounded
        .iter()
        .find(|g| call.persists && repeats(suspect, g))
    {
        return Some(Bearing::Value(g.argument.clone()));
    }
    let (own, best) = spoken_of(&suspect.stems, call);
    if let Some(docs) = &suspect.docs_of {
        return bears_from_docs(graph, suspect, call, docs, own, best);
    }
    if best >= SPEAKS {
        let spoken =
            own > 0 && own >= best && (suspect.weight >= CLAIM || own > SPEAKS || suspect.meta);
        return spoken.then_some(Bearing::Tool);
    }
    let about = |t: &Terms| t.affinity(&suspect.host);
    let host_best = call.tools.values().map(about).max().unwrap_or(0);
    let host_own = call.tools.get(call.tool).map_or(0, about);
    let governs = host_best < SPEAKS || host_own == host_best;
    let named = speaks_of_record(suspect, call)
        || call.fields(graph).iter().any(|w| suspect.stems.contains(w));
    let related =
        suspect.weight >= CLAIM && named && governs && !is_about_another(graph, suspect, call);
    related.then_some(Bearing::Subject)
}

/// The argument for which a request that speaks of this tool names the very value that the call has, and the user does
/// not.
fn picks(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>) -> Option<String> {
    let speaks = call
        .tools
        .get(call.tool)
        .is_some_and(|t| t.affinity(&suspect.stems) >= SPEAKS);
    let said = || distinct_words(graph.text(suspect.at));
    let picked = |g: &&Grounded| {
        let decides = matches!(g.sensitivity, Sensitivity::Selector | Sensitivity::Target);
        let words = distinct_words(&g.value);
        decides && g.rank != Rank::Principal && !words.is_empty() && words.is_subset(&said())
    };
    let found = call.grounded.iter().filter(|_| speaks).find(picked)?;
    Some(found.argument.clone())
}

/// How much a sentence with these words speaks of the call's tool, and of the tool that it speaks of most. What the
/// user's words say of a tool too is the user's doing, not the sentence's.
fn spoken_of(stems: &Stems, call: &Chosen<'_>) -> (usize, usize) {
    let owed = |t: &Terms| {
        let asked = t.verb.as_ref().is_some_and(|v| call.asked.contains(v));
        let users = t
            .name
            .iter()
            .filter(|w| asked && call.asked.contains(*w) && stems.contains(*w))
            .count();
        t.affinity(stems).saturating_sub(2 * users)
    };
    let best = call.tools.values().map(owed).max().unwrap_or(0);
    (call.tools.get(call.tool).map_or(0, owed), best)
}

/// A text that is to be written repeats a claim: it shares most of its words.
fn repeats(suspect: &Suspect, g: &Grounded) -> bool {
    if g.sensitivity != Sensitivity::Content || suspect.meta || suspect.weight < CLAIM {
        return false;
    }
    let shared = stems(&g.value, None)
        .iter()
        .filter(|w| suspect.stems.contains(*w))
        .count();
    shared >= REPEATS && shared * 2 >= suspect.stems.len()
}

/// The suspect names records by their identifiers, or was looked up for one, and the call acts on another one of the
/// same kind.
fn names_others(suspect: &Suspect, call: &Chosen<'_>) -> bool {
    let mut other = false;
    for g in call.grounded {
        let looked_up = suspect
            .lookup
            .arguments
            .iter()
            .find(|(argument, _)| *argument == g.argument);
        if looked_up.is_some_and(|(_, value)| *value == g.value) {
            return false;
        }
        other |= looked_up.is_some() && g.sensitivity != Sensitivity::Content;
        for id in g.atoms.iter().filter(|a| a.kind == Kind::Id) {
            if suspect.ids.contains(&id.norm) {
                return false;
            }
            other |= suspect.ids.iter().any(|s| series(s) == series(&id.norm));
        }
    }
    other
}

/// The series that an identifier belongs to: its digits made equal.
fn series(id: &str) -> String {
    id.chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect()
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
    let feeds = call
        .sources
        .iter()
        .any(|s| graph.node(*s).kind == NodeKind::Read && graph.node(*s).name == docs);
    let bears = if here {
        suspect.points || parameters || best < SPEAKS
    } else {
        spoken || feeds
    };
    bears.then_some(Bearing::Docs)
}

/// The suspect, or what it was looked up by, names the record that the call acts on.
fn speaks_of_record(suspect: &Suspect, call: &Chosen<'_>) -> bool {
    suspect
        .stems
        .iter()
        .chain(&suspect.lookup.stems)
        .any(|w| call.records.contains(w))
}

/// Fields of the same kind that are compared with a target.
const RIVALS: usize = 64;

/// Names in the records that hold a call's values, whether the user named those too or not.
pub(crate) fn record_words(graph: &Graph, evidence: &Evidence, grounded: &[Grounded]) -> Stems {
    let values = grounded
        .iter()
        .filter(|g| g.rank >= Rank::Field && g.sensitivity != Sensitivity::Content);
    let fields = |g: &'_ Grounded| {
        let fields = g.spans.iter().filter(|s| rank(graph, **s) == Rank::Field);
        fields.take(2).copied().collect::<Vec<_>>()
    };
    values
        .flat_map(fields)
        .flat_map(|at| evidence.names_around(graph, at))
        .collect()
}

/// The suspect names the owner of another place of the same kind, and not the owner of the one that this call goes to.
fn means_another_place(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>) -> bool {
    let owners = call.owners.get_or_init(|| owners(graph, call));
    let mentions = |names: &Stems| names.iter().any(|w| suspect.stems.contains(w));
    owners
        .iter()
        .any(|o| !o.own.iter().any(&mentions) && o.rivals.iter().any(|r| mentions(r)))
}

/// The suspect names the owner of the place that this call goes to; the user does not, and names the owner of another
/// place of the kind.
fn puts_another(graph: &Graph, suspect: &Suspect, call: &Chosen<'_>) -> Option<String> {
    let owners = call.owners.get_or_init(|| owners(graph, call));
    let within = |names: &Stems, words: &Stems| names.iter().any(|w| words.contains(w));
    let put = owners.iter().find(|o| {
        o.own.iter().any(|n| within(n, &suspect.stems))
            && !o.own.iter().any(|n| within(n, call.asked))
            && o.rivals.iter().any(|n| within(n, call.asked))
    })?;
    Some(put.argument.clone())
}

/// The owners of a target that was taken from a field, and of the other fields of its kind.
#[derive(Debug)]
pub(crate) struct Owners<'a> {
    argument: String,
    own: Vec<Stems>,
    rivals: Vec<&'a Stems>,
}

fn owners<'a>(graph: &Graph, call: &Chosen<'a>) -> Vec<Owners<'a>> {
    let fields = call
        .grounded
        .iter()
        .filter(|g| g.sensitivity == Sensitivity::Target && g.rank == Rank::Field);
    fields
        .filter_map(|g| {
            let place = places(&g.atoms).next()?;
            let rivals = call
                .evidence
                .fields(place.kind)
                .iter()
                .rev()
                .filter(|r| !g.spans.contains(&r.at))
                .take(RIVALS);
            let around = |at: &SpanRef| call.evidence.names_around(graph, *at);
            Some(Owners {
                argument: g.argument.clone(),
                own: g.spans.iter().map(around).collect(),
                rivals: rivals.map(|r| &r.names).collect(),
            })
        })
        .collect()
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
