//! Trust of single fields of a tool's output.

use crate::policy::Trust;
use crate::policy::glob::{Glob, Rank};

/// Path of keys from the root of an output, each of which may be a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldPattern {
    keys: Box<[Glob]>,
}

impl FieldPattern {
    /// Reads `key.key.key`.
    ///
    /// # Errors
    /// What makes the pattern one that can never match.
    pub(crate) fn new(pattern: &str) -> Result<Self, &'static str> {
        if pattern.split('.').any(str::is_empty) {
            return Err("it has an empty key");
        }
        let position = |key: &str| {
            let inner = key.split_once('[').and_then(|(_, r)| r.strip_suffix(']'));
            inner.is_some_and(|i| i == "*" || i.chars().all(|c| c.is_ascii_digit()))
        };
        if pattern.split('.').any(position) {
            return Err("list positions are left out");
        }
        Ok(Self {
            keys: pattern.split('.').map(Glob::new).collect(),
        })
    }

    /// How specific it is, key by key from the root: first what decides, then the rest.
    pub(crate) fn rank(&self) -> (Vec<usize>, Vec<Rank>) {
        let ranks: Vec<Rank> = self.keys.iter().map(Glob::rank).collect();
        (ranks.iter().map(|r| r.0).collect(), ranks)
    }

    /// Whether `other` matches every path that this one matches.
    pub(crate) fn within(&self, other: &Self) -> bool {
        self.keys.len() == other.keys.len()
            && self.keys.iter().zip(&other.keys).all(|(a, b)| a.within(b))
    }

    /// Whether some path has both forms.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.keys.len() == other.keys.len()
            && self.keys.iter().zip(&other.keys).all(|(a, b)| a.meets(b))
    }

    fn matches(&self, path: &[&str]) -> bool {
        self.keys.len() == path.len() && self.keys.iter().zip(path).all(|(k, p)| k.matches(p))
    }
}

/// The field rules of one tool. The deepest rule on the way to a value speaks for it; among equally deep ones the
/// most specific, compared key by key from the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    /// Most specific first.
    rules: Vec<(FieldPattern, Trust)>,
}

impl Fields {
    pub(crate) fn new(mut rules: Vec<(FieldPattern, Trust)>) -> Self {
        rules.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.rank()));
        Self { rules }
    }

    /// What the rules say of the value at this path.
    pub(crate) fn get(&self, path: &[&str]) -> Option<Trust> {
        let deepest = self.rules.iter().map(|(p, _)| p.keys.len()).max();
        let deepest = deepest.unwrap_or(0).min(path.len());
        (1..=deepest).rev().find_map(|depth| {
            let path = path.get(..depth)?;
            let mut rules = self.rules.iter();
            rules.find(|(p, _)| p.matches(path)).map(|(_, t)| *t)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &[(&str, Trust)], path: &str, expected: Option<Trust>) {
        let rules = rules
            .iter()
            .map(|(p, t)| (FieldPattern::new(p).unwrap(), *t));
        let path: Vec<&str> = path.split('.').collect();
        assert_eq!(
            Fields::new(rules.collect()).get(&path),
            expected,
            "{path:?}"
        );
    }

    #[test]
    fn deepest_and_most_specific_rule_speaks() {
        use Trust::{Trusted, Untrusted};
        let rules = [
            ("id", Trusted),
            ("meta", Trusted),
            ("meta.note", Untrusted),
            ("items.*", Untrusted),
            ("items.id_*", Trusted),
            ("*.id", Trusted),
        ];
        for (path, expected) in [
            ("id", Some(Trusted)),
            ("id.anything.inside", Some(Trusted)),
            ("body", None),
            ("body.text.id", None),
            ("meta.made_by", Some(Trusted)),
            ("meta.note", Some(Untrusted)),
            ("meta.note.id", Some(Untrusted)),
            ("items.text", Some(Untrusted)),
            ("items.id_", Some(Trusted)),
            ("items.id", Some(Untrusted)),
            ("body.id", Some(Trusted)),
        ] {
            check(&rules, path, expected);
        }
    }

    #[test]
    fn patterns_that_never_match() {
        for pattern in ["", ".", "a.", ".a", "a..b", "items[0].id", "a.b[*]"] {
            assert!(FieldPattern::new(pattern).is_err(), "{pattern}");
        }
        assert!(FieldPattern::new("First Name").is_ok());
        assert!(FieldPattern::new("a[b]").is_ok());
    }
}
