//! Which surface the output of a tool is, from its name and description; only where that is clear.

use super::effect::{changes, reads};
use super::words::words;
use super::{Guess, Why};
use crate::session::{Surface, ToolDef};

/// Words that name the agent's memory, unless it is a machine's.
const MEMORY: &[&str] = &[
    "memory",
    "memories",
    "recall",
    "recollections",
    "remembered",
];
/// Words beside which `memory` is a machine's.
const MACHINE: &[&str] = &[
    "ram", "usage", "cpu", "disk", "gb", "mb", "server", "host", "process", "heap", "leak",
    "hardware", "device",
];
/// Words that name skills of an agent, unless they are a person's.
const SKILL: &[&str] = &[
    "skill",
    "skills",
    "playbook",
    "playbooks",
    "runbook",
    "runbooks",
];
/// Words beside which skills are a person's.
const PERSON: &[&str] = &[
    "employee",
    "employees",
    "staff",
    "person",
    "people",
    "candidate",
    "candidates",
    "technician",
    "technicians",
    "worker",
    "workers",
    "student",
    "students",
    "applicant",
    "applicants",
    "team",
    "crew",
    "qualification",
    "qualifications",
];
/// Words that name a handing over between agents.
const HANDOFF: &[&str] = &["handoff", "handoffs", "handover"];
/// Words that say that agents other than this one are meant, in several languages.
const OTHER: &[&str] = &[
    "other", "another", "fellow", "peer", "sub", "upstream", "anderer", "anderen", "autre",
    "autres", "otro", "otros", "altro", "altri", "outro", "outros", "innych", "innego", "andere",
    "andra",
];
const AGENT: &[&str] = &[
    "agent",
    "agents",
    "agenten",
    "subagent",
    "subagents",
    "agente",
    "agentes",
    "agenti",
    "agentow",
    "agenter",
];
const MESSAGE: &[&str] = &[
    "message", "messages", "mailbox", "inbox", "outbox", "reply", "replies", "note", "notes",
    "report", "reports",
];
/// Words that name collections of documents.
const DOCUMENT: &[&str] = &[
    "document",
    "documents",
    "docs",
    "documentation",
    "knowledge",
    "kb",
    "wiki",
    "handbook",
    "manual",
    "manuals",
    "guideline",
    "guidelines",
    "passages",
    "rag",
    "retrieval",
    "corpus",
    "dokument",
    "dokumente",
    "documento",
    "documentos",
    "documenti",
    "handbuch",
];

/// Which surface the tool's output is. `ToolResult` where nothing else is clear.
pub fn infer_surface(def: &ToolDef) -> Guess<Surface> {
    let name = words(&def.name);
    let clear = |value, why| Guess { value, why };
    if changes(&name).is_some() {
        // It reports what it did.
        return clear(Surface::ToolResult, Why::Unknown);
    }
    let first = def.description.split(['.', '\n']).next().unwrap_or("");
    let sentence = words(first);
    let has = |list: &[&'static str]| {
        let named = name.iter().find_map(|w| known(w, list)).map(Why::Name);
        named.or_else(|| {
            sentence
                .iter()
                .find_map(|w| known(w, list))
                .map(Why::Description)
        })
    };
    let agents = has(HANDOFF).or_else(|| {
        let other = neighbours(&sentence, OTHER, AGENT) || neighbours(&name, OTHER, AGENT);
        let theirs = neighbours(&name, AGENT, MESSAGE) || neighbours(&name, MESSAGE, AGENT);
        has(AGENT).filter(|_| other || theirs)
    });
    let documents = name.iter().find_map(|w| known(w, DOCUMENT));
    let documents = documents.filter(|_| reads(&name, &sentence).is_some());
    let memory = has(MEMORY).filter(|_| has(MACHINE).is_none());
    let skill = has(SKILL).filter(|_| has(PERSON).is_none());
    let found = [
        (Surface::AgentMessage, agents),
        (Surface::Memory, memory),
        (Surface::Skill, skill),
        (Surface::Document, documents.map(Why::Name)),
    ];
    let first = found
        .into_iter()
        .find_map(|(value, why)| Some(clear(value, why?)));
    first.unwrap_or(clear(Surface::ToolResult, Why::Unknown))
}

/// Whether a word of `first` stands directly before a word of `second`.
fn neighbours(words: &[String], first: &[&'static str], second: &[&'static str]) -> bool {
    words
        .iter()
        .zip(words.iter().skip(1))
        .any(|(a, b)| known(a, first).is_some() && known(b, second).is_some())
}

fn known(word: &str, list: &[&'static str]) -> Option<&'static str> {
    list.iter().copied().find(|w| *w == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_where_clear() {
        for (name, description, expected) in [
            ("recall", "Search the agent's memory.", Surface::Memory),
            ("memory_search", "", Surface::Memory),
            (
                "memory_usage",
                "Memory usage of a server.",
                Surface::ToolResult,
            ),
            ("get_handoff", "", Surface::AgentMessage),
            (
                "read_task",
                "Task with the messages of other agents.",
                Surface::AgentMessage,
            ),
            (
                "nachrichten",
                "Nachrichten anderer Agenten.",
                Surface::AgentMessage,
            ),
            ("agent_mailbox", "", Surface::AgentMessage),
            (
                "agents",
                "Real-estate agents of a town.",
                Surface::ToolResult,
            ),
            ("load_skill", "", Surface::Skill),
            ("find_worker", "Workers by skill.", Surface::ToolResult),
            ("search_docs", "", Surface::Document),
            (
                "get_balance",
                "Balance, documented elsewhere.",
                Surface::ToolResult,
            ),
            ("", "", Surface::ToolResult),
        ] {
            let def = ToolDef {
                name: name.into(),
                description: description.into(),
                ..ToolDef::default()
            };
            let guess = infer_surface(&def);
            assert_eq!(guess.value, expected, "{name}: {}", guess.why);
        }
    }
}
