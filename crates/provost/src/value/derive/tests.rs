//! Derivations as data, against a naive search, and their bounds.

use jiff::civil::Date;
use proptest::prelude::*;
use rust_decimal::Decimal;

use super::*;
use crate::graph::NodeId;
use crate::read::Seg;

fn at(node: u32, span: u32) -> SpanRef {
    SpanRef {
        node: NodeId(node),
        span,
    }
}

/// A pool of texts, each a span of its own without a path.
fn pool(texts: &[&str]) -> Vec<Operand> {
    let spans = texts.iter().zip(0..);
    spans
        .flat_map(|(text, i)| Operand::of_text(text, at(i, 0), &Path::default()))
        .collect()
}

/// A table of node `node`: the first row names the fields.
fn table(node: u32, rows: &[&[&str]]) -> Vec<Operand> {
    let (header, records) = rows.split_first().expect("a header");
    let mut out = Vec::new();
    let mut span = 0;
    for (record, row) in records.iter().zip(0..) {
        for (field, text) in header.iter().zip(*record) {
            let path = Path::new(vec![Seg::Index(row), Seg::Key((*field).into())]);
            out.extend(Operand::of_text(text, at(node, span), &path));
            span += 1;
        }
    }
    out
}

fn goal(text: &str) -> Value {
    let atoms = crate::value::atoms(text);
    let whole = atoms.iter().filter(|a| a.range == (0..text.len()));
    whole
        .flat_map(Value::readings)
        .next()
        .unwrap_or_else(|| Value::Text(text.into()))
}

/// The derivation found for a goal, or nothing.
fn found(text: &str, operands: &[Operand]) -> Option<Derivation> {
    let pool = Pool {
        operands,
        today: Date::new(2026, 3, 10).ok(),
    };
    derive(&goal(text), &pool, Budget::default())
}

fn check(text: &str, operands: &[Operand], how: &str) {
    let found = found(text, operands).map(|d| d.how);
    assert_eq!(found.as_deref(), Some(how), "{text}");
}

#[test]
fn pairs_of_numbers() {
    check(
        "13340",
        &pool(&["92 h in all", "145.00 EUR per hour"]),
        "92 × 145",
    );
    check(
        "14580.0",
        &pool(&["total 48600.0, deposit 30 %"]),
        "30 % of 48600",
    );
    check(
        "14580.0",
        &pool(&["total 48600.0, deposit_pct: 30"]),
        "30 % of 48600",
    );
    check("644.8", &pool(&["6200 words", "0.104"]), "6200 × 0.104");
    check("464616", &pool(&["EUR 4.646,16"]), "4646.16 × 100");
    check("46.46", &pool(&["4646 cents"]), "4646 ÷ 100");
    check("1185", &pool(&["1,235.00 less 50.00"]), "1235 − 50");
    check("120", &pool(&["100 plus 20 % VAT"]), "20 % on top of 100");
    check("90", &pool(&["100", "10 % discount"]), "10 % off 100");
    check(
        "46",
        &pool(&["active 41", "plus 10 percent"]),
        "10 % on top of 41, rounded up",
    );
    check(
        "6",
        &pool(&["62 guests, each 0.09 kg"]),
        "62 × 0.09, rounded up",
    );
    check("33.33", &pool(&["100 for three"]), "100 ÷ 3, to cents");
    check("50", &pool(&["100 for all of them"]), "100 ÷ 2");
    assert_eq!(found("13341", &pool(&["92 h", "145.00"])), None);
}

#[test]
fn three_numbers() {
    check(
        "31915.5",
        &pool(&["18240.00", "15975.50", "claim -2300.00"]),
        "18240 + 15975.5 + -2300",
    );
    check(
        "2256",
        &pool(&["80 dinners at 24.50", "and 296 once"]),
        "80 × 24.5 + 296",
    );
    check(
        "38",
        &pool(&["need 500, have 48, packs of 12"]),
        "(500 − 48) ÷ 12, rounded up",
    );
    check(
        "7",
        &pool(&["one server for each 12 of 62 guests and one more"]),
        "(62 ÷ 12, rounded up) + 1",
    );
}

