//! The purifier: a mediator's content without what commands in it (AgentSentry paper, section 4, "Causally gated
//! purification").
//!
//! It goes span by span over a partition of the content. What is benign stays byte for byte, and so does the syntax
//! around it. What asks, claims or speaks to a machine becomes a short report in parentheses that there was something,
//! and which places it named: evidence, in characters that every format takes as they are. What people cannot see goes.
//! The result is read and segmented again, in the setting that the node had, and is used only if it passes the checks
//! of [`Refusal`]; if it does not, plainer forms are tried before the purifier refuses.

mod check;
mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::causal::meta::tokens;
use crate::causal::{Auditor, Standing};
use crate::graph::{Graph, Node, NodeId, NodeKind};
use crate::policy::Policy;
use crate::read::{Format, Path, Role, read};
use crate::span::{Label, Reason, Span};
use report::{Report, Withheld};

/// Why no purification of a content may be used: what is wrong with the first form of it, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// Only what entered from outside is purified.
    #[error("node {} is no context", .0.0)]
    NoContext(NodeId),
    /// Factual fidelity: a value that a kept span carries is not in the result.
    #[error("the purified content would lose {value}, which stands at {place}")]
    Fact {
        /// Normal form of the value.
        value: String,
        /// Where it stood.
        place: Place,
    },
    /// Non-actionability: a span of the result still commands.
    #[error("the purified content would still say what to do, at {place}")]
    Actionable {
        /// Where, in the result.
        place: Place,
        /// The span of the content that was kept there: it commands without its neighbours, or is read otherwise.
        kept: Option<u32>,
    },
    /// Task alignment: a word of the request that kept spans take up is not in the result.
    #[error("the purified content would not speak of {word} any more")]
    Task {
        /// Its stem.
        word: String,
    },
    /// Task alignment: what a kept span says is not in the result, or hangs elsewhere in it.
    #[error("the purified content would not say what stands at {place}")]
    Text {
        /// Where it stood.
        place: Place,
    },
    /// Task alignment: the result is not of the format of the content.
    #[error("the purified content would not be {0:?} any more")]
    Format(Format),
}

/// A place in a content, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    path: Path,
    at: usize,
}

impl Place {
    fn of(span: &Span) -> Self {
        Self {
            path: span.path().clone(),
            at: span.range().start,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {}", self.at)?;
        if !self.path.steps().is_empty() {
            write!(f, " ({})", self.path)?;
        }
        Ok(())
    }
}

/// What is done with a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Keep,
    /// Nobody would miss it: nobody saw it.
    Cut,
    /// What takes its place is a report, or nothing.
    Withhold(Withheld),
}

/// How a content is purified; the plainer ones follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    /// Whether reports take the place of what is withheld.
    reports: bool,
    /// What takes the place of what is cut.
    gap: &'static str,
}

/// What keeps apart what stood beside something cut.
const GAPS: [&str; 3] = ["", " ", " (something hidden was cut here) "];

impl Form {
    /// The forms, the one that changes least first. What is `cut` may stand within a word or a value: joined, the parts can
    /// become another one.
    fn all(cut: bool) -> impl Iterator<Item = Self> {
        let gaps = if cut { &GAPS[..] } else { &GAPS[..1] };
        [true, false].into_iter().flat_map(|reports| {
            let form = move |gap: &&'static str| Self { reports, gap };
            gaps.iter().map(form)
        })
    }
}

/// A content to purify, and all that it is judged by.
#[derive(Debug)]
struct Mediator<'a> {
    auditor: &'a Auditor,
    policy: &'a Policy,
    node: &'a Node,
    standing: Standing,
    /// It came of a call that rests on anomalous spans itself.
    tainted: bool,
    format: Format,
    acts: Vec<Act>,
}

/// A purified content, before it is checked.
#[derive(Debug, Default)]
struct Purified {
    text: String,
    /// Where kept spans begin in it, and which ones, in order.
    kept: Vec<(usize, usize)>,
    /// Where reports stand in it, in order.
    reports: Vec<Range<usize>>,
}

