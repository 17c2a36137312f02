//! Which texts of the mediator command: told by running the agent dry without them.
//!
//! Reading does not always tell. But under the probe the agent has nothing to do of its own: if it proposes a high-impact
//! call there although the mediator is purified, something in the mediator still commands. The texts are put in order, those
//! first that have most to do with the call; withholding more and more of them stops it at some place, which is found by
//! trying ever more of them and then by halving. The text at this place is one that it cannot do without. What is left may command again.

use crate::span::SpanRef;

/// Commanding texts found at one boundary, at most.
pub(super) const MOST: usize = 8;

/// How many of the likeliest texts are tried first, and how many times as many next. Where most of what is looked for is among
/// the first, halving only these is cheaper than halving all.
const FIRST: usize = 16;
const MORE: usize = 8;

/// A search, which wants to know of a set of texts whether the agent still acts without them.
#[derive(Debug)]
pub(super) struct Search {
    /// Texts that may command, the likeliest first.
    candidates: Vec<SpanRef>,
    /// Those that do.
    pub(super) found: Vec<SpanRef>,
    /// With so many of the candidates withheld it acts, and with so many, where that is known, it does not.
    between: (usize, Option<usize>),
    trial: Trial,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    /// The first of them are withheld.
    First(usize),
    /// Those that were found are.
    Found,
}

/// How a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Another trial is needed.
    Goes,
    /// Without what was found the agent does not act.
    Found,
    /// It acts without any text of the mediator: that is not what it acts on.
    Innocent,
    /// There are too many, or trials contradict each other.
    Endless,
}

impl Search {
    /// A search among candidates, the likeliest first.
    pub(super) fn new(candidates: Vec<SpanRef>) -> Self {
        Self {
            trial: Trial::First(candidates.len().min(FIRST)),
            candidates,
            found: Vec::new(),
            between: (0, None),
        }
    }

    /// The texts to withhold in the next trial, beyond those that are withheld anyway.
    pub(super) fn withheld(&self) -> impl Iterator<Item = SpanRef> + '_ {
        let first = match self.trial {
            Trial::First(n) => n,
            Trial::Found => 0,
        };
        self.candidates[..first].iter().chain(&self.found).copied()
    }

    /// Takes the outcome of a trial.
    pub(super) fn tried(&mut self, acts: bool) -> Standing {
        match (self.trial, acts) {
            (Trial::First(n), true) if n == self.candidates.len() => return Standing::Innocent,
            (Trial::Found, false) => return Standing::Found,
            (Trial::First(n), true) => self.between.0 = n,
            (Trial::First(n), false) => self.between.1 = Some(n),
            (Trial::Found, true) if self.found.len() >= MOST => return Standing::Endless,
            (Trial::Found, true) => self.between.0 = 0,
        }
        let (acts, quiet) = self.between;
        self.trial = match quiet {
            None => Trial::First((MORE * acts).min(self.candidates.len())),
            Some(quiet) if acts + 1 < quiet => Trial::First(acts.midpoint(quiet)),
            Some(quiet) => {
                let Some(at) = quiet.checked_sub(1).and_then(|i| self.candidates.get(i)) else {
                    // It acted without them, and now it does not: the agent draws at random.
                    return Standing::Endless;
                };
                self.found.push(*at);
                // The last of what has to be withheld is withheld from now on.
                self.between.1 = Some(quiet - 1);
                Trial::Found
            }
        };
        Standing::Goes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::NodeId;

    fn spans(n: u32) -> Vec<SpanRef> {
        let node = NodeId(0);
        (0..n).map(|span| SpanRef { node, span }).collect()
    }

    /// The agent acts while any of these groups is seen whole.
    fn search(n: u32, groups: &[Vec<u32>]) -> (Standing, Vec<u32>, usize) {
        let mut search = Search::new(spans(n));
        for trials in 1.. {
            let withheld: Vec<u32> = search.withheld().map(|s| s.span).collect();
            let seen = |g: &Vec<u32>| g.iter().all(|i| !withheld.contains(i));
            let standing = search.tried(groups.iter().any(seen));
            if standing != Standing::Goes {
                let found = search.found.iter().map(|s| s.span).collect();
                return (standing, found, trials);
            }
        }
        unreachable!()
    }

    #[test]
    fn what_commands_is_found() {
        let check = |n, groups: &[Vec<u32>], expected: Standing, found: &[u32]| {
            let (standing, mut spans, _) = search(n, groups);
            spans.sort_unstable();
            assert_eq!((standing, &spans[..]), (expected, found), "{groups:?}");
        };
        check(0, &[vec![]], Standing::Innocent, &[]);
        check(5, &[vec![]], Standing::Innocent, &[]);
        check(1, &[vec![0]], Standing::Found, &[0]);
        check(9, &[vec![4]], Standing::Found, &[4]);
        check(9, &[vec![4], vec![7], vec![0]], Standing::Found, &[0, 4, 7]);
        // One sentence of several that command together is enough.
        check(9, &[vec![3, 5, 6]], Standing::Found, &[3]);
        let many: Vec<Vec<u32>> = (0..20).map(|i| vec![i]).collect();
        assert_eq!(search(20, &many).0, Standing::Endless);
    }

    proptest! {
        #[test]
        fn the_agent_is_quiet_without_what_was_found(n in 1_u32..60, groups in prop::collection::vec(prop::collection::btree_set(0_u32..60, 1..4), 1..5)) {
            let groups: Vec<Vec<u32>> = groups.into_iter().map(|g| g.into_iter().map(|i| i % n).collect()).collect();
            let (standing, found, trials) = search(n, &groups);
            prop_assert_eq!(standing, Standing::Found);
            prop_assert!(groups.iter().all(|g| g.iter().any(|i| found.contains(i))));
            prop_assert!(trials <= 8 + found.len() * 8);
        }
    }
}
