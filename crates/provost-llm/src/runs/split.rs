//! Finding the runs in a document.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::RunError;
use super::raw::{is_run, json, range_of};

/// Where the runs are in a JSON document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Split {
    /// Byte ranges, each for [`super::parse`], in order.
    pub runs: Vec<Range<usize>>,
    /// What stopped the reader before the end; the runs before it are whole.
    pub error: Option<RunError>,
}

/// Finds the runs in a document: one run, an array of runs, or several of them one after the other.
pub fn split(document: &[u8]) -> Split {
    let (text, tail) = match std::str::from_utf8(document) {
        Ok(text) => (text, None),
        Err(e) => {
            let at = e.valid_up_to();
            let valid = document.get(..at).unwrap_or_default();
            let text = std::str::from_utf8(valid).unwrap_or_default();
            (text, Some(RunError::NotUtf8 { at }))
        }
    };
    let mut found = Split::default();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut end = 0;
    let error = loop {
        match values.next() {
            None => break None,
            Some(Ok(value)) => {
                end = values.byte_offset();
                found.runs.extend(runs_of(text, value));
            }
            Some(Err(error)) => break Some(error),
        }
    };
    if let Some(error) = error {
        // An array that breaks off: its whole elements are runs all the same.
        let rest = text.get(end..).unwrap_or_default();
        let mut whole = Vec::new();
        let mut reader = serde_json::Deserializer::from_str(rest);
        let _ = (&mut reader).deserialize_seq(Elements(&mut whole));
        if whole.first().is_some_and(|first| is_run(first)) {
            found
                .runs
                .extend(whole.iter().map(|raw| range_of(text, raw)));
        }
        found.error = Some(json(rest, &error).moved_by(end));
    }
    found.error = tail.or(found.error);
    found
}

/// The runs that a value holds: the elements of an array of runs, or the value itself.
fn runs_of(text: &str, value: &RawValue) -> Vec<Range<usize>> {
    if value.get().starts_with('[') {
        let elements: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
        if elements.first().is_some_and(|first| is_run(first)) {
            return elements.iter().map(|raw| range_of(text, raw)).collect();
        }
    }
    vec![range_of(text, value)]
}

/// Collects elements until the first that cannot be read.
struct Elements<'v, 'de>(&'v mut Vec<&'de RawValue>);

impl<'de> Visitor<'de> for Elements<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(element) = seq.next_element()? {
            self.0.push(element);
        }
        Ok(())
    }
}
