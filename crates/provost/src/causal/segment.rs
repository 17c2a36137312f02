//! ContextSegmenter by rules (ARGUS paper, section 4.2): which pieces of a context may serve as evidence.
//!
//! A piece is judged by what it is and by why it is there, not by its words:
//! - what people cannot see, and what speaks to a model instead of about the subject, is anomalous;
//! - a sentence that argues (a ground and the consequence drawn from it) inside a record, a message or a log is a
//!   claim: data do not argue;
//! - inside rules that the user had read (a procedure, a skill, a list of things to do), the sentence that opens an
//!   item is the rule itself; a *rider*, appended to an item that was about something else, is a claim when it argues;
//! - a command in a source that the user did not designate is a directive.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::designate::record_of;
use super::evidence::is_hard;
use super::lexicon::{Language, Mark};
use super::meta;
use super::speech::{CLAIM, Speech};
use super::vocabulary::stems;
use crate::read::{Path, Role, Seg};
use crate::session::Surface;
use crate::span::{Label, Reason, Span};
use crate::value::{Kind, atoms, mixed_script};

/// Words up to which a sentence is too brief to carry both a ground and what follows from it.
const BRIEF: usize = 13;
/// Numbered sentences from which a text is a list of rules.
const ITEMS: usize = 3;
/// Words up to which a whole field is a name or a state, not a request.
const LABEL: usize = 3;
/// What is asked of a sentence that opens its text or its line, besides: what was put into a text that was about
/// something else follows it.
const OPENING: u8 = 2;
/// Weight from which a sentence beside what a text is about is hearsay.
const ASIDE: u8 = 2;
/// Weight from which a sentence of a tool's documentation is a claim.
const DOCS_CLAIM: u8 = 2;

/// What is known of the node besides its content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Which surface it is.
    pub(crate) surface: Surface,
    /// Whether the user told the agent to look at, or to follow, this source.
    pub(crate) designated: bool,
    /// Whether the user, or what the user referred to, speaks of it.
    pub(crate) referred: bool,
    /// Whether the call that returned it rests on anomalous spans.
    pub(crate) tainted: bool,
}

/// Labels the spans of one context. Of a source that the user designated, the records `others` are not meant. Returns
/// which of the benign spans are *hearsay*: sentences that may hold facts, and are no cause of a choice.
pub(crate) fn label(
    content: &str,
    spans: &mut [Span],
    setting: Setting,
    others: &HashSet<Vec<Seg>>,
) -> Vec<usize> {
    let mut hearsay = Vec::new();
    let language = Language::of(content);
    let places = places(content, spans);
    let lists = lists(spans, &places);
    let forged = meta::forged(content);
    let mut key: Option<Path> = None;
    for (i, place) in places.iter().enumerate() {
        let rules = setting.surface == Surface::Skill || lists.contains(list_of(spans[i].path()));
        let meant = |s: &Span| record_of(s.path()).is_none_or(|r| !others.contains(r));
        let setting = Setting {
            designated: setting.designated && meant(&spans[i]),
            ..setting
        };
        let text = spans[i].piece.text(content);
        let (mut label, mut reason) = judge(&spans[i], text, *place, rules, language, setting);
        if reason == Reason::Delegated && !place.opens && is_rider(content, spans, i, language) {
            (label, reason) = (Label::Anomalous, Reason::Directive);
        }
        if label == Label::Benign && is_hearsay(&spans[i], text, *place, language, setting) {
            hearsay.push(i);
        }
        let span = &mut spans[i];
        span.label = label;
        span.reason = reason;
        let within =
            |r: &Range<usize>| r.start < span.piece.range.end && span.piece.range.start < r.end;
        let speaks = forged.as_ref().is_some_and(within)
            || key
                .as_ref()
                .is_some_and(|k| span.piece.path.steps().starts_with(k.steps()));
        if speaks && reason != Reason::Syntax {
            join(span, Reason::Meta);
        }
        if span.piece.role == Role::Key && span.reason == Reason::Meta {
            key = Some(span.piece.path.clone());
        }
    }
    spread(content, spans, language);
    hearsay.retain(|i| spans[*i].label == Label::Benign);
    hearsay
}

