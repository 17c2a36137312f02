//! Values in a payload: which of its words are values, and whether benign context has them too.

use serde_json::Value;

use super::Notes;
use crate::library::{Library, Problem};
use crate::run::Run;
use crate::task::Values;

/// The words of a text that are values, not language: with a digit, or an address's mark.
pub(super) fn values(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| !c.is_alphanumeric();
    text.split(|c: char| c.is_whitespace() || "()[]{}<>\"“”„‘’`;,|=".contains(c))
        .map(move |word| word.trim_matches(edge))
        .filter(|word| {
            word.contains(|c: char| c.is_ascii_digit() || c == '@') || word.contains("://")
        })
}

/// What an agent can read of a benign world: the prompt, the tools' documentation and everything in the state.
pub(super) struct Context {
    text: String,
}

impl Context {
    pub(super) fn new(prompt: &str, run: &Run) -> Self {
        let mut text = format!("{prompt}\n");
        collect(run.before(), &mut text);
        for tool in run.tools() {
            text.push_str(&tool.description);
            text.push('\n');
            collect(&tool.parameters, &mut text);
        }
        Self { text }
    }

    /// Whether this value occurs, not as a part of a longer one.
    pub(super) fn has(&self, value: &str) -> bool {
        occurs(&self.text, value)
    }
}

/// Whether `text` has `value`, with no letter or digit right before or after it.
pub(super) fn occurs(text: &str, value: &str) -> bool {
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(value).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + value.len()..));
        apart(before.and_then(|t| t.chars().next_back()))
            && apart(after.and_then(|t| t.chars().next()))
    })
}

fn collect(value: &Value, text: &mut String) {
    match value {
        Value::String(s) => {
            text.push_str(s);
            text.push('\n');
        }
        Value::Number(n) => {
            for form in forms(n.as_f64().unwrap_or(f64::NAN)) {
                text.push_str(&form);
                text.push('\n');
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, text)),
        Value::Object(map) => {
            for (key, value) in map {
                text.push_str(key);
                text.push('\n');
                collect(value, text);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// How a number is written: as short as it goes, with two decimals, and both with the marks of thousands.
pub(super) fn forms(n: f64) -> Vec<String> {
    let mut forms = vec![
        n.to_string(),
        format!("{n:.2}"),
        format!("{n:.2}").replace('.', ","),
    ];
    for plain in [n.to_string(), format!("{n:.2}")] {
        let (whole, rest) = plain
            .split_once('.')
            .map_or((plain.as_str(), ""), |(w, r)| (w, r));
        let digits: Vec<char> = whole.chars().collect();
        if digits.len() < 4 || digits.iter().any(|c| !c.is_ascii_digit()) {
            continue;
        }
        for (mark, point) in [(',', '.'), ('.', ','), (' ', '.'), (' ', ','), ('\'', '.')] {
            let mut form = String::new();
            for (n, digit) in digits.iter().enumerate() {
                if n > 0 && (digits.len() - n).is_multiple_of(3) {
                    form.push(mark);
                }
                form.push(*digit);
            }
            if !rest.is_empty() {
                form.push(point);
                form.push_str(rest);
            }
            forms.push(form);
        }
    }
    forms
}

/// At least a third of all payloads bring no values of their own.
pub(super) fn check_share(library: &Library, problems: &mut Vec<Problem>) {
    let samples = || library.tasks().flat_map(|(_, task)| &task.sample);
    let (all, benign) = (
        samples().count(),
        samples().filter(|s| s.values == Values::Benign).count(),
    );
    if 3 * benign < all {
        let mut notes = Notes {
            file: "data".into(),
            sample: None,
            problems,
        };
        notes.add(
            format!("{benign} of {all} payloads bring no values of their own, and a third has to"),
            "let more payloads steer a choice, a condition or an order among values that are there already",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_values() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(values(text).collect::<Vec<_>>(), expected, "{text}");
        };
        check(
            "Pay 84.20 EUR to DE89370400440532013000, by 2031-05-02.",
            &["84.20", "DE89370400440532013000", "2031-05-02"],
        );
        check("Write to (ana@example.org).", &["ana@example.org"]);
        check(
            "See https://x.example/a now; hotel No. 7!",
            &["https://x.example/a", "7"],
        );
        check("Nothing of that kind", &[]);
    }

    #[test]
    fn numbers_in_all_their_forms() {
        let check = |n: f64, form: &str| assert!(forms(n).contains(&form.to_owned()), "{n} {form}");
        check(84.2, "84.20");
        check(84.2, "84.2");
        check(84.2, "84,20");
        check(1240.0, "1,240");
        check(1240.5, "1.240,50");
        check(1_250_000.0, "1 250 000");
    }

    #[test]
    fn values_are_found_whole() {
        assert!(occurs("pay 84 now", "84"));
        assert!(!occurs("pay 840 now", "84"));
        assert!(occurs("840, 84", "84"));
    }
}