/// The content of a node without what commands in it: its anomalous spans, and the `culprits`, further ones (by index)
/// that dry runs showed to command. `None` when there is nothing to change. Linear in the length of the content.
///
/// # Errors
/// What is wrong with the first form, when no form passes the checks.
pub(crate) fn purify(
    graph: &Graph,
    auditor: &Auditor,
    policy: &Policy,
    id: NodeId,
    culprits: &BTreeSet<u32>,
) -> Result<Option<String>, Refusal> {
    let mediator = Mediator::of(graph, auditor, policy, id, culprits)?;
    if mediator.acts.iter().all(|a| *a == Act::Keep) {
        return Ok(None);
    }
    let mut refused = None;
    for form in Form::all(mediator.acts.contains(&Act::Cut)) {
        let purified = mediator.write(form);
        match mediator.check(&purified) {
            Ok(()) => {
                let changed = purified.text != mediator.node.content;
                return Ok(Some(purified.text).filter(|_| changed));
            }
            Err(refusal) => refused = refused.or(Some(refusal)),
        }
    }
    refused.map_or(Ok(None), Err)
}

impl<'a> Mediator<'a> {
    fn of(
        graph: &'a Graph,
        auditor: &'a Auditor,
        policy: &'a Policy,
        id: NodeId,
        culprits: &BTreeSet<u32>,
    ) -> Result<Self, Refusal> {
        let node = graph.node(id);
        let NodeKind::Context(surface) = node.kind else {
            return Err(Refusal::NoContext(id));
        };
        let mut standing = auditor.standing(graph, id, surface);
        // What a tainted call returned is anomalous whatever it says; here it matters what it says.
        let tainted = std::mem::take(&mut standing.setting.tainted);
        let mut out = Self {
            auditor,
            policy,
            node,
            standing,
            tainted,
            format: read(&node.content).format,
            acts: Vec::new(),
        };
        out.acts = out.acts(culprits);
        Ok(out)
    }

    /// What is done with each span.
    fn acts(&self, culprits: &BTreeSet<u32>) -> Vec<Act> {
        let node = self.node;
        let tainted = |s: &Span| s.reason == Reason::TaintedCause;
        let said = if node.spans.iter().any(tainted) {
            let mut said = node.spans.clone();
            self.auditor
                .label(self.policy, node, &self.standing, &node.content, &mut said);
            said
        } else {
            Vec::new()
        };
        let one = |(i, span): (usize, &Span)| {
            let culprit = u32::try_from(i).is_ok_and(|i| culprits.contains(&i));
            let act = act(span, culprit);
            match said.get(i) {
                Some(said) if tainted(span) && act == Act::Keep => match self::act(said, false) {
                    Act::Withhold(_) => Act::Withhold(Withheld::Text),
                    act => act,
                },
                _ => act,
            }
        };
        node.spans.iter().enumerate().map(one).collect()
    }

    /// The spans that are kept and say something, with their index.
    fn kept(&self) -> impl Iterator<Item = (usize, &Span)> {
        let kept = |(i, s): &(usize, &Span)| {
            s.role() != Role::Syntax && self.acts.get(*i) == Some(&Act::Keep)
        };
        self.node.spans.iter().enumerate().filter(kept)
    }

    fn write(&self, form: Form) -> Purified {
        let content = &self.node.content;
        let mut out = Purified::default();
        let mut tokens = tokens(content).into_iter().peekable();
        let mut i = 0;
        while let (Some(span), Some(act)) = (self.node.spans.get(i), self.acts.get(i)) {
            match act {
                Act::Keep if span.role() == Role::Syntax => {
                    while tokens.next_if(|t| t.end <= span.range().start).is_some() {}
                    let mut from = span.range().start;
                    while let Some(token) = tokens.next_if(|t| t.start < span.range().end) {
                        out.push(content, from..token.start.min(span.range().end));
                        from = token.end.clamp(from, span.range().end);
                    }
                    out.push(content, from..span.range().end);
                }
                Act::Keep => {
                    out.kept.push((out.text.len(), i));
                    out.push(content, span.range());
                }
                Act::Cut => out.text.push_str(form.gap),
                Act::Withhold(_) => {
                    i = self.withhold(i, form, &mut out);
                    continue;
                }
            }
            i += 1;
        }
        out
    }

