//! Sessions as scripts: one input a line, so that seeds can be read and mutated lines still mean something.
//!
//! A line is a letter and its fields: `s TEXT` system, `u TEXT` user, `a TEXT` reply, `t NAME TEXT` a tool with its
//! description, `r ID TEXT` result of a call, `v ID TEXT JSON` the same with the value that was printed (behind the last
//! tab), `m NAME TEXT` memory, `d NAME TEXT` document, `k NAME TEXT` skill, `g NAME TEXT` message of another agent, `p ID
//! NAME JSON` a proposed call, `f TEXT` the end of a turn. `\n` in a text is a line break. A line that starts with anything else is a user's line.

use provost::session::Annotations;
use provost::{Event, Input, Surface, ToolCall, ToolDef};
use serde_json::Value;

/// The inputs that a script stands for.
pub fn script(text: &str) -> Vec<Input> {
    text.lines().map(line).collect()
}

fn line(line: &str) -> Input {
    let (kind, rest) = line.split_once(' ').unwrap_or(("u", line));
    let named = || rest.split_once(' ').unwrap_or(("", rest));
    let context = |surface| {
        let (name, content) = named();
        Event::Context {
            surface,
            name: name.into(),
            content: unescape(content),
        }
    };
    Input::Event(match kind {
        "s" => Event::system(unescape(rest)),
        "a" => Event::Reply {
            content: unescape(rest),
        },
        "t" => Event::ToolDocs {
            tools: vec![tool(named())],
        },
        "r" => {
            let (id, content) = named();
            Event::result(id, unescape(content))
        }
        "v" => {
            let (id, rest) = named();
            let (content, value) = rest.rsplit_once('\t').unwrap_or((rest, "null"));
            let value = serde_json::from_str(value).unwrap_or_default();
            Event::returned(id, unescape(content), value)
        }
        "m" => context(Surface::Memory),
        "d" => context(Surface::Document),
        "k" => context(Surface::Skill),
        "g" => context(Surface::AgentMessage),
        "f" => return Input::Finish(unescape(rest)),
        "p" => return Input::Propose(call(named())),
        _ => Event::user(unescape(rest)),
    })
}

/// A tool; a name that starts with `get` or `search` claims to read.
fn tool((name, description): (&str, &str)) -> ToolDef {
    let reads = name.starts_with("get") || name.starts_with("search");
    ToolDef {
        name: name.into(),
        description: unescape(description),
        parameters: Value::Null,
        annotations: Some(Annotations {
            read_only_hint: Some(reads),
            open_world_hint: Some(!reads),
            ..Annotations::default()
        }),
    }
}

/// A call; arguments that are no JSON are what the agent wrote.
fn call((id, rest): (&str, &str)) -> ToolCall {
    let (name, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
    let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into());
    ToolCall::new(id, name, arguments)
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n")
}
