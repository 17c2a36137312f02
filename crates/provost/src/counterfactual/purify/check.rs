//! The checks that a purified content has to pass, on the content itself: it is read and segmented again.

use std::collections::HashSet;

use serde::de::IgnoredAny;

use super::{Act, Mediator, Place, Purified, Refusal};
use crate::read::{Format, Path, Reading, Role, Seg, read};
use crate::span::{Label, Span};
use crate::value::{Kind, atoms};

impl Mediator<'_> {
    /// Whether a purified content may be used.
    pub(super) fn check(&self, purified: &Purified) -> Result<(), Refusal> {
        let reading = read(&purified.text);
        self.check_format(&purified.text, &reading)?;
        let mut spans: Vec<Span> = reading.pieces.into_iter().map(Span::unjudged).collect();
        self.mark_fields(purified, &mut spans);
        self.auditor.label(
            self.policy,
            self.node,
            &self.standing,
            &purified.text,
            &mut spans,
        );
        self.check_commands(purified, &spans)?;
        self.check_facts(&purified.text, &spans)?;
        self.check_task(&purified.text, &spans)?;
        self.check_text(&purified.text, &spans)?;
        self.check_places(purified, &spans)
    }

    /// A whole field stays one where it begins as before. What is new is none: then more of it can command.
    fn mark_fields(&self, purified: &Purified, spans: &mut [Span]) {
        let mut kept = purified.kept.iter().peekable();
        for span in spans.iter_mut().filter(|s| s.role() != Role::Syntax) {
            let start = span.range().start;
            while kept.next_if(|(at, _)| *at < start).is_some() {}
            span.field = kept
                .peek()
                .filter(|(at, _)| *at == start)
                .and_then(|(_, i)| self.node.spans.get(*i))
                .is_some_and(|s| s.field);
        }
    }

    /// What has a structure keeps it; running text may be read as something stricter.
    fn check_format(&self, text: &str, reading: &Reading) -> Result<(), Refusal> {
        let json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
        let other = self.format != reading.format;
        if is_structured(self.format) && other
            || self.format == Format::Json && json(&self.node.content) && !json(text)
        {
            return Err(Refusal::Format(self.format));
        }
        Ok(())
    }

    /// Non-actionability. What a tainted call returned has no sentences left besides.
    fn check_commands(&self, purified: &Purified, spans: &[Span]) -> Result<(), Refusal> {
        let mut reports = purified.reports.iter().peekable();
        let mut commands = |span: &&Span| {
            let range = span.range();
            while reports.next_if(|r| r.end <= range.start).is_some() {}
            let report = reports
                .peek()
                .is_some_and(|r| r.start <= range.start && range.end <= r.end);
            let prose = matches!(span.role(), Role::Sentence | Role::Heading);
            span.label == Label::Anomalous || self.tainted && prose && !report
        };
        let left = spans.iter().find(|s| commands(s));
        left.map_or(Ok(()), |span| {
            Err(Refusal::Actionable {
                place: Place::of(span),
                kept: purified.origin(span.range().start),
            })
        })
    }

    /// Factual fidelity.
    fn check_facts(&self, text: &str, spans: &[Span]) -> Result<(), Refusal> {
        let said = spans.iter().filter(|s| s.role() != Role::Syntax);
        let have: HashSet<(Kind, Box<str>)> = said
            .flat_map(|s| atoms(s.piece.text(text)))
            .map(|a| (a.kind, a.norm))
            .collect();
        for (_, span) in self.kept() {
            for atom in atoms(span.piece.text(&self.node.content)) {
                let value = atom.norm.to_string();
                if !have.contains(&(atom.kind, atom.norm)) {
                    let place = Place::of(span);
                    return Err(Refusal::Fact { value, place });
                }
            }
        }
        Ok(())
    }

    /// Task alignment: what is kept still takes up the request.
    fn check_task(&self, text: &str, spans: &[Span]) -> Result<(), Refusal> {
        let content = &self.node.content;
        let kept = self.kept().map(|(_, s)| s.piece.text(content));
        let said = spans.iter().filter(|s| s.role() != Role::Syntax);
        let said = said.map(|s| s.piece.text(text));
        let have = self.auditor.asked_in(content, said);
        let lost = self.auditor.asked_in(content, kept);
        let lost = lost.into_iter().find(|w| !have.contains(w));
        lost.map_or(Ok(()), |word| {
            Err(Refusal::Task {
                word: word.to_string(),
            })
        })
    }

    /// Task alignment: each kept span still says what it said, in order. Sentences may be cut up otherwise.
    fn check_text(&self, text: &str, spans: &[Span]) -> Result<(), Refusal> {
        let mut said = String::with_capacity(text.len());
        for span in spans.iter().filter(|s| s.role() != Role::Syntax) {
            push_words(&mut said, span.piece.text(text));
        }
        let mut rest = said.as_str();
        let mut words = String::new();
        for (_, span) in self.kept() {
            words.clear();
            push_words(&mut words, span.piece.text(&self.node.content));
            let words = words.trim_end();
            rest = memchr::memmem::find(rest.as_bytes(), words.as_bytes())
                .and_then(|at| rest.get(at + words.len()..))
                .ok_or_else(|| Refusal::Text {
                    place: Place::of(span),
                })?;
        }
        Ok(())
    }

    /// Task alignment: in a structured content, what is kept hangs where it hung, up to how the text of a leaf is divided.
    /// Below what is withheld itself it hangs as deep.
    fn check_places(&self, purified: &Purified, spans: &[Span]) -> Result<(), Refusal> {
        if !is_structured(self.format) {
            return Ok(());
        }
        let names = |s: &Span| matches!(s.role(), Role::Key | Role::Heading);
        let mut acts = self.node.spans.iter().zip(&self.acts);
        let renamed = acts.any(|(s, a)| names(s) && *a != Act::Keep);
        // A text within a leaf may be divided otherwise without what is withheld; the leaf is told by its first key, and by its
        // place among the others, which is that of the texts.
        let key = |path: &Path| {
            path.steps()
                .iter()
                .find(|s| matches!(s, Seg::Key(_)))
                .cloned()
        };
        let same = |a: &Path, b: &Path| {
            let short = a.steps().is_empty() || b.steps().is_empty();
            renamed || short || key(a) == key(b)
        };
        let mut said = spans.iter().peekable();
        for (at, i) in &purified.kept {
            let Some(span) = self.node.spans.get(*i) else {
                continue;
            };
            while said.next_if(|s| s.range().end <= *at).is_some() {}
            if !said.peek().is_some_and(|s| same(s.path(), span.path())) {
                let place = Place::of(span);
                return Err(Refusal::Text { place });
            }
        }
        Ok(())
    }
}

/// Whether a content of this format consists of records and fields.
fn is_structured(format: Format) -> bool {
    !matches!(format, Format::Markdown | Format::Text)
}

/// Appends the words of a text, a blank behind each. Marks between them divide texts, and belong to what divides them.
fn push_words(out: &mut String, text: &str) {
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|w| !w.is_empty()) {
        out.push_str(word);
        out.push(' ');
    }
}
