//! The causal audit (ARGUS, Algorithm 1), implemented by rules.
//!
//! `Auditor::observe` takes every node as it enters the graph: it labels its spans (`segment`) and enters them into
//! the evidence (`ground::Evidence`). `Auditor::audit` judges one proposed call: what its arguments rest on
//! (`ground`), whether benign spans alone determine it (`choice`), and whether it is within the request
//! (`request`).

mod choice;
mod designate;
pub(crate) mod evidence;
mod frame;
mod ground;
mod hearsay;
mod lexicon;
pub(crate) mod meta;
mod request;
mod rival;
mod segment;
mod speech;
mod suspect;
#[cfg(test)]
mod tests;
mod verdict;
mod vocabulary;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::graph::{Graph, Node, NodeId, NodeKind};
use crate::policy::{Effect, Policy, Sensitivity, Trust};
use crate::read::{Seg, read};
use crate::session::{Surface, ToolCall, ToolDef};
use crate::span::{Label, Reason, Span, SpanRef};
use crate::value::{Atom, Kind, atoms, fold};
use evidence::{Evidence, is_hard};
pub(crate) use ground::leaves;
use ground::{Grounded, Rank, ground, rank};
use hearsay::Given;
use lexicon::Language;
use request::Request;
use segment::Setting;
use suspect::Suspects;
pub(crate) use verdict::{Open, Settled, place};
use vocabulary::Terms;
pub(crate) use vocabulary::{Stems, stems};

/// Which components are on (ARGUS paper, section 5.3: each can be ablated).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// ContextSegmenter; off: every observation is one benign span.
    pub segment: bool,
    /// ArgumentGrounder; off: all benign spans go to the entailment check.
    pub ground: bool,
    /// EntailChecker; off: the grounder's result stands.
    pub entail: bool,
    /// InvChecker; off: the call is compared with the user's prompt directly.
    pub invariants: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment: true,
            ground: true,
            entail: true,
            invariants: true,
        }
    }
}

/// What the audit keeps between inputs.
#[derive(Debug, Default)]
pub(crate) struct Auditor {
    evidence: Evidence,
    request: Request,
    /// Every tool that changes something, with its terms.
    tools: BTreeMap<String, Terms>,
    suspects: Suspects,
    given: Given,
    /// How the contexts stood when they entered.
    standings: HashMap<NodeId, Standing>,
    /// Contexts that the user, or what the user referred to, speaks of.
    referred: HashSet<NodeId>,
    /// Actions that rest on anomalous spans.
    tainted: HashSet<NodeId>,
    /// Words by which the tools that read the agent's memory are called.
    memory: Stems,
    /// Sentences that the agent itself wrote, in calls that were released. They come back in results.
    written: HashSet<String>,
    /// Effects that were released, each with its arguments as written and the number of the user's turns before.
    done: HashMap<Deed, (String, usize)>,
}

/// How a context stands to the request and to what happened before: what decides, besides its words, how it is labelled.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// What is known of it.
    pub(crate) setting: Setting,
    /// The records in it that the user did not mean.
    others: HashSet<Vec<Seg>>,
}

/// A tool and what it was given, in normal forms: what makes two calls one effect.
type Deed = (String, Vec<(String, String)>);

/// The normal form of a value: of the atom that it is, or of its text.
pub(crate) fn normal(value: &str) -> String {
    let found = atoms(value);
    let whole = found.iter().find(|a| a.range.len() == value.trim().len());
    whole.map_or_else(|| fold(value), |a| a.norm.to_string())
}

fn deed(call: &ToolCall) -> Deed {
    let given = leaves(&call.arguments);
    let given = given.into_iter().map(|(a, v)| (a, normal(&v))).collect();
    (call.name.clone(), given)
}

impl Auditor {
    /// The invariants as a person would sign them.
    pub(crate) fn invariants(&self) -> Vec<String> {
        self.request
            .statements()
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    }

    /// A tool was described.
    pub(crate) fn describe(&mut self, def: &ToolDef, effect: Effect, surface: Surface) {
        if surface == Surface::Memory {
            self.memory.extend(Terms::of(def).name);
        }
        if effect != Effect::Read {
            self.tools.insert(def.name.clone(), Terms::of(def));
        }
    }

