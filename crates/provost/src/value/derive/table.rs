//! Tables in the pool: the records of a list, their columns, and the sets that a task sums or counts.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::term::{Term, number_of};
use super::{Operand, Value};
use crate::graph::NodeId;
use crate::read::Seg;
use crate::span::SpanRef;
use crate::value::text::normal;

/// One list of records.
pub(super) struct Table {
    /// The first span of each record.
    rows: Vec<SpanRef>,
    columns: Vec<Column>,
}

/// One field of the records, by row.
struct Column {
    name: String,
    cells: Vec<Cell>,
}

/// What a record holds in a field.
#[derive(Clone, Default)]
struct Cell {
    number: Option<(Decimal, SpanRef)>,
    order: Option<Order>,
    text: Option<String>,
}

/// What can be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Number(Decimal),
    Date(jiff::civil::Date),
}

/// A set of records that a task may mean.
struct Choice {
    label: String,
    rows: Vec<usize>,
}

/// Columns of a table, and choices from it, that are looked at: enough for any real one, few enough to bound the cost.
const COLUMNS: usize = 40;
const CHOICES: usize = 400;

impl Table {
    /// The tables in the pool: operands whose paths differ in the last index only.
    pub(super) fn of(operands: &[Operand]) -> Vec<Self> {
        type Rows<'a> = BTreeMap<u32, Vec<&'a Operand>>;
        let mut lists: BTreeMap<(NodeId, &[Seg]), Rows<'_>> = BTreeMap::new();
        for operand in operands {
            let record = operand.path.record();
            if let Some((Seg::Index(row), list)) = record.split_last() {
                let rows = lists.entry((operand.at.node, list)).or_default();
                rows.entry(*row).or_default().push(operand);
            }
        }
        let lists = lists.into_values().filter(|rows| rows.len() > 1);
        lists
            .map(|rows| Self::new(rows.into_values().collect()))
            .collect()
    }

    fn new(records: Vec<Vec<&Operand>>) -> Self {
        let mut fields: BTreeMap<&[Seg], usize> = BTreeMap::new();
        let mut columns: Vec<Column> = Vec::new();
        for (row, record) in records.iter().enumerate() {
            for operand in record {
                let from = operand.path.record().len();
                let field = operand.path.steps().get(from..).unwrap_or_default();
                let column = *fields.entry(field).or_insert_with(|| {
                    let cells = vec![Cell::default(); records.len()];
                    columns.push(Column {
                        name: name(field),
                        cells,
                    });
                    columns.len() - 1
                });
                if column >= COLUMNS {
                    columns.truncate(COLUMNS);
                } else if let Some(cell) =
                    columns.get_mut(column).and_then(|c| c.cells.get_mut(row))
                {
                    cell.add(operand);
                }
            }
        }
        let rows = records
            .iter()
            .filter_map(|r| r.first())
            .map(|o| o.at)
            .collect();
        Self { rows, columns }
    }

    /// The numbers of each column that holds at least two.
    pub(super) fn columns(&self) -> Vec<Vec<Term>> {
        let numbers = self.columns.iter().map(|column| {
            let cells = column.cells.iter().filter_map(|cell| cell.number);
            cells
                .map(|(value, at)| Term::of(value, false, at))
                .collect::<Vec<_>>()
        });
        numbers.filter(|c| c.len() > 1).collect()
    }

    /// All records; those that share a value of a field, and of these (and of all) the first and the last by a field with
    /// an order.
    fn choices(&self) -> Vec<Choice> {
        let mut out = vec![Choice {
            label: "all".into(),
            rows: (0..self.rows.len()).collect(),
        }];
        self.push_shared(&mut out);
        let groups = out.len();
        for group in 0..groups {
            for column in &self.columns {
                let Some(Choice { label, rows }) = out.get(group) else {
                    continue;
                };
                if out.len() > CHOICES {
                    return out;
                }
                let cuts = column.cuts(rows, label);
                out.extend(cuts);
            }
        }
        out
    }

    fn push_shared(&self, out: &mut Vec<Choice>) {
        for column in &self.columns {
            let mut shared: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (row, cell) in column.cells.iter().enumerate() {
                if let Some(text) = &cell.text {
                    shared.entry(text).or_default().push(row);
                }
            }
            let some = shared
                .into_iter()
                .filter(|(_, rows)| rows.len() > 1 && rows.len() < self.rows.len());
            out.extend(some.map(|(value, rows)| Choice {
                label: format!("{} = {value}", column.name),
                rows,
            }));
            out.truncate(CHOICES / 4);
        }
    }
}

