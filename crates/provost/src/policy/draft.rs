//! A first policy from tool definitions, for a person to review: each inferred line with its reason.

use std::collections::HashSet;
use std::fmt::Write;

use serde_json::{Map, Value};

use crate::policy::glob::{MAX_NAME, bad_name};
use crate::policy::infer::{infer_effect, infer_sensitivity, infer_surface};
use crate::policy::problem::plain;
use crate::policy::{Effect, Sensitivity};
use crate::session::{Surface, ToolDef};

/// Characters of a description that the draft repeats.
const DESCRIBED: usize = 96;

/// Writes the draft of a policy for these tools. It can be read by [`Policy::from_toml`](crate::Policy::from_toml)
/// whatever the definitions hold, as long as it is not larger than a policy may be.
pub fn draft(tools: &[ToolDef]) -> String {
    let mut text = String::from(
        "# A first policy, inferred from tool definitions by `provost policy draft`. A person has to review it:\n\
         # every line says what it was inferred from, and `write` stands wherever that was not clear.\n\
         # Trust in outputs is never inferred. Where a tool reads a register that your own systems write, say\n\
         # `output = \"trusted\"`, or list such fields under `fields`.\n\
         \n\
         [defaults]\n\
         uncertain = \"block\" # or \"approve\": a person decides\n",
    );
    let mut seen = HashSet::new();
    for tool in tools {
        text.push('\n');
        if let Some(why) = unusable(&tool.name) {
            let _ = writeln!(text, "# left out: a tool {why}: `{}`", shown(&tool.name));
        } else if !seen.insert(tool.name.as_str()) {
            let _ = writeln!(
                text,
                "# defined again, and the first definition counts: `{}`",
                shown(&tool.name)
            );
        } else {
            rule(&mut text, tool);
        }
    }
    text
}

/// Why a name cannot stand in a policy as the exact name of something.
fn unusable(name: &str) -> Option<String> {
    if name.contains('*') {
        Some("whose name would be a glob".into())
    } else if name.len() > MAX_NAME {
        Some(format!("with a name longer than {MAX_NAME} bytes"))
    } else {
        bad_name(name).map(|_| "whose name is empty or begins or ends with white space".into())
    }
}

// Writing to a `String` cannot fail, so the results of `writeln!` are dropped.
fn rule(text: &mut String, tool: &ToolDef) {
    let key = key(&tool.name);
    if !tool.description.trim().is_empty() {
        let _ = writeln!(text, "# {}", shown(tool.description.trim()));
    }
    let _ = writeln!(text, "[tools.{key}]");
    let effect = infer_effect(tool);
    let hint = tool
        .annotations
        .filter(|a| effect.value == Effect::Write && a.read_only_hint == Some(true));
    let hint = hint.map_or("", |_| "; its server calls it read-only");
    let _ = writeln!(
        text,
        "effect = \"{}\" # {}{hint}",
        effect_word(effect.value),
        effect.why
    );
    let surface = infer_surface(tool);
    if let Some(word) = surface_word(surface.value) {
        let _ = writeln!(text, "surface = \"{word}\" # {}", surface.why);
    }
    let none = Map::new();
    let arguments = tool.parameters.get("properties").and_then(Value::as_object);
    let arguments = arguments.unwrap_or(&none);
    if !arguments.is_empty() {
        let _ = writeln!(text, "[tools.{key}.arguments]");
    }
    for name in arguments.keys() {
        if let Some(why) = unusable(name) {
            let _ = writeln!(text, "# left out: an argument {why}: `{}`", shown(name));
        } else {
            let guess = infer_sensitivity(name, &tool.parameters);
            let word = sensitivity_word(guess.value);
            let _ = writeln!(text, "{} = \"{word}\" # {}", self::key(name), guess.why);
        }
    }
}

fn effect_word(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Egress => "egress",
        Effect::Write => "write",
    }
}

fn sensitivity_word(sensitivity: Sensitivity) -> &'static str {
    match sensitivity {
        Sensitivity::Target => "target",
        Sensitivity::Amount => "amount",
        Sensitivity::Content => "content",
        Sensitivity::Selector => "selector",
        Sensitivity::Benign => "benign",
    }
}

/// The surface as a policy names it; `None` where the line would say nothing.
fn surface_word(surface: Surface) -> Option<&'static str> {
    match surface {
        Surface::ToolResult | Surface::ToolDocs => None,
        Surface::Document => Some("document"),
        Surface::Memory => Some("memory"),
        Surface::Skill => Some("skill"),
        Surface::AgentMessage => Some("agent_message"),
    }
}

/// A name as a TOML key. What a person would not see is escaped.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            _ if plain(c) == c => quoted.push(c),
            _ => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// A text as it may stand in a comment: one line, not too long.
fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let mut shown: String = line.chars().take(DESCRIBED).map(plain).collect();
    if line.len() < text.len() || line.chars().nth(DESCRIBED).is_some() {
        shown.push_str(" …");
    }
    shown
}
