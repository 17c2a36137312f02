//! What can be wrong with a policy file, with the nearest right name and the remedy.

use std::fmt;

use crate::policy::glob::MAX_NAME;

/// Largest policy file, in bytes.
pub(crate) const MAX_FILE: usize = 1 << 22;

/// What kind of name a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// Name or glob of a tool.
    Tool,
    /// Name or glob of an argument.
    Argument,
    /// Path of a field.
    Field,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "tool",
            Self::Argument => "argument",
            Self::Field => "field",
        })
    }
}

/// What is wrong. Texts from the file are shortened and free of control characters.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file is larger than any policy.
    #[error("the file has {bytes} bytes")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Not TOML.
    #[error("not TOML: {found}")]
    Syntax {
        /// What the parser said.
        found: String,
    },
    /// The same name twice.
    #[error("`{found}` is here twice")]
    Twice {
        /// The name.
        found: String,
    },
    /// A key that policies do not have.
    #[error("unknown key `{found}`")]
    UnknownKey {
        /// The key.
        found: String,
        /// The known key that is spelt most alike.
        nearest: Option<String>,
        /// All known keys here.
        known: Vec<String>,
    },
    /// A value outside a closed set.
    #[error("unknown value `{found}` for `{key}`")]
    UnknownValue {
        /// The key.
        key: String,
        /// The value.
        found: String,
        /// The known value that is spelt most alike.
        nearest: Option<String>,
        /// All known values.
        known: Vec<String>,
    },
    /// A value of the wrong type.
    #[error("`{key}` is {found}, not {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// What it is.
        found: String,
        /// What it has to be.
        expected: String,
    },
    /// The checked file could not be taken over; a fault of Provost, reported rather than ignored.
    #[error("cannot be read: {found}")]
    Unreadable {
        /// What the deserializer said.
        found: String,
    },
    /// An empty name matches nothing.
    #[error("this {what} rule has an empty name and can never match")]
    EmptyName {
        /// What it names.
        what: Named,
    },
    /// White space around a name: matches nothing.
    #[error("the {what} rule `{found}` has white space around its name and can never match")]
    Spaces {
        /// What it names.
        what: Named,
        /// The name.
        found: String,
    },
    /// A name longer than any.
    #[error("the name of this {what} rule is longer than {MAX_NAME} bytes")]
    LongName {
        /// What it names.
        what: Named,
    },
    /// Two globs that are written differently and match the same names.
    #[error("the {what} rule `{found}` matches the same names as `{other}` in line {line}")]
    Same {
        /// What they name.
        what: Named,
        /// The later rule.
        found: String,
        /// The earlier rule.
        other: String,
        /// Its line.
        line: usize,
    },
    /// Two globs that match a common name, and neither is more specific.
    #[error(
        "the {what} rules `{found}` and `{other}` (line {line}) match common names, and neither is more specific"
    )]
    Tie {
        /// What they name.
        what: Named,
        /// The later rule.
        found: String,
        /// The earlier rule.
        other: String,
        /// Its line.
        line: usize,
    },
    /// More globs with one literal prefix than are compared.
    #[error("more than {limit} {what} rules begin like `{found}`")]
    ManyGlobs {
        /// What they name.
        what: Named,
        /// One of them.
        found: String,
        /// How many are allowed.
        limit: usize,
    },
    /// A field pattern with a list position or an empty key.
    #[error("the field `{found}` can never match: {why}")]
    FieldPath {
        /// The pattern.
        found: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A field rule where the whole output is trusted.
    #[error("the field rule `{found}` can change nothing: the whole output of `{tool}` is trusted")]
    FieldOfTrusted {
        /// The field.
        found: String,
        /// The tool.
        tool: String,
    },
    /// Annotations are trusted where the rule already names the effect.
    #[error("`trust_annotations` can change nothing: the rule for `{tool}` names the effect")]
    AnnotationsUnused {
        /// The tool.
        tool: String,
    },
    /// A rule without content.
    #[error("the rule for `{tool}` says nothing")]
    EmptyRule {
        /// The tool.
        tool: String,
    },
    /// No tool has this name.
    #[error("no tool is called `{found}`")]
    NoSuchTool {
        /// The name.
        found: String,
        /// The tool that is spelt most alike.
        nearest: Option<String>,
    },
    /// No tool matches this glob.
    #[error("no tool matches `{found}`")]
    NoToolMatches {
        /// The glob.
        found: String,
    },
    /// Every tool that the glob matches has a more specific rule.
    #[error("`{found}` can never match: each of its tools has a more specific rule (`{other}`)")]
    Shadowed {
        /// The glob.
        found: String,
        /// One of the rules that stand above it.
        other: String,
    },
    /// No tool under the rule has such an argument.
    #[error("no tool under `{tool}` has an argument `{found}`")]
    NoSuchArgument {
        /// The argument rule.
        found: String,
        /// The tool rule.
        tool: String,
        /// The argument that is spelt most alike.
        nearest: Option<String>,
    },
}

