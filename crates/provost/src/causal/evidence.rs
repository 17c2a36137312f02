//! Evidence: everything that was said so far, findable by value.
//!
//! Spans enter once; a lookup costs work proportional to what it finds. How strong a span is as support of a value is
//! `ground`'s business.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::vocabulary::{Stems, stems};
use crate::graph::{Graph, NodeId, NodeKind};
use crate::read::{Role, Seg};
use crate::span::{Label, SpanRef};
use crate::value::derive::Operand;
use crate::value::{Atom, Closeness, Hit, Index, Kind, Postings, atoms, each_word, fold};

/// Spans that are looked at for one text.
const CANDIDATES: usize = 400;
/// Words up to which a text is a name or a reference, looked up as a whole.
const SHORT: usize = 8;

/// Everything that was said so far, findable by value.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    index: Index,
    words: Postings,
    /// Whole fields that hold a hard atom, by kind.
    fields: HashMap<Kind, Vec<Place>>,
    /// Benign fields that hold a name or an identifier.
    named: HashSet<SpanRef>,
    /// The user's and the operator's sentences.
    principal: Vec<SpanRef>,
    /// Numbers and dates in benign spans, to compute with.
    pub(super) operands: Vec<Operand>,
    /// Some context holds figures.
    figures: bool,
    /// Places that the agent made up, in calls that only read.
    invented: HashSet<(NodeId, Kind, Box<str>)>,
}

/// A field that holds a place for an effect.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) at: SpanRef,
    /// What it belongs to.
    pub(crate) names: Stems,
}

/// Fields around a value that are read as its record.
const RECORD: usize = 24;

impl Evidence {
    /// Enters the spans of a node. Work is proportional to the node.
    pub(crate) fn enter(&mut self, graph: &Graph, node: NodeId) {
        let n = graph.node(node);
        let mut places: Vec<(Kind, SpanRef)> = Vec::new();
        for (i, span) in n.spans.iter().enumerate() {
            if span.piece.role == Role::Syntax {
                continue;
            }
            let at = SpanRef {
                node,
                span: i as u32,
            };
            let text = span.piece.text(&n.content);
            if matches!(n.kind, NodeKind::System | NodeKind::User) {
                self.principal.push(at);
            }
            let found = atoms(text);
            self.index.insert(at, &found);
            if span.label == Label::Benign {
                let figure = |a: &Atom| matches!(a.kind, Kind::Number | Kind::Amount);
                self.figures |= matches!(n.kind, NodeKind::Context(_)) && found.iter().any(figure);
                self.operands
                    .extend(Operand::of_atoms(&found, at, span.path()));
            }
            if span.role() == Role::Value && span.field {
                places.extend(found.iter().find(|a| is_hard(a.kind)).map(|a| (a.kind, at)));
                let named = |a: &Atom| matches!(a.kind, Kind::Name | Kind::Id);
                if span.label == Label::Benign && found.iter().any(named) {
                    self.named.insert(at);
                }
            }
            if matches!(span.piece.role, Role::Value | Role::Key) {
                self.index.insert_text(at, text);
            }
            each_word(text, &mut |word| self.words.file(word, at));
        }
        for (kind, at) in places {
            let names = self.names_around(graph, at);
            self.fields
                .entry(kind)
                .or_default()
                .push(Place { at, names });
        }
    }

    /// What a field belongs to: the keys above it, and the names and identifiers in its record.
    pub(crate) fn names_around(&self, graph: &Graph, at: SpanRef) -> Stems {
        let node = graph.node(at.node);
        let path = node.spans[at.span as usize].path();
        let mut out = Stems::new();
        let above = path
            .steps()
            .split_last()
            .map_or(&[][..], |(_, above)| above);
        for key in above {
            if let Seg::Key(key) = key {
                out.extend(stems(key, None));
            }
        }
        let record = match path.record() {
            [] => above,
            record => record,
        };
        let from = (at.span as usize).saturating_sub(RECORD);
        for (i, span) in node.spans.iter().enumerate().skip(from).take(2 * RECORD) {
            let field = SpanRef {
                node: at.node,
                span: i as u32,
            };
            if self.named.contains(&field) && span.path().steps().starts_with(record) {
                out.extend(stems(span.piece.text(&node.content), None));
            }
        }
        out
    }

