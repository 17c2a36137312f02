//! Keys: under what an atom is filed, and under what it is looked up.
//!
//! A value has an exact form and coarser ones: `2026-02-24` is also "24 February", `20 EUR` is also "20". A coarse
//! value in one text must meet an exact one in another, but two exact values must not meet through a form they
//! share (`24 February` of two years). So each form has two sides: an atom is filed as *itself* under its exact form
//! and as a *finer* value under each coarser one; it is looked up among finer values of its own form, and among
//! values that are themselves of a coarser form.

use super::scan::family;
use super::text::normal;
use super::{Atom, Kind};

/// How near a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Closeness {
    /// The same value in its full form.
    Exact,
    /// The same as far as the coarser of the two goes (a date without year, a surname, a number without currency).
    Coarse,
}

/// A normal key of an atom. Keys of different kinds meet where their values can be the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    text: Box<str>,
    closeness: Closeness,
}

impl Key {
    /// The key itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How near a match under this key is.
    pub fn closeness(&self) -> Closeness {
        self.closeness
    }

    fn itself(space: &str, form: &str, closeness: Closeness) -> Self {
        Self {
            text: format!("{space}={form}").into(),
            closeness,
        }
    }

    fn finer(space: &str, form: &str) -> Self {
        Self {
            text: format!("{space}<{form}").into(),
            closeness: Closeness::Coarse,
        }
    }
}

