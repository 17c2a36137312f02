//! ArgumentGrounder by rules (ARGUS paper, section 4.2): what each argument of a call rests on.

use serde_json::Value;

use super::evidence::{Evidence, distinct_words, places};
use crate::defense::{Grounding, Support};
use crate::graph::{Graph, NodeId, NodeKind};
use crate::policy::{Policy, Sensitivity};
use crate::read::Role;
use crate::session::{ToolCall, ToolDef};
use crate::span::{Label, Reason, SpanRef};
use crate::value::derive::{Budget, Operand, Pool, Value as Computed, derive, focus};
use crate::value::{Atom, Kind, atoms, mixed_script};

/// How strong the best support of a value is. Ordered: later is stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Nothing supports it.
    Nothing,
    /// Only anomalous spans.
    Anomalous,
    /// The prose of a benign context.
    Prose,
    /// A whole field of a benign context.
    Field,
    /// The user or the operator.
    Principal,
}

/// One argument value with what it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Grounded {
    /// Path into the arguments.
    pub(crate) argument: String,
    /// The value as text.
    pub(crate) value: String,
    /// What the argument decides.
    pub(crate) sensitivity: Sensitivity,
    /// Typed atoms in the value.
    pub(crate) atoms: Vec<Atom>,
    /// The best support.
    pub(crate) rank: Rank,
    /// The spans that support it, strongest first, at most [`SHOWN`].
    pub(crate) spans: Vec<SpanRef>,
    /// Hard atoms inside a longer text that only anomalous spans know.
    pub(crate) smuggled: Vec<(Atom, SpanRef)>,
    /// It names a place that nothing knows.
    pub(crate) stray: bool,
    /// How it was derived, when it is not verbatim.
    pub(crate) derived: Option<String>,
}

/// Spans kept per value.
const SHOWN: usize = 8;
/// How strong one span is as support.
pub(crate) fn rank(graph: &Graph, at: SpanRef) -> Rank {
    let span = graph.span(at);
    match graph.node(at.node).kind {
        _ if span.label == Label::Anomalous => Rank::Anomalous,
        NodeKind::System | NodeKind::User => Rank::Principal,
        // A key names a field; a place for an effect that stands there is no value of one.
        _ if !span.field => Rank::Prose,
        _ if span.role() == Role::Key => key_rank(graph.text(at)),
        _ => Rank::Field,
    }
}

fn key_rank(text: &str) -> Rank {
    if places(&atoms(text)).next().is_some() {
        Rank::Prose
    } else {
        Rank::Field
    }
}

/// Whether a value is written so that it reads like another one: letters of several scripts in a word, characters
/// without width, changes of direction, a host before the host, steps up a path. Comparison forms hide such differences; the world does not.
pub(crate) fn is_disguised(value: &str) -> bool {
    let hidden = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let steps = || value.split(['/', '\\']).any(|s| s == "..");
    let address = value.split_once("://").map(|(_, rest)| rest);
    // What stands before an `@` in an address is no host, whatever it looks like; a backslash ends one in some readers.
    let posing = address.is_some_and(|a| {
        let host = a.split('/').next().unwrap_or(a);
        host.contains(['@', '\\'])
    });
    value.contains(hidden)
        || posing
        || steps()
        || value
            .split(|c: char| !c.is_alphanumeric())
            .any(mixed_script)
}

