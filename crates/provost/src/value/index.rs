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
    atoms: Postings,
    texts: Postings,
}

impl Index {
    /// Files the atoms of a span.
    pub fn insert(&mut self, span: SpanRef, atoms: &[Atom]) {
        for atom in atoms {
            atom.each_key(Side::File, &mut |key, _| self.atoms.file(key, span));
        }
    }

    /// Spans that hold the value of an atom: those with the same full form first, then those that agree as far as the
    /// coarser of the two goes. In order of filing within each; a span may come twice if it holds the value twice.
    pub fn lookup(&self, atom: &Atom) -> impl Iterator<Item = Hit> + '_ {
        let mut probes = atom.probes();
        probes.sort_by_key(|key| key.closeness());
        probes.into_iter().flat_map(|key| {
            let spans = self.atoms.get(key.as_str());
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
            self.texts.file(&text, span);
        }
    }

    /// Spans whose whole text is this one, in order of filing.
    pub fn lookup_text(&self, text: &str) -> impl Iterator<Item = SpanRef> + '_ {
        self.texts.get(normal(text).as_str()).iter().copied()
    }
}

/// Lists of spans by key, in order of filing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Postings(HashMap<Box<str>, Spans>);

/// Most keys of a long content stand in one span only, and need no list.
#[derive(Clone, Debug)]
enum Spans {
    One(SpanRef),
    Many(Vec<SpanRef>),
}

impl Postings {
    /// Files a span under a key; once, when it is filed under the key again and again.
    pub(crate) fn file(&mut self, key: &str, span: SpanRef) {
        match self.0.get_mut(key) {
            Some(spans) => spans.push(span),
            None => {
                self.0.insert(key.into(), Spans::One(span));
            }
        }
    }

    /// The spans filed under a key.
    pub(crate) fn get(&self, key: &str) -> &[SpanRef] {
        match self.0.get(key) {
            Some(Spans::One(span)) => std::slice::from_ref(span),
            Some(Spans::Many(spans)) => spans,
            None => &[],
        }
    }
}

impl Spans {
    fn push(&mut self, span: SpanRef) {
        match self {
            Self::One(only) if *only == span => {}
            Self::One(only) => *self = Self::Many(vec![*only, span]),
            Self::Many(spans) if spans.last() == Some(&span) => {}
            Self::Many(spans) => spans.push(span),
        }
    }
}
