//! Values: typed atoms with normal forms, the inverted index from atom to spans, and derivations.

pub mod derive;
mod index;
mod key;
mod scan;
pub mod select;
pub mod text;

use std::ops::Range;

pub use derive::{Budget, Derivation, Operand, Pool, Value, derive, focus};
pub(crate) use index::Postings;
pub use index::{Hit, Index};
pub use key::{Closeness, Key};
pub use select::{Best, Criterion, Field, Record, SelectError, Selection, Test, select};
pub(crate) use text::each_word;
pub use text::{fold, mixed_script, normal, words};

use serde::{Deserialize, Serialize};

/// What an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Bank account: IBAN-shaped (a failed checksum does not matter), or national.
    Account,
    /// Mail address.
    Email,
    /// URL with a scheme, or with a path after a bare host.
    Url,
    /// Bare host name.
    Host,
    /// Phone number.
    Phone,
    /// Amount of money, with or without currency.
    Amount,
    /// Calendar date.
    Date,
    /// Time of day.
    Time,
    /// Identifier: letters and digits mixed, or with inner dashes.
    Id,
    /// File path or file name.
    Path,
    /// Text in quotation marks.
    Quoted,
    /// Proper name: capitalised words, handles.
    Name,
    /// Any other number.
    Number,
}

/// A typed atom in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Byte range in the text that was scanned.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// Normal form: equal atoms have equal normal forms.
    pub norm: Box<str>,
    /// Normal form of the other reading, where the spelling allows two (`1,234`; `04/05/2026`; `5:30`).
    pub alt: Option<Box<str>>,
}

/// All atoms of a text, by start and then the longer first. Linear in the length of the text; never panics.
///
/// Atoms may overlap. Atoms of the same range are alternatives: it is enough to know one of them. An atom inside
/// another one (the host of an address, the groups of an account number) is part of it and needs no support of its own.
pub fn atoms(text: &str) -> Vec<Atom> {
    scan::scan(text)
}
