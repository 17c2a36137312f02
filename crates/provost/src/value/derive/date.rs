//! Dates and times: so many days, weeks or months from a known date, the next Friday, the end of a month, a year added,
//! a start plus a duration.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::{Budget, Derivation, Meter, Operand, Pool, Value};
use crate::span::SpanRef;

/// Bits of a date that agrees: the days of about a year.
const DATE_BITS: i32 = 8;
/// Bits of a month or a week that agrees.
const MONTH_BITS: i32 = 5;
/// Bits of a time that agrees: the quarters of a day.
const TIME_BITS: i32 = 6;

/// A date to count from.
struct Anchor {
    date: Date,
    name: String,
    at: Option<SpanRef>,
}

/// A number to count with.
struct Count {
    n: Decimal,
    at: SpanRef,
}

pub(super) fn derive(goal: &Value, pool: &Pool<'_>, budget: Budget) -> Option<Derivation> {
    let counts = pool.operands.iter().filter_map(|o| match o.value {
        Value::Number(n) => Some(Count { n, at: o.at }),
        _ => None,
    });
    let mut search = Search {
        goal,
        operands: pool
            .operands
            .get(..pool.operands.len().min(budget.operands * 8))
            .unwrap_or_default(),
        anchors: anchors(pool, budget.operands),
        counts: counts.take(budget.operands).collect(),
        meter: Meter::new(budget),
    };
    match goal {
        Value::Time(goal) => search.time(i64::from(*goal)),
        Value::Month(..) | Value::Week(..) => search.month_or_week(),
        _ => search.date(),
    }
}

struct Search<'a> {
    goal: &'a Value,
    operands: &'a [Operand],
    anchors: Vec<Anchor>,
    counts: Vec<Count>,
    meter: Meter,
}

