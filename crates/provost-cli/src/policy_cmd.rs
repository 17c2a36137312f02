//! `provost policy`: check, draft and describe policy files.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};
use provost::policy::{Policy, PolicyErrors, draft, schema};
use provost::session::ToolDef;
use provost_llm::tools::ToolList;

const EXAMPLES: &str = "\
Examples:
  provost policy draft tools.json > provost.toml
      A first policy for your tools; each inferred line says why
  provost policy check provost.toml --tools tools.json
      Whether it says what you mean of exactly these tools
  provost audit --policy provost.toml runs/
      Recorded runs by that policy
  provost policy schema > provost.schema.json
      For an editor that completes and checks";

const EXAMPLES_SCHEMA: &str = "\
Examples:
  provost policy schema > provost.schema.json
      Then, as the first line of provost.toml: #:schema ./provost.schema.json";

const EXAMPLES_CHECK: &str = "\
Exit status: 0 nothing is wrong, 1 something is, 2 a file could not be read.

Examples:
  provost policy check provost.toml --tools tools.json
      Also that every rule speaks of a tool that exists, and which tools no rule speaks of
  provost policy check provost.toml
      The file by itself; the names of tools and arguments stay unchecked";

const EXAMPLES_DRAFT: &str = "\
Examples:
  provost policy draft tools.json > provost.toml
      From the `tools` of a model request, or what an MCP server answers to tools/list
  head -n 1 runs.jsonl | provost policy draft - > provost.toml
      From the tools that a recorded run brings along";

/// Arguments of `provost policy`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    /// Print the JSON Schema of policy files
    #[command(after_help = EXAMPLES_SCHEMA)]
    Schema,
    /// Check a policy file: exit status 1 when something is wrong with it
    #[command(after_help = EXAMPLES_CHECK)]
    Check {
        /// The file to check; `-` for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The tools that it is for: also refuses rules that none of them can match, and names the tools that no
        /// rule speaks of
        #[arg(long, value_name = "TOOLS.json")]
        tools: Option<PathBuf>,
    },
    /// Write a first policy, for a person to review, from tool definitions
    #[command(after_help = EXAMPLES_DRAFT)]
    Draft {
        /// OpenAI `tools` or an MCP tool list, as JSON; `-` for standard input
        #[arg(value_name = "TOOLS.json")]
        tools: PathBuf,
    },
}

