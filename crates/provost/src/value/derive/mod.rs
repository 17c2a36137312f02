//! Derivations: how a value that stands nowhere follows from values that do.
//!
//! The search tries small expressions over a pool of operands in a fixed order, the likeliest first (whole columns,
//! values of one record or sentence, the nearest operands, everything), and stops at the first that gives the goal or
//! when its budget is spent. With many operands almost every short number can be reached by accident, so each result
//! says how surprising it is: the digits that had to agree, against the number of expressions tried before.

mod date;
mod number;
mod table;
mod term;
mod text;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::{Atom, Kind};
use crate::graph::NodeId;
use crate::read::Path;
use crate::span::SpanRef;

/// A value to compute with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number or an amount; currencies are not told apart.
    Number(Decimal),
    /// A percentage: 15 for 15 %.
    Percent(Decimal),
    /// A calendar date.
    Date(Date),
    /// Month and day without a year.
    Day(u8, u8),
    /// Month, perhaps of a year.
    Month(Option<i16>, u8),
    /// A day of some month.
    DayOfMonth(u8),
    /// Year and week (ISO 8601).
    Week(i16, u8),
    /// Day of the week, Monday = 1.
    Weekday(u8),
    /// Time of day in seconds after midnight.
    Time(u32),
    /// Text.
    Text(Box<str>),
}

impl Value {
    /// The readings of an atom as a value to compute with; none for addresses, identifiers and the like, which are text.
    pub fn readings(atom: &Atom) -> Vec<Self> {
        let norms = std::iter::once(&atom.norm).chain(&atom.alt);
        norms
            .filter_map(|norm| Self::parse(atom.kind, norm))
            .collect()
    }

    fn parse(kind: Kind, norm: &str) -> Option<Self> {
        match kind {
            Kind::Number | Kind::Amount => {
                if let Some(percent) = norm.strip_suffix('%') {
                    return Decimal::from_str_exact(percent).ok().map(Self::Percent);
                }
                let number = norm.split(' ').next()?;
                Decimal::from_str_exact(number).ok().map(Self::Number)
            }
            Kind::Date => Self::parse_date(norm),
            Kind::Time => {
                let mut parts = norm.split(':').map(|p| p.parse::<u32>().ok());
                let (hour, minute) = (parts.next()??, parts.next()??);
                Some(Self::Time(
                    hour * 3600 + minute * 60 + parts.next().flatten().unwrap_or(0),
                ))
            }
            _ => None,
        }
    }

    /// Reads the normal forms of dates (see the date scanner).
    fn parse_date(norm: &str) -> Option<Self> {
        if let Some(day) = norm.strip_prefix("-W-") {
            return day.parse().ok().map(Self::Weekday);
        }
        let number = |from, to| norm.get(from..to)?.parse::<u8>().ok();
        if norm.starts_with("---") {
            return number(3, 5).map(Self::DayOfMonth);
        }
        if norm.starts_with("--") {
            let month = number(2, 4)?;
            return Some(
                number(5, 7).map_or(Self::Month(None, month), |day| Self::Day(month, day)),
            );
        }
        let year = norm.get(..4)?.parse::<i16>().ok()?;
        if norm.get(5..6) == Some("W") {
            return number(6, 8).map(|week| Self::Week(year, week));
        }
        let month = number(5, 7)?;
        match number(8, 10) {
            Some(day) => Date::new(year, month as i8, day as i8).ok().map(Self::Date),
            None => Some(Self::Month(Some(year), month)),
        }
    }
}

/// A value that is known, and where it stands.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The value.
    pub value: Value,
    /// The span that holds it.
    pub at: SpanRef,
    /// Its place in the structure of the content: values of one record and of one column belong together.
    pub path: Path,
}

impl Operand {
    /// The operands that a text holds: each reading of each number, date and time in it, and the text itself.
    pub fn of_text(text: &str, at: SpanRef, path: &Path) -> Vec<Self> {
        let mut out: Vec<Self> = Self::of_atoms(&super::atoms(text), at, path).collect();
        out.push(Self {
            value: Value::Text(text.into()),
            at,
            path: path.clone(),
        });
        out
    }

    /// The numbers, dates and times among the atoms of a text, in each of their readings.
    pub fn of_atoms(atoms: &[Atom], at: SpanRef, path: &Path) -> impl Iterator<Item = Self> {
        atoms
            .iter()
            .flat_map(Value::readings)
            .map(move |value| Self {
                value,
                at,
                path: path.clone(),
            })
    }
}

/// Puts the operands first that stand in one record with a span of interest (what a call's other arguments name), then
/// those in the same contents, each in their former order.
pub fn focus(operands: &mut [Operand], on: &[SpanRef]) {
    let records: Vec<(NodeId, Path)> = operands
        .iter()
        .filter(|o| on.contains(&o.at))
        .map(|o| (o.at.node, o.path.clone()))
        .collect();
    operands.sort_by_key(|o| {
        let near =
            |(node, path): &&(NodeId, Path)| *node == o.at.node && path.record() == o.path.record();
        match records.iter().find(near) {
            _ if on.contains(&o.at) => 0,
            Some((_, path)) if !path.record().is_empty() => 1,
            _ if on.iter().any(|span| span.node == o.at.node) => 2,
            _ => 3,
        }
    });
}

/// What a derivation may rest on. The order of the operands counts: nearer ones first.
#[derive(Clone, Copy, Debug)]
pub struct Pool<'a> {
    /// Known values.
    pub operands: &'a [Operand],
    /// The date of the session, if it is known.
    pub today: Option<Date>,
}

/// Bounds of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Operands combined freely, the first ones of the pool; columns are summed whole beyond that.
    pub operands: usize,
    /// Expressions tried.
    pub combinations: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            operands: 60,
            combinations: 200_000,
        }
    }
}

/// How a value follows from known ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The expression, readable.
    pub how: String,
    /// The spans of its operands, in the order of the expression. Empty when the date of the session is the only one.
    pub operands: Vec<SpanRef>,
    /// Surprise in bits: about the binary logarithm of how unlikely it is that some expression gives the goal by accident.
    /// Above 10 it is practically sure that the value was derived; around 0 and below, nothing is shown.
    pub strength: i32,
}

/// The first derivation of the goal from the pool, in the order of the module's description. Deterministic.
pub fn derive(goal: &Value, pool: &Pool<'_>, budget: Budget) -> Option<Derivation> {
    match goal {
        Value::Number(n) | Value::Percent(n) => number::derive(*n, pool, budget),
        Value::Date(_) | Value::Day(..) | Value::Month(..) | Value::Week(..) | Value::Time(_) => {
            date::derive(goal, pool, budget)
        }
        Value::Text(text) => text::derive(text, pool, budget),
        Value::DayOfMonth(_) | Value::Weekday(_) => None,
    }
}

/// What a search has spent, and what it may still spend.
#[derive(Debug)]
struct Meter {
    /// Expressions tried so far, counting those that a table look-up covers at once.
    tried: u64,
    /// Steps left.
    left: u64,
}

impl Meter {
    fn new(budget: Budget) -> Self {
        Self {
            tried: 0,
            left: budget.combinations,
        }
    }

    /// Counts expressions; false when the budget is spent.
    fn spend(&mut self, expressions: u64) -> bool {
        self.tried = self.tried.saturating_add(expressions);
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// Surprise of a hit that had to agree in this many bits.
    fn strength(&self, bits: i32) -> i32 {
        let tried = self.tried.max(1).ilog2();
        bits.saturating_sub(i32::try_from(tried).unwrap_or(i32::MAX))
    }
}

#[cfg(test)]
mod tests;
