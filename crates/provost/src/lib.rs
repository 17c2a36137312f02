//! Provost decides, before an LLM agent's tool call runs, whether that call has a benign cause.
//!
//! This crate is the engine: a synchronous library that performs no I/O. A driver feeds a [`Session`] with
//! [`Input`]s (what entered the agent's context, and what the agent wants to do) and obeys the [`Step`] that
//! comes back. Only a [`Permit`] lets a driver execute a call, and only this crate can make one.
//!
//! ```
//! use provost::{Event, Input, Options, Policy, Session, Step, ToolCall};
//!
//! let mut session = Session::new(Policy::default(), Options::default());
//! session.step(Input::Event(Event::user("Pay 20 EUR to DE89370400440532013000.")));
//! let call = ToolCall::new("c1", "send_money", serde_json::json!({
//!     "recipient": "DE89370400440532013000", "amount": 20,
//! }));
//! assert!(matches!(session.step(Input::Propose(call)), Step::Release(_)));
//! ```

/// The README's sample, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

pub mod causal;
pub mod counterfactual;
pub mod defense;
pub mod graph;
pub mod policy;
pub mod read;
pub mod session;
pub mod span;
pub mod value;

pub use causal::Options;
pub use defense::{
    Altered, Answer, Ask, AskId, Evidence, Finding, Grounding, Hint, Input, InvariantCheck,
    Outcome, Permit, Proposal, Question, Replay, Revision, Step, Support, Verdict, View,
};
pub use graph::{Graph, Node, NodeId, NodeKind};
pub use policy::{Effect, Policy, Sensitivity, Trust};
pub use session::{Annotations, Event, Layers, Session, Surface, ToolCall, ToolDef};
pub use span::{Label, Reason, Span, SpanRef};
