//! What a tool does, from its name and description. Only for the draft of a policy, which a person reviews: a policy
//! in force never guesses an effect.

use serde_json::Value;

use super::words::words;
use super::{Guess, Why};
use crate::policy::Effect;
use crate::session::ToolDef;

/// Verbs that look something up, in the form that names use; the first in a name, or the last.
const READS: &[&str] = &[
    "get",
    "list",
    "search",
    "find",
    "fetch",
    "read",
    "lookup",
    "look",
    "show",
    "view",
    "query",
    "count",
    "check",
    "describe",
    "retrieve",
    "browse",
    "recall",
    "inspect",
    "peek",
    "see",
    "display",
    "compare",
    "calculate",
    "compute",
    "load",
    "lesen",
    "suchen",
    "anzeigen",
    "abrufen",
    "laden",
    "lire",
    "chercher",
    "consulter",
    "leer",
    "ver",
    "buscar",
    "consultar",
    "leggi",
    "leggere",
    "cerca",
    "cercare",
    "elenco",
    "ler",
    "pobierz",
    "sprawdz",
    "szukaj",
    "lees",
    "zoek",
    "hamta",
];

/// Verbs that change something or reach someone.
const CHANGES: &[&str] = &[
    "send",
    "post",
    "create",
    "add",
    "update",
    "delete",
    "remove",
    "write",
    "set",
    "pay",
    "transfer",
    "book",
    "reserve",
    "cancel",
    "schedule",
    "reschedule",
    "invite",
    "share",
    "move",
    "copy",
    "upload",
    "edit",
    "modify",
    "change",
    "append",
    "insert",
    "replace",
    "rename",
    "submit",
    "approve",
    "reject",
    "assign",
    "mark",
    "store",
    "save",
    "remember",
    "forget",
    "reply",
    "forward",
    "notify",
    "publish",
    "order",
    "buy",
    "sell",
    "run",
    "execute",
    "install",
    "enable",
    "disable",
    "reset",
    "lock",
    "unlock",
    "open",
    "close",
    "start",
    "stop",
    "register",
    "sign",
    "issue",
    "revoke",
    "grant",
    "merge",
    "push",
    "commit",
    "deploy",
    "log",
    "record",
];

/// Words for what lies outside the operator's own systems.
const OUTSIDE: &[&str] = &[
    "web", "webpage", "website", "internet", "online", "http", "https", "url", "uri", "browse",
    "google", "bing", "external", "public", "remote", "hostname", "domain",
];

/// What the tool seems to do, and why. `Write` where that is not clear.
pub fn infer_effect(def: &ToolDef) -> Guess<Effect> {
    let write = |why| Guess {
        value: Effect::Write,
        why,
    };
    let name = words(&def.name);
    let description = words(&def.description);
    if let Some(verb) = changes(&name) {
        return write(Why::Name(verb));
    }
    let Some(read) = reads(&name, &description) else {
        let verb = description.first().and_then(|w| known(&base(w), CHANGES));
        return write(verb.map_or(Why::Unknown, Why::Description));
    };
    if let Some(verb) = also_changes(&def.description) {
        return write(Why::AlsoChanges(verb));
    }
    if def
        .annotations
        .is_some_and(|a| a.read_only_hint == Some(false))
    {
        return write(Why::Annotated);
    }
    let arguments = def.parameters.get("properties").and_then(Value::as_object);
    let arguments = arguments.into_iter().flatten().flat_map(|(k, _)| words(k));
    let outside = name
        .iter()
        .chain(&description)
        .find_map(|w| known(w, OUTSIDE));
    match outside.or_else(|| arguments.into_iter().find_map(|w| known(&w, OUTSIDE))) {
        Some(word) => Guess {
            value: Effect::Egress,
            why: Why::Outside(word),
        },
        None => Guess {
            value: Effect::Read,
            why: read,
        },
    }
}

/// Whether the words say that the tool looks something up.
pub(super) fn reads(name: &[String], description: &[String]) -> Option<Why> {
    let verb = |w: &String| known(w, READS);
    let named = name
        .first()
        .and_then(verb)
        .or_else(|| name.last().and_then(verb));
    let said = || match description.first()?.as_str() {
        "returns" => Some("returns"),
        word => known(&base(word), READS),
    };
    named
        .map(Why::Name)
        .or_else(|| said().map(Why::Description))
}

