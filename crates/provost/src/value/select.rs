//! Selection: which record a stated criterion picks ("the cheapest", "under 100", "the latest from Petra").

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::derive::Value;
use super::text::{fold, normal};
use super::{Atom, atoms};
use crate::read::{Path, Seg};
use crate::span::SpanRef;

/// A value of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it is called; nested keys joined by points.
    pub name: Box<str>,
    /// The value as text.
    pub text: Box<str>,
    /// The span that holds it.
    pub at: SpanRef,
}

/// One of several records of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its values, in the order of the content.
    pub fields: Vec<Field>,
}

impl Record {
    /// The records of a content: values with the same path up to the last index belong together. Values outside of
    /// lists are left out. Linear in the number of values.
    pub fn group<'a>(values: impl IntoIterator<Item = (&'a Path, &'a str, SpanRef)>) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        let mut last: Option<(SpanRef, &[Seg])> = None;
        for (path, text, at) in values {
            let key = path.record();
            if key.is_empty() {
                continue;
            }
            if last.is_none_or(|(before, record)| before.node != at.node || record != key) {
                out.push(Self::default());
                last = Some((at, key));
            }
            let below = path.steps().get(key.len()..).unwrap_or_default();
            let keys = below.iter().filter_map(|s| match s {
                Seg::Key(k) => Some(&**k),
                Seg::Index(_) => None,
            });
            let name = keys.collect::<Vec<_>>().join(".").into();
            if let Some(record) = out.last_mut() {
                record.fields.push(Field {
                    name,
                    text: text.into(),
                    at,
                });
            }
        }
        out
    }

    /// The value of a field; names are compared in folded form.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let name = fold(name);
        self.fields.iter().find(|f| fold(&f.name) == name)
    }
}

/// A test on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// Less than.
    Below(Decimal),
    /// At most.
    AtMost(Decimal),
    /// More than.
    Above(Decimal),
    /// At least.
    AtLeast(Decimal),
    /// Before a date.
    Before(Date),
    /// After a date.
    After(Date),
    /// The same text or the same value in another spelling.
    Equal(Box<str>),
    /// Another text.
    NotEqual(Box<str>),
    /// Holds these words.
    Contains(Box<str>),
}

/// By what the best of the remaining records is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Best {
    /// Smallest number, or earliest date or time.
    Min(Box<str>),
    /// Largest number, or latest date or time.
    Max(Box<str>),
    /// First in the order of the content.
    First,
    /// Last in the order of the content.
    Last,
}

/// A criterion: every test holds, and among what remains the best is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Criterion {
    /// Field and test.
    pub tests: Vec<(Box<str>, Test)>,
    /// How one is picked; without it, exactly one record may remain.
    pub best: Option<Best>,
}

/// The record that a criterion picks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Its index.
    pub record: usize,
    /// The spans that decided: the fields looked at, of the record picked and of those it was preferred to.
    pub because: Vec<SpanRef>,
}

/// Why a criterion picks no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// No record passes the tests.
    #[error("no record meets the criterion")]
    None,
    /// Several records are equally good.
    #[error("{} records meet the criterion equally well", .0.len())]
    Tie(Vec<usize>),
    /// A record that counts lacks a field, or holds something there that cannot be compared: it cannot be ruled out.
    #[error("record {record} has no comparable `{field}`")]
    Unknown {
        /// Its index.
        record: usize,
        /// The field.
        field: Box<str>,
    },
}

/// Picks the record that the criterion determines. A record whose value is missing or cannot be read makes the choice
/// unknown unless another test rules it out.
pub fn select(records: &[Record], criterion: &Criterion) -> Result<Selection, SelectError> {
    let mut because = Vec::new();
    let mut left = Vec::new();
    for (i, record) in records.iter().enumerate() {
        if passes(i, record, &criterion.tests, &mut because)? {
            left.push(i);
        }
    }
    let record = match &criterion.best {
        None => match left[..] {
            [] => Err(SelectError::None),
            [one] => Ok(one),
            _ => Err(SelectError::Tie(left)),
        },
        Some(Best::First) => left.first().copied().ok_or(SelectError::None),
        Some(Best::Last) => left.last().copied().ok_or(SelectError::None),
        Some(Best::Min(field)) => extreme(records, &left, field, false, &mut because),
        Some(Best::Max(field)) => extreme(records, &left, field, true, &mut because),
    }?;
    Ok(Selection { record, because })
}