#[test]
fn columns() {
    let items = table(
        0,
        &[
            &["item", "state", "amount", "due", "qty"],
            &["a", "open", "100.50", "2026-04-01", "2"],
            &["b", "paid", "200.25", "2026-04-20", "3"],
            &["c", "open", "300.25", "2026-04-10", "5"],
            &["d", "open", "1000.10", "2026-06-10", "7"],
        ],
    );
    check("1601.1", &items, "sum of amount (all)");
    check("1400.85", &items, "sum of amount (state = open)");
    check("601", &items, "sum of amount (the 3 lowest amount)");
    check("9303.7", &items, "sum of amount × qty (all)");
    let mut more = pool(&["less 30"]);
    more.extend(items.clone());
    check("1571.1", &more, "sum of amount (all) − 30");
    check("400.75", &items, "sum of amount (the 2 lowest due)");
    let mut more = pool(&["deposit 2340, interest 61.20"]);
    more.extend(items.iter().cloned());
    check(
        "2000.45",
        &more,
        "2340 + 61.2 − sum of amount (the 2 lowest due)",
    );
    let sum = found("1400.85", &items).expect("a sum");
    assert_eq!(sum.operands, [at(0, 2), at(0, 12), at(0, 17)]);
    let count = found(
        "3",
        &table(0, &[&["x", "y"], &["p", "u"], &["q", "v"], &["r", "w"]]),
    );
    assert_eq!(
        count.map(|d| d.how).as_deref(),
        Some("count of records (all)")
    );
}

#[test]
fn dates_and_times() {
    check("2026-03-11", &[], "the day after today (2026-03-10)");
    check(
        "2026-04-23",
        &pool(&["on 23/04 please"]),
        "23.04. in the year of today (2026-03-10)",
    );
    check(
        "2027-01-05",
        &pool(&["5 January"]),
        "05.01. in the year after today (2026-03-10)",
    );
    check(
        "2026-03-13",
        &pool(&["by Friday"]),
        "weekday 5 after today (2026-03-10)",
    );
    check(
        "2026-06-13",
        &pool(&["decided 2026-06-02", "standstill 10 days"]),
        "2026-06-02 + 10 days + 1",
    );
    check(
        "2026-05-02",
        &pool(&["2026-04-02, in 30 days"]),
        "2026-04-02 + 30 days",
    );
    check(
        "2026-06-30",
        &pool(&["end of June"]),
        "last day of a named month in the year of today (2026-03-10)",
    );
    check(
        "2026-03-17",
        &pool(&["within 5 days"]),
        "today (2026-03-10) + 5 working days",
    );
    check(
        "17:15",
        &pool(&["16:30 for 45 minutes"]),
        "16:30 + 45 minutes",
    );
    check("18:00", &pool(&["4:30 pm, 1.5 hours"]), "16:30 + 1.5 hours");
    check(
        "11:00",
        &pool(&["at 10:00"]),
        "10:00 + 60 minutes, a usual length",
    );
    check(
        "2026-03-15",
        &pool(&["on the 15th"]),
        "day 15 of the month of today (2026-03-10)",
    );
    check(
        "2026-06-04",
        &pool(&["2026-06", "free: Thu 4, Tue 9"]),
        "day 4 of a named month",
    );
    check("2026-03-10", &[], "today (2026-03-10)");
    check(
        "2026-03-06",
        &pool(&["since Friday"]),
        "weekday 5 before today (2026-03-10)",
    );
    check(
        "2026-05",
        &pool(&["in May"]),
        "a named month in the year of today (2026-03-10)",
    );
    check(
        "2026-W12",
        &[],
        "month or week after that of today (2026-03-10)",
    );
    assert_eq!(found("2031-07-07", &pool(&["2026-06-02", "10 days"])), None);
}

#[test]
fn texts() {
    let known = pool(&[
        "Petra Lindqvist",
        "Sandvik Row",
        "handover of the claim",
        "20-44-91",
        "03316728",
    ]);
    check(
        "Handover: Sandvik Row (Petra Lindqvist)",
        &known,
        "“handover” + “sandvik row” + “petra lindqvist”",
    );
    check("20-44-91 03316728", &known, "“20 44 91” + “03316728”");
    assert_eq!(found("Sandvik Row for Mallory", &known), None);
    assert_eq!(found("of the", &pool(&["nothing here"])), None);
}

#[test]
fn surprise_falls_with_the_pool() {
    let few = found("13340", &pool(&["92", "145"])).expect("a product");
    let numbers: Vec<String> = (0..40).map(|i| format!("{}", 1000 + i * 37)).collect();
    let mut texts: Vec<&str> = numbers.iter().map(String::as_str).collect();
    texts.extend(["92", "145"]);
    let many = found("13340", &pool(&texts)).expect("a product");
    assert!(few.strength > many.strength, "{few:?} {many:?}");
    assert!(few.strength >= 8 && many.strength <= 4, "{few:?} {many:?}");
}

