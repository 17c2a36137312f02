//! A structural path for people to read.

use std::fmt;

use provost::read::{Path, Seg};

use super::parts::{NAME, bounded};

/// Innermost steps of a path that are shown.
const STEPS: usize = 8;

/// The inner end of a path, as `items[2] › iban`: keys may hold dots and spaces. Contents can nest very deep.
pub(crate) fn trail(path: &Path) -> String {
    let steps = path.steps();
    let inner = steps.get(steps.len().saturating_sub(STEPS)..);
    bounded(
        Trail {
            steps: inner.unwrap_or_default(),
            cut: steps.len() > STEPS,
        },
        NAME,
    )
}

struct Trail<'a> {
    steps: &'a [Seg],
    /// Whether steps are missing before these.
    cut: bool,
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        if self.cut {
            f.write_str("\u{2026}")?;
        }
        for step in self.steps {
            match step {
                Seg::Index(n) => write!(f, "[{n}]")?,
                Seg::Key(key) if first => f.write_str(key)?,
                Seg::Key(key) => write!(f, " \u{203a} {key}")?,
            }
            first = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_long_paths_are_shown_from_within() {
        let check = |steps: Vec<Seg>, expected: &str| {
            assert_eq!(trail(&Path::new(steps)), expected);
        };
        let key = |key: &str| Seg::Key(key.into());
        check(vec![], "");
        check(vec![key("a"), Seg::Index(2)], "a[2]");
        check(vec![Seg::Index(1), key("Due by")], "[1] \u{203a} Due by");
        check(vec![key("a.b"), key("c")], "a.b \u{203a} c");
        let mut deep: Vec<Seg> = (0..10_000).map(Seg::Index).collect();
        deep.push(key("iban"));
        check(
            deep,
            "\u{2026}[9993][9994][9995][9996][9997][9998][9999] \u{203a} iban",
        );
        let long = trail(&Path::new(vec![key(&"\u{e4}".repeat(1_000_000))]));
        assert_eq!(long, "\u{e4}".repeat(NAME / 2) + "\u{2026}");
    }
}
