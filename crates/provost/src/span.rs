//! Spans: labelled byte ranges that partition a node's content exactly.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::graph::NodeId;
use crate::read::{Path, Piece, Role};

/// Whether a span may serve as evidence for an action (ARGUS paper, section 4.2, ContextSegmenter).
/// `Anomalous` does not mean that the span is an attack: only that no action may rest on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// May serve as evidence.
    Benign,
    /// May not serve as evidence.
    Anomalous,
}

/// Why a span has its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The operator's or the user's own words.
    Principal,
    /// States something; data.
    Assertion,
    /// Asks someone to act, in a source that the user told the agent to follow.
    Delegated,
    /// Asks someone to act; nobody told the agent to follow this source.
    Directive,
    /// Claims authority, an exception or a changed fact, without support in earlier benign spans.
    Claim,
    /// Such a claim, supported by an earlier benign span.
    SupportedClaim,
    /// Speaks of prompts, roles, tools by name, or in chat-template tokens.
    Meta,
    /// Hidden from people: zero-width, bidirectional, hidden markup, comments, encoded blocks, look-alike letters.
    Concealed,
    /// Returned by a call that itself rests on anomalous spans.
    TaintedCause,
    /// Dry runs show that the agent does what it says, without the user's words and against them.
    Commands,
    /// Brackets, separators and other syntax without content of its own.
    Syntax,
}

/// A labelled piece of one node's content.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Where it is and what it says.
    pub piece: Piece,
    /// Whether it may serve as evidence.
    pub label: Label,
    /// Why.
    pub reason: Reason,
    /// Whether it is a whole field (a key, a value, a short text right behind its label), and not only a part of a
    /// longer text: as the content is printed, and as the tool's value has it where that is known.
    pub field: bool,
}

impl Span {
    /// A piece as it was read, before anything is known of it.
    pub(crate) fn unjudged(piece: Piece) -> Self {
        let reason = if piece.role == Role::Syntax {
            Reason::Syntax
        } else {
            Reason::Assertion
        };
        Self {
            piece,
            label: Label::Benign,
            reason,
            field: false,
        }
    }

    /// Byte range within the node's content.
    pub fn range(&self) -> Range<usize> {
        self.piece.range.clone()
    }

    /// Structural path within the content.
    pub fn path(&self) -> &Path {
        &self.piece.path
    }

    /// What kind of piece it is.
    pub fn role(&self) -> Role {
        self.piece.role
    }
}

/// One span of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SpanRef {
    /// The node.
    pub node: NodeId,
    /// Index of the span within the node.
    pub span: u32,
}