    /// Of the names around a field in a list of records, those that most of the other records do not have.
    pub(crate) fn own_names(&self, graph: &Graph, at: SpanRef) -> Stems {
        let node = graph.node(at.node);
        let mut own = self.names_around(graph, at);
        let record = graph.span(at).path().record();
        let Some((_, list)) = record.split_last() else {
            return own;
        };
        let mut records: HashMap<&[Seg], Stems> = HashMap::new();
        for (i, span) in node.spans.iter().enumerate() {
            let field = SpanRef {
                node: at.node,
                span: i as u32,
            };
            let other = span.path().record();
            let sibling = other.len() == record.len() && other.starts_with(list) && other != record;
            if sibling && self.named.contains(&field) {
                let names = records.entry(other).or_default();
                names.extend(stems(span.piece.text(&node.content), None));
            }
        }
        let shared = |w: &str| records.values().filter(|r| r.contains(w)).count();
        own.retain(|w| shared(w) * 2 <= records.len());
        own
    }

    /// Whether anything but the user's and the operator's words holds a number or a date.
    pub(crate) fn has_figures(&self) -> bool {
        self.figures
    }

    /// Spans that carry the value `text` (with its `atoms`).
    pub(crate) fn find(&self, graph: &Graph, text: &str, atoms: &[Atom]) -> Vec<SpanRef> {
        let mut found = self.whole(text, atoms);
        if found.is_empty() || atoms.is_empty() {
            found.extend(self.containing(graph, text));
        }
        found.into_iter().collect()
    }

    /// Spans that are the value `text`, or hold an atom that is about all of it.
    pub(super) fn whole(&self, text: &str, atoms: &[Atom]) -> BTreeSet<SpanRef> {
        let mut found: BTreeSet<SpanRef> = self.index.lookup_text(text).collect();
        let most = |a: &&Atom| a.range.len() * 10 >= text.trim().len() * 7;
        // A part of an atom is not the value: the host of an address is everybody's there.
        for atom in outer(atoms).filter(most) {
            let hits: Vec<Hit> = self.index.lookup(atom).collect();
            // A name that stands somewhere in full is not meant where only a part of it stands.
            let full = |h: &&Hit| h.closeness == Closeness::Exact;
            let whole = atom.kind == Kind::Name && hits.iter().any(|h| full(&h));
            found.extend(hits.iter().filter(|h| !whole || full(h)).map(|h| h.span));
        }
        found
    }

    /// Fields that hold an atom of this hard kind.
    pub(crate) fn fields(&self, kind: Kind) -> &[Place] {
        self.fields.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// A call that only reads names places that nothing gave.
    pub(crate) fn invent(&mut self, action: NodeId, atoms: Vec<Atom>) {
        self.invented
            .extend(atoms.into_iter().map(|a| (action, a.kind, a.norm)));
    }

    /// Whether a span only repeats a place that the agent made up in the call that returned it.
    pub(super) fn is_echo(&self, graph: &Graph, at: SpanRef, atoms: &[Atom]) -> bool {
        let Some(action) = graph.node(at.node).cause else {
            return false;
        };
        let made_up = |a: &Atom| self.invented.contains(&(action, a.kind, a.norm.clone()));
        !self.invented.is_empty() && atoms.iter().any(made_up)
    }

    /// Spans that carry one atom.
    pub(crate) fn atom(&self, atom: &Atom) -> impl Iterator<Item = SpanRef> {
        self.index.lookup(atom).map(|h| h.span)
    }

    /// Spans whose folded text contains the folded `text`, found through its rarest word.
    pub(super) fn containing(&self, graph: &Graph, text: &str) -> Vec<SpanRef> {
        let words = distinct_words(text);
        if words.is_empty() || words.len() > SHORT {
            return Vec::new();
        }
        let needle = fold(text);
        let holds = |at: &SpanRef| fold(graph.text(*at)).contains(needle.trim());
        self.with_words(&words)
            .take(CANDIDATES)
            .filter(holds)
            .collect()
    }

    /// Spans that have all these words, in order.
    pub(super) fn with_words<'a>(
        &'a self,
        words: &BTreeSet<Box<str>>,
    ) -> impl Iterator<Item = SpanRef> + 'a {
        let mut lists: Vec<&[SpanRef]> = words.iter().map(|w| self.words.get(w)).collect();
        lists.sort_by_key(|l| l.len());
        let (rarest, others) = lists
            .split_first()
            .map_or((&[][..], Vec::new()), |(r, o)| (*r, o.to_vec()));
        let everywhere = move |at: &SpanRef| others.iter().all(|l| l.binary_search(at).is_ok());
        rarest.iter().copied().filter(everywhere)
    }
}

