//! JSON that is no run: other files that lie beside runs.

use provost_llm::runs::{Run, RunError, WarningKind};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// What a JSON value is that is no run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// Definitions of tools.
    Tools,
    /// Something else.
    Other,
}

/// Whether what could not be read as a run is JSON that never was one. `None` where it may be a broken run.
pub(crate) fn kind(error: &RunError, json: &[u8]) -> Option<Foreign> {
    match error {
        RunError::NotARun { .. } if holds_tools(json) => Some(Foreign::Tools),
        RunError::NotARun { .. } => Some(Foreign::Other),
        // A list of which not even the first element is a message.
        RunError::Entry { entry: 0, .. } if json.trim_ascii_start().starts_with(b"[") => {
            Some(if is_tool_list(json) {
                Foreign::Tools
            } else {
                Foreign::Other
            })
        }
        _ => None,
    }
}

/// Whether what was read as a run is a list of tool definitions: each has a `type`, as the items of a run have.
pub(crate) fn is_tools(run: &Run, json: &[u8]) -> bool {
    let odd = |kind, entry| (kind, entry) == (WarningKind::UnknownKind, 0);
    run.warnings.iter().any(|w| odd(w.kind, w.entry)) && is_tool_list(json)
}

fn holds_tools(json: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Holder {
        tools: Vec<Element>,
    }
    serde_json::from_slice::<Holder>(json).is_ok_and(|holder| are_tools(&holder.tools))
}

fn is_tool_list(json: &[u8]) -> bool {
    serde_json::from_slice::<Vec<Element>>(json).is_ok_and(|list| are_tools(&list))
}

fn are_tools(elements: &[Element]) -> bool {
    !elements.is_empty() && elements.iter().all(Element::is_tool)
}

/// The fields that tell a definition of a tool (OpenAI, Anthropic, MCP) from a message, an item or any other record.
#[derive(Deserialize)]
struct Element {
    role: Option<IgnoredAny>,
    content: Option<IgnoredAny>,
    arguments: Option<IgnoredAny>,
    name: Option<IgnoredAny>,
    function: Option<IgnoredAny>,
    custom: Option<IgnoredAny>,
    parameters: Option<IgnoredAny>,
    input_schema: Option<IgnoredAny>,
    #[serde(rename = "inputSchema")]
    mcp_schema: Option<IgnoredAny>,
    annotations: Option<IgnoredAny>,
    description: Option<IgnoredAny>,
}

impl Element {
    fn is_tool(&self) -> bool {
        let speaks = self.role.is_some() || self.content.is_some() || self.arguments.is_some();
        let described = [
            &self.parameters,
            &self.input_schema,
            &self.mcp_schema,
            &self.annotations,
            &self.description,
        ];
        let named = self.name.is_some() && described.into_iter().any(Option::is_some);
        !speaks && (self.function.is_some() || self.custom.is_some() || named)
    }
}

#[cfg(test)]
mod tests {
    use provost_llm::runs::{Parsed, parse};

    use super::*;

    fn found(json: &str) -> Option<Foreign> {
        match parse(json.as_bytes()) {
            Ok(Parsed::Run(run)) if is_tools(&run, json.as_bytes()) => Some(Foreign::Tools),
            Ok(_) => None,
            Err(error) => kind(&error, json.as_bytes()),
        }
    }

    #[test]
    fn tools_and_other_json_are_told_from_runs() {
        let check = |json: &str, expected| assert_eq!(found(json), expected, "{json}");
        let tools = Some(Foreign::Tools);
        let other = Some(Foreign::Other);
        check(
            r#"[{"type": "function", "function": {"name": "f"}}]"#,
            tools,
        );
        check(
            r#"[{"type": "function", "name": "f", "parameters": {}}]"#,
            tools,
        );
        check(r#"[{"name": "f", "input_schema": {}}]"#, tools);
        check(r#"{"tools": [{"name": "f", "inputSchema": {}}]}"#, tools);
        check(r#"{"name": "package", "version": "1.0"}"#, other);
        check(r#"[{"name": "Ines", "iban": "DE89"}]"#, other);
        check("[1, 2]", other);
        check("7", other);
        check(r#"{"tools": [7]}"#, other);
        // Runs, whole and broken.
        check(r#"{"messages": []}"#, None);
        check(r#"{"messages": [7]}"#, None);
        check(r#"[{"role": "user", "content": "x"}, 7]"#, None);
        check(
            r#"[{"type": "function_call", "name": "f", "arguments": "{}"}]"#,
            None,
        );
        check(r#"[{"type": "novel", "name": "f"}]"#, None);
        check(r#"{"messages": ["#, None);
    }
}
