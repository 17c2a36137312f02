//! Numbers: sums, differences, products, quotients, percentages, counts and units.

use rust_decimal::{Decimal, RoundingStrategy};

use super::table::{Table, sets};
use super::term::{self, Term};
use super::{Budget, Derivation, Meter, Pool, Value};
use crate::span::SpanRef;

/// Factors between units: cents, minutes and seconds, thousands, dozens and months, weeks, days, halves.
const UNITS: [i64; 7] = [100, 60, 1000, 12, 7, 24, 2];
/// How many of the nearest operands are combined before all are.
const NEAR: usize = 12;

/// How a result was brought to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Exact,
    Cents,
    Tenths,
    Up,
    Down,
    Nearest,
}

impl Round {
    fn label(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::Cents => ", to cents",
            Self::Tenths => ", to 0.10",
            Self::Up => ", rounded up",
            Self::Down => ", rounded down",
            Self::Nearest => ", rounded",
        }
    }
}

/// Which rounding, if any, makes the result the goal.
fn near(result: Decimal, goal: Decimal) -> Option<Round> {
    if result == goal {
        return Some(Round::Exact);
    }
    if (result - goal).abs() >= Decimal::ONE {
        return None;
    }
    let half_up =
        |places| result.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero);
    if half_up(2) == goal || result.round_dp(2) == goal {
        return Some(Round::Cents);
    }
    if half_up(1) == goal {
        return Some(Round::Tenths);
    }
    if !goal.is_integer() {
        return None;
    }
    if result.ceil() == goal {
        Some(Round::Up)
    } else if half_up(0) == goal {
        Some(Round::Nearest)
    } else {
        (result.floor() == goal).then_some(Round::Down)
    }
}

/// The search for one goal.
pub(super) struct Search {
    goal: Decimal,
    meter: Meter,
}

pub(super) fn derive(goal: Decimal, pool: &Pool<'_>, budget: Budget) -> Option<Derivation> {
    let mut search = Search {
        goal: goal.normalize(),
        meter: Meter::new(budget),
    };
    let n = budget.operands;
    let records = term::records(pool.operands, n);
    let lengths: Vec<Term> = records
        .iter()
        .filter_map(|g| g.last())
        .filter(|t| t.from.len() > 1)
        .cloned()
        .collect();
    let mut all = term::terms(pool.operands, n);
    all.extend(lengths.iter().take(n / 4).cloned());
    let near = all.get(..NEAR.min(all.len())).unwrap_or_default();
    let contents = term::contents(pool.operands, n);
    let tables = Table::of(
        pool.operands
            .get(..pool.operands.len().min(n * 20))
            .unwrap_or_default(),
    );
    let sums = sets(&tables, n);
    let columns = || tables.iter().flat_map(Table::columns);

    search
        .calendar(pool)
        .or_else(|| search.units(&all))
        .or_else(|| search.single(&sums))
        .or_else(|| search.single(&lengths))
        .or_else(|| records.iter().find_map(|g| search.pairs(g)))
        .or_else(|| search.pairs(near))
        .or_else(|| contents.iter().find_map(|g| search.pairs(g)))
        .or_else(|| search.across(&sums, near))
        .or_else(|| records.iter().find_map(|g| search.triples(g, g)))
        .or_else(|| search.triples(near, near))
        .or_else(|| contents.iter().find_map(|g| search.triples(g, g)))
        .or_else(|| search.pairs(&all))
        .or_else(|| columns().find_map(|c| search.subsets(&c)))
        .or_else(|| records.iter().find_map(|g| search.subsets(g)))
        .or_else(|| search.subsets(&lengths))
        .or_else(|| search.triples(near, &sums))
        .or_else(|| search.across(&sums, &all))
        .or_else(|| search.triples(&all, &all))
}

impl Search {
    /// Bits that had to agree: 3.3 for each significant digit of the goal, fewer after rounding.
    fn hit(&self, how: String, terms: &[&Term], round: Round) -> Derivation {
        let digits = self.goal.mantissa().unsigned_abs().to_string();
        let digits = digits.trim_end_matches('0').len().max(1);
        let bits = i32::try_from(digits * 10 / 3).unwrap_or(i32::MAX);
        let bits = if matches!(round, Round::Exact | Round::Cents) {
            bits
        } else {
            bits - 2
        };
        let operands = terms.iter().flat_map(|t| t.from.iter().copied()).collect();
        Derivation {
            how: format!("{how}{}", round.label()),
            operands,
            strength: self.meter.strength(bits),
        }
    }

