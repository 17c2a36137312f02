//! A session: the append-only log of what went in, and the state derived from it.

mod event;
mod fields;
mod layers;
mod log;
mod propose;
mod surfaces;

use std::collections::HashMap;

pub use event::{Annotations, Event, Surface, ToolCall, ToolDef};
pub use layers::Layers;
pub use log::{LogError, replay};
use propose::Pending;
use serde_json::Value;

use crate::causal::Auditor;
use crate::counterfactual::{Boundary, Diagnoser};
use crate::defense::{Altered, Input, Step, Verdict, View};
use crate::graph::{Graph, Node, NodeId, NodeKind};
use crate::policy::Policy;
use crate::read::read;
use crate::span::Span;

/// One agent session under audit.
#[derive(Debug)]
pub struct Session {
    policy: Policy,
    layers: Layers,
    log: Vec<Input>,
    graph: Graph,
    tools: Tools,
    actions: HashMap<String, NodeId>,
    auditor: Auditor,
    diagnoser: Option<Diagnoser>,
    pending: Option<Pending>,
    verdicts: Vec<Verdict>,
}

/// The tools that were described, by name.
pub(crate) type Tools = HashMap<String, ToolDef>;

impl Session {
    /// An empty session under `policy`, with these layers of defense; [`Options`](crate::causal::Options) alone are the
    /// causal audit.
    pub fn new(policy: Policy, layers: impl Into<Layers>) -> Self {
        let layers = layers.into();
        Self {
            policy,
            layers,
            log: Vec::new(),
            graph: Graph::default(),
            tools: Tools::new(),
            actions: HashMap::new(),
            auditor: Auditor::default(),
            diagnoser: layers.counterfactual.map(Diagnoser::new),
            pending: None,
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
            Input::Finish(words) => self.finish(words),
            Input::Answer(id, answer) => self.answer(id, answer),
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

    /// The boundaries that were diagnosed, in order.
    pub fn boundaries(&self) -> &[Boundary] {
        self.diagnoser.as_ref().map_or(&[], Diagnoser::boundaries)
    }

    /// What the agent sees otherwise than as it entered: what [`Step::Revise`] said last.
    pub fn view(&self) -> Altered {
        let of = self.diagnoser.as_ref();
        of.map_or_else(Altered::new, |d| d.view().clone())
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
            .map(Span::unjudged)
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
            .observe(&mut self.graph, node, &self.policy, self.layers.options());
        node
    }
}
