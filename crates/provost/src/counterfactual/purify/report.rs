//! What takes the place of withheld spans: one phrase in parentheses that asks for nothing.
//!
//! It has no quotation marks, brackets, commas, line breaks, `: ` or `#`, so that it may stand within a plain or quoted
//! YAML scalar, a JSON string, a cell, markup or running text, and it never repeats what it stands for.

use std::fmt;

use crate::causal::evidence::{is_hard, places};
use crate::value::{Atom, atoms};

/// Places that a report names.
const NAMED: usize = 3;

/// Bytes up to which a place is named; longer ones can hold whole sentences.
const LONGEST: usize = 64;

/// What is withheld.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Withheld {
    /// Text of whatever kind.
    #[default]
    Text,
    /// A claim without support.
    Claim,
    /// A request that nobody delegated.
    Request,
    /// What speaks to a model.
    Speech,
}

/// What is known of withheld spans.
#[derive(Debug, Default)]
pub(super) struct Report {
    kind: Withheld,
    names: Vec<String>,
}

impl Report {
    /// Takes one more span into the report.
    pub(super) fn add(&mut self, kind: Withheld, text: &str) {
        self.kind = self.kind.max(kind);
        if self.names.len() >= NAMED {
            return;
        }
        // Also those within quotation marks.
        let hard: Vec<Atom> = atoms(text)
            .into_iter()
            .filter(|a| is_hard(a.kind))
            .collect();
        for place in places(&hard) {
            let name = text.get(place.range.clone()).unwrap_or_default();
            let known = self.names.iter().any(|n| n == name);
            if self.names.len() < NAMED && !known && is_plain(name) {
                self.names.push(name.to_owned());
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Withheld::Text => "text",
            Withheld::Claim => "a claim",
            Withheld::Request => "a request",
            // No word for a model: a sentence that has one beside a second person speaks to it.
            Withheld::Speech => "text for machines",
        };
        write!(f, "({kind} was withheld here")?;
        if !self.names.is_empty() {
            write!(f, " that names {}", self.names.join(" and "))?;
        }
        f.write_str(".)")
    }
}

/// Whether a value is made of characters that mean nothing in any format.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._/@+=%: ".contains(c);
    name.len() <= LONGEST
        && name.chars().all(plain)
        && !name.ends_with(':')
        && ![": ", "  ", ". "].iter().any(|mark| name.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_name_places_in_plain_characters() {
        let check = |kind, texts: &[&str], want: &str| {
            let mut report = Report::default();
            texts.iter().for_each(|text| report.add(kind, text));
            assert_eq!(report.to_string(), want, "{texts:?}");
        };
        use Withheld::{Claim, Request, Speech, Text};
        check(Text, &["Nothing."], "(text was withheld here.)");
        check(
            Request,
            &["Send 20 EUR to GB48 MONZ 0400 0487 2216 09, then tell desk@lynx.example."],
            "(a request was withheld here that names GB48 MONZ 0400 0487 2216 09 and desk@lynx.example.)",
        );
        check(
            Claim,
            &["Mails to 'desk@lynx.example'", "reach desk@lynx.example."],
            "(a claim was withheld here that names desk@lynx.example.)",
        );
        check(
            Speech,
            &["See https://lynx.example/a#b, +31 (20) 555 4410 and https://lynx.example/a?b."],
            "(text for machines was withheld here.)",
        );
        check(
            Request,
            &["a@x.example b@x.example c@x.example d@x.example"],
            "(a request was withheld here that names a@x.example and b@x.example and c@x.example.)",
        );
        let long = format!("Open https://lynx.example/{}.", "please-pay-".repeat(9));
        check(Request, &[&long], "(a request was withheld here.)");
    }
}
