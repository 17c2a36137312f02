//! What an agent sees: the texts of a session, some of which may be altered.

use provost::{Altered, Graph, NodeId, NodeKind};

/// The texts of a session as an agent sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    graph: &'a Graph,
    altered: &'a Altered,
}

/// One text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text<'a> {
    /// As it entered: the content of this node.
    Own(NodeId, &'a str),
    /// What stands in the place of a node's content.
    Altered(&'a str),
}

impl<'a> View<'a> {
    /// The session of `graph`, with the texts of `altered` in place of its own.
    pub(crate) fn new(graph: &'a Graph, altered: &'a Altered) -> Self {
        Self { graph, altered }
    }

    /// What came from the outside: tools' documentation, results, everything that an attacker may have written.
    pub(super) fn contexts(self) -> impl Iterator<Item = Text<'a>> {
        let nodes = self.graph.nodes();
        let contexts = nodes.filter(|(_, node)| matches!(node.kind, NodeKind::Context(_)));
        contexts.map(move |(id, node)| {
            let altered = self.altered.get(&id);
            altered.map_or(Text::Own(id, &node.content), |text| Text::Altered(text))
        })
    }

    /// Whether the user's words are the user's own: nothing stands in their place.
    pub(super) fn is_the_users(self) -> bool {
        let mut nodes = self.graph.nodes();
        !nodes.any(|(id, node)| {
            let altered = self.altered.get(&id);
            node.kind == NodeKind::User && altered.is_some_and(|text| *text != node.content)
        })
    }
}
