//! JSON in which no object has a key twice.
//!
//! Readers differ on which of two equal keys counts (RFC 8259, section 4). What was judged would then not be what runs.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Reads one JSON value.
///
/// # Errors
/// It is not JSON, or an object in it has a key twice.
pub fn from_str(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            out.push(item);
        }
        Ok(out.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut out = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if out.contains_key(&key) {
                return Err(A::Error::custom(format_args!(
                    "the key `{key}` stands twice"
                )));
            }
            out.insert(key, value);
        }
        Ok(out.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_key_stands_once() {
        for (text, fault) in [
            (r#"{"to": "a", "to": "b"}"#, "the key `to` stands twice"),
            (
                r#"{"a": [{"b": {"c": 1, "c": 1}}]}"#,
                "the key `c` stands twice",
            ),
            (
                r#"{"to": "a", "t\u006f": "b"}"#,
                "the key `to` stands twice",
            ),
            (r#"{"a": 1"#, "EOF"),
        ] {
            let error = from_str(text).unwrap_err().to_string();
            assert!(error.contains(fault), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn otherwise_it_is_as_usual(text in r#"[\[\]{}:,"a1.e tru-]{0,24}"#) {
            let usual = serde_json::from_str::<Value>(&text).ok();
            if let Ok(value) = from_str(&text) {
                prop_assert_eq!(Some(value), usual);
            }
        }
    }
}
