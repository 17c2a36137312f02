//! Wire formats of model providers and recorded runs: pure types, pure conversion.
//!
//! The types keep every field that they do not know ([`Message::rest`] and its like), so that what is read can be
//! written again unchanged. [`runs`] turns a recorded run, whatever its format, into the inputs of the engine.
//! Nothing here does I/O.

pub mod content;
pub mod field;
pub mod message;
pub mod responses;
pub mod runs;
pub mod strict;
pub mod tools;

pub use content::{Block, Content, Part};
pub use field::Field;
pub use message::{Function, FunctionRef, Message, ToolCall};
pub use responses::Item;