/// Whether a benign sentence is no cause of a choice: nobody referred to what it stands in; or it is what the documentation
/// of a tool says besides what the tool does; or it follows others in what somebody referred to, and draws a consequence.
fn is_hearsay(
    span: &Span,
    text: &str,
    place: Place,
    language: Option<Language>,
    setting: Setting,
) -> bool {
    let words = text.split_whitespace().count();
    let prose = match span.role() {
        Role::Sentence => words > LABEL,
        // All that there is, or as long as a sentence that argues.
        Role::Value => {
            let whole = span.path().steps().is_empty() || !span.field;
            words >= BRIEF || whole && words > LABEL
        }
        _ => false,
    };
    let speech = || Speech::of(text, Language::of_sentence(text, language));
    let aside = |speech: &Speech| speech.argues() >= ASIDE;
    let step = place.opens && place.numbered;
    prose
        && match setting.surface {
            Surface::ToolDocs => !place.opens || aside(&speech()),
            Surface::Memory | Surface::AgentMessage if !setting.referred => true,
            Surface::ToolResult if !setting.referred => false,
            _ if step => false,
            _ => {
                let speech = speech();
                aside(&speech) && !speech.orders
            }
        }
}

/// The list that a path belongs to: what is left without the item's number.
fn list_of(path: &Path) -> &[Seg] {
    match path.steps() {
        [list @ .., Seg::Index(_)] => list,
        steps => steps,
    }
}

