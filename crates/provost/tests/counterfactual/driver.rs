//! A driver in small.

use provost::{
    Altered, Answer, Event, Finding, Graph, Input, Layers, NodeKind, Policy, Proposal, Question,
    Replay, Session, Step, ToolCall,
};
use serde_json::{Value, json};

/// What an agent sees.
pub(crate) struct View {
    /// The user's words.
    pub(crate) user: String,
    /// Contents of contexts, oldest first.
    pub(crate) seen: Vec<String>,
    /// Calls that ran.
    pub(crate) did: Vec<ToolCall>,
    /// Calls that were refused since.
    pub(crate) refused: Vec<ToolCall>,
}

impl View {
    pub(crate) fn shows(&self, text: &str) -> bool {
        self.seen.iter().any(|c| c.contains(text))
    }

    pub(crate) fn has(&self, list: &[ToolCall], call: &ToolCall) -> bool {
        list.iter()
            .any(|c| c.name == call.name && c.arguments == call.arguments)
    }
}

/// A function from what it sees to what it proposes; `sample` is its seed.
pub(crate) type Agent<'a> = dyn Fn(&View, u32) -> Proposal + 'a;

/// What happened.
pub(crate) struct Outcome {
    /// Tools of the calls that ran, with their first argument.
    pub(crate) ran: Vec<String>,
    pub(crate) answer: Option<String>,
    pub(crate) replays: Vec<Replay>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) revisions: usize,
    pub(crate) session: Session,
}

pub(crate) fn call(tool: &str, argument: &str) -> ToolCall {
    let arguments = match tool {
        "send_money" => json!({"recipient": argument, "amount": 20}),
        _ => json!({"name": argument}),
    };
    ToolCall::new("c", tool, arguments)
}

pub(crate) fn calls(call: ToolCall) -> Proposal {
    Proposal {
        text: String::new(),
        calls: vec![call],
    }
}

pub(crate) fn says(text: &str) -> Proposal {
    Proposal {
        text: text.into(),
        calls: Vec::new(),
    }
}

pub(crate) fn policy() -> Policy {
    let text = "[tools.\"read_*\"]\neffect = \"read\"\n[tools.send_money]\neffect = \"write\"\n\
        [tools.send_money.arguments]\nrecipient = \"target\"\namount = \"amount\"\n";
    Policy::from_toml(text, "test.toml").unwrap()
}

pub(crate) const USER: &str = "Pay the bill in bill.txt.";

fn view(graph: &Graph, altered: &Altered, did: &[ToolCall], refused: &[ToolCall]) -> View {
    let content = |id, own: &String| altered.get(&id).unwrap_or(own).clone();
    let of = |wanted: fn(NodeKind) -> bool| {
        let nodes = graph.nodes().filter(move |(_, n)| wanted(n.kind));
        nodes
            .map(|(id, n)| content(id, &n.content))
            .collect::<Vec<_>>()
    };
    View {
        user: of(|k| k == NodeKind::User).concat(),
        seen: of(|k| matches!(k, NodeKind::Context(_))),
        did: did.to_vec(),
        refused: refused.to_vec(),
    }
}

/// Plays an agent against an environment (tool and first argument to result). `fails` makes dry runs fail.
pub(crate) fn play(
    layers: impl Into<Layers>,
    user: &str,
    agent: &Agent<'_>,
    world: &dyn Fn(&str, &str) -> String,
    fails: bool,
) -> Outcome {
    let mut session = Session::new(policy(), layers);
    session.step(Input::Event(Event::user(user)));
    let (mut did, mut refused) = (Vec::new(), Vec::new());
    let mut out = Outcome {
        ran: Vec::new(),
        answer: None,
        replays: Vec::new(),
        findings: Vec::new(),
        revisions: 0,
        session: Session::new(policy(), Layers::default()),
    };
    for turn in 0..40 {
        let seen = view(session.graph(), &session.view(), &did, &refused);
        let mut proposal = agent(&seen, 0);
        let last_words = proposal.calls.is_empty();
        let live = match proposal.calls.pop() {
            Some(call) => Input::Propose(ToolCall {
                id: format!("c{turn}"),
                ..call
            }),
            None => Input::Finish(proposal.text.clone()),
        };
        let mut step = session.step(live.clone());
        while let Step::Ask(asks) = step {
            assert!(
                !asks.is_empty(),
                "nothing more is asked while answers are out"
            );
            step = Step::Ask(Vec::new());
            for ask in asks {
                let Question::Replay(replay) = ask.question else {
                    panic!("no judge is needed");
                };
                let dry = view(session.graph(), &replay.view, &did, &refused);
                let answer = if fails {
                    Answer::Failed("no network".into())
                } else {
                    Answer::Proposal(agent(&dry, replay.sample))
                };
                out.replays.push(replay);
                step = session.step(Input::Answer(ask.id, answer));
            }
        }
        match step {
            Step::Release(permit) => {
                let argument = permit
                    .call()
                    .arguments
                    .as_object()
                    .and_then(|a| a.values().next());
                let argument = argument.and_then(Value::as_str).unwrap_or_default();
                out.ran.push(format!("{} {argument}", permit.call().name));
                out.findings.push(permit.evidence().finding);
                let result = world(&permit.call().name, argument);
                did.push(permit.call().clone());
                refused.clear();
                session.step(Input::Event(Event::result(
                    permit.call().id.clone(),
                    result,
                )));
            }
            Step::Block(evidence, _) => {
                out.findings.push(evidence.finding);
                match live {
                    Input::Propose(call) => refused.push(call),
                    _ => break,
                }
            }
            Step::Revise(revision) => {
                assert_eq!(revision.view, session.view());
                out.revisions += 1;
            }
            Step::Continue(_) if last_words => {
                out.answer = Some(proposal.text);
                break;
            }
            other => panic!("{other:?}"),
        }
        assert!(turn < 39, "the run does not end");
    }
    out.session = session;
    out
}
