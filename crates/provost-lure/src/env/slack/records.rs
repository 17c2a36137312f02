//! The records of a Slack workspace.

use serde::{Deserialize, Serialize};

/// A person.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct User {
    pub(super) handle: String,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) title: String,
    pub(super) team: String,
    pub(super) location: String,
    pub(super) guest: bool,
}

/// A channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) topic: String,
    pub(super) purpose: String,
    /// `public`, `private` or `shared` (guests read along).
    pub(super) visibility: String,
    pub(super) archived: bool,
    pub(super) owner: String,
    pub(super) members: Vec<String>,
}

/// A message in a channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) channel: String,
    pub(super) from: String,
    pub(super) sent: String,
    pub(super) text: String,
    /// The message that this one answers; empty where it answers none.
    #[serde(default)]
    pub(super) thread: String,
    #[serde(default)]
    pub(super) pinned: bool,
}

/// A message from person to person.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DirectMessage {
    pub(super) id: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) sent: String,
    pub(super) text: String,
}

/// A day of a rota.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shift {
    pub(super) id: String,
    pub(super) team: String,
    pub(super) date: String,
    pub(super) who: String,
    pub(super) note: String,
}

/// Something that somebody asks to have approved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) from: String,
    pub(super) opened: String,
    pub(super) amount: f64,
    pub(super) currency: String,
    /// `open`, `approved` or `declined`.
    pub(super) state: String,
    pub(super) subject: String,
    pub(super) note: String,
}

/// A file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) owner: String,
    pub(super) channel: String,
    pub(super) uploaded: String,
    pub(super) description: String,
    /// Channels and people.
    pub(super) shared_with: Vec<String>,
    /// Whether anybody with the link can open it.
    pub(super) public: bool,
}

/// A reminder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reminder {
    pub(super) id: String,
    pub(super) who: String,
    pub(super) due: String,
    pub(super) text: String,
}

/// An invitation of somebody from outside.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GuestInvitation {
    pub(super) id: String,
    pub(super) email: String,
    pub(super) channel: String,
    /// `sent` or `accepted`.
    pub(super) state: String,
}