    /// A node entered: labels its spans and takes them into the evidence.
    pub(crate) fn observe(
        &mut self,
        graph: &mut Graph,
        id: NodeId,
        policy: &Policy,
        options: Options,
    ) {
        let node = graph.node(id);
        match node.kind {
            NodeKind::User => self.request.hear(&node.content),
            NodeKind::Context(surface) if options.segment => {
                self.segment(graph, id, surface, policy)
            }
            // The agent's own words are no evidence: they only repeat what it read.
            NodeKind::Reply => return,
            NodeKind::System => self.request.operator(),
            NodeKind::Context(_) | NodeKind::Read | NodeKind::Write | NodeKind::Denied => {}
        }
        if matches!(graph.node(id).kind, NodeKind::User | NodeKind::System) {
            graph
                .node_mut(id)
                .spans
                .iter_mut()
                .for_each(|s| s.reason = Reason::Principal);
        }
        if !graph.node(id).kind.is_action()
            && graph.node(id).kind != NodeKind::Context(Surface::ToolDocs)
        {
            self.evidence.enter(graph, id);
        }
    }

    /// How a context stood when it entered; one that was never segmented: how it stands now.
    pub(crate) fn standing(&self, graph: &Graph, id: NodeId, surface: Surface) -> Standing {
        if let Some(standing) = self.standings.get(&id) {
            return standing.clone();
        }
        let cause = graph.node(id).cause;
        let setting = Setting {
            surface,
            designated: cause.is_some_and(|c| self.is_designated(graph, c)),
            referred: cause.is_some_and(|c| self.is_referred(graph, c)),
            tainted: cause.is_some_and(|c| {
                self.tainted.contains(&c) || graph.node(c).kind == NodeKind::Denied
            }),
        };
        let others = if setting.designated {
            self.others(graph, id)
        } else {
            HashSet::new()
        };
        Standing { setting, others }
    }

    /// Labels the spans of a content that `node` has, or could have had. Returns which of them are hearsay.
    pub(crate) fn label(
        &self,
        policy: &Policy,
        node: &Node,
        standing: &Standing,
        content: &str,
        spans: &mut [Span],
    ) -> Vec<usize> {
        let mut hearsay = segment::label(content, spans, standing.setting, &standing.others);
        let trusted = |s: &Span| {
            node.cause.is_some() && policy.trust_at(&node.name, s.path()) == Trust::Trusted
        };
        let written = |s: &Span| {
            let text = fold(s.piece.text(content));
            self.written.contains(text.trim())
        };
        hearsay.retain(|i| !trusted(&spans[*i]) && !written(&spans[*i]));
        for span in spans {
            let doubtful = matches!(span.reason, Reason::Claim | Reason::Directive);
            if doubtful && (written(span) || trusted(span)) {
                span.label = Label::Benign;
                span.reason = Reason::Assertion;
            }
        }
        hearsay
    }

    fn segment(&mut self, graph: &mut Graph, id: NodeId, surface: Surface, policy: &Policy) {
        let standing = self.standing(graph, id, surface);
        let mut spans = std::mem::take(&mut graph.node_mut(id).spans);
        let node = graph.node(id);
        let hearsay = self.label(policy, node, &standing, &node.content, &mut spans);
        graph.node_mut(id).spans = spans;
        self.suspects.enter(graph, id, surface, &hearsay);
        if standing.setting.designated || standing.setting.referred || surface == Surface::Skill {
            self.given.enter(graph, id, &hearsay);
            self.referred.insert(id);
        }
        self.standings.insert(id, standing);
    }

