//! Names and globs, and the order among them: exact names first, then the longest literal prefix, then the glob
//! whose names the other matches too.

use std::cmp::Reverse;
use std::collections::HashMap;

/// Longest name or glob that a policy may hold, in bytes. MCP allows 128 characters in a tool name.
pub(crate) const MAX_NAME: usize = 256;

/// Text before the first star, literal text in all, stars (fewer is more).
pub(crate) type Rank = (usize, usize, Reverse<usize>);

/// A pattern in which `*` stands for any run of characters, also an empty one. Nothing else is special.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Glob {
    /// The literal text between the stars: one piece means that there is no star.
    pieces: Box<[Box<str>]>,
}

impl Glob {
    /// Reads a pattern. Neighbouring stars are one star.
    pub(crate) fn new(pattern: &str) -> Self {
        let mut pieces: Vec<Box<str>> = Vec::new();
        let all: Vec<&str> = pattern.split('*').collect();
        for (i, piece) in all.iter().enumerate() {
            if !piece.is_empty() || i == 0 || i + 1 == all.len() {
                pieces.push((*piece).into());
            }
        }
        Self {
            pieces: pieces.into(),
        }
    }

    /// Whether the pattern has no star.
    pub(crate) fn is_exact(&self) -> bool {
        self.pieces.len() == 1
    }

    /// How specific it is: a larger rank wins. Exact patterns have the largest, then a longer text before the
    /// first star. The rest orders a glob that lies [within](Self::within) another above it.
    pub(crate) fn rank(&self) -> Rank {
        let literal = self.pieces.iter().map(|p| p.len()).sum();
        let prefix = if self.is_exact() {
            usize::MAX
        } else {
            self.prefix().len()
        };
        (prefix, literal, Reverse(self.pieces.len()))
    }

    /// The literal text before the first star.
    pub(crate) fn prefix(&self) -> &str {
        self.pieces.first().map_or("", |p| p)
    }

    /// Whether `name` has this form. Linear in the length of `name`.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let [first, middle @ .., last] = &*self.pieces else {
            return self.pieces.first().is_some_and(|p| **p == *name);
        };
        let Some(mut rest) = name.strip_prefix(&**first) else {
            return false;
        };
        for piece in middle {
            match rest.split_once(&**piece) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        rest.ends_with(&**last)
    }

    /// Whether `other` matches every name that this one matches. A star stands for any text, also one that `other`
    /// does not mention; so it has to fall within a star.
    pub(crate) fn within(&self, other: &Self) -> bool {
        let spelt: Vec<&str> = self.pieces.iter().map(|p| &**p).collect();
        other.matches(&spelt.join("*"))
    }

    /// Whether some name has both forms. Time and memory: the product of the lengths.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let (a, b) = (self.tokens(), other.tokens());
        // Row `i`, slot `j`: the first `i` tokens of `a` and the first `j` of `b` have a common text.
        let mut row = vec![true];
        for y in &b {
            row.push(y.is_none() && row.last() == Some(&true));
        }
        for x in &a {
            let mut next = vec![x.is_none() && row.first() == Some(&true)];
            for (y, pair) in b.iter().zip(row.windows(2)) {
                let (diagonal, above) = (pair.first() == Some(&true), pair.last() == Some(&true));
                let left = next.last() == Some(&true);
                next.push(match (x, y) {
                    (Some(x), Some(y)) => diagonal && x == y,
                    // A star takes the other's token too, or is empty.
                    _ => left || above,
                });
            }
            row = next;
        }
        row.last() == Some(&true)
    }

    /// Characters, with `None` for a star.
    fn tokens(&self) -> Vec<Option<char>> {
        let mut tokens = Vec::new();
        for (i, piece) in self.pieces.iter().enumerate() {
            if i > 0 {
                tokens.push(None);
            }
            tokens.extend(piece.chars().map(Some));
        }
        tokens
    }
}

/// Rules by name or glob. The most specific one that matches is the one that speaks.
#[derive(Clone, Debug)]
pub(crate) struct Rules<T> {
    exact: HashMap<Box<str>, T>,
    /// Most specific first.
    globs: Vec<(Glob, T)>,
}

