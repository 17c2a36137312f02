//! Designation: which sources, and which records of a source, the user told the agent to look at.

use std::collections::{HashMap, HashSet};

use super::Auditor;
use super::ground::arguments;
use super::vocabulary::{Stems, stems};
use crate::graph::{Graph, NodeId};
use crate::read::{Path, Role, Seg};
use crate::value::{atoms, fold};

/// Letters up to which what follows the last full stop of a name is its ending.
const ENDING: usize = 8;

/// A value without what says nothing of what is meant: the endings of file names and hosts, schemes, `www.`.
fn without_endings(value: &str) -> String {
    fn bare(name: &str) -> &str {
        match name.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() && ending.len() <= ENDING => stem,
            _ => name,
        }
    }
    let mut words = Vec::new();
    for word in value.split_whitespace() {
        let place = word.split_once("://").map_or(word, |(_, rest)| rest);
        let place = place.strip_prefix("www.").unwrap_or(place);
        let (head, path) = place.split_once('/').unwrap_or((place, ""));
        words.extend([bare(head), bare(path)]);
    }
    words.join(" ")
}

/// The content words of a value, endings left out.
pub(super) fn named_in(value: &str) -> Stems {
    stems(&without_endings(value), None)
}

/// Fields that hold a value whose records are looked at.
pub(super) const RECORDS: usize = 4;

/// Words up to which a field is what a record is called or where it comes from.
const NAME: usize = 8;

/// The record that a path leads into, where the whole content is a list of records.
pub(super) fn record_of(path: &Path) -> Option<&[Seg]> {
    let steps = path.steps();
    matches!(steps, [Seg::Index(_), Seg::Key(_), ..]).then(|| &steps[..1])
}

impl Auditor {
    /// Whether the user told the agent to look at what this action reads: the words of its arguments are the user's.
    pub(super) fn is_designated(&self, graph: &Graph, action: NodeId) -> bool {
        let named = || stems(&graph.node(action).name, None);
        self.request.follows()
            && (self.is_named(graph, action)
                || named().iter().any(|w| self.request.words.contains(w)))
    }

    /// Whether the arguments of an action have a word of the user's.
    pub(super) fn is_named(&self, graph: &Graph, action: NodeId) -> bool {
        let mut values = arguments(graph, action).into_iter();
        values.any(|(_, v)| !named_in(&v).is_disjoint(&self.request.words))
    }

    /// Whether the user, or a source that the user referred to, speaks of what this action reads: by the words of its
    /// arguments, or by what is peculiar to the record that one of them identifies.
    pub(super) fn is_referred(&self, graph: &Graph, action: NodeId) -> bool {
        arguments(graph, action).into_iter().any(|(_, v)| {
            let spoken = |w: &str| self.request.words.contains(w) || self.given.speaks(w);
            let records = || {
                let fields = self.evidence.whole(&v, &atoms(&v)).into_iter();
                let fields = fields.filter(|at| graph.span(*at).field);
                fields
                    .take(RECORDS)
                    .flat_map(|at| self.evidence.own_names(graph, at))
            };
            named_in(&v).iter().any(|w| spoken(w)) || records().any(|w| spoken(&w))
        })
    }

    /// The records of a result that the user did not mean: a search by words of the user's returned others that have all
    /// of them in their short fields.
    pub(super) fn others(&self, graph: &Graph, id: NodeId) -> HashSet<Vec<Seg>> {
        let node = graph.node(id);
        let sought: Stems = node
            .cause
            .map_or_else(Vec::new, |c| arguments(graph, c))
            .iter()
            .flat_map(|(_, v)| named_in(v))
            .filter(|w| self.request.words.contains(w))
            .collect();
        let mut found: HashMap<&[Seg], Stems> = HashMap::new();
        for span in &node.spans {
            let Some(record) = record_of(span.path()).filter(|_| !sought.is_empty()) else {
                continue;
            };
            let words = found.entry(record).or_default();
            let text = span.piece.text(&node.content);
            if span.role() == Role::Value && span.field && text.split_whitespace().count() <= NAME {
                // Also within a longer word: `school` in `office@hillschool.example`.
                let text = fold(text);
                words.extend(sought.iter().filter(|w| text.contains(&***w)).cloned());
            }
        }
        let named = |words: &Stems| words.len() == sought.len();
        if !found.values().any(named) {
            return HashSet::new();
        }
        found
            .into_iter()
            .filter(|(_, words)| !named(words))
            .map(|(record, _)| record.to_vec())
            .collect()
    }
}