/// Grounds every argument of a call.
pub(crate) fn ground(
    graph: &Graph,
    evidence: &Evidence,
    policy: &Policy,
    def: Option<&ToolDef>,
    call: &ToolCall,
) -> Vec<Grounded> {
    let mut out: Vec<Grounded> = leaves(&call.arguments)
        .into_iter()
        .map(|(argument, value)| {
            let top = argument.split(['.', '[']).next().unwrap_or(&argument);
            let sensitivity = policy.sensitivity(&call.name, top, def);
            ground_one(graph, evidence, sensitivity, argument.clone(), value)
        })
        .collect();
    let near: Vec<SpanRef> = out
        .iter()
        .flat_map(|g| g.spans.iter().take(2))
        .copied()
        .collect();
    for g in out.iter_mut().filter(|g| g.rank == Rank::Nothing) {
        let numeric = matches!(g.sensitivity, Sensitivity::Amount | Sensitivity::Selector);
        let found = numeric
            .then(|| computed(evidence, &near, &g.atoms))
            .flatten();
        if let Some((how, spans)) = found.filter(|(how, spans)| {
            let turned = g.sensitivity == Sensitivity::Amount && is_turned(graph, &g.value, spans);
            !turned && !is_rescaled(how, &g.argument)
        }) {
            g.rank = spans
                .iter()
                .map(|s| rank(graph, *s))
                .min()
                .unwrap_or(Rank::Prose);
            g.derived = Some(how);
            g.spans = spans;
        }
    }
    out
}

/// A hundred times an amount: right for an argument in minor units, which says so by its name, and wrong for any other.
fn is_rescaled(how: &str, argument: &str) -> bool {
    let minor = ["cent", "minor", "pence", "penn", "kop", "unit"];
    let lower = argument.to_lowercase();
    how.ends_with("× 100") && !minor.iter().any(|m| lower.contains(m))
}

/// An amount with its sign turned: what is paid is not what is taken.
fn is_turned(graph: &Graph, value: &str, spans: &[SpanRef]) -> bool {
    let negative = |t: &str| t.contains(['-', '−', '(']);
    value.trim_start().starts_with(['-', '−']) && !spans.iter().any(|s| negative(graph.text(*s)))
}

fn ground_one(
    graph: &Graph,
    evidence: &Evidence,
    sensitivity: Sensitivity,
    argument: String,
    value: String,
) -> Grounded {
    let found_atoms = atoms(&value);
    let mut spans = evidence.find(graph, &value, &found_atoms);
    // Running text was not searched yet where a typed value was found.
    let typed = !spans.is_empty() && !found_atoms.is_empty();
    if typed && spans.iter().all(|s| rank(graph, *s) == Rank::Anomalous) {
        spans.extend(evidence.containing(graph, &value));
    }
    spans.retain(|s| !evidence.is_echo(graph, *s, &found_atoms));
    if sensitivity == Sensitivity::Amount && is_turned(graph, &value, &spans) {
        spans.clear();
    }
    spans.sort_by_key(|s| (std::cmp::Reverse(rank(graph, *s)), *s));
    let rank_of = spans.first().map_or(Rank::Nothing, |s| rank(graph, *s));
    let smuggled = places(&found_atoms)
        .filter_map(|a| {
            let all: Vec<SpanRef> = evidence.atom(a).collect();
            let only = !all.is_empty() && all.iter().all(|s| rank(graph, *s) == Rank::Anomalous);
            only.then(|| (a.clone(), all[0]))
        })
        .collect();
    let unknown = |a: &Atom| evidence.atom(a).next().is_none();
    let mut derived = None;
    let mut rank_of = rank_of;
    if rank_of == Rank::Nothing
        && let Some((how, parts)) = joined(graph, evidence, &value)
            .or_else(|| named_mailbox(graph, evidence, &found_atoms))
            .or_else(|| glued(graph, evidence, &found_atoms))
    {
        rank_of = parts
            .iter()
            .map(|s| rank(graph, *s))
            .min()
            .unwrap_or(Rank::Nothing);
        derived = Some(how);
        spans = parts;
    }
    // A digit or two in a long argument about something else is no support, good or bad.
    let argued = |s: &SpanRef| graph.span(*s).reason == Reason::Claim;
    if rank_of == Rank::Anomalous && is_small_number(&value) && spans.iter().all(argued) {
        rank_of = Rank::Nothing;
        spans.clear();
    }
    let loose = rank_of == Rank::Nothing || places(&found_atoms).count() > 1;
    let stray = loose && derived.is_none() && places(&found_atoms).any(unknown);
    spans.truncate(SHOWN);
    Grounded {
        argument,
        value,
        sensitivity,
        atoms: found_atoms,
        rank: rank_of,
        spans,
        smuggled,
        stray,
        derived,
    }
}

