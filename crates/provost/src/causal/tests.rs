//! The causal audit, tested as data: every scenario is a short run with the finding that each of its calls must get.
//!
//! All names, accounts and sentences are invented. [`check`] is the one way in; a scenario that has to be judged
//! differently without a component goes through [`check_ablated`].

mod ablation;
mod delegation;
mod disguise;
mod forms;
mod frames;
mod gaps;
mod hearsay;
mod scope;
mod sentences;
mod session;
mod surfaces;
mod vectors;
mod words;

use serde_json::{Value, json};

use super::Options;
use crate::defense::{Finding, Input, Outcome, Verdict};
use crate::policy::Policy;
use crate::session::{Annotations, Event, Session, Surface, ToolCall, ToolDef};

/// A recorded run: what entered, what the agent wanted to do, and what each call must be found to be.
#[derive(Clone)]
struct Run {
    policy: Policy,
    inputs: Vec<Input>,
    wants: Vec<Finding>,
}

/// An empty run under a policy that believes annotations.
fn run() -> Run {
    Run {
        policy: Policy::default().trusting_annotations(),
        inputs: Vec::new(),
        wants: Vec::new(),
    }
}

/// A run in an office with the usual tools.
fn office() -> Run {
    run().tools(&[
        read("read_file", "Reads a file.", "path"),
        read("list_contacts", "Lists the contacts.", ""),
        read("search_mail", "Searches the mailbox.", "query"),
        read("get_record", "Returns one record of the register.", "id"),
        egress("open_page", "Opens a web page.", "url"),
        write("send_money", "Transfers money.", "recipient amount subject"),
        write("send_mail", "Sends a mail.", "recipients subject body"),
        write(
            "add_event",
            "Adds an event to the calendar.",
            "title date participants",
        ),
        write("delete_file", "Deletes a file.", "path"),
        write("open_gate", "Opens the gate for a load.", "load_id"),
        write("reserve_room", "Reserves a room.", "room_id date"),
    ])
}

fn read(name: &str, about: &str, parameters: &str) -> ToolDef {
    tool(name, about, parameters, (true, false))
}

fn egress(name: &str, about: &str, parameters: &str) -> ToolDef {
    tool(name, about, parameters, (true, true))
}

fn write(name: &str, about: &str, parameters: &str) -> ToolDef {
    tool(name, about, parameters, (false, true))
}

/// A tool whose arguments are all strings; hints are (reads only, reaches outside).
fn tool(name: &str, about: &str, parameters: &str, hints: (bool, bool)) -> ToolDef {
    let properties: serde_json::Map<String, Value> = parameters
        .split_whitespace()
        .map(|p| (p.to_owned(), json!({"type": "string"})))
        .collect();
    ToolDef {
        name: name.to_owned(),
        description: about.to_owned(),
        parameters: json!({"type": "object", "properties": properties}),
        annotations: Some(Annotations {
            read_only_hint: Some(hints.0),
            open_world_hint: Some(hints.1),
            ..Annotations::default()
        }),
    }
}

impl Run {
    fn event(mut self, event: Event) -> Self {
        self.inputs.push(Input::Event(event));
        self
    }

    fn tools(self, tools: &[ToolDef]) -> Self {
        self.event(Event::ToolDocs {
            tools: tools.to_vec(),
        })
    }

    fn system(self, content: &str) -> Self {
        self.event(Event::system(content))
    }

    fn user(self, content: &str) -> Self {
        self.event(Event::user(content))
    }

    fn context(self, surface: Surface, name: &str, content: &str) -> Self {
        self.event(Event::Context {
            surface,
            name: name.to_owned(),
            content: content.to_owned(),
        })
    }

    /// A call with the finding that it must get. Its id is `c0`, `c1`, … by its place.
    fn call(mut self, name: &str, arguments: Value, want: Finding) -> Self {
        let id = format!("c{}", self.wants.len());
        self.inputs
            .push(Input::Propose(ToolCall::new(id, name, arguments)));
        self.wants.push(want);
        self
    }

    /// A call that only reads, and what it returns.
    fn reads(self, name: &str, arguments: Value, result: &str) -> Self {
        self.call(name, arguments, Finding::ReadOnly).result(result)
    }

    /// What the latest call returned.
    fn result(self, content: &str) -> Self {
        let latest = self.wants.len() - 1;
        self.result_of(latest, content)
    }

    /// What the call with this number returned.
    fn result_of(self, call: usize, content: &str) -> Self {
        self.event(Event::result(format!("c{call}"), content))
    }

    fn released(self, name: &str, arguments: Value) -> Self {
        self.call(name, arguments, Finding::Justified)
    }

    fn verdicts(&self, options: Options) -> Vec<Verdict> {
        let mut session = Session::new(self.policy.clone(), options);
        for input in &self.inputs {
            session.step(input.clone());
        }
        session.verdicts().to_vec()
    }
}

/// Every call of the run gets the finding that it was written with, and the outcome that goes with it; a block says
/// why and what to do.
fn check(name: &str, run: &Run) {
    expect(name, run, Options::default(), &run.wants);
}

/// The run is judged as written with all components, and the last call differently under `options`.
fn check_ablated(name: &str, run: &Run, options: Options, last: Finding) {
    check(name, run);
    let mut wants = run.wants.clone();
    if let Some(w) = wants.last_mut() {
        assert_ne!(*w, last, "{name}: the ablation has to change the verdict");
        *w = last;
    }
    expect(name, run, options, &wants);
}

fn expect(name: &str, run: &Run, options: Options, wants: &[Finding]) {
    let got = run.verdicts(options);
    assert_eq!(got.len(), wants.len(), "{name}");
    for (i, (v, want)) in got.iter().zip(wants).enumerate() {
        assert_eq!(
            v.evidence.finding, *want,
            "{name}, call {i}: {}",
            v.evidence.reason
        );
        let releases = matches!(
            want,
            Finding::ReadOnly | Finding::Justified | Finding::AlreadyReleased
        );
        assert_eq!(v.outcome == Outcome::Release, releases, "{name}, call {i}");
        assert!(!v.evidence.reason.is_empty(), "{name}, call {i}");
        let hinted = v.hint.as_ref().is_some_and(|h| !h.0.is_empty());
        assert_eq!(hinted, v.outcome == Outcome::Block, "{name}, call {i}");
    }
}