impl Search<'_> {
    fn date(&mut self) -> Option<Derivation> {
        if let Some(today) = self.anchors.first().filter(|a| a.at.is_none())
            && agrees(self.goal, today.date)
        {
            return Some(self.hit(DATE_BITS, today.name.clone(), [None, None]));
        }
        let anchors = std::mem::take(&mut self.anchors);
        let found = self
            .completed(&anchors)
            .or_else(|| self.named_days(&anchors))
            .or_else(|| self.counted(&anchors));
        self.anchors = anchors;
        found
    }

    /// One date against the goal.
    fn test(&mut self, date: Option<Date>) -> bool {
        self.meter.spend(1);
        date.is_some_and(|date| agrees(self.goal, date))
    }

    fn hit(&self, bits: i32, how: String, spans: [Option<SpanRef>; 2]) -> Derivation {
        let operands = spans.into_iter().flatten().collect();
        Derivation {
            how,
            operands,
            strength: self.meter.strength(bits),
        }
    }

    /// What is missing from a partial date taken from another one: `23/04` this or next year, the 15th of this or next
    /// month, the 4th of a month that is named, the first or last day of such a month.
    fn completed(&mut self, anchors: &[Anchor]) -> Option<Derivation> {
        let months = named_months(self.operands, anchors);
        for part in self.operands {
            match part.value {
                Value::Day(month, day) => {
                    for anchor in anchors {
                        let year = anchor.date.year();
                        if self.test(date(year, month, day)) {
                            let how =
                                format!("{day:02}.{month:02}. in the year of {}", anchor.name);
                            return Some(self.hit(DATE_BITS + 4, how, [Some(part.at), anchor.at]));
                        }
                        // Around the turn of the year the next one is meant.
                        if self.test(date(year + 1, month, day)) {
                            let how =
                                format!("{day:02}.{month:02}. in the year after {}", anchor.name);
                            return Some(self.hit(DATE_BITS + 2, how, [Some(part.at), anchor.at]));
                        }
                    }
                }
                Value::DayOfMonth(day) => {
                    for (first, name, at) in &months {
                        if self.test(date(first.year(), first.month() as u8, day)) {
                            return Some(self.hit(
                                DATE_BITS + 2,
                                format!("day {day} of {name}"),
                                [Some(part.at), *at],
                            ));
                        }
                    }
                }
                _ => {}
            }
        }
        for (first, name, at) in &months {
            for (date, what) in [(*first, "first"), (first.last_of_month(), "last")] {
                if self.test(Some(date)) {
                    return Some(self.hit(DATE_BITS, format!("{what} day of {name}"), [*at, None]));
                }
            }
        }
        None
    }

    /// The given day of the week before or after; the day before or after.
    fn named_days(&mut self, anchors: &[Anchor]) -> Option<Derivation> {
        let weekdays = self.operands.iter().filter_map(|o| match o.value {
            Value::Weekday(day) => Some((day, o.at)),
            _ => None,
        });
        let weekdays: Vec<(u8, SpanRef)> = weekdays.take(8).collect();
        for anchor in anchors {
            for (date, what) in [
                (anchor.date.tomorrow(), "after"),
                (anchor.date.yesterday(), "before"),
            ] {
                if self.test(date.ok()) {
                    return Some(self.hit(
                        DATE_BITS,
                        format!("the day {what} {}", anchor.name),
                        [anchor.at, None],
                    ));
                }
            }
            for (day, at) in &weekdays {
                for (nth, what) in [(1, "after"), (-1, "before"), (2, "in the week after")] {
                    let weekday = Weekday::from_monday_one_offset(*day as i8).ok();
                    let date = weekday.and_then(|w| anchor.date.nth_weekday(nth, w).ok());
                    if self.test(date) {
                        let how = format!("weekday {day} {what} {}", anchor.name);
                        return Some(self.hit(DATE_BITS, how, [Some(*at), anchor.at]));
                    }
                }
            }
        }
        None
    }

    /// A date and a known number of days, working days, weeks, months or years, perhaps and one day.
    fn counted(&mut self, anchors: &[Anchor]) -> Option<Derivation> {
        let counts = std::mem::take(&mut self.counts);
        let found = anchors
            .iter()
            .find_map(|a| counts.iter().find_map(|c| self.count(a, c)));
        self.counts = counts;
        found
    }

    fn count(&mut self, anchor: &Anchor, count: &Count) -> Option<Derivation> {
        let n = Some(count.n)
            .filter(|n| n.is_integer() && n.abs() <= Decimal::from(1000))
            .and_then(|n| n.to_i32())?;
        for (unit, make) in UNITS {
            for (sign, n) in [("+", n), ("−", -n)] {
                if self.meter.left > 0 && self.test(make(anchor.date, n)) {
                    let how = format!("{} {sign} {} {unit}", anchor.name, count.n);
                    return Some(self.hit(DATE_BITS, how, [anchor.at, Some(count.at)]));
                }
            }
        }
        let day_after = add(anchor.date, n.days()).and_then(|d| d.tomorrow().ok());
        let how = format!("{} + {} days + 1", anchor.name, count.n);
        (self.meter.left > 0 && self.test(day_after))
            .then(|| self.hit(DATE_BITS, how, [anchor.at, Some(count.at)]))
    }

    /// The month or week of a known date, or the one after or before; a month with the year of a known date.
    fn month_or_week(&mut self) -> Option<Derivation> {
        let anchors = std::mem::take(&mut self.anchors);
        let goal = self.goal;
        let holds = |date: Date| match goal {
            Value::Month(year, month) => {
                *month == date.month() as u8 && year.is_none_or(|y| y == date.year())
            }
            Value::Week(year, week) => {
                let iso = date.iso_week_date();
                (*year, *week) == (iso.year(), iso.week() as u8)
            }
            _ => false,
        };
        let step = |n: i32| {
            if matches!(goal, Value::Week(..)) {
                n.weeks()
            } else {
                n.months()
            }
        };
        for anchor in &anchors {
            for (n, what) in [(0, "of"), (1, "after that of"), (-1, "before that of")] {
                self.meter.spend(1);
                if add(anchor.date, step(n)).is_some_and(holds) {
                    return Some(self.hit(
                        MONTH_BITS,
                        format!("month or week {what} {}", anchor.name),
                        [anchor.at, None],
                    ));
                }
            }
        }
        for (first, name, at) in named_months(self.operands, &anchors) {
            self.meter.spend(1);
            if holds(first) {
                return Some(self.hit(MONTH_BITS, name, [at, None]));
            }
        }
        None
    }

    /// A start and a duration: a known number of hours or minutes; else half an hour, one, one and a half, or two.
    fn time(&mut self, goal: i64) -> Option<Derivation> {
        const USUAL: [i64; 5] = [3600, 1800, 5400, 7200, 2700];
        let starts = self.operands.iter().filter_map(|o| match o.value {
            Value::Time(s) => Some((i64::from(s), o.at)),
            _ => None,
        });
        let starts: Vec<(i64, SpanRef)> = starts.take(60).collect();
        let counts = std::mem::take(&mut self.counts);
        for (start, at) in &starts {
            for count in counts.iter().filter(|c| !c.n.is_zero()) {
                for (unit, seconds) in [("hours", 3600), ("minutes", 60)] {
                    let length = count
                        .n
                        .checked_mul(Decimal::from(seconds))
                        .and_then(|d| d.to_i64());
                    for (sign, length) in [("+", length), ("−", length.and_then(i64::checked_neg))]
                    {
                        if !self.meter.spend(1) {
                            return None;
                        }
                        let end = length
                            .and_then(|l| start.checked_add(l))
                            .map(|e| e.rem_euclid(86400));
                        if end == Some(goal) {
                            let how = format!("{} {sign} {} {unit}", clock(*start), count.n);
                            return Some(self.hit(TIME_BITS, how, [Some(*at), Some(count.at)]));
                        }
                    }
                }
            }
        }
        for (start, at) in &starts {
            for length in USUAL {
                self.meter.spend(1);
                if (start + length).rem_euclid(86400) == goal {
                    let how = format!(
                        "{} + {} minutes, a usual length",
                        clock(*start),
                        length / 60
                    );
                    return Some(self.hit(TIME_BITS - 2, how, [Some(*at), None]));
                }
            }
        }
        None
    }
}