/// The verb of change in a name. Where a verb of reading leads, other words are nouns (`get_order`), unless they are
/// joined to it (`get_and_delete`, `check_in`).
pub(super) fn changes(name: &[String]) -> Option<&'static str> {
    let leading = name.first().and_then(|w| known(w, READS));
    let second = name.get(1).map(String::as_str);
    match (leading, second) {
        (Some("check"), Some("in" | "out" | "off")) => Some("check"),
        (Some(_), _) => name
            .iter()
            .zip(name.iter().skip(1))
            .filter(|(joint, _)| matches!(joint.as_str(), "and" | "or" | "then"))
            .find_map(|(_, verb)| known(verb, CHANGES)),
        (None, _) => name.iter().find_map(|w| known(w, CHANGES)),
    }
}

/// A verb of change that a sentence begins with, that follows `also`, `then`, `and`, `will`, or that something is
/// done to (`are marked`).
fn also_changes(description: &str) -> Option<&'static str> {
    description
        .split(['.', ';', '\n', '!'])
        .find_map(|sentence| {
            let words = words(sentence);
            let mut before = "";
            for word in &words {
                let leads = matches!(
                    before,
                    "" | "also" | "then" | "and" | "will" | "automatically"
                );
                let done = matches!(before, "is" | "are" | "be" | "been" | "gets" | "get");
                let stem = base(word);
                let verb = if leads {
                    known(&stem, CHANGES)
                } else if done {
                    known(&participle(word), CHANGES)
                } else {
                    None
                };
                if verb.is_some() {
                    return verb;
                }
                before = word;
            }
            None
        })
}

/// `sends` → `send`, `notifies` → `notify`.
fn base(verb: &str) -> String {
    if let Some(stem) = verb.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for (suffix, keep) in [("shes", "sh"), ("ches", "ch"), ("s", "")] {
        if let Some(stem) = verb.strip_suffix(suffix) {
            return format!("{stem}{keep}");
        }
    }
    verb.to_owned()
}

/// `marked` → `mark`, `deleted` → `delete`, `sent` → `send`.
fn participle(word: &str) -> String {
    match word {
        "sent" => "send".into(),
        "written" => "write".into(),
        "paid" => "pay".into(),
        _ => {
            let stem = word.strip_suffix("ed").unwrap_or(word);
            if known(stem, CHANGES).is_some() {
                stem.to_owned()
            } else {
                format!("{stem}e")
            }
        }
    }
}

fn known(word: &str, list: &[&'static str]) -> Option<&'static str> {
    list.iter().copied().find(|w| *w == word)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::session::Annotations;

    fn tool(name: &str, description: &str) -> ToolDef {
        ToolDef {
            name: name.into(),
            description: description.into(),
            ..ToolDef::default()
        }
    }

    #[test]
    fn from_name_and_description() {
        for (name, description, expected) in [
            ("get_balance", "Balance of the account.", Effect::Read),
            ("listFiles", "", Effect::Read),
            ("balances", "Returns all balances.", Effect::Read),
            ("balances", "All balances.", Effect::Write),
            ("frobnicate", "", Effect::Write),
            ("return_form", "Return a form to its sender.", Effect::Write),
            ("akte_lesen", "", Effect::Read),
            (
                "send_mail",
                "Returns the mail that was sent.",
                Effect::Write,
            ),
            ("get_and_delete", "", Effect::Write),
            ("get_or_create", "", Effect::Write),
            ("get_order", "", Effect::Read),
            ("check_in_guest", "", Effect::Write),
            ("mark_read", "", Effect::Write),
            (
                "get_inbox",
                "Returns unread mail. The mails are marked as read.",
                Effect::Write,
            ),
            ("get_inbox", "Returns mail and deletes it.", Effect::Write),
            (
                "get_report",
                "Gets a report. Notifies the owner.",
                Effect::Write,
            ),
            ("get_sent_mail", "Returns mail that was sent.", Effect::Read),
            ("fetch_page", "Loads a web page.", Effect::Egress),
            ("search_web", "", Effect::Egress),
        ] {
            let guess = infer_effect(&tool(name, description));
            assert_eq!(guess.value, expected, "{name}: {}", guess.why);
        }
    }

    #[test]
    fn from_arguments_and_annotations() {
        let mut def = tool("read_it", "");
        def.parameters = json!({"properties": {"url": {}}});
        assert_eq!(infer_effect(&def).value, Effect::Egress);
        def.annotations = Some(Annotations {
            read_only_hint: Some(false),
            ..Annotations::default()
        });
        assert_eq!(infer_effect(&def).value, Effect::Write);
    }
}