    /// One expression: its result against the goal.
    fn test(&mut self, result: Option<Decimal>) -> Option<Round> {
        self.meter.spend(1);
        near(result?, self.goal)
    }

    /// The year or the week (ISO 8601) of today or of a known date.
    fn calendar(&mut self, pool: &Pool<'_>) -> Option<Derivation> {
        let known = pool.operands.iter().filter_map(|o| match o.value {
            Value::Date(date) => Some((date, Some(o.at))),
            _ => None,
        });
        for (date, at) in pool
            .today
            .map(|d| (d, None))
            .into_iter()
            .chain(known)
            .take(NEAR)
        {
            let parts = [
                (i64::from(date.iso_week_date().week()), "week"),
                (i64::from(date.year()), "year"),
            ];
            for (part, name) in parts {
                if self.test(Some(Decimal::from(part))) == Some(Round::Exact) {
                    let how = format!("{name} of {date}");
                    let term = Term {
                        value: self.goal,
                        percent: false,
                        label: how.clone(),
                        from: at.into_iter().collect(),
                    };
                    return Some(self.hit(how, &[&term], Round::Exact));
                }
            }
        }
        None
    }

    /// A term as it is: a sum, a count, a duration.
    fn single(&mut self, terms: &[Term]) -> Option<Derivation> {
        terms.iter().find_map(|t| {
            self.test(Some(t.value))
                .map(|r| self.hit(t.label.clone(), &[t], r))
        })
    }

    /// A number in another unit: times or by a factor, or with its sign changed.
    fn units(&mut self, terms: &[Term]) -> Option<Derivation> {
        // One of anything is a unit of everything.
        for t in terms.iter().filter(|t| t.value.abs() != Decimal::ONE) {
            if self.test(Some(-t.value)) == Some(Round::Exact) {
                return Some(self.hit(format!("−({})", t.label), &[t], Round::Exact));
            }
            for unit in UNITS {
                let factor = Decimal::from(unit);
                if let Some(r) = self
                    .test(t.value.checked_mul(factor))
                    .filter(|r| *r == Round::Exact)
                {
                    return Some(self.hit(format!("{} × {unit}", t.label), &[t], r));
                }
                if let Some(r) = self
                    .test(t.value.checked_div(factor))
                    .filter(|r| matches!(r, Round::Exact | Round::Cents))
                {
                    return Some(self.hit(format!("{} ÷ {unit}", t.label), &[t], r));
                }
            }
        }
        None
    }

    /// All expressions of two terms of a group.
    fn pairs(&mut self, group: &[Term]) -> Option<Derivation> {
        for (i, a) in group.iter().enumerate() {
            for b in group.iter().skip(i + 1) {
                if let Some(found) = self.pair(a, b) {
                    return Some(found);
                }
                if self.meter.left == 0 {
                    return None;
                }
            }
        }
        None
    }

    /// All expressions of a sum or count and another term.
    fn across(&mut self, sums: &[Term], group: &[Term]) -> Option<Derivation> {
        for sum in sums {
            for other in group
                .iter()
                .filter(|t| !sum.from.contains(t.from.first().unwrap_or(&SUM)))
            {
                if let Some(found) = self.pair(sum, other) {
                    return Some(found);
                }
                if self.meter.left == 0 {
                    return None;
                }
            }
        }
        None
    }

    fn pair(&mut self, a: &Term, b: &Term) -> Option<Derivation> {
        if a.percent != b.percent {
            return self.percent(a, b).or_else(|| self.percent(b, a));
        }
        let (x, y) = (a.value, b.value);
        let ways = [
            (x.checked_add(y), "+", a, b),
            (x.checked_sub(y), "−", a, b),
            (y.checked_sub(x), "−", b, a),
            (x.checked_mul(y), "×", a, b),
            (x.checked_div(y), "÷", a, b),
            (y.checked_div(x), "÷", b, a),
        ];
        for (result, sign, l, r) in ways {
            let usual = |round: &Round| match sign {
                "÷" => true,
                "×" => !matches!(round, Round::Down | Round::Nearest),
                _ => *round == Round::Exact,
            };
            if let Some(round) = self.test(result).filter(usual) {
                return Some(self.hit(format!("{} {sign} {}", l.label, r.label), &[l, r], round));
            }
        }
        self.percent(a, b).or_else(|| self.percent(b, a))
    }

