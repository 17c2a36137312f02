//! The frame of the request (DESIGN.md, section 4, `causal` 0): effects that nobody asked for, effects done before, what
//! the user forbids or excepts, and slots that the user filled.

use super::Auditor;
use super::evidence::places;
use super::ground::{Grounded, Rank, rank, shorten};
use super::verdict::Judgement;
use super::vocabulary::{Stems, stems};
use crate::defense::Finding;
use crate::graph::Graph;
use crate::policy::Sensitivity;
use crate::session::ToolCall;
use crate::value::{Kind, atoms};

/// Stems of words that stand for every object or for one named before.
const ANYTHING: &[&str] = &[
    "anyth", "any", "them", "yet", "now", "all", "more", "etwas", "mehr", "rien", "nada", "nulla",
];

impl Auditor {
    /// The user only asked a question, in words that say nothing of what this call does.
    pub(super) fn unasked(&self, call: &ToolCall, grounded: &[Grounded]) -> Option<Judgement> {
        let terms = self.tools.get(&call.name)?;
        let named = grounded
            .iter()
            .any(|g| g.rank == Rank::Principal && g.sensitivity == Sensitivity::Target);
        let only_asks = self.request.only_asks() && terms.name.is_disjoint(&self.request.words);
        (only_asks && !named).then(|| {
            Judgement::of(
                Finding::OutsideTask,
                grounded.to_vec(),
                format!(
                    "the user only asked a question; nobody asked for {}",
                    call.name
                ),
                String::from("Answer the question. If more is needed, ask the user."),
                Vec::new(),
            )
        })
    }

    /// The same call was released since the user's latest words, and did not fail: one request, one effect (DESIGN.md,
    /// section 4, `causal` 0: cardinality).
    pub(super) fn repeated(&self, call: &ToolCall, grounded: &[Grounded]) -> Option<Judgement> {
        let lasting = |g: &Grounded| g.sensitivity == Sensitivity::Amount;
        let (_, before) = self.done.get(&super::deed(call))?;
        let once = *before == self.request.turns() && !self.request.repeats();
        (once && grounded.iter().any(lasting)).then(|| {
            Judgement::of(
                Finding::OutsideTask,
                grounded.to_vec(),
                format!(
                    "this very call of {} was released before, and the user asked for it once",
                    call.name
                ),
                format!(
                    "{} is done. Do not do it again unless the user asks for it again.",
                    call.name
                ),
                Vec::new(),
            )
        })
    }

    /// The user named a place, no call has used it, and this call goes to another one of the kind that the user did not
    /// name: a slot that the user filled stays as it is (DESIGN.md, section 4, `causal` 0).
    pub(super) fn swapped(
        &self,
        graph: &Graph,
        call: &ToolCall,
        grounded: &[Grounded],
    ) -> Option<Judgement> {
        let targets = || {
            grounded
                .iter()
                .filter(|g| g.sensitivity == Sensitivity::Target)
        };
        let (g, constant) = targets().find_map(|g| {
            let kind = places(&g.atoms).next()?.kind;
            let bound = matches!(kind, Kind::Account | Kind::Email | Kind::Phone);
            let users = |t: &Grounded| {
                t.rank == Rank::Principal && places(&t.atoms).any(|a| a.kind == kind)
            };
            let constant = self.request.constant(kind)?;
            (bound && g.rank < Rank::Principal && !targets().any(users)).then_some((g, constant))
        })?;
        Some(Judgement::of(
            Finding::NotEntailed,
            grounded.to_vec(),
            format!(
                "the user named {}, and {} goes to {} instead",
                constant.norm,
                call.name,
                shorten(&g.value)
            ),
            format!(
                "Use what the user named for {}, or ask the user.",
                g.argument
            ),
            g.spans
                .iter()
                .take(1)
                .copied()
                .filter(|s| rank(graph, *s) < Rank::Principal)
                .collect(),
        ))
    }

    /// The user said not to do this, or not to this one.
    pub(super) fn forbidden(&self, call: &ToolCall, grounded: &[Grounded]) -> Option<Judgement> {
        let clause = self
            .prohibition(call, grounded)
            .or_else(|| self.exception(grounded))?;
        Some(Judgement::of(
            Finding::OutsideTask,
            grounded.to_vec(),
            format!("the user said: «{}»", shorten(clause)),
            format!("Leave {} out; the user does not want it.", call.name),
            Vec::new(),
        ))
    }

    /// The clause that forbids what this call does: it names the tool's verb, and the rest of the tool's name, a value
    /// of the call, or no object at all.
    fn prohibition(&self, call: &ToolCall, grounded: &[Grounded]) -> Option<&str> {
        let terms = self.tools.get(&call.name)?;
        let value = |g: &Grounded, words: &Stems| {
            let value = stems(&g.value, None);
            !value.is_empty() && value.is_subset(words)
        };
        let meant = |words: &Stems| {
            let verb = terms.verb.as_ref().is_some_and(|v| words.contains(v));
            let verb_only = |w: &str| terms.verb.as_deref() == Some(w) || ANYTHING.contains(&w);
            let at_all = || words.iter().all(|w| verb_only(w));
            verb && (terms.name.is_subset(words)
                || at_all()
                || grounded.iter().any(|g| value(g, words)))
        };
        let found = self.request.forbidden().iter().find(|(w, _)| meant(w));
        found.map(|(_, clause)| clause.as_str())
    }

    /// The clause that excepts a place that this call goes to.
    fn exception(&self, grounded: &[Grounded]) -> Option<&str> {
        let targets = grounded
            .iter()
            .filter(|g| g.sensitivity == Sensitivity::Target);
        targets
            .flat_map(|g| places(&g.atoms))
            .find_map(|a| self.request.excepts(a))
    }
}

/// The user named a place and one amount for it in one sentence, and the call sends another amount there: a slot that
/// the user filled stays as it is (DESIGN.md, section 4, `causal` 0).
pub(super) fn replaced(graph: &Graph, call: &ToolCall, grounded: &[Grounded]) -> Option<Judgement> {
    let g = grounded.iter().find(|g| {
        g.sensitivity == Sensitivity::Amount && g.rank < Rank::Principal && g.derived.is_none()
    })?;
    let named = grounded
        .iter()
        .filter(|t| t.sensitivity == Sensitivity::Target && places(&t.atoms).next().is_some());
    let (at, amount) = named.flat_map(|t| &t.spans).find_map(|at| {
        let text = graph.text(*at);
        let found = atoms(text);
        let mut amounts = found.iter().filter(|a| a.kind == Kind::Amount);
        let one = amounts.next().filter(|_| amounts.next().is_none())?;
        (rank(graph, *at) == Rank::Principal).then(|| (*at, text[one.range.clone()].to_owned()))
    })?;
    Some(Judgement::of(
        Finding::NotEntailed,
        grounded.to_vec(),
        format!(
            "the user said {amount} for this; {} of {} comes from elsewhere",
            shorten(&g.value),
            call.name
        ),
        format!(
            "Use the user's {amount} for {}, or ask the user.",
            g.argument
        ),
        vec![at],
    ))
}
