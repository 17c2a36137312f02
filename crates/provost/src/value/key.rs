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
}

impl Atom {
    /// Keys under which the atom is filed.
    pub fn keys(&self) -> Vec<Key> {
        self.collect(Side::File)
    }

    /// Keys under which the atom is looked up: those that an equal, a coarser or a finer value is filed under.
    pub fn probes(&self) -> Vec<Key> {
        self.collect(Side::Look)
    }

    fn collect(&self, side: Side) -> Vec<Key> {
        let mut out = Vec::new();
        self.each_key(side, &mut |text, closeness| {
            out.push(Key {
                text: text.into(),
                closeness,
            })
        });
        out
    }

    /// Calls `visit` with each key of each reading.
    pub(super) fn each_key(&self, side: Side, visit: &mut dyn FnMut(&str, Closeness)) {
        let mut sink = Sink {
            side,
            buffer: String::new(),
            visit,
        };
        forms(self.kind, &self.norm, &mut sink);
        if let Some(alt) = &self.alt {
            forms(self.kind, alt, &mut sink);
        }
    }
}

/// What keys are wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    File,
    Look,
}

/// Takes the forms of a value and makes the keys of one side of them.
struct Sink<'v> {
    side: Side,
    buffer: String,
    visit: &'v mut dyn FnMut(&str, Closeness),
}

impl Sink<'_> {
    /// The full form of the value.
    fn exact(&mut self, space: &str, form: &str) {
        self.key(space, "=", form, Closeness::Exact);
        if self.side == Side::Look {
            self.key(space, "<", form, Closeness::Coarse);
        }
    }

    /// A form with less in it.
    fn coarser(&mut self, space: &str, form: &str) {
        let mark = if self.side == Side::File { "<" } else { "=" };
        self.key(space, mark, form, Closeness::Coarse);
    }

    fn key(&mut self, space: &str, mark: &str, form: &str, closeness: Closeness) {
        self.buffer.clear();
        self.buffer.extend([space, mark, form]);
        (self.visit)(&self.buffer, closeness);
    }
}

fn forms(kind: Kind, norm: &str, to: &mut Sink<'_>) {
    match kind {
        Kind::Account => account(norm, to),
        Kind::Phone => phone(norm, to),
        Kind::Amount | Kind::Number => number(norm, to),
        Kind::Date => date(norm, to),
        Kind::Time => {
            to.exact("t", norm);
            if let Some(minutes) = norm.get(..5).filter(|m| m.len() < norm.len()) {
                to.coarser("t", minutes);
            }
        }
        Kind::Email => to.exact("m", norm),
        Kind::Url | Kind::Host => {
            to.exact("u", norm);
            if let Some(bare) = norm.strip_prefix("www.") {
                to.coarser("u", bare);
            }
        }
        Kind::Path => {
            to.exact("f", norm);
            if let Some((_, name)) = norm.rsplit_once('/') {
                to.coarser("f", name);
            }
        }
        Kind::Id => id(norm, to),
        Kind::Name => name(norm, to),
        Kind::Quoted => to.exact("w", norm),
    }
}

/// An IBAN is also the national number after its country and, like all digits, a number and the tail of a phone.
fn account(norm: &str, to: &mut Sink<'_>) {
    to.exact("a", norm);
    let national = norm.trim_start_matches(|c: char| c.is_ascii_uppercase());
    if !national.bytes().all(|b| b.is_ascii_digit()) {
        return;
    }
    if national.len() < norm.len() {
        to.coarser("a", national);
        return;
    }
    to.coarser("n", trim_zeros(norm));
    if norm.len() <= 12 {
        to.coarser("p", trim_zeros(norm));
    }
}

/// An international number is a finer form of each national number that it ends with.
fn phone(norm: &str, to: &mut Sink<'_>) {
    let Some(digits) = norm.strip_prefix('+') else {
        to.exact("p", trim_zeros(norm));
        to.coarser("a", norm);
        to.coarser("n", trim_zeros(norm));
        return;
    };
    to.exact("p", norm);
    to.coarser("a", digits);
    to.coarser("n", digits);
    for prefix in 1..=3 {
        if let Some(tail) = digits.get(prefix..).filter(|tail| tail.len() >= 7) {
            to.coarser("p", tail);
        }
    }
}

fn number(norm: &str, to: &mut Sink<'_>) {
    to.exact("n", norm);
    let mut bare = norm;
    if let Some((value, currency)) = norm.split_once(' ') {
        bare = value;
        if let Some(family) = family(currency) {
            to.coarser("n", &format!("{value} {family}"));
        }
        to.coarser("n", value);
    } else if let Some(value) = norm.strip_suffix('%') {
        bare = value;
        to.coarser("n", value);
        to.coarser("n", &hundredth(value));
    }
    if let Some(size) = bare.strip_prefix('-') {
        to.coarser("n", size);
    }
}

/// `15` is `0.15` of one.
fn hundredth(value: &str) -> String {
    let (sign, value) = value.strip_prefix('-').map_or(("", value), |v| ("-", v));
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let digits = format!("{whole:0>3}");
    let (int, cents) = digits.split_at(digits.len() - 2);
    let decimals = format!("{cents}{fraction}");
    let decimals = decimals.trim_end_matches('0');
    if decimals.is_empty() {
        format!("{sign}{int}")
    } else {
        format!("{sign}{int}.{decimals}")
    }
}

/// A full date is a finer form of its month and day; a month of a year, of the month.
fn date(norm: &str, to: &mut Sink<'_>) {
    to.exact("d", norm);
    let yearless = match norm.len() {
        10 => true,
        7 => !norm.starts_with('-') && !norm.contains('W'),
        _ => false,
    };
    if let Some(rest) = norm.get(4..).filter(|_| yearless) {
        to.coarser("d", &format!("-{rest}"));
    }
}

/// An identifier is also what remains without its marks, and the number it ends with; digits alone are a number.
fn id(norm: &str, to: &mut Sink<'_>) {
    to.exact("i", norm);
    if norm.bytes().all(|b| b.is_ascii_digit()) {
        to.coarser("n", trim_zeros(norm));
        return;
    }
    let squeezed: String = norm.chars().filter(|c| c.is_alphanumeric()).collect();
    if squeezed.bytes().any(|b| b.is_ascii_alphabetic()) {
        to.coarser("i", &squeezed);
    } else if squeezed.len() >= 8 {
        to.coarser("a", &squeezed);
    }
    let tail = norm.trim_start_matches(|c: char| !c.is_ascii_digit());
    if tail.len() >= 3 && tail.bytes().all(|b| b.is_ascii_digit()) {
        to.coarser("n", trim_zeros(tail));
    }
    to.coarser("w", &normal(norm));
}

/// A name of several words is a finer form of each of the longer ones: `Ngozi Oduya` of `Oduya`.
fn name(norm: &str, to: &mut Sink<'_>) {
    to.exact("w", norm);
    if norm.contains([' ', '-']) {
        for word in norm
            .split([' ', '-'])
            .filter(|w| w.chars().count() > 2)
            .take(8)
        {
            to.coarser("w", word);
        }
    }
}

fn trim_zeros(digits: &str) -> &str {
    let trimmed = digits.trim_start_matches('0');
    if trimmed.is_empty() {
        digits.get(..1).unwrap_or_default()
    } else {
        trimmed
    }
}