    /// `p` per cent of `a`; `a` and, or less, `p` per cent.
    fn percent(&mut self, a: &Term, p: &Term) -> Option<Derivation> {
        if !p.rate() || a.percent {
            return None;
        }
        let part = a
            .value
            .checked_mul(p.value)?
            .checked_div(Decimal::ONE_HUNDRED)?;
        let name = p.label.trim_end_matches(" %");
        for (result, how) in [
            (Some(part), "of"),
            (a.value.checked_add(part), "on top of"),
            (a.value.checked_sub(part), "off"),
        ] {
            // A number that is only perhaps a percentage is not rounded to whole numbers as well.
            let usual = |round: &Round| p.percent || matches!(round, Round::Exact | Round::Cents);
            if let Some(round) = self.test(result).filter(usual) {
                return Some(self.hit(format!("{name} % {how} {}", a.label), &[p, a], round));
            }
        }
        None
    }

    /// Expressions of two terms of a group and one of `thirds`, which is looked up among the sorted values.
    fn triples(&mut self, group: &[Term], thirds: &[Term]) -> Option<Derivation> {
        let mut sorted: Vec<&Term> = thirds.iter().collect();
        sorted.sort_by_key(|t| t.value);
        let rates: Vec<&Term> = thirds.iter().filter(|t| t.percent).collect();
        for (i, a) in group.iter().enumerate() {
            for (j, b) in group.iter().enumerate().filter(|(j, _)| i != *j) {
                if let Some(found) = self.third(a, b, i < j, &sorted, &rates) {
                    return Some(found);
                }
                if self.meter.left == 0 {
                    return None;
                }
            }
        }
        None
    }