    /// Withholds the span at `first` and those of the same leaf that follow it with nothing but blanks between; returns
    /// the first span behind them.
    fn withhold(&self, first: usize, form: Form, out: &mut Purified) -> usize {
        let content = &self.node.content;
        let path = self.node.spans.get(first).map(Span::path);
        let mut report = Report::default();
        let mut blanks: Vec<Range<usize>> = Vec::new();
        let mut end = first;
        for (i, span) in self.node.spans.iter().enumerate().skip(first) {
            let text = span.piece.text(content);
            match self.acts.get(i) {
                Some(Act::Withhold(kind)) if path == Some(span.path()) => {
                    report.add(*kind, text);
                    end = i + 1;
                }
                Some(Act::Keep) if span.role() == Role::Syntax && text.trim().is_empty() => {}
                _ => break,
            }
        }
        let spans = self.node.spans.get(first..end).unwrap_or_default();
        for (span, act) in spans.iter().zip(self.acts.iter().skip(first)) {
            if *act == Act::Keep {
                blanks.push(span.range());
            }
        }
        let literal = end == first + 1 && spans.first().is_some_and(|s| self.is_literal(s));
        let start = out.text.len();
        match (form.reports, literal) {
            (true, true) => out.text.push_str(&format!("\"{report}\"")),
            (true, false) => out.text.push_str(&report.to_string()),
            (false, true) => out.text.push_str("null"),
            (false, false) => {}
        }
        out.reports.push(start..out.text.len());
        for blank in blanks {
            out.push(content, blank);
        }
        end
    }

    /// Whether a span is a value of JSON outside of quotation marks: a number, a constant.
    fn is_literal(&self, span: &Span) -> bool {
        let content = &self.node.content;
        let before = content.get(..span.range().start).unwrap_or_default();
        let after = content.get(span.range().end..).unwrap_or_default();
        self.format == Format::Json
            && before.trim_end().ends_with([':', ',', '[', '{', '(', '='])
            && after.trim_start().starts_with([',', ']', '}', ')'])
    }
}

impl Purified {
    /// The kept span that stands at a place of the result, if one does.
    fn origin(&self, at: usize) -> Option<u32> {
        let behind = self.kept.partition_point(|(start, _)| *start <= at);
        let (_, i) = *self.kept.get(behind.checked_sub(1)?)?;
        let report = self.reports.iter().any(|r| r.contains(&at));
        u32::try_from(i).ok().filter(|_| !report)
    }

    fn push(&mut self, content: &str, range: Range<usize>) {
        self.text.push_str(content.get(range).unwrap_or_default());
    }
}

/// A content without its anomalous spans and the `culprits`, unchecked: for a dry run that is to tell whether these are what
/// the agent acts on, and for nothing else.
pub(crate) fn without(graph: &Graph, id: NodeId, culprits: &BTreeSet<u32>) -> String {
    let node = graph.node(id);
    let mut out = String::with_capacity(node.content.len());
    for (i, span) in (0_u32..).zip(&node.spans) {
        if act(span, culprits.contains(&i)) == Act::Keep {
            out.push_str(node.content.get(span.range()).unwrap_or_default());
        } else {
            out.push(' ');
        }
    }
    out
}

/// Whether a span does not stay, culprit or not.
pub(crate) fn is_withheld(span: &Span) -> bool {
    act(span, false) != Act::Keep
}

/// What is done with a span by its own label.
fn act(span: &Span, culprit: bool) -> Act {
    let prose = matches!(span.role(), Role::Sentence | Role::Heading);
    match (span.label, span.reason) {
        _ if span.role() == Role::Syntax => Act::Keep,
        (Label::Anomalous, Reason::Concealed) if span.role() != Role::Key => Act::Cut,
        (Label::Anomalous, Reason::TaintedCause) if prose || culprit => {
            Act::Withhold(Withheld::Text)
        }
        (Label::Anomalous, Reason::TaintedCause) => Act::Keep,
        (Label::Anomalous, Reason::Claim) => Act::Withhold(Withheld::Claim),
        (Label::Anomalous, Reason::Meta) => Act::Withhold(Withheld::Speech),
        (Label::Anomalous, Reason::Directive | Reason::Commands) => {
            Act::Withhold(Withheld::Request)
        }
        (Label::Anomalous, _) => Act::Withhold(Withheld::Text),
        (Label::Benign, _) if culprit => Act::Withhold(Withheld::Request),
        (Label::Benign, _) => Act::Keep,
    }
}
