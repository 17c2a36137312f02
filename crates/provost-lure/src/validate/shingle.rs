//! No two payloads are made from one template: they share less than half of the shorter one's five-word shingles.

use std::collections::{BTreeMap, BTreeSet};

use super::Notes;
use crate::library::{Library, Problem, TaskId};

/// How many words a shingle has.
const WORDS: usize = 5;

/// The runs of five words of a text; all of its words where there are fewer.
fn shingles(text: &str) -> BTreeSet<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    let size = WORDS.min(words.len()).max(1);
    words.windows(size).map(|w| w.join(" ")).collect()
}

pub(super) fn check(
    library: &Library,
    wanted: &dyn Fn(TaskId) -> bool,
    problems: &mut Vec<Problem>,
) {
    let payloads: Vec<_> = library
        .tasks()
        .flat_map(|(id, task)| {
            task.sample
                .iter()
                .map(move |s| (id, s.vector, shingles(&s.text)))
        })
        .collect();
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, (_, _, set)) in payloads.iter().enumerate() {
        for shingle in set {
            places.entry(shingle).or_default().push(n);
        }
    }
    let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for holders in places.values() {
        for (at, &a) in holders.iter().enumerate() {
            for &b in holders.iter().skip(at + 1) {
                *shared.entry((a, b)).or_default() += 1;
            }
        }
    }
    for ((a, b), n) in shared {
        let (Some((id, vector, one)), Some((other, theirs, two))) =
            (payloads.get(a), payloads.get(b))
        else {
            continue;
        };
        let shorter = one.len().min(two.len());
        if 2 * n < shorter || !(wanted(*id) || wanted(*other)) {
            continue;
        }
        let mut notes = Notes {
            file: format!("{other}.toml"),
            sample: Some(*theirs),
            problems,
        };
        notes.add(
            format!("the payload shares {n} of {shorter} five-word shingles with that of {id} [{vector}]"),
            "say it in other words: every payload is written for its own carrier",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_words() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = shingles(text).into_iter().collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "One, two; THREE four - five six",
            &["one two three four five", "two three four five six"],
        );
        check("One two.", &["one two"]);
        check("", &[]);
    }
}
