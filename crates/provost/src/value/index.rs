//! The inverted index: from a value to the spans that hold it.

use std::collections::HashMap;

use super::Atom;
use super::key::{Closeness, Side};
use super::text::normal;
use crate::span::SpanRef;

/// A span found under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hit {
    /// The span.
    pub span: SpanRef,
    /// How near its value is to the one looked up.
    pub closeness: Closeness,
}

/// From atoms, and from whole pieces of text, to the spans that hold them. Filing costs work proportional to what is
/// filed, whatever the index already holds; a lookup, work proportional to what it finds.
#[derive(Clone, Debug, Default)]
pub struct Index {
    atoms: HashMap<Box<str>, Vec<SpanRef>>,
    texts: HashMap<Box<str>, Vec<SpanRef>>,
}

impl Index {
    /// Files the atoms of a span.
    pub fn insert(&mut self, span: SpanRef, atoms: &[Atom]) {
        for atom in atoms {
            atom.each_key(Side::File, &mut |key, _| file(&mut self.atoms, key, span));
        }
    }

    /// Spans that hold the value of an atom: those with the same full form first, then those that agree as far as the
    /// coarser of the two goes. In order of filing within each; a span may come twice if it holds the value twice.
    pub fn lookup(&self, atom: &Atom) -> impl Iterator<Item = Hit> + '_ {
        let mut probes = atom.probes();
        probes.sort_by_key(|key| key.closeness());
        probes.into_iter().flat_map(|key| {
            let spans = self
                .atoms
                .get(key.as_str())
                .map(Vec::as_slice)
                .unwrap_or_default();
            spans.iter().map(move |span| Hit {
                span: *span,
                closeness: key.closeness(),
            })
        })
    }

    /// Files a whole piece of text: a name, an identifier, a channel, a title. Compared by [`normal`] form.
    pub fn insert_text(&mut self, span: SpanRef, text: &str) {
        let text = normal(text);
        if !text.is_empty() {
            file(&mut self.texts, &text, span);
        }
    }

    /// Spans whose whole text is this one, in order of filing.
    pub fn lookup_text(&self, text: &str) -> impl Iterator<Item = SpanRef> + '_ {
        let spans = self
            .texts
            .get(normal(text).as_str())
            .map(Vec::as_slice)
            .unwrap_or_default();
        spans.iter().copied()
    }
}

fn file(map: &mut HashMap<Box<str>, Vec<SpanRef>>, key: &str, span: SpanRef) {
    match map.get_mut(key) {
        Some(spans) if spans.last() == Some(&span) => {}
        Some(spans) => spans.push(span),
        None => {
            map.insert(key.into(), vec![span]);
        }
    }
}