fn is_small_number(value: &str) -> bool {
    value.trim().len() < 3 && value.trim().bytes().all(|b| b.is_ascii_digit())
}

/// A value put together from whole fields of one record: `20-44-91 03316728` from a sort code and a number.
fn joined(graph: &Graph, evidence: &Evidence, value: &str) -> Option<(String, Vec<SpanRef>)> {
    let parts: Vec<&str> = value.split_whitespace().collect();
    if parts.len() < 2 || parts.len() > 4 {
        return None;
    }
    let mut spans: Vec<SpanRef> = Vec::new();
    for part in &parts {
        let found = evidence.whole(part, &atoms(part));
        let near = |s: &&SpanRef| {
            spans
                .first()
                .is_none_or(|f: &SpanRef| f.node == s.node && f.span.abs_diff(s.span) < 16)
        };
        spans.push(
            *found
                .iter()
                .filter(|s| rank(graph, **s) >= Rank::Field)
                .find(near)?,
        );
    }
    Some((format!("joined: {}", parts.join(" + ")), spans))
}

/// Operands looked at for one value, the latest first, and expressions tried.
const OPERANDS: usize = 240;
const BUDGET: Budget = Budget {
    operands: 40,
    combinations: 40_000,
};
/// Surprise, in bits, from which a derivation is more than a coincidence.
const SURPRISING: i32 = 0;

/// A number or a date that follows from benign ones: a sum, a difference, a share, an end time.
fn computed(
    evidence: &Evidence,
    near: &[SpanRef],
    found: &[Atom],
) -> Option<(String, Vec<SpanRef>)> {
    let goals = found.iter().flat_map(Computed::readings);
    let latest = evidence.operands.len().saturating_sub(OPERANDS);
    let mut operands: Vec<Operand> = evidence.operands[latest..].iter().rev().cloned().collect();
    focus(&mut operands, near);
    let pool = Pool {
        operands: &operands,
        today: None,
    };
    goals
        .filter_map(|goal| derive(&goal, &pool, BUDGET))
        .find(|d| d.strength >= SURPRISING)
        .map(|d| (d.how, d.operands))
}

/// A mail address in the house's own pattern: a person whom a benign context names, at a domain that is known.
fn named_mailbox(
    graph: &Graph,
    evidence: &Evidence,
    found: &[Atom],
) -> Option<(String, Vec<SpanRef>)> {
    let mail = found.iter().find(|a| a.kind == Kind::Email)?;
    let (local, domain) = mail.norm.split_once('@')?;
    let name = local.replace(['.', '_', '-'], " ");
    if name.split(' ').count() < 2 {
        return None;
    }
    let host = atoms(domain).into_iter().find(|a| a.kind == Kind::Host)?;
    let known = evidence
        .atom(&host)
        .find(|s| rank(graph, *s) >= Rank::Field)?;
    let best = |text: &str| {
        let spans = evidence.containing(graph, text).into_iter();
        let known = spans.filter(|s| rank(graph, *s) > Rank::Anomalous);
        known.max_by_key(|s| rank(graph, *s))
    };
    // One part of the name may be the user's, and the rest stand where the agent looked.
    let apart = || {
        let part = |p: &str| best(p).or_else(|| best(&format!("{p}'s")));
        let parts: Option<Vec<SpanRef>> = name.split(' ').map(part).collect();
        parts?
            .into_iter()
            .find(|s| rank(graph, *s) == Rank::Principal)
    };
    let person = best(&name).or_else(apart)?;
    Some((
        format!("{name} at the known domain {domain}"),
        vec![person, known],
    ))
}

