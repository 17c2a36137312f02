//! How it was decided what the called tools do: a person should know where nobody said so.

use std::collections::BTreeMap;
use std::io::{self, Write};

use provost::{Effect, Event, Input, Policy, ToolDef};
use provost_llm::runs::Run;

use super::policy::SHIPPED;
use super::text::{count, plain};

/// Names of tools that are listed.
const LISTED: usize = 8;

/// What decided what a tool does; the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum By {
    /// A rule of the policy that the person named.
    Rule,
    /// A rule of the shipped policy.
    Shipped,
    /// Annotations that the person trusts.
    Annotations,
    /// Nothing: the default.
    Default,
}

/// The called tools by name: what decided, and what the tool does.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    calls: BTreeMap<String, (By, Effect)>,
    /// Whether a tool that nothing decided brings annotations.
    annotated: bool,
}

/// Collects the [`Tools`] of one run.
#[derive(Debug)]
pub(crate) struct Decided {
    policy: Policy,
    rule: By,
    /// Tools that bring annotations, and whether those are believed.
    annotated: BTreeMap<String, bool>,
    /// What was collected.
    pub(crate) tools: Tools,
}

impl Decided {
    /// A run under `policy`, a rule of which counts as `rule`.
    pub(crate) fn new(policy: &Policy, rule: By, trusting: bool, run: &Run) -> Self {
        let docs = run.inputs.iter().filter_map(|input| match input {
            Input::Event(Event::ToolDocs { tools }) => Some(tools),
            _ => None,
        });
        let annotated = docs.flatten().filter(|tool| {
            let hint = tool.annotations.and_then(|a| a.read_only_hint);
            hint.is_some()
        });
        // The policy may trust them too.
        let believed = |tool: &ToolDef| {
            trusting || policy.effect(&tool.name, Some(tool)) != policy.effect(&tool.name, None)
        };
        Self {
            policy: policy.clone(),
            rule,
            annotated: annotated
                .map(|tool| (tool.name.clone(), believed(tool)))
                .collect(),
            tools: Tools::default(),
        }
    }

    /// `tool` was called, and the call was taken for an `effect`.
    pub(crate) fn called(&mut self, tool: &str, effect: Effect) {
        if self.tools.calls.contains_key(tool) {
            return;
        }
        let by = match self.annotated.get(tool) {
            _ if self.policy.covers(tool) => self.rule,
            Some(true) => By::Annotations,
            found => {
                self.tools.annotated |= found.is_some();
                By::Default
            }
        };
        self.tools.calls.insert(tool.to_owned(), (by, effect));
    }
}

impl Tools {
    /// Adds those of another run. Of two decisions the one that says less stands.
    pub(crate) fn add(&mut self, other: Self) {
        self.annotated |= other.annotated;
        for (tool, (by, effect)) in other.calls {
            let known = self.calls.entry(tool).or_insert((by, effect));
            *known = (known.0.max(by), known.1.max(effect));
        }
    }

    /// Says what nobody decided: where no policy was named, and where the named one does not speak of a tool.
    pub(crate) fn write(&self, named: bool, out: &mut impl Write) -> io::Result<()> {
        let tools = |by| self.calls.iter().filter(move |(_, found)| found.0 == by);
        let undecided: Vec<&str> = tools(By::Default).map(|(tool, _)| tool.as_str()).collect();
        if self.calls.is_empty() || (named && undecided.is_empty()) {
            return Ok(());
        }
        let writing = self.calls.values().filter(|f| f.1 == Effect::Write).count();
        let who = if named {
            "the policy does not speak of every tool that was called"
        } else {
            "no policy was named"
        };
        let all = count(self.calls.len(), "called tool");
        writeln!(out, "note: {who}; {writing} of {all} counted as writing")?;
        for (by, what) in [
            (By::Rule, "decided by the policy"),
            (By::Shipped, "known to the shipped policy"),
            (
                By::Annotations,
                "decided by the annotations that the runs bring",
            ),
        ] {
            let number = tools(by).count();
            if number > 0 {
                let name = if by == By::Shipped {
                    format!(" `{SHIPPED}`")
                } else {
                    String::new()
                };
                writeln!(out, "  {number} {what}{name}")?;
            }
        }
        if !undecided.is_empty() {
            writeln!(
                out,
                "  {} decided by nothing but the default: {}",
                undecided.len(),
                listed(&undecided)
            )?;
        }
        let annotations = if self.annotated {
            "; or believe the annotations that the runs bring, with --trust-annotations"
        } else {
            ""
        };
        writeln!(
            out,
            "  remedy: say in a policy what the tools do, and name it with --policy; `provost policy draft` writes a \
             first one{annotations}"
        )
    }
}

fn listed(tools: &[&str]) -> String {
    let shown: Vec<String> = tools.iter().take(LISTED).map(|tool| plain(tool)).collect();
    let more = tools.len() - shown.len();
    let shown = shown.join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}
