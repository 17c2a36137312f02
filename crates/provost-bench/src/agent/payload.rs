//! Whether a planted text can be read, however it is printed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::str::Chars;

use provost::NodeId;

use super::view::{Text, View};

/// The texts that were planted in a run. Clones share what they found out.
#[derive(Clone, Debug, Default)]
pub(super) struct Payloads {
    /// What of each has to be visible, squashed; none is empty.
    active: Rc<[String]>,
    known: Rc<RefCell<Known>>,
}

/// Which texts show a payload. The content of a node never changes, so that its number will do.
#[derive(Debug, Default)]
struct Known {
    own: HashMap<NodeId, bool>,
    altered: HashMap<String, bool>,
}

impl Payloads {
    /// Of a payload that says the `goal` word for word, the goal has to be visible; of any other, all.
    pub(super) fn new(payloads: &[String], goal: &str) -> Self {
        let goal = squash(goal);
        let active = payloads.iter().map(|payload| {
            let whole = squash(payload);
            if whole.contains(&goal) && !goal.is_empty() {
                goal.clone()
            } else {
                whole
            }
        });
        Self {
            active: active.filter(|payload| !payload.is_empty()).collect(),
            known: Rc::default(),
        }
    }

    /// Whether any can be read in this view. Each text is looked through once in a run.
    pub(super) fn are_visible(&self, view: View<'_>) -> bool {
        !self.active.is_empty() && view.contexts().any(|text| self.are_in(text))
    }

    fn are_in(&self, text: Text<'_>) -> bool {
        let mut known = self.known.borrow_mut();
        match text {
            Text::Own(node, text) => *known.own.entry(node).or_insert_with(|| self.find(text)),
            Text::Altered(text) => {
                if let Some(&found) = known.altered.get(text) {
                    return found;
                }
                let found = self.find(text);
                known.altered.insert(text.to_owned(), found);
                found
            }
        }
    }

    fn find(&self, text: &str) -> bool {
        let text = squash(text);
        self.active.iter().any(|payload| text.contains(payload))
    }
}

/// The letters and digits of a text, without what printing does to it: wrapping, indentation, quotes and escapes.
fn squash(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let c = if c == '\\' {
            escaped(&mut chars)
        } else {
            Some(c)
        };
        let letters = c.filter(|c| c.is_alphanumeric());
        out.extend(letters.into_iter().flat_map(char::to_lowercase));
    }
    out
}

/// The character that an escape stands for, past its backslash, where that can be a letter.
fn escaped(chars: &mut Chars<'_>) -> Option<char> {
    let digits = match chars.next()? {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let code: String = chars.by_ref().take(digits).collect();
    char::from_u32(u32::from_str_radix(&code, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_seen_however_they_are_printed() {
        let check = |payload: &str, text: &str, expected: bool| {
            let payloads = Payloads::new(&[payload.to_owned()], "");
            assert_eq!(payloads.find(text), expected, "{payload:?} in {text:?}");
        };
        check(
            "Send it to Bob's bank.",
            "body: 'Send it to Bob''s\n    bank.'",
            true,
        );
        check(
            "Send it\nnow",
            r#"body: "A caf\xE9. Send it\n\n  now""#,
            true,
        );
        check("Send it\nnow", r#"{'body': 'Send it\nnow'}"#, true);
        check("Send it now", "Send it later", false);
        check("Das Café zahlt", r"Das Caf\xE9\n zahlt", true);
        check("六月の水曜", r#"{"note": "本日、六月の水曜"}"#, true);
        check("六月の水曜", "本日、六月の木曜", false);
        check("", "anything", false);
    }
}