/// Any expression of one or two of the numbers, without order or bounds.
fn naive(goal: Decimal, numbers: &[Decimal]) -> bool {
    let whole = goal.is_integer();
    let away = |r: Decimal, places| {
        r.round_dp_with_strategy(places, rust_decimal::RoundingStrategy::MidpointAwayFromZero)
    };
    let cents = |r: Decimal| r == goal || away(r, 2) == goal || r.round_dp(2) == goal;
    let up = |r: Decimal| cents(r) || away(r, 1) == goal || whole && r.ceil() == goal;
    let any = |r: Decimal| up(r) || whole && (r.floor() == goal || away(r, 0) == goal);
    let hundred = Decimal::ONE_HUNDRED;
    for (i, a) in numbers.iter().enumerate() {
        let units = [100, 60, 1000, 12, 7, 24, 2].map(Decimal::from);
        let converted = |u: &Decimal| *a * u == goal || cents(*a / u);
        if *a != Decimal::ONE && (-*a == goal || units.iter().any(converted)) {
            return true;
        }
        for (j, b) in numbers.iter().enumerate() {
            let part = *a * *b / hundred;
            let rate = *b > Decimal::ZERO
                && *b <= hundred
                && (cents(part) || cents(*a + part) || cents(*a - part));
            if i != j && (*a + *b == goal || *a - *b == goal || up(*a * *b) || any(*a / *b) || rate)
            {
                return true;
            }
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// With two distinct numbers the search finds exactly what the naive one finds.
    #[test]
    fn pairs_like_naive(a in 1_i64..5000, b in 1_i64..5000, scale in 0_u32..3, pick in 0_usize..8, noise in 0_i64..3) {
        let (a, b) = (Decimal::new(a, scale).normalize(), Decimal::new(b, 0));
        prop_assume!(a != b);
        let goals = [a + b, a - b, a * b, a / b, b / a, a * b / Decimal::ONE_HUNDRED, a + a * b / Decimal::ONE_HUNDRED, a * Decimal::from(60)];
        let goal = (goals[pick].round_dp(2) + Decimal::new(noise, 2)).normalize();
        prop_assume!(!goal.is_zero());
        let operand = |n, i| Operand { value: Value::Number(n), at: at(0, i), path: Path::default() };
        let operands = [operand(a, 0), operand(b, 1)];
        let found = derive(&Value::Number(goal), &Pool { operands: &operands, today: None }, Budget::default());
        prop_assert_eq!(found.is_some(), naive(goal, &[a, b]), "{} from {} and {}: {:?}", goal, a, b, found);
    }

    /// Deterministic, within its budget, and never citing what is not in the pool.
    #[test]
    fn bounded_and_deterministic(numbers in prop::collection::vec(-100_000_i64..100_000, 0..90), goal in 0_i64..1_000_000, left in 1_u64..5000) {
        let operands: Vec<Operand> = numbers.iter().zip(0..).map(|(n, i)| Operand {
            value: Value::Number(Decimal::new(*n, 2)),
            at: at(i / 5, i),
            path: Path::new(vec![Seg::Index(i / 3), Seg::Key("n".into())]),
        }).collect();
        let pool = Pool { operands: &operands, today: None };
        let budget = Budget { operands: 60, combinations: left };
        let goal = Value::Number(Decimal::new(goal, 2));
        let first = derive(&goal, &pool, budget);
        prop_assert_eq!(&first, &derive(&goal, &pool, budget));
        if let Some(found) = first {
            prop_assert!(!found.operands.is_empty());
            prop_assert!(found.operands.iter().all(|s| operands.iter().any(|o| o.at == *s)));
        }
    }

    /// Extreme values neither overflow nor panic.
    #[test]
    fn extremes(mantissas in prop::collection::vec(any::<i64>(), 0..12), scale in 0_u32..28, goal in any::<i64>()) {
        let operands: Vec<Operand> = mantissas.iter().zip(0..).map(|(n, i)| Operand {
            value: Value::Number(Decimal::from_i128_with_scale(i128::from(*n) * 1_000_000_007, scale)),
            at: at(0, i),
            path: Path::default(),
        }).collect();
        let pool = Pool { operands: &operands, today: None };
        derive(&Value::Number(Decimal::from_i128_with_scale(i128::from(goal) * 1_000_003, scale)), &pool, Budget::default());
    }
}
