//! A session: the append-only log of what went in, and the state derived from it.

mod event;
mod fields;
mod log;
mod surfaces;

use std::collections::HashMap;

pub use event::{Annotations, Event, Surface, ToolCall, ToolDef};
pub use log::{LogError, replay};
use serde_json::Value;

use crate::causal::{Auditor, Options};
use crate::defense::{Evidence, Finding, Hint, Input, Outcome, Permit, Step, Verdict, View};
use crate::graph::{Graph, Node, NodeId, NodeKind};
use crate::policy::{Effect, Policy, Uncertain};
use crate::read::{Role, read};
use crate::span::{Label, Reason, Span};

/// One agent session under audit.
#[derive(Debug)]
pub struct Session {
    policy: Policy,
    options: Options,
    log: Vec<Input>,
    graph: Graph,
    tools: HashMap<String, ToolDef>,
    actions: HashMap<String, NodeId>,
    auditor: Auditor,
    verdicts: Vec<Verdict>,
}

impl Session {
    /// An empty session under `policy`.
    pub fn new(policy: Policy, options: Options) -> Self {
        Self {
            policy,
            options,
            log: Vec::new(),
            graph: Graph::default(),
            tools: HashMap::new(),
            actions: HashMap::new(),
            auditor: Auditor::default(),
            verdicts: Vec::new(),
        }
    }

    /// Takes one input, appends it to the log, and says what to do next.
    pub fn step(&mut self, input: Input) -> Step {
        self.log.push(input.clone());
        match input {
            Input::Event(event) => Step::Continue(View {
                node: self.enter(event),
            }),
            Input::Propose(call) => self.propose(call),
            Input::Answer(..) => Step::Continue(View {
                node: NodeId(self.graph.len() as u32),
            }),
        }
    }

    /// Everything that went in, in order.
    pub fn log(&self) -> &[Input] {
        &self.log
    }

    /// The provenance graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// One verdict per proposed call, in order.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The invariants extracted from the user's words so far, as a person would sign them.
    pub fn invariants(&self) -> Vec<String> {
        self.auditor.invariants()
    }

    fn enter(&mut self, event: Event) -> NodeId {
        match event {
            Event::System { content } => self.speak(NodeKind::System, "system", content),
            Event::User { content } => self.speak(NodeKind::User, "user", content),
            Event::Reply { content } => {
                self.add(NodeKind::Reply, "assistant".into(), content, None)
            }
            Event::Context {
                surface,
                name,
                content,
            } => self.add(NodeKind::Context(surface), name, content, None),
            Event::ToolResult {
                call,
                content,
                value,
                error,
            } => {
                let cause = self.actions.get(&call).copied();
                if let Some(action) = cause.filter(|_| error) {
                    let node = self.graph.node(action);
                    self.auditor.failed(&node.name, &node.content);
                }
                let name = cause.map_or_else(|| call.clone(), |c| self.graph.node(c).name.clone());
                let surface = self.policy.surface(&name, self.tools.get(&name));
                self.add_valued(NodeKind::Context(surface), name, content, &value, cause)
            }
            Event::ToolDocs { tools } => {
                let mut last = NodeId(self.graph.len() as u32);
                for tool in tools {
                    let content = serde_json::to_string(&tool).unwrap_or_default();
                    last = self.add(
                        NodeKind::Context(Surface::ToolDocs),
                        tool.name.clone(),
                        content,
                        None,
                    );
                    let effect = self.policy.effect(&tool.name, Some(&tool));
                    let surface = self.policy.surface(&tool.name, Some(&tool));
                    self.auditor.describe(&tool, effect, surface);
                    self.tools.insert(tool.name.clone(), tool);
                }
                last
            }
        }
    }

    /// A message of the operator or the user. What was pasted into it from another surface stays that surface.
    fn speak(&mut self, kind: NodeKind, role: &str, content: String) -> NodeId {
        let parts = surfaces::pasted(&content);
        if parts.is_empty() {
            return self.add(kind, role.to_owned(), content, None);
        }
        let mut own = String::new();
        let mut from = 0;
        for part in &parts {
            own.push_str(&content[from..part.range.start]);
            from = part.range.end;
        }
        own.push_str(&content[from..]);
        let node = self.add(kind, role.to_owned(), own, None);
        for part in parts {
            let inner = content[part.inner].to_owned();
            self.add(NodeKind::Context(part.surface), part.name, inner, None);
        }
        node
    }