/// An address that the user wrote, run together with the punctuation around it, or with another spelling of its
/// scheme.
fn glued(graph: &Graph, evidence: &Evidence, found: &[Atom]) -> Option<(String, Vec<SpanRef>)> {
    let mut all = places(found);
    let place = all.next().filter(|_| all.next().is_none())?;
    let needle = fold_place(&place.norm);
    let at = evidence.with_words(&distinct_words(&needle)).find(|s| {
        let text = fold_place(graph.text(*s));
        rank(graph, *s) == Rank::Principal
            && text.match_indices(&needle).any(|(i, _)| {
                let inside =
                    |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '@' | '.');
                let before = text[..i].chars().next_back();
                let after = text[i + needle.len()..].chars().next();
                !before.is_some_and(inside)
                    && !after.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '@'))
            })
    })?;
    Some((String::from("as the user wrote it"), vec![at]))
}

/// An address without case, scheme and closing slash.
fn fold_place(text: &str) -> String {
    let lower = text
        .to_lowercase()
        .replace("https://", "")
        .replace("http://", "");
    lower.trim_end_matches('/').to_owned()
}

/// The leaves of what an action was given: none where that is no JSON.
pub(crate) fn arguments(graph: &Graph, action: NodeId) -> Vec<(String, String)> {
    let given: Value = serde_json::from_str(&graph.node(action).content).unwrap_or_default();
    leaves(&given)
}

/// The leaves of the arguments that can carry anything: no booleans, nulls or empty strings.
pub(crate) fn leaves(arguments: &Value) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut stack = vec![(String::new(), arguments)];
    while let Some((path, value)) = stack.pop() {
        match value {
            Value::Object(map) => {
                // A key below the top is written by whoever makes the call; where it names a place, it is a value too.
                let named = |k: &&String| !path.is_empty() && places(&atoms(k)).next().is_some();
                out.extend(
                    map.keys()
                        .filter(named)
                        .map(|k| (format!("{path}.{k}"), k.clone())),
                );
                stack.extend(map.iter().rev().map(|(k, v)| {
                    (
                        if path.is_empty() {
                            k.clone()
                        } else {
                            format!("{path}.{k}")
                        },
                        v,
                    )
                }));
            }
            Value::Array(items) => {
                stack.extend(
                    items
                        .iter()
                        .enumerate()
                        .rev()
                        .map(|(i, v)| (format!("{path}[{i}]"), v)),
                );
            }
            Value::String(s) if !s.trim().is_empty() => out.push((path, s.clone())),
            Value::Number(n) => out.push((path, n.to_string())),
            _ => {}
        }
    }
    out
}

impl Grounded {
    /// As reported.
    pub(crate) fn report(&self) -> Grounding {
        let composed = self.sensitivity == Sensitivity::Content && self.rank <= Rank::Anomalous;
        let support = match (&self.derived, self.rank) {
            (Some(how), _) => Support::Derived {
                how: how.clone(),
                spans: self.spans.clone(),
            },
            (None, _) if composed => Support::Default {
                why: String::from("composed text, judged by the values in it"),
            },
            (None, Rank::Nothing) => Support::Nothing,
            (None, _) => Support::Verbatim {
                spans: self.spans.clone(),
            },
        };
        let unsupported = self.rank <= Rank::Anomalous && self.derived.is_none() && !composed;
        let anomalous = unsupported || !self.smuggled.is_empty();
        Grounding {
            argument: self.argument.clone(),
            value: shorten(&self.value),
            sensitivity: self.sensitivity,
            support,
            label: if anomalous {
                Label::Anomalous
            } else {
                Label::Benign
            },
        }
    }
}

/// A value for display: one line, at most 80 characters.
pub(crate) fn shorten(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.chars().count() <= 80 {
        line
    } else {
        line.chars().take(79).chain(['…']).collect()
    }
}

#[cfg(test)]
mod disguises {
    use super::is_disguised;

    #[test]
    fn letters_that_read_like_others_are_seen() {
        for (value, want) in [
            ("anna@example.com", false),
            ("anna@ex\u{430}mple.com", true),
            ("anna\u{200b}@example.com", true),
            ("DE89\u{202e}3704", true),
            ("Анна", false),
            ("café", false),
        ] {
            assert_eq!(is_disguised(value), want, "{value:?}");
        }
    }
}