/// Runs the subcommand.
pub(crate) fn run(args: &PolicyArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        PolicyCommand::Schema => print(&format!("{:#}\n", schema()))?,
        PolicyCommand::Draft { tools } => {
            let text = checked_draft(&read_tools(tools)?)?;
            print(&text)?;
        }
        PolicyCommand::Check { file, tools } => {
            let text = read(file)?;
            let tools = tools.as_deref().map(read_tools).transpose()?;
            match report(&text, &named(file), tools.as_deref()) {
                Ok(fine) => print(&fine)?,
                Err(errors) => {
                    writeln!(io::stderr(), "{errors}")?;
                    return Ok(ExitCode::FAILURE);
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What there is to say of a policy in which nothing is wrong.
fn report(text: &str, file: &str, tools: Option<&[ToolDef]>) -> Result<String, PolicyErrors> {
    let Some(tools) = tools else {
        Policy::from_toml(text, file)?;
        return Ok(format!(
            "{file}: no problems in the file by itself\n\
             The names of tools and arguments are unchecked: name the tools with --tools TOOLS.json to check them too.\n"
        ));
    };
    let policy = Policy::from_toml_for(text, file, tools)?;
    let silent: Vec<&str> = tools
        .iter()
        .map(|t| t.name.as_str())
        .filter(|name| !policy.covers(name))
        .collect();
    let mut said = format!("{file}: no problems\n");
    if !silent.is_empty() {
        said += &format!(
            "{} of {} tools have no rule, and the defaults hold for them: {}\n",
            silent.len(),
            tools.len(),
            silent.join(", ")
        );
    }
    Ok(said)
}

/// The draft, after the check that every draft has to pass.
fn checked_draft(tools: &[ToolDef]) -> anyhow::Result<String> {
    let text = draft(tools);
    Policy::from_toml(&text, "the draft")?;
    Ok(text)
}

fn read_tools(path: &Path) -> anyhow::Result<Vec<ToolDef>> {
    parse_tools(&read(path)?).with_context(|| named(path))
}

fn parse_tools(text: &str) -> anyhow::Result<Vec<ToolDef>> {
    let list: ToolList = match serde_json::from_str(text) {
        Ok(list) => list,
        Err(error) => return Err(no_tools(text, &error)),
    };
    let tools = list.into_defs();
    anyhow::ensure!(
        !tools.is_empty(),
        "the list of tools is empty\n  expected: {TOOLS}\n  remedy: ask the MCP server for tools/list, or take the \
         `tools` of a model request"
    );
    Ok(tools)
}

/// What is expected of a file with tools.
const TOOLS: &str = "one JSON value: a list of tool definitions, or an object with `tools`";

/// Why a text holds no tool definitions, and what to do.
fn no_tools(text: &str, error: &serde_json::Error) -> anyhow::Error {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok();
    let (what, remedy) = match first.map(|line| (line, value(line))) {
        None => (
            "the file is empty".to_owned(),
            "name the file with the tools",
        ),
        Some((line, Some(run))) if line != text.trim() && is_run(&run) => (
            "this is JSON Lines with recorded runs".to_owned(),
            "take the tools of one run: head -n 1 FILE | provost policy draft -",
        ),
        Some((line, Some(_))) if line != text.trim() => (
            "this is JSON Lines: one JSON value a line".to_owned(),
            "make one list of the lines: jq -s . FILE",
        ),
        Some((_, Some(run))) if is_run(&run) => (
            "this is a recorded run that brings no tool definitions along".to_owned(),
            "take the `tools` of the model request, or what the MCP server answers to tools/list",
        ),
        Some(_) => (
            error.to_string(),
            "correct the JSON at this place, or name the file with the tools",
        ),
    };
    anyhow::anyhow!("{what}\n  expected: {TOOLS}\n  remedy: {remedy}")
}

fn is_run(value: &serde_json::Value) -> bool {
    ["messages", "items", "input", "metadata"]
        .iter()
        .any(|field| value.get(field).is_some())
}

/// What messages call a file.
fn named(path: &Path) -> String {
    match path.to_str() {
        Some("-") => "standard input".into(),
        _ => path.display().to_string(),
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let result = if path.as_os_str() == "-" {
        io::stdin().read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    result.map_err(|error| {
        let name = named(path);
        anyhow::anyhow!("cannot read {name}: {error}\n  remedy: check the path and the permissions")
    })?;
    text_of(bytes).with_context(|| named(path))
}

/// A file's bytes as text.
pub(crate) fn text_of(bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let before = e.as_bytes().iter().take(at);
        let line = before.filter(|byte| **byte == b'\n').count() + 1;
        anyhow::anyhow!(
            "line {line}: byte {at} of the file is not UTF-8\n  expected: text in UTF-8\n  remedy: convert the file \
             to UTF-8"
        )
    })
}

fn print(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENAI: &str = r#"[{"type": "function", "function": {"name": "find_lot", "description": "Find a lot.",
        "parameters": {"type": "object", "properties": {"lot_no": {"type": "string"}}}}},
        {"type": "function", "function": {"name": "sell_lot", "parameters": {"type": "object",
        "properties": {"buyer": {"type": "string"}, "price": {"type": "number"}}}}}]"#;
    const MCP: &str = r#"{"tools": [{"name": "find_lot", "description": "Find a lot.",
        "inputSchema": {"type": "object", "properties": {"lot_no": {"type": "string"}}}},
        {"name": "sell_lot", "inputSchema": {"type": "object",
        "properties": {"buyer": {"type": "string"}, "price": {"type": "number"}}}}]}"#;

    #[test]
    fn drafts_from_every_format_are_equal_and_check() {
        let openai = parse_tools(OPENAI).unwrap();
        let text = checked_draft(&openai).unwrap();
        assert!(text.contains("[tools.sell_lot]\neffect = \"write\" # its name says `sell`"));
        assert_eq!(text, checked_draft(&parse_tools(MCP).unwrap()).unwrap());
        assert_eq!(
            report(&text, "d", Some(&openai)).unwrap(),
            "d: no problems\n"
        );
    }

    #[test]
    fn tools_without_a_rule_are_named() {
        let tools = parse_tools(MCP).unwrap();
        let said = report("[tools.find_lot]\neffect = \"read\"\n", "p", Some(&tools)).unwrap();
        assert!(said.contains("1 of 2 tools have no rule"), "{said}");
        assert!(said.contains("sell_lot"), "{said}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let tools = parse_tools(MCP).unwrap();
        let errors =
            report("[tools.sel_lot]\neffect = \"write\"\n", "p", Some(&tools)).unwrap_err();
        assert!(
            errors.to_string().contains("did you mean `sell_lot`?"),
            "{errors}"
        );
        let error = text_of(b"ab\xff".to_vec()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("byte 2 of the file is not UTF-8"),
            "{error}"
        );
        for bad in ["", "{}", "[1]", "[{\"name\": 1}]x", "{\"tools\": 3}"] {
            assert!(parse_tools(bad).is_err(), "{bad}");
        }
    }
}