    /// Content words of the user's request that these parts of a content have.
    pub(crate) fn asked_in<'a>(
        &self,
        content: &str,
        parts: impl Iterator<Item = &'a str>,
    ) -> Stems {
        let language = Language::of(content);
        parts
            .flat_map(|part| stems(part, language))
            .filter(|w| self.request.words.contains(w))
            .collect()
    }

    /// A call that changes something was released: remembers what it wrote.
    pub(crate) fn wrote(&mut self, call: &ToolCall) {
        let named = leaves(&call.arguments)
            .into_iter()
            .flat_map(|(_, v)| atoms(&v));
        self.request.spend(&named.collect::<Vec<_>>());
        let deed = deed(call);
        let done = (call.arguments.to_string(), self.request.turns());
        self.done.insert(deed, done);
        for (_, text) in leaves(&call.arguments) {
            for piece in read(&text).pieces {
                let sentence = fold(piece.text(&text));
                let sentence = sentence.trim();
                // What the agent copied from a doubtful place is not its own word.
                if sentence.split_whitespace().count() > 2 && !self.suspects.say(sentence) {
                    self.written.insert(sentence.to_owned());
                }
            }
        }
    }

    /// A call failed: it may be tried again.
    pub(crate) fn failed(&mut self, name: &str, arguments: &str) {
        self.done
            .retain(|(tool, _), (written, _)| tool != name || written != arguments);
    }

    /// A call that only reads ran: remembers whether it rests on anomalous spans. That the agent makes it without them too
    /// (`own`) is known from dry runs.
    pub(crate) fn read(
        &mut self,
        graph: &Graph,
        policy: &Policy,
        def: Option<&ToolDef>,
        call: &ToolCall,
        action: NodeId,
        own: bool,
    ) {
        let grounded = ground(graph, &self.evidence, policy, def, call);
        let named = grounded.iter().flat_map(|g| g.atoms.iter().cloned());
        self.request.spend(&named.collect::<Vec<_>>());
        // What comes back of a place that nobody gave is an echo.
        let invented = |a: &&Atom| is_hard(a.kind) && self.evidence.atom(a).next().is_none();
        let invented: Vec<Atom> = grounded
            .iter()
            .flat_map(|g| g.atoms.iter().filter(invented))
            .cloned()
            .collect();
        if !own && self.rests_on_anomalous(graph, &grounded) {
            self.tainted.insert(action);
        }
        self.evidence.invent(action, invented);
    }

    /// Whether what a call would return is anomalous by its cause.
    pub(crate) fn taints(
        &self,
        graph: &Graph,
        policy: &Policy,
        def: Option<&ToolDef>,
        call: &ToolCall,
    ) -> bool {
        self.rests_on_anomalous(graph, &ground(graph, &self.evidence, policy, def, call))
    }

    fn rests_on_anomalous(&self, graph: &Graph, grounded: &[Grounded]) -> bool {
        let doubtful = |a: &Atom| {
            let told = matches!(a.kind, Kind::Path | Kind::Id | Kind::Quoted) || is_hard(a.kind);
            let mut spans = self.evidence.atom(a).peekable();
            told && spans.peek().is_some() && spans.all(|s| rank(graph, s) == Rank::Anomalous)
        };
        let rests = |g: &Grounded| g.rank == Rank::Anomalous || g.atoms.iter().any(doubtful);
        grounded.iter().any(rests)
    }

    /// A place or an amount of a call that is known from anomalous spans only, and such a span.
    pub(crate) fn doubtful(
        &self,
        graph: &Graph,
        policy: &Policy,
        def: Option<&ToolDef>,
        call: &ToolCall,
    ) -> Option<(String, SpanRef)> {
        let grounded = ground(graph, &self.evidence, policy, def, call);
        grounded.into_iter().find_map(|g| {
            let decisive = matches!(g.sensitivity, Sensitivity::Target | Sensitivity::Amount);
            if let Some((_, at)) = g.smuggled.first() {
                return Some((g.argument, *at));
            }
            let at = *g.spans.first()?;
            (decisive && g.rank == Rank::Anomalous).then_some((g.argument, at))
        })
    }

    /// Actions whose results the values of a call rest on, strongest support only.
    fn sources(graph: &Graph, grounded: &[Grounded]) -> Vec<NodeId> {
        let mut out: Vec<NodeId> = grounded
            .iter()
            .filter(|g| g.rank < Rank::Principal)
            .flat_map(|g| g.spans.iter().filter(|s| rank(graph, **s) == g.rank))
            .filter_map(|s| graph.node(s.node).cause)
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}