    fn add(
        &mut self,
        kind: NodeKind,
        name: String,
        content: String,
        cause: Option<NodeId>,
    ) -> NodeId {
        self.add_valued(kind, name, content, &Value::Null, cause)
    }

    /// Adds a node whose content is a printed `value` (`null` when unknown).
    fn add_valued(
        &mut self,
        kind: NodeKind,
        name: String,
        content: String,
        value: &Value,
        cause: Option<NodeId>,
    ) -> NodeId {
        let mut spans: Vec<Span> = read(&content)
            .pieces
            .into_iter()
            .map(|piece| {
                let reason = if piece.role == Role::Syntax {
                    Reason::Syntax
                } else {
                    Reason::Assertion
                };
                Span {
                    piece,
                    label: Label::Benign,
                    reason,
                    field: false,
                }
            })
            .collect();
        fields::mark(&content, &mut spans, value);
        let node = self.graph.push(Node {
            kind,
            name,
            content,
            spans,
            cause,
            inputs: 0,
        });
        self.auditor
            .observe(&mut self.graph, node, &self.policy, self.options);
        node
    }

    fn propose(&mut self, call: ToolCall) -> Step {
        let effect = self.policy.effect(&call.name, self.tools.get(&call.name));
        let verdict = self.judge(&call, effect);
        let kind = match (verdict.outcome, effect) {
            (Outcome::Release, Effect::Read) => NodeKind::Read,
            (Outcome::Release, _) => NodeKind::Write,
            _ => NodeKind::Denied,
        };
        let content = serde_json::to_string(&call.arguments).unwrap_or_default();
        let inputs = self.graph.len() as u32;
        let node = self.graph.push(Node {
            kind,
            name: call.name.clone(),
            spans: Vec::new(),
            content,
            cause: None,
            inputs,
        });
        if effect == Effect::Read {
            self.auditor.read(
                &self.graph,
                &self.policy,
                self.tools.get(&call.name),
                &call,
                node,
            );
        }
        if kind == NodeKind::Write {
            self.auditor.wrote(&call);
        }
        self.actions.insert(call.id.clone(), node);
        self.verdicts.push(verdict.clone());
        match verdict.outcome {
            Outcome::Release => Step::Release(Permit::new(call, verdict.evidence)),
            Outcome::Block => Step::Block(
                verdict.evidence,
                verdict.hint.unwrap_or(Hint(String::new())),
            ),
            Outcome::Approve => Step::Approve(verdict.evidence),
        }
    }

    fn judge(&mut self, call: &ToolCall, effect: Effect) -> Verdict {
        let action = NodeId(self.graph.len() as u32);
        if effect == Effect::Read {
            let evidence = Evidence {
                action,
                effect,
                finding: Finding::ReadOnly,
                reason: String::from("it only reads"),
                arguments: Vec::new(),
                chain: Vec::new(),
                invariants: Vec::new(),
            };
            return Verdict {
                outcome: Outcome::Release,
                evidence,
                hint: None,
            };
        }
        let def = self.tools.get(&call.name);
        let judgement = self
            .auditor
            .audit(&self.graph, &self.policy, def, call, self.options);
        let outcome = match judgement.finding {
            Finding::ReadOnly | Finding::Justified | Finding::AlreadyReleased => Outcome::Release,
            Finding::Unsupported if self.policy.uncertain() == Uncertain::Approve => {
                Outcome::Approve
            }
            Finding::AnomalousSupport
            | Finding::Unsupported
            | Finding::NotEntailed
            | Finding::OutsideTask
            | Finding::Malformed => Outcome::Block,
        };
        let evidence = Evidence {
            action,
            effect,
            finding: judgement.finding,
            reason: judgement.reason,
            arguments: judgement.grounded.iter().map(|g| g.report()).collect(),
            chain: judgement.chain,
            invariants: judgement.invariants,
        };
        let hint = (outcome == Outcome::Block).then_some(Hint(judgement.hint));
        Verdict {
            outcome,
            evidence,
            hint,
        }
    }
}