/// The lists that hold numbered sentences, enough of them to be rules or steps.
fn lists(spans: &[Span], places: &[Place]) -> HashSet<Vec<Seg>> {
    let mut counts: HashMap<&[Seg], usize> = HashMap::new();
    for (span, place) in spans.iter().zip(places) {
        if span.role() == Role::Sentence && place.numbered && place.opens {
            *counts.entry(list_of(span.path())).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .filter(|(_, n)| *n >= ITEMS)
        .map(|(list, _)| list.to_vec())
        .collect()
}

/// Where a sentence stands in its leaf and line.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// It is the first of its leaf, or the first of its line.
    opens: bool,
    /// Its line is an item of a list.
    numbered: bool,
    /// It describes a parameter, in the documentation of a tool: such sentences state conditions of form.
    parameter: bool,
}

fn places(content: &str, spans: &[Span]) -> Vec<Place> {
    let mut before: Option<&Path> = None;
    let mut key: Option<Place> = None;
    let mut out = Vec::with_capacity(spans.len());
    for span in spans {
        let sentence = matches!(span.piece.role, Role::Sentence | Role::Value);
        let first = sentence && before.is_none_or(|p| p != &span.piece.path);
        let head = line_head(content, span.piece.range.start);
        let marker = head.trim();
        let item = first && matches!(span.piece.path.steps().last(), Some(Seg::Index(_)));
        let leads = is_marker(marker);
        let marked = first || leads;
        let place = Place {
            opens: marked,
            numbered: item
                || leads && !marker.is_empty()
                || marked && opens_with_marker(span.piece.text(content))
                || first && key.is_some_and(|k| k.numbered),
            parameter: matches!(span.piece.path.steps().first(), Some(Seg::Key(k)) if **k == *"parameters"),
        };
        out.push(place);
        match span.piece.role {
            Role::Key => key = Some(place),
            Role::Syntax => {}
            _ => key = None,
        }
        if sentence {
            before = Some(&span.piece.path);
        }
    }
    out
}

/// What stands on the line before `at`, at most 16 bytes of it.
fn line_head(content: &str, at: usize) -> &str {
    let mut from = at.saturating_sub(16);
    while !content.is_char_boundary(from) {
        from += 1;
    }
    let head = &content[from..at];
    head.rfind('\n')
        .map_or(if from == 0 { head } else { "\u{fffc}x" }, |i| {
            &head[i + 1..]
        })
}

/// Whether a sentence itself starts with an item marker: `3.2 `, `(b) `, `§ 4 `, `- `.
fn opens_with_marker(text: &str) -> bool {
    let Some((first, rest)) = text.trim_start().split_once(char::is_whitespace) else {
        return false;
    };
    let core: String = first.chars().filter(|c| c.is_alphanumeric()).collect();
    let decorated = first.chars().any(|c| !c.is_alphanumeric());
    !rest.is_empty() && decorated && is_marker(first) && (core.is_empty() || core.len() <= 4)
}

/// Whether this is nothing but an item marker: `-`, `3.`, `(b)`, `§ 4`, `[ ] 1`, `7.1`, `*3a.*`.
fn is_marker(head: &str) -> bool {
    head.len() <= 12
        && !head.chars().any(|c| c == '\u{fffc}')
        && head.split_whitespace().all(|t| {
            let core: String = t.chars().filter(|c| c.is_alphanumeric()).collect();
            core.len() <= 2 || core.chars().all(|c| c.is_ascii_digit()) && core.len() <= 4
        })
}

fn judge(
    span: &Span,
    text: &str,
    place: Place,
    rules: bool,
    language: Option<Language>,
    setting: Setting,
) -> (Label, Reason) {
    match span.role() {
        Role::Syntax => return (Label::Benign, Reason::Syntax),
        Role::Concealed => return (Label::Anomalous, Reason::Concealed),
        _ if setting.tainted => return (Label::Anomalous, Reason::TaintedCause),
        _ if meta::speaks_to_a_model(text) => return (Label::Anomalous, Reason::Meta),
        Role::Key if text.split_whitespace().count() < BRIEF => {
            return (Label::Benign, Reason::Assertion);
        }
        Role::Key | Role::Value | Role::Sentence | Role::Heading => {}
    }
    if text.split_whitespace().any(mixed_script) {
        return (Label::Anomalous, Reason::Concealed);
    }
    let mut speech = Speech::of(text, Language::of_sentence(text, language));
    // A field of two or three words is a state or a name, unless it names a thing to act on.
    let names = || {
        atoms(text)
            .iter()
            .any(|a| is_hard(a.kind) || a.kind == Kind::Path)
    };
    let field = span.role() == Role::Value && span.field;
    speech.command &= !field || speech.words > LABEL || names();
    let argues = speech.argues();
    // What nobody was told to follow may list rules, and sends nothing anywhere.
    let followed = setting.designated || setting.surface == Surface::Skill;
    let sends = || atoms(text).iter().any(|a| is_hard(a.kind));
    match setting.surface {
        Surface::ToolDocs if states_form(text, &speech) => (Label::Benign, Reason::Assertion),
        Surface::ToolDocs
            if argues >= DOCS_CLAIM + u8::from(place.parameter) * OPENING && !place.opens =>
        {
            (Label::Anomalous, Reason::Claim)
        }
        Surface::ToolDocs => (Label::Benign, Reason::Assertion),
        _ if rules
            && place.opens
            && place.numbered
            && (followed || !(speech.directs() && sends())) =>
        {
            (
                Label::Benign,
                if setting.designated {
                    Reason::Delegated
                } else {
                    Reason::Assertion
                },
            )
        }
        _ if setting.designated && speech.asks() => (Label::Benign, Reason::Delegated),
        // The steps of a procedure, whether they are numbered or not.
        _ if followed && speech.orders && !speech.marks.has(Mark::Condition) && !sends() => {
            (Label::Benign, Reason::Delegated)
        }
        _ if is_claim(&speech, place, setting.surface) => (Label::Anomalous, Reason::Claim),
        // A list of steps makes rules of its items, not of what stands beside them.
        _ if speech.directs() && !followed && (sends() || !(rules && place.numbered)) => {
            (Label::Anomalous, Reason::Directive)
        }
        _ if speech.directs() => (Label::Benign, Reason::Delegated),
        _ => (Label::Benign, Reason::Assertion),
    }
}

/// Sentences before a request that it is compared with.
const HOST: usize = 12;

/// Whether a request to act in running text brings a place for an effect, and takes up nothing of what was said before
/// it: none of its content words, and nothing that points back.
fn is_rider(content: &str, spans: &[Span], at: usize, language: Option<Language>) -> bool {
    let span = &spans[at];
    let text = span.piece.text(content);
    let own = stems(text, language);
    let before = spans[..at].iter().rev();
    let same = |s: &&Span| s.role() == Role::Syntax || s.path() == span.path();
    let mut host = before
        .take_while(same)
        .filter(|s| s.role() == Role::Sentence)
        .take(HOST)
        .peekable();
    let apart = |s: &Span| stems(s.piece.text(content), language).is_disjoint(&own);
    let back = || {
        let language = Language::of_sentence(text, language);
        Speech::of(text, language).marks.has(Mark::Deictic)
    };
    atoms(text).iter().any(|a| is_hard(a.kind))
        && host.peek().is_some()
        && host.all(apart)
        && !back()
}

/// Whether a sentence of a tool's documentation states under which condition a literal is given or taken (`If "type" is
/// "file", …`), and gives no ground for it.
fn states_form(text: &str, speech: &Speech) -> bool {
    let marks = [
        Mark::Reason,
        Mark::Consequence,
        Mark::Purpose,
        Mark::Deeming,
    ];
    let literal = |quote: char| {
        let mut parts = text.split(quote).skip(1).step_by(2);
        parts.any(|p| !p.is_empty() && p.len() <= 40 && !p.contains(char::is_whitespace))
    };
    speech.marks.count(&marks) == 0 && (literal('`') || literal('"'))
}

/// Whether a sentence that is no rule argues: one that opens its text has to argue more, one behind others less where
/// it draws a consequence or makes one thing count as another.
fn is_claim(speech: &Speech, place: Place, surface: Surface) -> bool {
    let draws = speech.marks.has(Mark::Consequence) || speech.marks.has(Mark::Deeming);
    // A note for later, or for somebody else, is about something else from its first sentence on.
    let note = matches!(surface, Surface::Memory | Surface::AgentMessage);
    let (weight, enough) = if place.opens && !note {
        (speech.argues(), CLAIM + OPENING)
    } else {
        (speech.argues() + u8::from(draws), CLAIM)
    };
    speech.words >= BRIEF && weight >= enough
}

/// Sentences between two that speak to a model, at most this many, belong to the same speech.
const SPEECH: usize = 12;

/// What speaks to a model rarely ends with the sentence that shows it. Within the same leaf its speech goes on: to the
/// end of the paragraph, over a colon, over every request to act, and up to the next sentence that speaks to a model.
fn spread(content: &str, spans: &mut [Span], language: Option<Language>) {
    let said: Vec<usize> = (0..spans.len())
        .filter(|i| !matches!(spans[*i].piece.role, Role::Syntax | Role::Key))
        .collect();
    let mut last: Option<usize> = None;
    for (n, &i) in said.iter().enumerate() {
        if spans[i].reason == Reason::Meta {
            if let Some(from) = last.filter(|l| n - l <= SPEECH) {
                said[from..n]
                    .iter()
                    .for_each(|&j| join(&mut spans[j], Reason::Meta));
            }
            last = Some(n);
            continue;
        }
        let Some(&before) = n.checked_sub(1).and_then(|b| said.get(b)) else {
            continue;
        };
        let running = spans[i]
            .piece
            .text(content)
            .trim_start()
            .chars()
            .next()
            .is_some_and(char::is_lowercase);
        if running
            && spans[before].reason == Reason::Directive
            && spans[before].piece.path == spans[i].piece.path
        {
            join(&mut spans[i], Reason::Directive);
            continue;
        }
        if spans[before].reason != Reason::Meta || spans[before].piece.path != spans[i].piece.path {
            last = last.filter(|l| spans[said[*l]].piece.path == spans[i].piece.path);
            continue;
        }
        let gap = content
            .get(spans[before].piece.range.end..spans[i].piece.range.start)
            .unwrap_or("");
        let text = spans[i].piece.text(content);
        let announced = spans[before].piece.text(content).trim_end().ends_with(':');
        if announced || gap.matches('\n').count() < 2 || Speech::of(text, language).directs() {
            join(&mut spans[i], Reason::Meta);
        }
    }
}

fn join(span: &mut Span, reason: Reason) {
    if span.label == Label::Benign {
        span.label = Label::Anomalous;
        span.reason = reason;
    }
}
