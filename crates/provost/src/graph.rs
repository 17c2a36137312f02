//! The influence-provenance graph (IPG): what entered the agent's view, what it did, and what followed from what.
//!
//! ARGUS paper, section 4.2. Every context in the model input has an edge to the action that the model produced,
//! and the action to the context that it returned. The first kind of edge would make the graph quadratic in the
//! length of the session; since an action's inputs are always *all contexts before it in the log*, that edge set
//! is kept as one number (`inputs`, the count of nodes before it) and enumerated on demand.

use serde::{Deserialize, Serialize};

use crate::session::Surface;
use crate::span::{Label, Span, SpanRef};

/// Index of a node; nodes are numbered in the order in which they entered the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// The system prompt.
    System,
    /// The user's words.
    User,
    /// The agent's own text.
    Reply,
    /// Context from one of the six surfaces.
    Context(Surface),
    /// An action that only reads.
    Read,
    /// An action that changes something, or that tells the outside world something.
    Write,
    /// An action that was not released. It stays in the graph: what follows it was influenced by the refusal.
    Denied,
}

impl NodeKind {
    /// Whether the node is something the agent did (or wanted to do).
    pub fn is_action(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::Denied)
    }
}

/// One node.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Tool name, document name, sender, or the role.
    pub name: String,
    /// The text: what the agent saw, or the arguments of an action as JSON.
    pub content: String,
    /// Exact partition of `content`.
    pub spans: Vec<Span>,
    /// For a context returned by an action: that action.
    pub cause: Option<NodeId>,
    /// For an action: how many nodes precede it; each context among them has an edge to it.
    pub inputs: u32,
}

/// The graph, built incrementally: adding a node costs work proportional to that node alone.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
}

impl Graph {
    /// Adds a node and returns its id.
    pub(crate) fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    /// The node with this id. Ids come from this graph, so it exists.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// All nodes in order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> + ExactSizeIterator {
        self.nodes
            .iter()
            .enumerate()
            .map(|(i, n)| (NodeId(i as u32), n))
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing has entered yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// One span.
    pub fn span(&self, at: SpanRef) -> &Span {
        &self.node(at.node).spans[at.span as usize]
    }

    /// The text of a span as the agent read it (escapes decoded).
    pub fn text(&self, at: SpanRef) -> &str {
        let node = self.node(at.node);
        let span = &node.spans[at.span as usize];
        span.piece.text(&node.content)
    }

    /// Direct predecessors: for an action, every context before it; for a returned context, its action.
    pub fn parents(&self, id: NodeId) -> Vec<NodeId> {
        let node = self.node(id);
        if node.kind.is_action() {
            (0..node.inputs)
                .map(NodeId)
                .filter(|p| !self.node(*p).kind.is_action())
                .collect()
        } else {
            node.cause.into_iter().collect()
        }
    }

    /// Whether any span of the node is anomalous.
    pub fn is_tainted(&self, id: NodeId) -> bool {
        self.node(id)
            .spans
            .iter()
            .any(|s| s.label == Label::Anomalous)
    }
}
