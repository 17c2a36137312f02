//! Anomalous spans that may steer a call, findable by their words.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::designate::named_in;
use super::evidence::places;
use super::ground::arguments;
use super::lexicon::{Language, Mark};
use super::speech::{CLAIM, Speech};
use super::vocabulary::{Stems, stems};
use crate::graph::{Graph, NodeId};
use crate::read::Role;
use crate::session::Surface;
use crate::span::{Label, Reason, Span, SpanRef};
use crate::value::{Atom, Kind, atoms, fold};

/// The arguments of a call that returned something.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// Each with its path.
    pub(crate) arguments: Vec<(String, String)>,
    /// Their content words.
    pub(crate) stems: Stems,
}

impl Lookup {
    fn of(graph: &Graph, cause: Option<NodeId>) -> Self {
        let arguments = cause.map_or_else(Vec::new, |c| arguments(graph, c));
        let stems = arguments.iter().flat_map(|(_, v)| named_in(v)).collect();
        Self { arguments, stems }
    }
}

/// An anomalous span that says, or may say, what to do.
#[derive(Clone, Debug)]
pub(crate) struct Suspect {
    /// The span.
    pub(crate) at: SpanRef,
    /// Its content words.
    pub(crate) stems: Stems,
    /// Content words of the item that it rides on, when it stands in rules.
    pub(crate) host: Stems,
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
    /// It is benign, and no cause of a choice.
    pub(crate) hearsay: bool,
    /// It asks somebody to act.
    pub(crate) directs: bool,
    /// Identifiers that it names.
    pub(crate) ids: Vec<Box<str>>,
    /// The call that brought it into view.
    pub(crate) lookup: Arc<Lookup>,
}

/// The suspects of a session. Entering a node costs work proportional to it; finding those that a call may have to do
/// with, work proportional to what is found.
#[derive(Debug, Default)]
pub(crate) struct Suspects {
    all: Vec<Suspect>,
    /// By a content word of the suspect or of what it was looked up by.
    words: HashMap<Box<str>, Vec<usize>>,
    spans: HashMap<SpanRef, usize>,
    /// Those in documentation of tools.
    docs: Vec<usize>,
    /// What they say, folded.
    said: HashSet<String>,
}

impl Suspects {
    /// Keeps the anomalous spans of a node that may steer a call.
    pub(crate) fn enter(&mut self, graph: &Graph, id: NodeId, surface: Surface, hearsay: &[usize]) {
        let node = graph.node(id);
        if hearsay.is_empty() && node.spans.iter().all(|s| s.label == Label::Benign) {
            return;
        }
        let language = Language::of(&node.content);
        let lookup = Arc::new(Lookup::of(graph, node.cause));
        let mut block: Vec<Atom> = Vec::new();
        let from = self.all.len();
        let mut first = from;
        for (i, span) in node.spans.iter().enumerate() {
            if span.label == Label::Benign && span.reason != Reason::Syntax {
                self.close_block(&mut first, &mut block);
            }
            let hearsay = hearsay.binary_search(&i).is_ok();
            if span.label == Label::Benign && !hearsay {
                continue;
            }
            if span.reason == Reason::TaintedCause {
                continue;
            }
            let text = span.piece.text(&node.content);
            let speech = Speech::of(text, Language::of_sentence(text, language));
            let found = atoms(text);
            block.extend(places(&found).cloned());
            self.all.push(Suspect {
                at: SpanRef {
                    node: id,
                    span: i as u32,
                },
                stems: stems(text, language),
                host: host(&node.spans, i, &node.content, language),
                hard: Vec::new(),
                docs_of: (surface == Surface::ToolDocs).then(|| node.name.clone()),
                weight: speech.argues(),
                points: speech.marks.has(Mark::Deictic),
                meta: span.reason == Reason::Meta,
                hearsay,
                directs: matches!(span.reason, Reason::Meta | Reason::Directive),
                ids: found
                    .iter()
                    .filter(|a| a.kind == Kind::Id)
                    .map(|a| a.norm.clone())
                    .collect(),
                lookup: lookup.clone(),
            });
            if span.reason == Reason::Claim || hearsay {
                self.close_block(&mut first, &mut block);
            }
        }
        self.close_block(&mut first, &mut block);
        self.file(graph, from);
    }

    fn close_block(&mut self, first: &mut usize, block: &mut Vec<Atom>) {
        for s in &mut self.all[*first..] {
            s.hard.clone_from(block);
        }
        *first = self.all.len();
        block.clear();
    }

    /// Files the suspects from `from` on.
    fn file(&mut self, graph: &Graph, from: usize) {
        for (i, suspect) in self.all.iter().enumerate().skip(from) {
            // Only an argument bears on what it was looked up for.
            let by = Some(&suspect.lookup.stems).filter(|_| suspect.weight >= CLAIM);
            for word in suspect.stems.iter().chain(by.into_iter().flatten()) {
                match self.words.get_mut(word) {
                    Some(filed) if filed.last() == Some(&i) => {}
                    Some(filed) => filed.push(i),
                    None => {
                        self.words.insert(word.clone(), vec![i]);
                    }
                }
            }
            if !suspect.hearsay {
                let said = fold(graph.text(suspect.at));
                self.said.insert(said.trim().to_owned());
            }
            self.spans.insert(suspect.at, i);
            if suspect.docs_of.is_some() {
                self.docs.push(i);
            }
        }
    }

    /// Whether a suspect says this (folded, trimmed).
    pub(crate) fn say(&self, text: &str) -> bool {
        self.said.contains(text)
    }

    /// Whether this span is one.
    pub(crate) fn doubt(&self, at: SpanRef) -> bool {
        self.spans.contains_key(&at)
    }

    /// Those that may bear on a call that speaks of `words` and takes its values from `spans`, in order of entry.
    pub(crate) fn about<'a>(
        &'a self,
        words: impl Iterator<Item = &'a str>,
        spans: impl Iterator<Item = SpanRef>,
    ) -> impl Iterator<Item = &'a Suspect> {
        let mut found: BTreeSet<usize> = self.docs.iter().copied().collect();
        found.extend(words.filter_map(|w| self.words.get(w)).flatten());
        found.extend(spans.filter_map(|s| self.spans.get(&s)));
        found.into_iter().filter_map(|i| self.all.get(i))
    }
}

/// Content words of the sentences before `at` in the same leaf: what the item was about before the rider came.
fn host(spans: &[Span], at: usize, content: &str, language: Option<Language>) -> Stems {
    let path = spans[at].path();
    let mut out = Stems::new();
    for span in spans[..at].iter().rev().take(12) {
        if span.path() != path && span.role() != Role::Syntax {
            break;
        }
        if span.role() == Role::Sentence {
            out.extend(stems(span.piece.text(content), language));
        }
    }
    out
}