impl Cell {
    fn add(&mut self, operand: &Operand) {
        if let Some((number, _)) = number_of(&operand.value) {
            self.number = self.number.or(Some((number, operand.at)));
        }
        match &operand.value {
            Value::Number(n) => self.order = self.order.or(Some(Order::Number(*n))),
            // A date is more than the numbers in its text.
            Value::Date(d) => self.order = Some(Order::Date(*d)),
            Value::Text(text) if self.text.is_none() => self.text = Some(normal(text)),
            _ => {}
        }
    }
}

impl Column {
    /// The lowest and the highest of these rows, for each place to cut.
    fn cuts(&self, rows: &[usize], label: &str) -> Vec<Choice> {
        let order = |row: &usize| Some((self.cells.get(*row)?.order?, *row));
        let mut ordered: Vec<(Order, usize)> = rows.iter().filter_map(order).collect();
        ordered.sort();
        let rows: Vec<usize> = ordered.into_iter().map(|(_, row)| row).collect();
        let of = if label == "all" {
            String::new()
        } else {
            format!(" of {label}")
        };
        let mut out = Vec::new();
        for cut in 1..rows.len() {
            let (low, high) = rows.split_at(cut);
            for (rows, what) in [(low, "lowest"), (high, "highest")] {
                if rows.len() > 1 {
                    let label = format!("the {} {what} {}{of}", rows.len(), self.name);
                    out.push(Choice {
                        label,
                        rows: rows.to_vec(),
                    });
                }
            }
        }
        out
    }

    /// The numbers of these rows, if every one holds one.
    fn numbers(&self, rows: &[usize]) -> Option<Vec<(Decimal, SpanRef)>> {
        rows.iter()
            .map(|row| self.cells.get(*row)?.number)
            .collect()
    }
}

/// The sums, sums of products, and counts of the sets that tables offer: distinct numbers, at most four times `limit`,
/// whole tables first.
pub(super) fn sets(tables: &[Table], limit: usize) -> Vec<Term> {
    let mut terms = Vec::new();
    for table in tables {
        for choice in table.choices() {
            push_set(table, &choice, &mut terms);
            if terms.len() > limit * 16 {
                break;
            }
        }
    }
    terms.sort_by_key(|t| !t.label.ends_with("(all)"));
    let mut seen = std::collections::HashSet::new();
    terms.retain(|t: &Term| seen.insert(t.value));
    terms.truncate(limit * 4);
    terms
}

fn push_set(table: &Table, choice: &Choice, out: &mut Vec<Term>) {
    let (rows, label) = (&choice.rows, &choice.label);
    let numbers = table
        .columns
        .iter()
        .filter_map(|c| Some((&c.name, c.numbers(rows)?)));
    let columns: Vec<(&String, Vec<(Decimal, SpanRef)>)> = numbers.collect();
    for (name, cells) in &columns {
        let sum = cells
            .iter()
            .try_fold(Decimal::ZERO, |sum, (v, _)| sum.checked_add(*v));
        let from = cells.iter().map(|(_, at)| *at).collect();
        out.extend(sum.map(|sum| term(sum, format!("sum of {name} ({label})"), from)));
    }
    for (i, (a, left)) in columns.iter().enumerate() {
        for (b, right) in columns.iter().skip(i + 1).take(4) {
            let mut products = left
                .iter()
                .zip(right)
                .map(|((x, _), (y, _))| x.checked_mul(*y));
            let sum = products.try_fold(Decimal::ZERO, |sum, p| sum.checked_add(p?));
            let from = left.iter().chain(right).map(|(_, at)| *at).collect();
            out.extend(sum.map(|sum| term(sum, format!("sum of {a} × {b} ({label})"), from)));
        }
    }
    let from = rows
        .iter()
        .filter_map(|row| table.rows.get(*row).copied())
        .collect();
    out.push(term(
        Decimal::from(rows.len()),
        format!("count of records ({label})"),
        from,
    ));
}

fn term(value: Decimal, label: String, from: Vec<SpanRef>) -> Term {
    Term {
        value,
        percent: false,
        label,
        from,
    }
}

fn name(field: &[Seg]) -> String {
    let keys = field.iter().filter_map(|s| match s {
        Seg::Key(k) => Some(&**k),
        Seg::Index(_) => None,
    });
    let keys: Vec<&str> = keys.collect();
    if keys.is_empty() {
        "value".to_owned()
    } else {
        keys.join(".")
    }
}