/// A value's forms in one space, the exact one first.
struct Forms {
    exact: (&'static str, String),
    coarser: Vec<(&'static str, String)>,
}

impl Atom {
    /// Keys under which the atom is filed.
    pub fn keys(&self) -> Vec<Key> {
        let mut out = Vec::new();
        for forms in self.forms() {
            let (space, form) = &forms.exact;
            out.push(Key::itself(space, form, Closeness::Exact));
            out.extend(
                forms
                    .coarser
                    .iter()
                    .map(|(space, form)| Key::finer(space, form)),
            );
        }
        out
    }

    /// Keys under which the atom is looked up: those that an equal, a coarser or a finer value is filed under.
    pub fn probes(&self) -> Vec<Key> {
        let mut out = Vec::new();
        for forms in self.forms() {
            let (space, form) = &forms.exact;
            out.push(Key::itself(space, form, Closeness::Exact));
            out.push(Key::finer(space, form));
            let coarser = forms.coarser.iter();
            out.extend(coarser.map(|(space, form)| Key::itself(space, form, Closeness::Coarse)));
        }
        out
    }

    /// The forms of each reading of the atom.
    fn forms(&self) -> Vec<Forms> {
        let mut out = vec![forms(self.kind, &self.norm)];
        out.extend(self.alt.as_deref().map(|alt| forms(self.kind, alt)));
        out
    }
}

fn forms(kind: Kind, norm: &str) -> Forms {
    match kind {
        Kind::Account => account(norm),
        Kind::Phone => phone(norm),
        Kind::Amount | Kind::Number => number(norm),
        Kind::Date => date(norm),
        Kind::Time => {
            let minutes = norm.get(..5).filter(|m| m.len() < norm.len());
            Forms {
                exact: ("t", norm.to_owned()),
                coarser: minutes.map(|m| ("t", m.to_owned())).into_iter().collect(),
            }
        }
        Kind::Email => Forms {
            exact: ("m", norm.to_owned()),
            coarser: Vec::new(),
        },
        Kind::Url | Kind::Host => {
            let bare = norm.strip_prefix("www.").map(|bare| ("u", bare.to_owned()));
            Forms {
                exact: ("u", norm.to_owned()),
                coarser: bare.into_iter().collect(),
            }
        }
        Kind::Path => {
            let name = norm
                .rsplit_once('/')
                .map(|(_, name)| ("f", name.to_owned()));
            Forms {
                exact: ("f", norm.to_owned()),
                coarser: name.into_iter().collect(),
            }
        }
        Kind::Id => id(norm),
        Kind::Name => name(norm),
        Kind::Quoted => Forms {
            exact: ("w", norm.to_owned()),
            coarser: Vec::new(),
        },
    }
}

/// An IBAN is also the national number after its country and, like all digits, a number and the tail of a phone.
fn account(norm: &str) -> Forms {
    let mut coarser = Vec::new();
    let national = norm.trim_start_matches(|c: char| c.is_ascii_uppercase());
    if !national.bytes().all(|b| b.is_ascii_digit()) {
        return Forms {
            exact: ("a", norm.to_owned()),
            coarser,
        };
    }
    if national.len() < norm.len() {
        coarser.push(("a", national.to_owned()));
    } else {
        coarser.push(("n", trim_zeros(norm)));
        if norm.len() <= 12 {
            coarser.push(("p", trim_zeros(norm)));
        }
    }
    Forms {
        exact: ("a", norm.to_owned()),
        coarser,
    }
}

/// An international number is a finer form of each national number that it ends with.
fn phone(norm: &str) -> Forms {
    let Some(digits) = norm.strip_prefix('+') else {
        let national = trim_zeros(norm);
        let coarser = vec![("a", norm.to_owned()), ("n", national.clone())];
        return Forms {
            exact: ("p", national),
            coarser,
        };
    };
    let mut coarser = vec![("a", digits.to_owned()), ("n", digits.to_owned())];
    for prefix in 1..=3 {
        coarser.extend(
            digits
                .get(prefix..)
                .filter(|tail| tail.len() >= 7)
                .map(|tail| ("p", tail.to_owned())),
        );
    }
    Forms {
        exact: ("p", norm.to_owned()),
        coarser,
    }
}

fn number(norm: &str) -> Forms {
    let mut coarser = Vec::new();
    let mut bare = norm;
    if let Some((value, currency)) = norm.split_once(' ') {
        bare = value;
        coarser.extend(family(currency).map(|f| ("n", format!("{value} {f}"))));
        coarser.push(("n", value.to_owned()));
    } else if let Some(value) = norm.strip_suffix('%') {
        bare = value;
        coarser.push(("n", value.to_owned()));
        coarser.push(("n", hundredth(value)));
    }
    if let Some(size) = bare.strip_prefix('-') {
        coarser.push(("n", size.to_owned()));
    }
    Forms {
        exact: ("n", norm.to_owned()),
        coarser,
    }
}

/// `15` is `0.15` of one.
fn hundredth(value: &str) -> String {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let digits = format!("{whole:0>3}");
    let (int, cents) = digits.split_at(digits.len() - 2);
    let decimals = format!("{cents}{fraction}");
    let decimals = decimals.trim_end_matches('0');
    if decimals.is_empty() {
        int.to_owned()
    } else {
        format!("{int}.{decimals}")
    }
}

/// A full date is a finer form of its month and day; a month of a year, of the month.
fn date(norm: &str) -> Forms {
    let coarse = match norm.len() {
        10 => norm.get(4..).map(|month_day| format!("-{month_day}")),
        7 if !norm.starts_with('-') && !norm.contains('W') => {
            norm.get(4..).map(|month| format!("-{month}"))
        }
        _ => None,
    };
    Forms {
        exact: ("d", norm.to_owned()),
        coarser: coarse.map(|c| ("d", c)).into_iter().collect(),
    }
}

/// An identifier is also what remains without its marks, and the number it ends with; digits alone are a number.
fn id(norm: &str) -> Forms {
    let mut coarser = Vec::new();
    if norm.bytes().all(|b| b.is_ascii_digit()) {
        coarser.push(("n", trim_zeros(norm)));
        return Forms {
            exact: ("i", norm.to_owned()),
            coarser,
        };
    }
    let squeezed: String = norm.chars().filter(|c| c.is_alphanumeric()).collect();
    if squeezed.bytes().any(|b| b.is_ascii_alphabetic()) {
        coarser.push(("i", squeezed));
    } else if squeezed.len() >= 8 {
        coarser.push(("a", squeezed));
    }
    let tail = norm.trim_start_matches(|c: char| !c.is_ascii_digit());
    if tail.len() >= 3 && tail.bytes().all(|b| b.is_ascii_digit()) {
        coarser.push(("n", trim_zeros(tail)));
    }
    coarser.push(("w", normal(norm)));
    Forms {
        exact: ("i", norm.to_owned()),
        coarser,
    }
}

/// A name is a finer form of each of its longer words, and of its words in another order (`Hale, Rosamund`).
fn name(norm: &str) -> Forms {
    let words: Vec<&str> = norm
        .split([' ', '-'])
        .filter(|w| w.chars().count() > 2)
        .collect();
    let mut coarser: Vec<_> = Vec::new();
    if norm.contains([' ', '-']) {
        coarser.extend(words.iter().take(8).map(|w| ("w", (*w).to_owned())));
    }
    Forms {
        exact: ("w", norm.to_owned()),
        coarser,
    }
}

fn trim_zeros(digits: &str) -> String {
    let trimmed = digits.trim_start_matches('0');
    if trimmed.is_empty() {
        "0".to_owned()
    } else {
        trimmed.to_owned()
    }
}