    /// The ways to bring two terms to the goal with a third one.
    fn third(
        &mut self,
        a: &Term,
        b: &Term,
        ordered: bool,
        sorted: &[&Term],
        rates: &[&Term],
    ) -> Option<Derivation> {
        let (x, y) = (a.value, b.value);
        let firsts = [
            (ordered, x.checked_add(y), Sign::Plus),
            (true, x.checked_sub(y), Sign::Minus),
            (ordered, x.checked_mul(y), Sign::Times),
            (true, x.checked_div(y).map(|q| q.ceil()), Sign::Over),
        ];
        for (wanted, value, sign) in firsts {
            let Some(value) = value.filter(|_| wanted) else {
                continue;
            };
            let pair = Pair { value, sign, a, b };
            let found = self.plus_third(&pair, sorted).or_else(|| match sign {
                Sign::Over => None,
                _ => self.times_third(&pair, sorted),
            });
            let found = found.or_else(|| match sign {
                Sign::Times => self.percent_third(&pair, rates),
                _ => None,
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// `pair + c`, `pair − c`.
    fn plus_third(&mut self, p: &Pair<'_>, sorted: &[&Term]) -> Option<Derivation> {
        let ways = [
            (self.goal.checked_sub(p.value), "+"),
            (p.value.checked_sub(self.goal), "−"),
        ];
        for (wanted, sign) in ways {
            self.meter.spend(sorted.len() as u64);
            let Some(c) = wanted.and_then(|w| p.others(sorted, w, w).next()) else {
                continue;
            };
            return Some(self.hit(
                format!("{} {sign} {}", p.label(), c.label),
                &[p.a, p.b, c],
                Round::Exact,
            ));
        }
        None
    }

    /// `pair × c`, `pair ÷ c`; rounded.
    fn times_third(&mut self, p: &Pair<'_>, sorted: &[&Term]) -> Option<Derivation> {
        if p.value <= Decimal::ZERO || self.goal <= Decimal::ONE {
            return None;
        }
        let (low, high) = (self.goal - Decimal::ONE, self.goal + Decimal::ONE);
        let factor = (low.checked_div(p.value), high.checked_div(p.value));
        let divisor = (p.value.checked_div(high), p.value.checked_div(low));
        for ((from, to), sign) in [(factor, "×"), (divisor, "÷")] {
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            self.meter.spend(sorted.len() as u64);
            for c in p.others(sorted, from, to) {
                self.meter.left = self.meter.left.saturating_sub(1);
                let result = if sign == "×" {
                    p.value.checked_mul(c.value)
                } else {
                    p.value.checked_div(c.value)
                };
                let Some(round) = result.and_then(|r| near(r, self.goal)) else {
                    continue;
                };
                if sign == "÷" || !matches!(round, Round::Down | Round::Nearest) {
                    return Some(self.hit(
                        format!("{} {sign} {}", p.factor(), c.label),
                        &[p.a, p.b, c],
                        round,
                    ));
                }
            }
        }
        None
    }

    /// A product and so many per cent on top or off.
    fn percent_third(&mut self, p: &Pair<'_>, rates: &[&Term]) -> Option<Derivation> {
        for c in rates
            .iter()
            .filter(|c| !std::ptr::eq(**c, p.a) && !std::ptr::eq(**c, p.b))
        {
            let part = p
                .value
                .checked_mul(c.value)?
                .checked_div(Decimal::ONE_HUNDRED)?;
            for (result, how) in [
                (p.value.checked_add(part), "on top of"),
                (p.value.checked_sub(part), "off"),
            ] {
                if let Some(round) = self.test(result) {
                    return Some(self.hit(
                        format!("{} {how} {}", c.label, p.label()),
                        &[c, p.a, p.b],
                        round,
                    ));
                }
            }
        }
        None
    }

    /// Some of the terms, added up; or all of them less a few. Every set of up to four of them is tried.
    fn subsets(&mut self, terms: &[Term]) -> Option<Derivation> {
        let n = terms.len().min(24);
        let terms = terms.get(..n)?;
        if n < 3 {
            return None;
        }
        for size in 3..=4.min(n) {
            let mut chosen = Vec::with_capacity(size);
            if let Some(found) = self.subset(terms, 0, size, Decimal::ZERO, &mut chosen) {
                return Some(found);
            }
        }
        None
    }

    fn subset<'t>(
        &mut self,
        terms: &'t [Term],
        from: usize,
        size: usize,
        sum: Decimal,
        chosen: &mut Vec<&'t Term>,
    ) -> Option<Derivation> {
        if chosen.len() == size {
            self.meter.spend(1);
            if sum != self.goal {
                return None;
            }
            let how: Vec<&str> = chosen.iter().map(|t| t.label.as_str()).collect();
            return Some(self.hit(how.join(" + "), chosen, Round::Exact));
        }
        for (i, term) in terms.iter().enumerate().skip(from) {
            if self.meter.left == 0 {
                return None;
            }
            let Some(sum) = sum.checked_add(term.value) else {
                continue;
            };
            chosen.push(term);
            let found = self.subset(terms, i + 1, size, sum, chosen);
            chosen.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// No span: stands for the origin of a term that has none.
const SUM: SpanRef = SpanRef {
    node: crate::graph::NodeId(u32::MAX),
    span: u32::MAX,
};

/// How two terms are combined before a third comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
    Times,
    /// Divided, and rounded up.
    Over,
}

/// Two terms combined, waiting for a third.
struct Pair<'t> {
    value: Decimal,
    sign: Sign,
    a: &'t Term,
    b: &'t Term,
}

impl Pair<'_> {
    /// The pair as a summand.
    fn label(&self) -> String {
        let (a, b) = (&self.a.label, &self.b.label);
        match self.sign {
            Sign::Plus => format!("{a} + {b}"),
            Sign::Minus => format!("{a} − {b}"),
            Sign::Times => format!("{a} × {b}"),
            Sign::Over => format!("({a} ÷ {b}, rounded up)"),
        }
    }

    /// The pair as a factor.
    fn factor(&self) -> String {
        match self.sign {
            Sign::Plus | Sign::Minus => format!("({})", self.label()),
            Sign::Times | Sign::Over => self.label(),
        }
    }

    /// The terms with a value in `from..=to` other than these two.
    fn others<'s>(
        &'s self,
        sorted: &'s [&'s Term],
        from: Decimal,
        to: Decimal,
    ) -> impl Iterator<Item = &'s Term> {
        let start = sorted.partition_point(|t| t.value < from);
        let rest = sorted.get(start..).unwrap_or_default();
        let inside = rest.iter().copied().take_while(move |t| t.value <= to);
        inside.filter(|t| !std::ptr::eq(*t, self.a) && !std::ptr::eq(*t, self.b))
    }
}