impl<T> Default for Rules<T> {
    fn default() -> Self {
        Self {
            exact: HashMap::new(),
            globs: Vec::new(),
        }
    }
}

impl<T> Rules<T> {
    /// Rules of these patterns. Ties were refused before (see `resolve`).
    pub(crate) fn new(rules: impl IntoIterator<Item = (String, T)>) -> Self {
        let mut set = Self::default();
        for (pattern, rule) in rules {
            let glob = Glob::new(&pattern);
            if glob.is_exact() {
                set.exact.insert(pattern.into(), rule);
            } else {
                set.globs.push((glob, rule));
            }
        }
        set.globs.sort_by_key(|(glob, _)| Reverse(glob.rank()));
        set
    }

    /// The rule that speaks of `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.exact.get(name).or_else(|| {
            let mut globs = self.globs.iter();
            globs.find(|(g, _)| g.matches(name)).map(|(_, rule)| rule)
        })
    }
}

/// What is wrong with a name in a policy, whatever it names.
pub(crate) enum BadName {
    /// It is empty.
    Empty,
    /// It begins or ends with white space.
    Spaces,
    /// It is longer than [`MAX_NAME`].
    Long,
}

/// Looks at a name by itself.
pub(crate) fn bad_name(name: &str) -> Option<BadName> {
    if name.trim().is_empty() {
        Some(BadName::Empty)
    } else if name.trim() != name {
        Some(BadName::Spaces)
    } else if name.len() > MAX_NAME {
        Some(BadName::Long)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, by recursion.
    fn naive(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (['*', rest @ ..], _) => {
                naive(rest, name) || (!name.is_empty() && naive(pattern, &name[1..]))
            }
            ([p, rest @ ..], [n, tail @ ..]) => p == n && naive(rest, tail),
            _ => false,
        }
    }

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// All texts over these letters up to a length.
    fn texts(letters: &str, longest: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..longest {
            last = last
                .iter()
                .flat_map(|t| letters.chars().map(move |c| format!("{t}{c}")))
                .collect();
            all.extend(last.clone());
        }
        all
    }

    proptest! {
        #[test]
        fn matches_as_defined(pattern in "[ab*]{0,8}", name in "[ab]{0,12}") {
            prop_assert_eq!(Glob::new(&pattern).matches(&name), naive(&chars(&pattern), &chars(&name)));
        }

        #[test]
        fn meets_when_a_common_name_exists(a in "[ab*]{0,3}", b in "[ab*]{0,3}") {
            let common = texts("ab", 7).iter().any(|t| naive(&chars(&a), &chars(t)) && naive(&chars(&b), &chars(t)));
            prop_assert_eq!(Glob::new(&a).meets(&Glob::new(&b)), common);
        }

        #[test]
        fn within_when_every_name_is_common(a in "[ab*]{0,4}", b in "[ab*]{0,4}") {
            // `c` stands for what neither mentions.
            let all = texts("abc", 4).iter().all(|t| !naive(&chars(&a), &chars(t)) || naive(&chars(&b), &chars(t)));
            prop_assert_eq!(Glob::new(&a).within(&Glob::new(&b)), all);
        }

        #[test]
        fn what_lies_within_is_more_specific(a in "[ab*]{0,5}", b in "[ab*]{0,5}") {
            let (a, b) = (Glob::new(&a), Glob::new(&b));
            if a.within(&b) && a != b {
                prop_assert!(a.rank() > b.rank());
            }
        }

        #[test]
        fn the_best_rule_speaks(patterns in prop::collection::vec("[ab*]{1,4}", 0..6), name in "[ab]{0,5}") {
            let rules = Rules::new(patterns.iter().cloned().enumerate().map(|(i, p)| (p, i)));
            let best = patterns.iter().filter(|p| naive(&chars(p), &chars(&name)))
                .map(|p| p.find('*').unwrap_or(usize::MAX)).max();
            let got = rules.get(&name).map(|i| patterns[*i].find('*').unwrap_or(usize::MAX));
            prop_assert_eq!(got, best);
        }
    }
}