pub(super) fn distinct_words(text: &str) -> BTreeSet<Box<str>> {
    crate::value::words(text)
        .into_iter()
        .map(String::into_boxed_str)
        .collect()
}

/// Kinds that say where an effect goes: they cannot be made up, and do not come about by chance.
pub(crate) fn is_hard(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Account | Kind::Email | Kind::Url | Kind::Host | Kind::Phone
    )
}

/// Atoms that are not part of a larger one.
fn outer(atoms: &[Atom]) -> impl Iterator<Item = &Atom> {
    let part = |a: &Atom, b: &Atom| {
        b.range.len() > a.range.len()
            && b.range.start <= a.range.start
            && a.range.end <= b.range.end
    };
    atoms
        .iter()
        .filter(move |a| !(is_hard(a.kind) && atoms.iter().any(|b| is_hard(b.kind) && part(a, b))))
}

/// The places that atoms name: hard atoms that are not part of a larger one (the host of a mail address is not).
pub(crate) fn places(atoms: &[Atom]) -> impl Iterator<Item = &Atom> {
    let mut end = 0;
    atoms.iter().filter(move |a| {
        let inner = a.range.end <= end;
        end = end.max(a.range.end);
        !inner && is_hard(a.kind)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::read::{MAX_CONTENT, Role};
    use crate::{Event, Input, Label, Options, Outcome, Policy, Session, ToolCall};

    /// Whether paying to a place that stands in a result behind so many blanks is released.
    #[track_caller]
    fn check(place: &str, blanks: usize, released: bool) {
        let mut session = Session::new(Policy::default(), Options::default());
        let content = format!("contact: Mara\n{}\nplace: {place}\n", " ".repeat(blanks));
        for event in [
            Event::user("Look at record.txt and send the report to the place that it names."),
            Event::result("read", content),
        ] {
            session.step(Input::Event(event));
        }
        let call = ToolCall::new("send", "send_report", json!({"to": place}));
        session.step(Input::Propose(call));
        let outcome = session.verdicts().last().map(|v| v.outcome);
        assert_eq!(
            outcome == Some(Outcome::Release),
            released,
            "{place} behind {blanks} blanks: {:?}",
            session.verdicts().last()
        );
        let (_, node) = session.graph().nodes().nth(1).expect("the result");
        let mut at = 0;
        for span in &node.spans {
            assert_eq!(span.range().start, at);
            at = span.range().end;
            let says = span.piece.text(&node.content).contains(place);
            assert!(released || !says || span.label == Label::Anomalous);
        }
        assert_eq!(at, node.content.len());
        let last = node.spans.last().map(|s| (s.role(), s.label));
        assert_eq!(last == Some((Role::Concealed, Label::Anomalous)), !released);
    }

    #[test]
    fn what_is_too_far_behind_to_be_read_supports_nothing() {
        for place in [
            "NL40CLAY0000007919",
            "mara@kiln-works.example",
            "https://kiln-works.example/in",
            "+31 20 555 0142",
        ] {
            check(place, 80, true);
            check(place, MAX_CONTENT, false);
        }
    }
}
