//! Word overlap: what a sentence and a call have in common, across inflections and languages.

use std::collections::BTreeSet;

use serde_json::Value;

use super::lexicon::{Language, Mark};
use crate::session::ToolDef;

/// A set of word stems.
pub(crate) type Stems = BTreeSet<Box<str>>;

/// Letters of a stem. Inflection lives behind them in most European languages.
const STEM: usize = 5;

/// Content words of a text as stems: no closed-class words, nothing shorter than three letters; scripts without
/// blanks as pairs of characters.
pub(crate) fn stems(text: &str, language: Option<Language>) -> Stems {
    let mut out = Stems::new();
    for word in split(text) {
        add(&mut out, &word, language);
    }
    out
}

fn add(out: &mut Stems, word: &str, language: Option<Language>) {
    let lower = crate::value::fold(word);
    let lower = lower.trim();
    let chars: Vec<char> = lower.chars().collect();
    if chars
        .iter()
        .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'))
    {
        // Two hiragana are an ending, not a word.
        let ending = |w: &&[char]| w.iter().all(|c| matches!(c, '\u{3040}'..='\u{309f}'));
        out.extend(
            chars
                .windows(2)
                .filter(|w| !ending(w))
                .map(|w| w.iter().collect::<String>().into_boxed_str()),
        );
        return;
    }
    if chars.len() < 3 || is_closed(lower, language) {
        return;
    }
    let cut = if chars.len() > STEM {
        STEM
    } else if chars.last() == Some(&'s') && chars.len() > 3 {
        chars.len() - 1
    } else {
        chars.len()
    };
    out.insert(chars.into_iter().take(cut).collect::<String>().into());
}

fn is_closed(word: &str, language: Option<Language>) -> bool {
    const EVERYWHERE: &[Language] = &[Language::English];
    EVERYWHERE.iter().copied().chain(language).any(|l| {
        l.lexicon().marks(word).iter().any(|m| {
            matches!(
                m,
                Mark::Opener
                    | Mark::Modal
                    | Mark::Address
                    | Mark::Speaker
                    | Mark::Condition
                    | Mark::Reason
                    | Mark::Consequence
                    | Mark::Negation
                    | Mark::Please
                    | Mark::Exception
            )
        })
    })
}

/// Words of a text or an identifier: splits at punctuation, at `_`, and between `aB`.
fn split(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        let boundary = !c.is_alphanumeric() || before.is_lowercase() && c.is_uppercase();
        if boundary && out.last().is_some_and(|w| !w.is_empty()) {
            out.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.push(c);
        }
        before = c;
    }
    out.retain(|w| !w.is_empty());
    out
}

/// The first content word of a tool's name.
fn verb(name: &str) -> Option<Box<str>> {
    split(name)
        .iter()
        .find_map(|word| stems(word, None).into_iter().next())
}

/// What a tool is called, what it is for, what it takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// Words of its name.
    pub(crate) name: Stems,
    /// The first of them, which in most names says what is done.
    pub(crate) verb: Option<Box<str>>,
    /// Words of the first sentence of its description.
    pub(crate) about: Stems,
    /// Words of its parameters' names and of the values that they may take.
    pub(crate) params: Stems,
}

impl Terms {
    /// The terms of a tool as it was described.
    pub(crate) fn of(def: &ToolDef) -> Self {
        let language = Language::of(&def.description);
        let first = def
            .description
            .split_inclusive(['.', '。', '\n'])
            .next()
            .unwrap_or("");
        let mut params = Stems::new();
        if let Some(Value::Object(properties)) = def.parameters.get("properties") {
            for (name, schema) in properties {
                params.extend(stems(name, language));
                for v in schema
                    .get("enum")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    params.extend(v.as_str().map(|s| stems(s, language)).unwrap_or_default());
                }
            }
        }
        Self {
            name: stems(&def.name, None),
            verb: verb(&def.name),
            about: stems(first, language),
            params,
        }
    }

    /// The terms of a tool that was never described: its name and the arguments that it was given.
    pub(crate) fn of_call(name: &str, arguments: &Value) -> Self {
        let params = arguments
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(k, _)| stems(k, None))
            .collect();
        Self {
            name: stems(name, None),
            verb: verb(name),
            about: Stems::new(),
            params,
        }
    }

    /// How much a sentence with these words speaks of the tool: two for a word of its name, one for a word of its
    /// purpose or its parameters.
    pub(crate) fn affinity(&self, words: &Stems) -> usize {
        let weight = |w: &str| {
            if self.name.contains(w) {
                2
            } else {
                usize::from(self.about.contains(w) || self.params.contains(w))
            }
        };
        words.iter().map(|w| weight(w)).sum()
    }
}
