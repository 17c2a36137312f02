//! The numbers that expressions are made of: operands, groups of them that belong together, and durations.

use rust_decimal::Decimal;

use super::{Operand, Value};
use crate::span::SpanRef;

/// A number in an expression: an operand, a duration, or the sum or count of a set.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) value: Decimal,
    pub(super) percent: bool,
    pub(super) label: String,
    pub(super) from: Vec<SpanRef>,
}

impl Term {
    pub(super) fn of(value: Decimal, percent: bool, at: SpanRef) -> Self {
        let sign = if percent { " %" } else { "" };
        Self {
            value,
            percent,
            label: format!("{}{sign}", value.normalize()),
            from: vec![at],
        }
    }

    /// Whether the number may be meant as a percentage.
    pub(super) fn rate(&self) -> bool {
        self.percent || self.value > Decimal::ZERO && self.value <= Decimal::ONE_HUNDRED
    }
}

/// The number that a value is, and whether it is a percentage.
pub(super) fn number_of(value: &Value) -> Option<(Decimal, bool)> {
    match value {
        Value::Number(n) => Some((*n, false)),
        Value::Percent(n) => Some((*n, true)),
        _ => None,
    }
}

/// The distinct numbers among the operands, zero left out, at most `limit`.
pub(super) fn terms(operands: &[Operand], limit: usize) -> Vec<Term> {
    let mut out: Vec<Term> = Vec::new();
    for operand in operands {
        let Some((value, percent)) = number_of(&operand.value) else {
            continue;
        };
        if out.len() >= limit {
            break;
        }
        if !value.is_zero() && !out.iter().any(|t| t.value == value && t.percent == percent) {
            out.push(Term::of(value, percent, operand.at));
        }
    }
    out
}

/// The numbers and durations of each record and of each sentence.
pub(super) fn records(operands: &[Operand], limit: usize) -> Vec<Vec<Term>> {
    let useful = |o: &&Operand| number_of(&o.value).is_some() || matches!(o.value, Value::Time(_));
    let mut groups: Vec<Vec<&Operand>> = Vec::new();
    for operand in operands.iter().filter(useful).take(limit * 4) {
        let same = |group: &&mut Vec<&Operand>| group.first().is_some_and(|o| together(o, operand));
        match groups.iter_mut().rev().take(limit).find(same) {
            Some(group) if group.len() < limit => group.push(operand),
            Some(_) => {}
            None => groups.push(vec![operand]),
        }
    }
    let terms = groups.iter().map(|group| {
        let numbers = group
            .iter()
            .filter_map(|o| number_of(&o.value).map(|(n, percent)| Term::of(n, percent, o.at)));
        numbers.chain(durations(group)).collect::<Vec<_>>()
    });
    terms.filter(|g| !g.is_empty()).collect()
}

/// The distinct numbers of each content that holds only a few: a form, a short message.
pub(super) fn contents(operands: &[Operand], limit: usize) -> Vec<Vec<Term>> {
    const FEW: usize = 16;
    let mut nodes = Vec::new();
    for operand in operands.iter().take(limit * 8) {
        if !nodes.contains(&operand.at.node) {
            nodes.push(operand.at.node);
        }
    }
    let groups = nodes.into_iter().take(limit).map(|node| {
        let inside: Vec<Operand> = operands
            .iter()
            .take(limit * 8)
            .filter(|o| o.at.node == node)
            .cloned()
            .collect();
        terms(&inside, FEW + 1)
    });
    groups.filter(|g| (2..=FEW).contains(&g.len())).collect()
}

/// Whether two operands stand in one record, or in one span outside of records.
fn together(a: &Operand, b: &Operand) -> bool {
    let (x, y) = (a.path.record(), b.path.record());
    a.at == b.at || a.at.node == b.at.node && !x.is_empty() && x == y
}

/// The time between the first two times of a group, in hours.
fn durations(group: &[&Operand]) -> Option<Term> {
    let mut times = group.iter().filter_map(|o| match o.value {
        Value::Time(seconds) => Some((seconds, o.at)),
        _ => None,
    });
    let ((start, a), (end, b)) = (times.next()?, times.next()?);
    let seconds = end.checked_sub(start).filter(|s| *s > 0)?;
    let clock = |s: u32| format!("{:02}:{:02}", s / 3600, s / 60 % 60);
    let value = Decimal::from(seconds) / Decimal::from(3600);
    Some(Term {
        value,
        percent: false,
        label: format!("hours from {} to {}", clock(start), clock(end)),
        from: vec![a, b],
    })
}