/// Whether a date is the goal, as far as the goal goes.
fn agrees(goal: &Value, date: Date) -> bool {
    match goal {
        Value::Date(goal) => *goal == date,
        Value::Day(month, day) => (*month as i8, *day as i8) == (date.month(), date.day()),
        _ => false,
    }
}

fn date(year: i16, month: u8, day: u8) -> Option<Date> {
    Date::new(year, month as i8, day as i8).ok()
}

type Step = (&'static str, fn(Date, i32) -> Option<Date>);

const UNITS: [Step; 5] = [
    ("days", |d, n| add(d, n.days())),
    ("weeks", |d, n| add(d, n.weeks())),
    ("months", |d, n| add(d, n.months())),
    ("years", |d, n| {
        if n.abs() <= 100 {
            add(d, n.years())
        } else {
            None
        }
    }),
    ("working days", working_days),
];

fn add(date: Date, span: Span) -> Option<Date> {
    date.checked_add(span).ok()
}

/// The date so many working days (Monday to Friday) later or earlier.
fn working_days(date: Date, n: i32) -> Option<Date> {
    if n == 0 || n.abs() > 60 {
        return None;
    }
    let mut date = date;
    let mut left = n.abs();
    while left > 0 {
        date = if n > 0 {
            date.tomorrow().ok()?
        } else {
            date.yesterday().ok()?
        };
        if !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday) {
            left -= 1;
        }
    }
    Some(date)
}

/// Today, and the distinct dates of the pool.
fn anchors(pool: &Pool<'_>, limit: usize) -> Vec<Anchor> {
    let today = pool.today.map(|date| Anchor {
        date,
        name: format!("today ({date})"),
        at: None,
    });
    let mut out: Vec<Anchor> = today.into_iter().collect();
    for operand in pool.operands {
        if let Value::Date(date) = operand.value
            && out.len() < limit
            && !out.iter().any(|a| a.date == date)
        {
            out.push(Anchor {
                date,
                name: date.to_string(),
                at: Some(operand.at),
            });
        }
    }
    out
}

/// Months that are named or follow from a known date, as their first day: those that the pool names, with the year of
/// each known date where they have none; the month of each known date and the one after.
fn named_months(operands: &[Operand], anchors: &[Anchor]) -> Vec<(Date, String, Option<SpanRef>)> {
    let mut out: Vec<(Date, String, Option<SpanRef>)> = Vec::new();
    let mut push = |first: Option<Date>, name: &str, at| {
        if let Some(first) = first
            && out.len() < 40
            && !out.iter().any(|(known, ..)| *known == first)
        {
            out.push((first, name.to_owned(), at));
        }
    };
    for operand in operands {
        if let Value::Month(year, month) = operand.value {
            match year {
                Some(year) => push(date(year, month, 1), "a named month", Some(operand.at)),
                None => {
                    for anchor in anchors.iter().take(4) {
                        let name = format!("a named month in the year of {}", anchor.name);
                        push(date(anchor.date.year(), month, 1), &name, Some(operand.at));
                    }
                }
            }
        }
    }
    for anchor in anchors {
        let first = anchor.date.first_of_month();
        push(
            Some(first),
            &format!("the month of {}", anchor.name),
            anchor.at,
        );
        push(
            add(first, 1.month()),
            &format!("the month after {}", anchor.name),
            anchor.at,
        );
    }
    out
}

fn clock(seconds: i64) -> String {
    format!("{:02}:{:02}", seconds / 3600, seconds / 60 % 60)
}
