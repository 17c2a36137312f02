//! Tags with byte positions, by a tokenizer that follows the WHATWG standard: what a browser takes for a tag or a
//! comment is one here.

use std::ops::Range;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// An attribute: its name, and where its value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    /// The name, in lower case.
    pub(super) name: Box<str>,
    /// The value without quotes; empty when there is none.
    pub(super) value: Range<usize>,
}

/// A start tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// The name, in lower case.
    pub(super) name: Box<str>,
    /// Where it is.
    pub(super) range: Range<usize>,
    /// Its attributes, in order.
    pub(super) attributes: Vec<Attribute>,
    /// Whether it ends in `/>`.
    pub(super) self_closing: bool,
    /// Whether it hides its element.
    pub(super) hides: bool,
    /// Its classes.
    pub(super) class: Box<str>,
}

impl Tag {
    /// What makes siblings alike: name and class.
    pub(super) fn likeness(&self) -> Box<str> {
        if self.class.is_empty() {
            self.name.clone()
        } else {
            format!("{} {}", self.name, self.class).into()
        }
    }
}

/// Markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A start tag.
    Open(Tag),
    /// An end tag.
    Close(Box<str>, Range<usize>),
    /// A comment.
    Comment(Range<usize>),
    /// A doctype, a processing instruction, the marks of a CDATA section.
    Other(Range<usize>),
}

impl Token {
    /// Where it is.
    pub(super) fn range(&self) -> Range<usize> {
        match self {
            Self::Open(tag) => tag.range.clone(),
            Self::Close(_, range) | Self::Comment(range) | Self::Other(range) => range.clone(),
        }
    }
}

/// The markup of a source, in order.
pub(super) fn tokens(src: &str, xml: bool) -> Vec<Token> {
    let mut tag: Option<Tag> = None;
    let handle = |event: CallbackEvent<'_>, span: Span<usize>| -> Option<Vec<Token>> {
        let range = span.start..span.end.min(src.len());
        match event {
            CallbackEvent::OpenStartTag { name } => {
                tag = Some(Tag {
                    name: lossy(name),
                    range,
                    attributes: Vec::new(),
                    self_closing: false,
                    hides: false,
                    class: "".into(),
                });
                None
            }
            CallbackEvent::AttributeName { name } => {
                let value = range.end..range.end;
                tag.as_mut()?.attributes.push(Attribute {
                    name: lossy(name),
                    value,
                });
                None
            }
            CallbackEvent::AttributeValue { .. } => {
                tag.as_mut()?.attributes.last_mut()?.value = range;
                None
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                let mut tag = tag.take()?;
                tag.range.end = range.end;
                tag.self_closing = self_closing;
                let value = |name: &str| {
                    tag.attributes
                        .iter()
                        .find(|a| &*a.name == name)
                        .and_then(|a| src.get(a.value.clone()))
                };
                tag.hides = hides(&tag.name, &value);
                tag.class = value("class").unwrap_or("").into();
                Some(vec![Token::Open(tag)])
            }
            CallbackEvent::EndTag { name } => Some(vec![Token::Close(lossy(name), range)]),
            CallbackEvent::Comment { value } => Some(comment(src, value, range, xml)),
            CallbackEvent::Doctype { .. } => Some(vec![Token::Other(range)]),
            CallbackEvent::String { .. } | CallbackEvent::Error(_) => None,
        }
    };
    let mut emitter = CallbackEmitter::new(handle);
    emitter.naively_switch_states(!xml);
    let tokens = Tokenizer::new_with_emitter(src, emitter).filter_map(Result::ok);
    tokens
        .flatten()
        .filter(|t| on_boundaries(src, &t.range()))
        .collect()
}

fn lossy(name: &[u8]) -> Box<str> {
    String::from_utf8_lossy(name).into()
}

fn on_boundaries(src: &str, range: &Range<usize>) -> bool {
    range.start < range.end && src.is_char_boundary(range.start) && src.is_char_boundary(range.end)
}

/// A comment, or what only the standard's recovery takes for one.
fn comment(src: &str, value: &[u8], range: Range<usize>, xml: bool) -> Vec<Token> {
    let text = src.get(range.clone()).unwrap_or("");
    if xml
        && let Some(inner) = text
            .strip_prefix("<![CDATA[")
            .and_then(|t| t.strip_suffix("]]>"))
    {
        let start = range.start + 9;
        return vec![
            Token::Other(range.start..start),
            Token::Other(start + inner.len()..range.end),
        ];
    }
    if value.starts_with(b"?") {
        return vec![Token::Other(range)];
    }
    vec![Token::Comment(range)]
}

/// Whether an element with these attributes is not shown, or not told to every reader.
fn hides<'a>(name: &str, value: &impl Fn(&str) -> Option<&'a str>) -> bool {
    let is = |attribute: &str, wanted: &str| {
        value(attribute).is_some_and(|v| v.trim().eq_ignore_ascii_case(wanted))
    };
    value("hidden").is_some()
        || is("aria-hidden", "true")
        || name == "input" && is("type", "hidden")
        || value("style").is_some_and(is_hiding_style)
}

/// The classes and ids (`.x`, `#x`) that a style sheet hides; rules within groups, such as those for print, apart.
pub(super) fn hidden_selectors(sheet: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start, mut body) = (0_u32, 0, 0);
    for at in memchr::memchr2_iter(b'{', b'}', sheet.as_bytes()) {
        if sheet.as_bytes()[at] == b'{' {
            if depth == 0 {
                body = at + 1;
            }
            depth += 1;
            continue;
        }
        if depth == 1 && is_hiding_style(&sheet[body..at]) {
            let selectors = sheet[start..body - 1].split(',').map(str::trim);
            out.extend(selectors.filter_map(simple_selector));
        }
        depth = depth.saturating_sub(1);
        if depth == 0 {
            start = at + 1;
        }
    }
    out
}

/// The class or id of a selector that is one of `.x`, `#x`, `tag.x`.
fn simple_selector(selector: &str) -> Option<&str> {
    let at = selector.find(['.', '#'])?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let name = &selector[at + 1..];
    let fits = !name.is_empty() && name.chars().all(plain) && selector[..at].chars().all(plain);
    fits.then_some(&selector[at..])
}

/// Whether a style makes its element invisible.
pub(super) fn is_hiding_style(style: &str) -> bool {
    style.split(';').take(64).any(|rule| {
        let Some((property, value)) = rule.split_once(':') else {
            return false;
        };
        let value = value
            .trim()
            .trim_end_matches("!important")
            .trim()
            .to_ascii_lowercase();
        let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
        let zero = number.trim().parse::<f32>().is_ok_and(|n| n.abs() < 0.05);
        match property.trim().to_ascii_lowercase().as_str() {
            "display" => value == "none",
            "visibility" => matches!(value.as_str(), "hidden" | "collapse"),
            "font-size" | "opacity" | "max-height" | "max-width" | "height" | "width" => zero,
            "text-indent" | "left" | "top" | "margin-left" => {
                number.trim().parse::<f32>().is_ok_and(|n| n <= -900.0)
            }
            "color" => value == "transparent",
            _ => false,
        }
    })
}