/// Whether a record passes all tests. A failed one decides before an unknown one does.
fn passes(
    i: usize,
    record: &Record,
    tests: &[(Box<str>, Test)],
    because: &mut Vec<SpanRef>,
) -> Result<bool, SelectError> {
    let mut unknown = None;
    for (name, test) in tests {
        let field = record.field(name);
        match field.and_then(|f| holds(test, &f.text)) {
            Some(holds) => {
                because.extend(field.map(|f| f.at));
                if !holds {
                    return Ok(false);
                }
            }
            None => {
                unknown = Some(SelectError::Unknown {
                    record: i,
                    field: name.clone(),
                })
            }
        }
    }
    unknown.map_or(Ok(true), Err)
}

/// Whether a test holds of a text; unknown where the text is not comparable.
fn holds(test: &Test, text: &str) -> Option<bool> {
    let number = || match order(text)? {
        Order::Number(n) => Some(n),
        _ => None,
    };
    let date = || match order(text)? {
        Order::Date(d, _) => Some(d),
        _ => None,
    };
    Some(match test {
        Test::Below(limit) => number()? < *limit,
        Test::AtMost(limit) => number()? <= *limit,
        Test::Above(limit) => number()? > *limit,
        Test::AtLeast(limit) => number()? >= *limit,
        Test::Before(limit) => date()? < *limit,
        Test::After(limit) => date()? > *limit,
        Test::Equal(other) => same(text, other),
        Test::NotEqual(other) => !same(text, other),
        Test::Contains(part) => {
            let (text, part) = (format!(" {} ", fold(text)), format!(" {} ", fold(part)));
            text.contains(&part)
        }
    })
}

fn same(a: &str, b: &str) -> bool {
    if normal(a) == normal(b) {
        return true;
    }
    let whole = |text: &str| -> Option<Atom> {
        let trimmed = text.trim();
        atoms(trimmed)
            .into_iter()
            .find(|atom| atom.range == (0..trimmed.len()))
    };
    matches!((whole(a), whole(b)), (Some(a), Some(b)) if a.kind == b.kind && a.norm == b.norm)
}

/// The one of these records with the smallest or largest value.
fn extreme(
    records: &[Record],
    left: &[usize],
    name: &str,
    largest: bool,
    because: &mut Vec<SpanRef>,
) -> Result<usize, SelectError> {
    let mut values = Vec::new();
    for &i in left {
        let field = records.get(i).and_then(|r| r.field(name));
        let unknown = || SelectError::Unknown {
            record: i,
            field: name.into(),
        };
        let field = field.ok_or_else(unknown)?;
        because.push(field.at);
        values.push((order(&field.text).ok_or_else(unknown)?, i));
    }
    let Some(first) = values.first() else {
        return Err(SelectError::None);
    };
    if let Some((_, i)) = values
        .iter()
        .find(|(v, _)| std::mem::discriminant(v) != std::mem::discriminant(&first.0))
    {
        return Err(SelectError::Unknown {
            record: *i,
            field: name.into(),
        });
    }
    let best = if largest {
        values.iter().max()
    } else {
        values.iter().min()
    };
    let Some((best, _)) = best else {
        return Err(SelectError::None);
    };
    let equal: Vec<usize> = values
        .iter()
        .filter(|(v, _)| v == best)
        .map(|(_, i)| *i)
        .collect();
    match equal[..] {
        [one] => Ok(one),
        _ => Err(SelectError::Tie(equal)),
    }
}

/// What records are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Number(Decimal),
    /// A date with the time of day, if one follows.
    Date(Date, Option<u32>),
    Time(u32),
}

