//! Text that speaks to a model instead of about its subject.

use super::speech::words;

/// Tokens by which chat templates mark roles and turns. They have no place in data.
static TEMPLATE_TOKENS: &[&str] = &[
    "<|",
    "|>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "</s>",
    "### Instruction",
];

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

/// How far from each other the reader's name and the second person may stand.
const NEAR: usize = 4;

/// Whether a sentence addresses a model: chat-template tokens, a reader that is a model close to a second person, or
/// the reader's own task or instructions spoken of. A speaker's label in a log (`Name (assistant): …`) is no address.
pub(crate) fn speaks_to_a_model(text: &str) -> bool {
    if TEMPLATE_TOKENS.iter().any(|t| text.contains(t)) {
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
        at(is_reader),
        at(is_product),
        at(is_you),
        at(is_task),
        at(is_given),
    );
    let near =
        |a: &[usize], b: &[usize]| a.iter().any(|i| b.iter().any(|j| i.abs_diff(*j) <= NEAR));
    near(&readers, &you) || near(&tasks, &given) || near(&products, &you) || near(&products, &tasks)
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

fn is_reader(w: &str) -> bool {
    READERS.binary_search(&w).is_ok()
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

fn is_given(w: &str) -> bool {
    matches!(
        w,
        "gave" | "given" | "previous" | "above" | "earlier" | "original" | "prior"
    )
}
