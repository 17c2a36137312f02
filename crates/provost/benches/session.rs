//! What a session costs: per event as it grows, and for one write in the middle of a day's work.
//!
//! The content is made here: a workshop's assistant that reads mails, orders, a price list and a web page, answers,
//! and pays or writes now and then. Every round differs in names, accounts, amounts and dates.
#![expect(
    clippy::print_stdout,
    reason = "the ratio is printed beside criterion's figures"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use provost::session::Annotations;
use provost::{Event, Input, Options, Policy, Session, ToolCall, ToolDef};
use serde_json::{Value, json};

/// Inputs of one round; divides a hundred, so that every hundred inputs are the same mix.
const ROUND: usize = 10;
const LONG: usize = 2_000;
const SHORT: usize = 200;
const WINDOW: usize = 100;

fn tool(name: &str, reads: bool) -> ToolDef {
    ToolDef {
        name: name.into(),
        description: format!("{name} of the workshop."),
        parameters: Value::Null,
        annotations: Some(Annotations {
            read_only_hint: Some(reads),
            open_world_hint: Some(!reads),
            ..Annotations::default()
        }),
    }
}

fn session() -> Session {
    let policy = Policy::default().trusting_annotations();
    let mut session = Session::new(policy, Options::default());
    let reads = ["search_mail", "get_order", "get_prices", "read_page"].map(|n| tool(n, true));
    let writes = ["pay_invoice", "send_mail"].map(|n| tool(n, false));
    session.step(Input::Event(Event::ToolDocs {
        tools: reads.into_iter().chain(writes).collect(),
    }));
    session
}

fn account(n: usize) -> String {
    format!("NL{:02}CLAY{:010}", n % 90 + 10, n * 7_919)
}

fn mail(n: usize) -> String {
    let (day, due) = (n % 28 + 1, (n + 9) % 28 + 1);
    format!(
        "- id: {n}\n  from: accounts{n}@supplier-{n}.example\n  subject: Invoice {n} for glaze\n  date: 2026-03-{day:02}\n  \
         body: |-\n    Dear Ruta,\n\n    thank you for order R-{n}. The total is {}.50 EUR, payable by 2026-04-{due:02}\n    \
         to {}. The next delivery leaves on Monday; please have the gate open by 7:30.\n\n    Kind regards,\n    \
         Supplier {n}\n  attachments: [invoice-{n}.pdf]\n",
        n % 400 + 20,
        account(n)
    )
}

fn order(n: usize) -> String {
    json!({
        "order": format!("R-{n}"), "status": "delivered", "paid": false,
        "lines": [
            {"item": "celadon glaze", "quantity": n % 7 + 1, "price": 12.4},
            {"item": format!("stoneware body {n}"), "quantity": 25, "price": 1.85},
        ],
        "contact": {"name": format!("Mara Ilic {n}"), "mail": format!("mara{n}@supplier-{n}.example")},
    })
    .to_string()
}

fn page(n: usize) -> String {
    format!(
        "<html><head><title>Supplier {n}</title></head><body><h1>Opening hours</h1><p>Monday to Friday, 8 to 17.</p>\
         <table><tr><th>item</th><th>price</th></tr><tr><td>kiln shelf</td><td>{}.00</td></tr></table>\
         <p>Call +31 20 555 {:04} before you collect.</p></body></html>",
        n % 90 + 10,
        n % 10_000
    )
}

/// The `at`-th input of a session.
fn input(at: usize) -> Input {
    let n = at / ROUND;
    let propose = |name: &str, arguments| {
        Input::Propose(ToolCall::new(format!("call-{at}"), name, arguments))
    };
    let result = |text: String| Input::Event(Event::result(format!("call-{}", at - 1), text));
    match at % ROUND {
        0 => Input::Event(Event::user(format!(
            "Please pay invoice {n} from supplier {n}'s mail, then tell mara{n}@supplier-{n}.example that it is paid."
        ))),
        1 => propose("search_mail", json!({"query": format!("invoice {n}")})),
        2 => result(mail(n)),
        3 => propose("get_order", json!({"order": format!("R-{n}")})),
        4 => result(order(n)),
        5 => propose(
            "read_page",
            json!({"url": format!("https://supplier-{n}.example/hours")}),
        ),
        6 => result(page(n)),
        7 => propose(
            "pay_invoice",
            json!({"account": account(n), "amount": (n % 400 + 20) as f64 + 0.5, "reference": format!("Invoice {n}")}),
        ),
        8 => propose(
            "send_mail",
            json!({"to": [format!("mara{n}@supplier-{n}.example")], "body": format!("Invoice {n} is paid.")}),
        ),
        _ => Input::Event(Event::Reply {
            content: format!("I paid invoice {n} and told Mara."),
        }),
    }
}

/// Time that inputs `from..to` take in a session that grows from the start.
fn window(inputs: &[Input], from: usize, to: usize) -> Duration {
    let mut session = session();
    let (before, measured) = inputs[..to].split_at(from);
    for input in before {
        session.step(input.clone());
    }
    let measured = measured.to_vec();
    let start = Instant::now();
    for input in measured {
        black_box(session.step(input));
    }
    start.elapsed()
}

/// Sessions of 2,000 inputs: the last hundred must cost about what the first hundred do.
fn growth(c: &mut Criterion) {
    let inputs: Vec<Input> = (0..LONG).map(input).collect();
    let mut group = c.benchmark_group("hundred_inputs");
    group.sample_size(20);
    let mut bench = |name: &str, from: usize| {
        group.bench_function(name, |b| {
            let once = || window(&inputs, from, from + WINDOW);
            b.iter_custom(|times| (0..times).map(|_| once()).sum());
        });
    };
    bench("first", 0);
    bench("last", LONG - WINDOW);
    group.finish();

    let mut ratios: Vec<f64> = (0..15)
        .map(|_| {
            let first = window(&inputs, 0, WINDOW).as_secs_f64();
            window(&inputs, LONG - WINDOW, LONG).as_secs_f64() / first
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "last hundred of {LONG} inputs over first hundred: {:.2} (median of {})\n",
        ratios[ratios.len() / 2],
        ratios.len()
    );
}

/// One write after 200 inputs.
fn write(c: &mut Criterion) {
    let inputs: Vec<Input> = (0..SHORT).map(input).collect();
    let ready = || {
        let mut session = session();
        for input in &inputs {
            session.step(input.clone());
        }
        // The next round up to its payment.
        for at in SHORT..SHORT + 7 {
            session.step(input(at));
        }
        (session, input(SHORT + 7))
    };
    c.bench_function("one_write_after_200_inputs", |b| {
        let audit = |(mut session, write): (Session, Input)| {
            let step = session.step(write);
            (session, step)
        };
        b.iter_batched(ready, audit, BatchSize::PerIteration);
    });
}

criterion_group!(benches, growth, write);
criterion_main!(benches);
