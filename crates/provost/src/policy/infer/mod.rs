//! What a tool's definition tells where no rule speaks: conventions of names, types and formats, in several
//! languages where that is cheap. General conventions only; nobody's own tools.

mod effect;
mod sensitivity;
mod surface;
mod words;

pub use effect::infer_effect;
pub use sensitivity::infer_sensitivity;
use serde_json::Value;
pub use surface::infer_surface;

/// Something inferred, and from what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guess<T> {
    /// What was inferred.
    pub value: T,
    /// From what.
    pub why: Why,
}

/// What a guess rests on. `Display` gives it as a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// A word of the name.
    #[error("its name says `{0}`")]
    Name(&'static str),
    /// A word of the description.
    #[error("its description says `{0}`")]
    Description(&'static str),
    /// A format of JSON Schema.
    #[error("its format is `{0}`")]
    Format(&'static str),
    /// It is true or false.
    #[error("it is true or false")]
    Boolean,
    /// The definition lists its values.
    #[error("its values are listed in the definition")]
    Listed,
    /// It is a number without a telling name.
    #[error("it is a number")]
    Number,
    /// It reads, but an argument or its words say that it reaches outside.
    #[error("it reads, but reaches outside: `{0}`")]
    Outside(&'static str),
    /// It reads by its name, but a word says that it also changes something.
    #[error("it seems to read, but also to change something: `{0}`")]
    AlsoChanges(&'static str),
    /// The server's own annotation says that it changes something.
    #[error("its server does not call it read-only")]
    Annotated,
    /// Nothing was clear: the safe value.
    #[error("cannot tell; this is the safe value")]
    Unknown,
}

/// The schema of one top-level argument.
fn argument<'s>(parameters: &'s Value, name: &str) -> Option<&'s Value> {
    parameters.get("properties")?.get(name)
}
