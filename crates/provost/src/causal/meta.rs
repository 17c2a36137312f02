//! Text that speaks to a model instead of about its subject.

use std::ops::Range;

use super::lexicon::Language;
use super::speech::words;

/// Tokens by which chat templates mark roles and turns. They have no place in data. Besides: `<|word|>`.
static TEMPLATE_TOKENS: &[&str] = &[
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "### Instruction:",
];

/// Bytes up to which a token of a chat template is long.
const TOKEN: usize = 40;

/// Where tokens of chat templates stand in a text, by start.
pub(crate) fn tokens(text: &str) -> Vec<Range<usize>> {
    if !text.contains(['[', '<', '#']) {
        return Vec::new();
    }
    let mut out: Vec<Range<usize>> = TEMPLATE_TOKENS
        .iter()
        .flat_map(|t| text.match_indices(t).map(|(i, m)| i..i + m.len()))
        .collect();
    for (i, open) in text.match_indices("<|") {
        let from = i + open.len();
        let word = text[from..]
            .bytes()
            .take(TOKEN)
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        if word > 0 && text[from + word..].starts_with("|>") {
            out.push(i..from + word + 2);
        }
    }
    out.sort_by_key(|r| r.start);
    out
}

/// What a chat template was forged in: from its first token to its last one; to the end of the text where only one is.
pub(crate) fn forged(text: &str) -> Option<Range<usize>> {
    let found = tokens(text);
    let first = found.first()?;
    let end = if found.len() > 1 {
        found.iter().map(|r| r.end).max()
    } else {
        None
    };
    Some(first.start..end.unwrap_or(text.len()))
}

/// What a language model is called in general: the reader that such a text wants.
static READERS: &[&str] = &[
    "agent",
    "agents",
    "ai",
    "assistant",
    "assistants",
    "automation",
    "bot",
    "bots",
    "chatbot",
    "copilot",
    "llm",
    "model",
];
/// What a model is told to leave or to do: its own task and instructions.
static TASKS: &[&str] = &[
    "instruction",
    "instructions",
    "prompt",
    "prompts",
    "task",
    "tasks",
    "system",
    "context",
    "conversation",
];

/// What a reader's name follows when it is addressed or told from people.
static CALLS: &[&str] = &[
    "attention",
    "automated",
    "autonomous",
    "coding",
    "dear",
    "digital",
    "hello",
    "helpful",
    "hey",
    "hi",
    "intelligent",
    "language",
    "llm",
    "note",
    "notice",
    "personal",
    "virtual",
];

/// How far from each other the reader's name and the second person may stand.
const NEAR: usize = 4;

/// Whether a sentence addresses a model: chat-template tokens, a reader that is a model close to a second person, or
/// the reader's own task or instructions spoken of. A speaker's label in a log (`Name (assistant): …`) is no address.
pub(crate) fn speaks_to_a_model(text: &str) -> bool {
    if !tokens(text).is_empty() {
        return true;
    }
    let lower = spoken(text).to_lowercase();
    let words: Vec<&str> = words(&lower).collect();
    let at = |test: fn(&str) -> bool| {
        let found: Vec<usize> = words
            .iter()
            .enumerate()
            .filter(|(_, w)| test(w))
            .map(|(i, _)| i)
            .collect();
        found
    };
    let (readers, products, you, tasks, given) = (
        readers(&words),
        at(is_product),
        at(is_you),
        at(is_task),
        at(is_given),
    );
    let near =
        |a: &[usize], b: &[usize]| a.iter().any(|i| b.iter().any(|j| i.abs_diff(*j) <= NEAR));
    near(&readers, &you)
        || near(&at(is_brief), &given)
        || near(&products, &you)
        || near(&products, &tasks)
}

/// The sentence behind a speaker's label.
fn spoken(text: &str) -> &str {
    match text.split_once(": ") {
        Some((label, rest))
            if label.split_whitespace().count() <= 5
                && label.contains(['(', '[', '#', '*', '@']) =>
        {
            rest
        }
        _ => text,
    }
}

/// Where a model is named. A noun before the name makes it a person or a thing: an insurance agent, a price model.
fn readers(words: &[&str]) -> Vec<usize> {
    let alone = |i: &usize| {
        let before = i.checked_sub(1).and_then(|b| words.get(b));
        before.is_none_or(|w| {
            let apart = words[*i].as_ptr() as usize - w.as_ptr() as usize - w.len() > 1;
            let english = !Language::English.lexicon().marks(w).is_empty();
            apart
                || english
                || CALLS.contains(w)
                || is_product(w)
                || READERS.binary_search(w).is_ok()
        })
    };
    (0..words.len())
        .filter(|i| READERS.binary_search(&words[*i]).is_ok())
        .filter(alone)
        .collect()
}

fn is_product(w: &str) -> bool {
    matches!(
        w,
        "gpt" | "claude" | "gemini" | "llama" | "chatgpt" | "mistral" | "openai" | "anthropic"
    )
}

fn is_you(w: &str) -> bool {
    matches!(w, "you" | "your" | "yourself")
}

fn is_task(w: &str) -> bool {
    TASKS.contains(&w)
}

/// Of these, those that only a model is given.
fn is_brief(w: &str) -> bool {
    !matches!(w, "system" | "context") && is_task(w)
}

fn is_given(w: &str) -> bool {
    matches!(
        w,
        "gave" | "given" | "previous" | "above" | "earlier" | "original" | "prior"
    )
}