/// The value that a text starts with, if it has an order. A text with two different numbers has none.
fn order(text: &str) -> Option<Order> {
    let found = atoms(text);
    let values: Vec<Value> = found
        .iter()
        .filter(|a| a.alt.is_none() || a.range.start == 0)
        .filter_map(|a| Value::readings(a).into_iter().next())
        .collect();
    let time = values.iter().find_map(|v| match v {
        Value::Time(s) => Some(*s),
        _ => None,
    });
    if let Some(date) = values.iter().find_map(|v| match v {
        Value::Date(d) => Some(*d),
        _ => None,
    }) {
        return Some(Order::Date(date, time));
    }
    let mut numbers = values.iter().filter_map(|v| match v {
        Value::Number(n) | Value::Percent(n) => Some(*n),
        _ => None,
    });
    match (numbers.next(), time) {
        (Some(n), None) => numbers.all(|m| m == n).then_some(Order::Number(n)),
        (None, Some(time)) => Some(Order::Time(time)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::NodeId;
    use proptest::prelude::*;

    fn records(rows: &[&[(&str, &str)]]) -> Vec<Record> {
        let at = |row: usize, i: usize| SpanRef {
            node: NodeId(row as u32),
            span: i as u32,
        };
        let record = |(row, fields): (usize, &&[(&str, &str)])| Record {
            fields: fields
                .iter()
                .enumerate()
                .map(|(i, (name, text))| Field {
                    name: (*name).into(),
                    text: (*text).into(),
                    at: at(row, i),
                })
                .collect(),
        };
        rows.iter().enumerate().map(record).collect()
    }

    fn hotels() -> Vec<Record> {
        records(&[
            &[
                ("name", "Luxe"),
                ("price", "€ 210.00"),
                ("rating", "4.9"),
                ("free", "2026-05-01"),
            ],
            &[
                ("name", "Budget Inn"),
                ("price", "1.100 kr"),
                ("rating", "4.1"),
                ("free", "1 May 2026"),
            ],
            &[
                ("name", "Mid"),
                ("price", "90"),
                ("rating", "4.6"),
                ("free", "2026-04-30 18:00"),
            ],
            &[
                ("name", "Mid Two"),
                ("price", "95.50"),
                ("rating", "4.6"),
                ("free", "unknown"),
            ],
        ])
    }

    fn check(tests: &[(&str, Test)], best: Option<Best>, expected: Result<usize, SelectError>) {
        let tests = tests
            .iter()
            .map(|(f, t)| ((*f).into(), t.clone()))
            .collect();
        let criterion = Criterion { tests, best };
        assert_eq!(
            select(&hotels(), &criterion).map(|s| s.record),
            expected,
            "{criterion:?}"
        );
    }

    #[test]
    fn criteria() {
        let n = |n: i64| Decimal::from(n);
        let unknown = |record, field: &str| {
            Err(SelectError::Unknown {
                record,
                field: field.into(),
            })
        };
        check(&[], Some(Best::Min("price".into())), Ok(2));
        check(&[], Some(Best::Max("Rating".into())), Ok(0));
        check(
            &[("price", Test::Below(n(100)))],
            Some(Best::Max("rating".into())),
            Err(SelectError::Tie(vec![2, 3])),
        );
        check(&[("price", Test::AtMost(n(90)))], None, Ok(2));
        check(
            &[("name", Test::Contains("mid".into()))],
            None,
            Err(SelectError::Tie(vec![2, 3])),
        );
        check(&[("name", Test::Equal("MID".into()))], None, Ok(2));
        check(
            &[
                ("rating", Test::Equal("4.60".into())),
                ("name", Test::NotEqual("Mid".into())),
            ],
            None,
            Ok(3),
        );
        check(&[], Some(Best::Min("free".into())), unknown(3, "free"));
        check(
            &[("rating", Test::Above(n(5)))],
            None,
            Err(SelectError::None),
        );
        check(&[("stars", Test::Above(n(5)))], None, unknown(0, "stars"));
        check(
            &[("name", Test::NotEqual("Mid Two".into()))],
            Some(Best::Min("free".into())),
            Ok(2),
        );
        check(&[], Some(Best::Last), Ok(3));
    }

    #[test]
    fn records_are_grouped_by_path() {
        let path = |row: u32, key: &str| {
            Path::new(vec![
                Seg::Key("list".into()),
                Seg::Index(row),
                Seg::Key(key.into()),
            ])
        };
        let paths = [
            path(0, "a"),
            path(0, "b"),
            path(1, "a"),
            Path::new(vec![Seg::Key("total".into())]),
        ];
        let at = |i: u32| SpanRef {
            node: NodeId(0),
            span: i,
        };
        let values = paths
            .iter()
            .zip(["1", "2", "3", "4"])
            .zip(0..)
            .map(|((p, t), i)| (p, t, at(i)));
        let records = Record::group(values);
        let names: Vec<Vec<&str>> = records
            .iter()
            .map(|r| r.fields.iter().map(|f| &*f.name).collect())
            .collect();
        assert_eq!(names, [vec!["a", "b"], vec!["a"]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The smallest number, as a naive search finds it; a tie exactly where it occurs twice.
        #[test]
        fn like_naive(prices in prop::collection::vec(0_i64..20, 0..8), limit in 0_i64..20) {
            let texts: Vec<String> = prices.iter().map(|p| format!("{p}.00 EUR")).collect();
            let rows: Vec<[(&str, &str); 1]> = texts.iter().map(|t| [("price", t.as_str())]).collect();
            let rows: Vec<&[(&str, &str)]> = rows.iter().map(|r| &r[..]).collect();
            let criterion = Criterion {
                tests: vec![("price".into(), Test::AtLeast(Decimal::from(limit)))],
                best: Some(Best::Min("price".into())),
            };
            let least = prices.iter().filter(|p| **p >= limit).min();
            let places: Vec<usize> = (0..prices.len()).filter(|i| prices.get(*i) == least && least.is_some()).collect();
            let expected = match places[..] {
                [] => Err(SelectError::None),
                [one] => Ok(one),
                _ => Err(SelectError::Tie(places)),
            };
            prop_assert_eq!(select(&records(&rows), &criterion).map(|s| s.record), expected);
        }
    }
}
