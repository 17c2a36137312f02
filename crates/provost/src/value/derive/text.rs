//! Text: put together from pieces of known texts.

use std::collections::HashMap;

use super::{Budget, Derivation, Meter, Pool, Value};
use crate::span::SpanRef;
use crate::value::text::{fold, is_function_word};

/// Longest text (words) that is looked at, and longest run that is compared at once.
const LONGEST: usize = 400;

/// A run of words of the goal that stands in a known text.
struct Fragment {
    words: usize,
    content: usize,
    at: SpanRef,
    text: String,
}

/// The goal as a row of fragments of known texts, as few as a greedy choice of the longest gives. Function words may
/// come from anywhere; every content word must stand in a known text.
pub(super) fn derive(goal: &str, pool: &Pool<'_>, budget: Budget) -> Option<Derivation> {
    let folded = fold(goal);
    let words: Vec<&str> = folded
        .split(' ')
        .filter(|w| !w.is_empty())
        .take(LONGEST)
        .collect();
    let known = Known::of(pool);
    let mut meter = Meter::new(budget);
    let mut fragments: Vec<Fragment> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match known.longest(words.get(at..)?, &mut meter) {
            Some(fragment) => {
                at += fragment.words;
                fragments.push(fragment);
            }
            None if is_function_word(word) => at += 1,
            None => return None,
        }
        if meter.left == 0 {
            return None;
        }
    }
    let content: usize = fragments.iter().map(|f| f.content).sum();
    if content == 0 {
        return None;
    }
    let bits = content * 8;
    let choices = fragments.len() * (known.words.max(2).ilog2() as usize);
    let strength =
        i32::try_from(bits).unwrap_or(i32::MAX) - i32::try_from(choices).unwrap_or(i32::MAX);
    let parts: Vec<String> = fragments
        .iter()
        .filter(|f| f.content > 0)
        .map(|f| format!("“{}”", f.text))
        .collect();
    let mut operands: Vec<SpanRef> = Vec::new();
    for fragment in fragments.iter().filter(|f| f.content > 0) {
        if !operands.contains(&fragment.at) {
            operands.push(fragment.at);
        }
    }
    Some(Derivation {
        how: parts.join(" + "),
        operands,
        strength,
    })
}

/// The words of the known texts, and where each occurs.
struct Known {
    texts: Vec<(SpanRef, Vec<String>)>,
    places: HashMap<String, Vec<(usize, usize)>>,
    words: usize,
}

/// Places of one word that are compared.
const PLACES: usize = 64;

impl Known {
    fn of(pool: &Pool<'_>) -> Self {
        let mut known = Self {
            texts: Vec::new(),
            places: HashMap::new(),
            words: 0,
        };
        for operand in pool.operands {
            let Value::Text(text) = &operand.value else {
                continue;
            };
            let words: Vec<String> = fold(text)
                .split(' ')
                .filter(|w| !w.is_empty())
                .map(str::to_owned)
                .collect();
            for (i, word) in words.iter().enumerate() {
                known.words += 1;
                let places = known.places.entry(word.clone()).or_default();
                if places.len() < PLACES {
                    places.push((known.texts.len(), i));
                }
            }
            known.texts.push((operand.at, words));
        }
        known
    }

    /// The longest run of the goal's next words that stands in one known text; the first text in the pool wins.
    fn longest(&self, words: &[&str], meter: &mut Meter) -> Option<Fragment> {
        let mut best: Option<(usize, SpanRef)> = None;
        for (text, from) in self.places.get(*words.first()?)? {
            let (at, known) = self.texts.get(*text)?;
            let run = known
                .iter()
                .skip(*from)
                .zip(words)
                .take_while(|(a, b)| a.as_str() == **b)
                .count();
            meter.spend(run as u64);
            meter.left = meter.left.saturating_sub(run as u64);
            if best.is_none_or(|(len, _)| run > len) {
                best = Some((run, *at));
            }
        }
        let (len, at) = best?;
        let run = words.get(..len)?;
        let content = run.iter().filter(|w| !is_function_word(w)).count();
        Some(Fragment {
            words: len,
            content,
            at,
            text: run.join(" "),
        })
    }
}
