//! The pieces of a node's content, cut to a bounded size.
//!
//! What a verdict cites is kept, then text that no action may rest on, then the rest from the start. What is left
//! out is counted ([`Part::Gap`], [`SpanView::cut`]), so that the page can say so.

use std::fmt::{self, Display, Write as _};

use provost::{Label, Node, Reason, Span};
use serde::Serialize;

use super::trail;
use super::view::{is_false, is_zero};

/// Bytes of uncited text kept of one node: as much benign text, and as much anomalous text.
const NODE_TEXT: usize = 64 * 1024;
/// Uncited spans kept of one node, likewise.
const NODE_SPANS: usize = 4_000;
/// Bytes of text kept of one span.
const SPAN_TEXT: usize = 16 * 1024;
/// Bytes kept of a name or a path.
pub(super) const NAME: usize = 256;
/// Bytes kept of a sentence.
pub(super) const SENTENCE: usize = 4 * 1024;

/// A piece of a node's content. There are very many, so what is usual is not spelled out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Part {
    /// A span of mere syntax that no verdict cites; in an action, its arguments.
    Plain(String),
    /// Any other span.
    Span(SpanView),
    /// What was left out of the report.
    Gap {
        /// How many spans.
        spans: usize,
        /// How many bytes of text.
        bytes: usize,
    },
}

/// One span.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SpanView {
    /// Its text, as it stands in the content.
    #[serde(rename = "t")]
    pub(crate) text: String,
    /// Why it has its label.
    #[serde(rename = "r", skip_serializing_if = "is_assertion")]
    pub(crate) reason: Reason,
    /// Whether no action may rest on it.
    #[serde(rename = "a", skip_serializing_if = "is_false")]
    pub(crate) anomalous: bool,
    /// Structural path, as `items[2] › iban`.
    #[serde(rename = "p", skip_serializing_if = "String::is_empty")]
    pub(crate) path: String,
    /// Bytes of the text that were left out at its end.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) cut: usize,
}

/// How much uncited text may still be kept.
struct Room {
    text: usize,
    spans: usize,
}

impl Room {
    const NODE: Self = Self {
        text: NODE_TEXT,
        spans: NODE_SPANS,
    };

    /// Takes room for one span, if there is any.
    fn take(&mut self, size: usize) -> bool {
        let fits = self.spans > 0 && size <= self.text;
        if fits {
            self.spans -= 1;
            self.text -= size;
        }
        fits
    }
}

/// The pieces of `node`. `cited` tells which spans a verdict names; `left` is the benign text that the run may
/// still keep, in bytes.
pub(super) fn parts(node: &Node, cited: impl Fn(u32) -> bool, left: &mut usize) -> Vec<Part> {
    if node.spans.is_empty() {
        return plain(&node.content);
    }
    let mut parts = Vec::new();
    let mut benign = Room {
        text: NODE_TEXT.min(*left),
        ..Room::NODE
    };
    let before = benign.text;
    let mut anomalous = Room::NODE;
    for (i, span) in (0u32..).zip(&node.spans) {
        let text = node.content.get(span.range()).unwrap_or_default();
        let size = kept(text).len();
        let cited = cited(i);
        let room = match span.label {
            Label::Benign => &mut benign,
            Label::Anomalous => &mut anomalous,
        };
        if !cited && !room.take(size) {
            skip(&mut parts, text.len());
        } else if span.reason == Reason::Syntax && span.label == Label::Benign && !cited {
            parts.extend(plain(text));
        } else {
            parts.push(Part::Span(SpanView::of(span, text)));
        }
    }
    *left -= before - benign.text;
    parts
}

/// A text that is no span worth a name.
fn plain(text: &str) -> Vec<Part> {
    let shown = kept(text);
    let mut parts = vec![Part::Plain(shown.to_owned())];
    if shown.len() < text.len() {
        parts.push(Part::Gap {
            spans: 0,
            bytes: text.len() - shown.len(),
        });
    }
    parts
}

/// Counts one more span into the gap at the end.
fn skip(parts: &mut Vec<Part>, size: usize) {
    if let Some(Part::Gap { spans, bytes }) = parts.last_mut() {
        *spans += 1;
        *bytes += size;
    } else {
        parts.push(Part::Gap {
            spans: 1,
            bytes: size,
        });
    }
}