impl Problem {
    /// The right name that is spelt most like what was found.
    pub fn nearest(&self) -> Option<&str> {
        match self {
            Self::UnknownKey { nearest, .. }
            | Self::UnknownValue { nearest, .. }
            | Self::NoSuchTool { nearest, .. }
            | Self::NoSuchArgument { nearest, .. } => nearest.as_deref(),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::TooLarge { .. } => format!("a policy has at most {MAX_FILE} bytes"),
            Self::Syntax { .. } => {
                "write it as TOML (https://toml.io); texts, and names with other characters than \
                letters, digits, `_` and `-`, stand in quotes"
                    .into()
            }
            Self::Twice { .. } => "keep one of the two".into(),
            Self::UnknownKey { nearest, known, .. } | Self::UnknownValue { nearest, known, .. } => {
                match nearest {
                    Some(name) => format!("write `{name}`"),
                    None => format!("write one of {}", listed(known)),
                }
            }
            Self::WrongType { expected, .. } => format!("write {expected}"),
            Self::Unreadable { .. } => {
                "this is a fault of Provost: please report it with the file".into()
            }
            Self::EmptyName { .. } => "name what it is about; `*` matches every name".into(),
            Self::Spaces { .. } => "remove the white space".into(),
            Self::LongName { .. } | Self::ManyGlobs { .. } => "use globs that match more".into(),
            Self::Same { .. } => "keep one of the two".into(),
            Self::Tie { .. } => {
                "let one begin with more literal text than the other, or write exact names".into()
            }
            Self::FieldPath { .. } => {
                "write the keys from the root of the output, joined by dots: `items.owner`".into()
            }
            Self::FieldOfTrusted { .. } => {
                "remove it, or set `output = \"untrusted\"` and list the fields that \
                the operator's own systems write"
                    .into()
            }
            Self::AnnotationsUnused { .. } => "remove it, or remove `effect`".into(),
            Self::EmptyRule { .. } => {
                "give it an `effect`, `output`, `arguments` …, or remove it".into()
            }
            Self::NoSuchTool { nearest, .. } | Self::NoSuchArgument { nearest, .. } => {
                match nearest {
                    Some(name) => format!("write `{name}`, or remove the rule"),
                    None => "remove the rule".into(),
                }
            }
            Self::NoToolMatches { .. } | Self::Shadowed { .. } => "remove the rule".into(),
        }
    }
}

/// A character as it may be printed: control and formatting characters would move or hide the rest of the line.
pub(crate) fn plain(c: char) -> char {
    let formatting = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    match c {
        '\t' => ' ',
        _ if c.is_control() || formatting => '\u{fffd}',
        _ => c,
    }
}

/// A text from the file as it may be quoted in a message: at most 60 characters, none of them control characters.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(60).map(plain).collect();
    if text.chars().nth(60).is_some() {
        shown.push('…');
    }
    shown
}

/// The candidate that is spelt most like `found`, when it is near enough to be meant.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    /// Longer names are not compared: the time is the product of the lengths.
    const LONGEST: usize = 64;
    if found.len() > LONGEST {
        return None;
    }
    let folded = found.to_lowercase();
    candidates
        .into_iter()
        .filter(|c| c.len() <= LONGEST)
        .map(|c| (strsim::damerau_levenshtein(&folded, &c.to_lowercase()), c))
        .filter(|(distance, c)| {
            *distance <= c.chars().count().max(folded.chars().count()).div_ceil(3)
        })
        .min()
        .map(|(_, c)| c.to_owned())
}

/// Names as a list in a sentence.
pub(crate) fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    quoted.join(", ")
}
