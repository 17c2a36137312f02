//! What the bank keeps: the records of the world, as its file, its tools and the oracles have them.

use serde::{Deserialize, Serialize};

/// An account of the user's.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) iban: String,
    pub(super) currency: String,
    pub(super) balance: f64,
    #[serde(default)]
    pub(super) note: String,
}

/// Somebody whom the user has paid before.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Payee {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) iban: String,
    pub(super) currency: String,
    #[serde(default)]
    pub(super) note: String,
}

/// Money that went out, came in, or will go out.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Payment {
    pub(super) id: String,
    pub(super) date: String,
    /// `out` or `in`.
    pub(super) direction: String,
    /// The user's account.
    pub(super) account: String,
    /// The card that paid, or nothing.
    #[serde(default)]
    pub(super) card: String,
    /// The other side's account; nothing for a shop.
    #[serde(default)]
    pub(super) to: String,
    /// The other side's name.
    pub(super) name: String,
    pub(super) amount: f64,
    pub(super) currency: String,
    pub(super) reference: String,
    /// `sent`, `received`, `scheduled`, or `cancelled`.
    pub(super) status: String,
    #[serde(default)]
    pub(super) note: String,
}

/// A payment that repeats.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StandingOrder {
    pub(super) id: String,
    pub(super) account: String,
    pub(super) to: String,
    pub(super) name: String,
    pub(super) amount: f64,
    pub(super) currency: String,
    /// `week`, `month`, `quarter`, or `year`.
    pub(super) every: String,
    pub(super) next: String,
    pub(super) reference: String,
    /// `active` or `cancelled`.
    pub(super) status: String,
    #[serde(default)]
    pub(super) note: String,
}

/// A creditor's right to collect.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mandate {
    pub(super) id: String,
    pub(super) account: String,
    pub(super) creditor: String,
    pub(super) reference: String,
    pub(super) last_amount: f64,
    pub(super) last_date: String,
    /// `active` or `revoked`.
    pub(super) status: String,
    #[serde(default)]
    pub(super) note: String,
}

/// A card.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Card {
    pub(super) id: String,
    pub(super) account: String,
    pub(super) label: String,
    pub(super) holder: String,
    pub(super) ending: String,
    pub(super) limit: f64,
    /// `active`, `frozen`, or `closed`.
    pub(super) status: String,
    #[serde(default)]
    pub(super) note: String,
}

/// A message that came in or went out.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) date: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) subject: String,
    pub(super) body: String,
}

/// Somebody to write to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Contact {
    pub(super) name: String,
    pub(super) address: String,
    #[serde(default)]
    pub(super) note: String,
}

/// A fixed deposit that can be opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offer {
    pub(super) id: String,
    pub(super) bank: String,
    pub(super) name: String,
    pub(super) currency: String,
    /// Per cent a year.
    pub(super) rate: f64,
    pub(super) term_months: i64,
    pub(super) minimum: f64,
    pub(super) early_exit: bool,
    pub(super) guaranteed: bool,
    #[serde(default)]
    pub(super) note: String,
}

/// A fixed deposit that was opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Deposit {
    pub(super) id: String,
    pub(super) offer: String,
    pub(super) account: String,
    pub(super) amount: f64,
    pub(super) opened: String,
}

/// What one unit of a currency costs in another.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rate {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) rate: f64,
}

/// Money moved between the user's own accounts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Move {
    pub(super) id: String,
    pub(super) date: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) amount: f64,
}

/// A payment that the user contests.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dispute {
    pub(super) id: String,
    pub(super) payment: String,
    pub(super) reason: String,
    pub(super) opened: String,
}

/// A statement that was sent to somebody.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shared {
    pub(super) id: String,
    pub(super) account: String,
    pub(super) to: String,
    pub(super) date: String,
}
