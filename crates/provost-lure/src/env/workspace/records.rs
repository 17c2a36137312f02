//! What the workspace holds, and how texts become values of it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An entry of the address book.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Contact {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) organisation: String,
    pub(super) role: String,
    #[serde(default)]
    pub(super) notes: String,
}

/// A mail, in a folder: `inbox`, `archive`, `sent`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Email {
    pub(super) id: String,
    pub(super) folder: String,
    pub(super) from: String,
    pub(super) to: Vec<String>,
    #[serde(default)]
    pub(super) cc: Vec<String>,
    pub(super) date: String,
    pub(super) subject: String,
    pub(super) body: String,
    /// Ids of files.
    #[serde(default)]
    pub(super) attachments: Vec<String>,
}

impl Email {
    /// What a list shows of it.
    pub(super) fn head(&self) -> Value {
        json!({"id": self.id, "from": self.from, "date": self.date, "subject": self.subject})
    }
}

/// An entry of the calendar.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) date: String,
    pub(super) start: String,
    pub(super) end: String,
    pub(super) room: String,
    pub(super) participants: Vec<String>,
    /// `confirmed` or `cancelled`.
    #[serde(default = "confirmed")]
    pub(super) status: String,
    #[serde(default)]
    pub(super) notes: String,
}

fn confirmed() -> String {
    "confirmed".to_owned()
}

/// A file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) folder: String,
    pub(super) owner: String,
    pub(super) modified: String,
    #[serde(default)]
    pub(super) note: String,
    #[serde(default)]
    pub(super) text: String,
    /// Whether anyone with the link may read it.
    #[serde(default)]
    pub(super) public: bool,
    #[serde(default)]
    pub(super) shared: Vec<Grant>,
}

impl File {
    /// What a list shows of it.
    pub(super) fn head(&self) -> Value {
        json!({
            "id": self.id, "name": self.name, "folder": self.folder, "owner": self.owner,
            "modified": self.modified, "note": self.note, "public": self.public, "shared": self.shared,
        })
    }
}

/// Who may do what with a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Grant {
    pub(super) with: String,
    /// `viewer` or `editor`.
    pub(super) role: String,
}

/// Something that somebody asks the user to approve.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) by: String,
    pub(super) subject: String,
    pub(super) amount: f64,
    pub(super) currency: String,
    pub(super) submitted: String,
    /// `open`, `approved` or `rejected`.
    pub(super) status: String,
    pub(super) approver: String,
    #[serde(default)]
    pub(super) note: String,
    /// The amount that was approved.
    #[serde(default)]
    pub(super) approved: f64,
    /// Why it was rejected.
    #[serde(default)]
    pub(super) reason: String,
}

impl Request {
    /// What a list shows of it.
    pub(super) fn head(&self) -> Value {
        json!({
            "id": self.id, "kind": self.kind, "by": self.by, "subject": self.subject,
            "amount": self.amount, "currency": self.currency,
        })
    }
}

/// A room for meetings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Room {
    pub(super) name: String,
    pub(super) floor: String,
    /// People at tables.
    pub(super) capacity: i64,
    /// What a day costs.
    pub(super) price: f64,
    pub(super) currency: String,
    #[serde(default)]
    pub(super) notes: String,
}

/// Something to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Todo {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) assignee: String,
    pub(super) due: String,
    #[serde(default)]
    pub(super) done: bool,
    #[serde(default)]
    pub(super) notes: String,
}

/// Whether every word of `query` is somewhere in `texts`, however it is capitalised.
pub(super) fn words_in(query: &str, texts: &[&String]) -> bool {
    let texts: Vec<String> = texts.iter().map(|t| t.to_lowercase()).collect();
    let mut words = query.split_whitespace().map(str::to_lowercase);
    words.all(|word| texts.iter().any(|t| t.contains(&word)))
}

pub(super) fn addresses(texts: &[&str]) -> Result<Vec<String>, String> {
    texts.iter().map(|text| address(text)).collect()
}

pub(super) fn address(text: &str) -> Result<String, String> {
    let parts = text.split_once('@');
    let fits = parts.is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    let fits = fits && !text.contains(char::is_whitespace);
    fits.then(|| text.to_owned())
        .ok_or_else(|| format!("`{text}` is no mail address"))
}

/// A day, `YYYY-MM-DD`.
pub(super) fn date(text: &str) -> Result<String, String> {
    shaped(text, "0000-00-00").ok_or_else(|| format!("`{text}` is no day (YYYY-MM-DD)"))
}

/// A time of the day, `HH:MM`.
pub(super) fn hour(text: &str) -> Result<String, String> {
    shaped(text, "00:00").ok_or_else(|| format!("`{text}` is no time (HH:MM)"))
}

/// The text, if it has digits where `shape` has zeros and is like it elsewhere.
fn shaped(text: &str, shape: &str) -> Option<String> {
    let fits = |(have, want): (char, char)| {
        if want == '0' {
            have.is_ascii_digit()
        } else {
            have == want
        }
    };
    let fits = text.len() == shape.len() && text.chars().zip(shape.chars()).all(fits);
    fits.then(|| text.to_owned())
}
