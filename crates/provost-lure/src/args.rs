//! Typed access to the arguments of a call. What does not fit is told as a tool would tell it.

use serde_json::{Map, Value};

/// The arguments of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Args<'a> {
    map: &'a Map<String, Value>,
}

impl<'a> Args<'a> {
    pub(crate) fn new(map: &'a Map<String, Value>) -> Self {
        Self { map }
    }

    /// The names that are given, in order.
    pub(crate) fn names(self) -> impl Iterator<Item = &'a str> {
        self.map.keys().map(String::as_str)
    }

    pub(crate) fn text(self, name: &str) -> Result<&'a str, String> {
        self.optional_text(name)?.ok_or_else(|| missing(name))
    }

    /// A number, also where it is given as an integer.
    pub(crate) fn number(self, name: &str) -> Result<f64, String> {
        self.optional_number(name)?.ok_or_else(|| missing(name))
    }

    /// A list of texts.
    pub(crate) fn list(self, name: &str) -> Result<Vec<&'a str>, String> {
        self.optional_list(name)?.ok_or_else(|| missing(name))
    }

    pub(crate) fn optional_text(self, name: &str) -> Result<Option<&'a str>, String> {
        self.read(name, "a text", Value::as_str)
    }

    pub(crate) fn optional_number(self, name: &str) -> Result<Option<f64>, String> {
        self.read(name, "a number", Value::as_f64)
    }

    pub(crate) fn optional_integer(self, name: &str) -> Result<Option<i64>, String> {
        let whole = |value: &Value| {
            let number = value
                .as_f64()
                .filter(|n| n.fract() == 0.0 && n.abs() < 1e15);
            value.as_i64().or_else(|| number.map(|n| n as i64))
        };
        self.read(name, "a whole number", whole)
    }

    pub(crate) fn optional_list(self, name: &str) -> Result<Option<Vec<&'a str>>, String> {
        self.read(name, "a list of texts", |value| {
            value.as_array()?.iter().map(Value::as_str).collect()
        })
    }

    fn read<T>(
        self,
        name: &str,
        what: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match read(value) {
                Some(read) => Ok(Some(read)),
                None => Err(format!("argument `{name}` has to be {what}")),
            },
        }
    }
}

fn missing(name: &str) -> String {
    format!("argument `{name}` is missing")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_typed_and_errors_name_them() {
        let value = json!({
            "s": "a", "n": 3, "f": 2.5, "w": 4.0, "l": ["x", "y"], "m": ["x", 1], "z": null
        });
        let args = Args::new(value.as_object().unwrap());
        assert_eq!(args.text("s"), Ok("a"));
        assert_eq!(args.number("n"), Ok(3.0));
        assert_eq!(args.optional_integer("w"), Ok(Some(4)));
        assert_eq!(args.list("l"), Ok(vec!["x", "y"]));
        assert_eq!(args.optional_text("z"), Ok(None));
        assert_eq!(args.optional_list("none"), Ok(None));
        let check = |error: Option<String>, expected: &str| {
            assert_eq!(error.as_deref(), Some(expected));
        };
        check(args.text("n").err(), "argument `n` has to be a text");
        check(args.text("z").err(), "argument `z` is missing");
        check(
            args.optional_integer("f").err(),
            "argument `f` has to be a whole number",
        );
        check(
            args.list("m").err(),
            "argument `m` has to be a list of texts",
        );
        check(args.number("s").err(), "argument `s` has to be a number");
    }
}
