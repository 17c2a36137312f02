//! What every environment holds beside its own records: documents, skills, memory, and what other agents handed over.
//! All of it is only read; a task brings what it needs.

use provost::ToolDef;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::collection::whole;
use super::schema::{read, text};
use crate::args::Args;

/// Texts that an agent can look up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Knowledge {
    documents: Vec<Document>,
    skills: Vec<Skill>,
    memory: Vec<Memory>,
    handoffs: Vec<Handoff>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    path: String,
    text: String,
}

/// Instructions for a kind of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skill {
    name: String,
    text: String,
}

/// What was noted in an earlier session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    key: String,
    /// The day, `YYYY-MM-DD`.
    saved: String,
    text: String,
}

/// What another agent left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Handoff {
    from: String,
    /// The day, `YYYY-MM-DD`, perhaps with a time.
    sent: String,
    text: String,
}

impl Knowledge {
    /// The tools that every environment has.
    pub(crate) fn tools() -> Vec<ToolDef> {
        vec![
            read(
                "list_documents",
                "Lists the paths of all documents.",
                json!({}),
                &[],
            ),
            read(
                "read_document",
                "Reads a document.",
                json!({"path": text("The document's path, as list_documents has it")}),
                &["path"],
            ),
            read(
                "load_skill",
                "Loads the instructions for a kind of work.",
                json!({"name": text("The skill's name")}),
                &["name"],
            ),
            read(
                "recall",
                "Looks up what was noted in earlier sessions.",
                json!({"topic": text("Words to look for")}),
                &["topic"],
            ),
            read(
                "read_handoff",
                "Reads what another agent handed over.",
                json!({"from": text("The agent's name")}),
                &["from"],
            ),
        ]
    }

    /// Runs a call of one of these tools; nothing where it is another.
    pub(crate) fn call(&self, tool: &str, args: Args<'_>) -> Option<Result<Value, String>> {
        Some(match tool {
            "list_documents" => Ok(self.documents.iter().map(|d| d.path.as_str()).collect()),
            "read_document" => args.text("path").and_then(|path| {
                let found = self.documents.iter().find(|d| d.path == path);
                found_or(found, || format!("there is no document `{path}`"))
            }),
            "load_skill" => args.text("name").and_then(|name| {
                let found = self.skills.iter().find(|s| s.name == name);
                found_or(found, || format!("there is no skill `{name}`"))
            }),
            "recall" => args.text("topic").map(|topic| self.recall(topic)),
            "read_handoff" => args.text("from").and_then(|from| {
                let found: Vec<_> = self.handoffs.iter().filter(|h| h.from == from).collect();
                let found = (!found.is_empty()).then_some(found);
                found_or(found, || format!("`{from}` has handed nothing over"))
            }),
            _ => return None,
        })
    }

    /// The entries whose key or text holds a word of the topic.
    fn recall(&self, topic: &str) -> Value {
        let wanted: Vec<String> = words(topic).collect();
        let holds = |text: &str| words(text).any(|word| wanted.contains(&word));
        let entries = self.memory.iter();
        let found = entries.filter(|m| holds(&m.key) || holds(&m.text));
        found
            .map(|m| json!({"key": m.key, "saved": m.saved, "text": m.text}))
            .collect()
    }
}

fn found_or<T: Serialize>(found: Option<T>, why: impl Fn() -> String) -> Result<Value, String> {
    whole(&found.ok_or_else(why)?)
}

/// The words of a text, in small letters.
fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|w| !w.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowledge() -> Knowledge {
        let value = json!({
            "documents": [{"path": "a.txt", "text": "alpha"}, {"path": "b.txt", "text": "beta"}],
            "skills": [{"name": "pay", "text": "slowly"}],
            "memory": [
                {"key": "rent", "saved": "2031-01-02", "text": "The landlord is Ève."},
                {"key": "gas", "saved": "2031-01-03", "text": "Read the meter."},
            ],
            "handoffs": [{"from": "triage", "sent": "2031-01-04", "text": "Done."}],
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn lookups() {
        let knowledge = knowledge();
        let check = |tool: &str, args: Value, expected: Result<Value, &str>| {
            let found = knowledge.call(tool, Args::new(args.as_object().unwrap()));
            let expected = expected.map_err(str::to_owned);
            assert_eq!(found, Some(expected), "{tool} {args}");
        };
        check("list_documents", json!({}), Ok(json!(["a.txt", "b.txt"])));
        check(
            "read_document",
            json!({"path": "b.txt"}),
            Ok(json!({"path": "b.txt", "text": "beta"})),
        );
        check(
            "read_document",
            json!({"path": "c.txt"}),
            Err("there is no document `c.txt`"),
        );
        check(
            "load_skill",
            json!({"name": "pay"}),
            Ok(json!({"name": "pay", "text": "slowly"})),
        );
        check("load_skill", json!({}), Err("argument `name` is missing"));
        let rent = json!([{"key": "rent", "saved": "2031-01-02", "text": "The landlord is Ève."}]);
        check(
            "recall",
            json!({"topic": "landlord, please"}),
            Ok(rent.clone()),
        );
        check("recall", json!({"topic": "Rent"}), Ok(rent.clone()));
        check("recall", json!({"topic": "ève"}), Ok(rent));
        check("recall", json!({"topic": "and"}), Ok(json!([])));
        check(
            "read_handoff",
            json!({"from": "triage"}),
            Ok(json!([{"from": "triage", "sent": "2031-01-04", "text": "Done."}])),
        );
        check(
            "read_handoff",
            json!({"from": "nobody"}),
            Err("`nobody` has handed nothing over"),
        );
        let none = json!({});
        let other = knowledge.call("pay", Args::new(none.as_object().unwrap()));
        assert_eq!(other, None);
    }
}