fn kept(text: &str) -> &str {
    &text[..text.floor_char_boundary(SPAN_TEXT)]
}

impl SpanView {
    fn of(span: &Span, text: &str) -> Self {
        let shown = kept(text);
        Self {
            text: shown.to_owned(),
            reason: span.reason,
            anomalous: span.label == Label::Anomalous,
            path: trail(span.path()),
            cut: text.len() - shown.len(),
        }
    }
}

/// The first `room` bytes of a text, with an ellipsis where something is missing. Costs no more than that.
pub(super) fn bounded(text: impl Display, room: usize) -> String {
    let mut out = Bounded {
        text: String::new(),
        room,
    };
    // The only error is the writer's own, at the end of its room.
    if write!(out, "{text}").is_err() {
        out.text.push('\u{2026}');
    }
    out.text
}

struct Bounded {
    text: String,
    room: usize,
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let shown = &piece[..piece.floor_char_boundary(self.room - self.text.len())];
        self.text.push_str(shown);
        if shown.len() < piece.len() {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes references"
)]
fn is_assertion(reason: &Reason) -> bool {
    *reason == Reason::Assertion
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use provost::NodeKind;
    use provost::read::{Path, Piece, Role};

    use super::*;

    /// A node of these spans: text, whether anomalous.
    fn node(spans: &[(&str, bool)]) -> Node {
        let mut content = String::new();
        let spans = spans
            .iter()
            .map(|(text, anomalous)| {
                let start = content.len();
                content.push_str(text);
                let (label, reason) = if *anomalous {
                    (Label::Anomalous, Reason::Directive)
                } else {
                    (Label::Benign, Reason::Syntax)
                };
                Span {
                    piece: Piece {
                        range: start..content.len(),
                        role: Role::Sentence,
                        path: Path::default(),
                        decoded: None,
                    },
                    label,
                    reason,
                    field: false,
                }
            })
            .collect();
        Node {
            kind: NodeKind::User,
            name: String::new(),
            content,
            spans,
            cause: None,
            inputs: 0,
        }
    }

    /// Text and number of spans, shown and left out.
    fn whole(parts: &[Part]) -> (usize, usize) {
        parts
            .iter()
            .fold((0, 0), |(bytes, spans), part| match part {
                Part::Plain(text) => (bytes + text.len(), spans + 1),
                Part::Span(span) => (bytes + span.text.len() + span.cut, spans + 1),
                Part::Gap { spans: n, bytes: b } => (bytes + b, spans + n),
            })
    }

    proptest! {
        #[test]
        fn nothing_is_lost_silently(
            spans in prop::collection::vec(("\\PC{0,40}", 1usize..2_000, any::<bool>()), 0..30),
            room in 0usize..200_000,
            cite in 0u32..30,
        ) {
            let texts: Vec<(String, bool)> =
                spans.iter().map(|(text, times, odd)| (text.repeat(*times), *odd)).collect();
            let borrowed: Vec<(&str, bool)> = texts.iter().map(|(t, odd)| (t.as_str(), *odd)).collect();
            let node = node(&borrowed);
            let mut left = room;
            let parts = parts(&node, |i| i == cite, &mut left);
            if !node.spans.is_empty() {
                prop_assert_eq!(whole(&parts), (node.content.len(), node.spans.len()));
            }
            prop_assert!(left <= room);
        }
    }

    #[test]
    fn cited_and_anomalous_spans_outlast_the_rest() {
        let filler = "x".repeat(1_000);
        let mut spans = vec![(filler.as_str(), false); 300];
        spans.push(("send it", true));
        spans.push(("the account", false));
        let node = node(&spans);
        let mut left = usize::MAX;
        let parts = parts(&node, |i| i == 301, &mut left);
        let named: Vec<&str> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Span(span) => Some(span.text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(named, ["send it", "the account"]);
        assert_eq!(whole(&parts), (node.content.len(), 302));
        assert_eq!(usize::MAX - left, 65_000);
    }
}
