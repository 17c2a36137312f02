//! Which result answers which call, and an id of its own for every call.
//!
//! Recorders leave ids out, leave them empty and use them twice, so the wire's id does not identify a call. A result
//! with an id answers the oldest unanswered call with that id; one without an id answers the oldest unanswered call
//! of the name that it gives, or else the oldest of all. The latest turn goes first (providers require all its
//! results before the next); an unanswered call of an earlier turn can be reached by its id only.
//! Every operation is amortised constant time.

use std::collections::{HashMap, HashSet, VecDeque};

/// What a result answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// This call, for the first time.
    Call(String),
    /// This call, which was answered before.
    Again(String),
    /// No call; the id is free and is kept free.
    Nothing(String),
}

#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// Ids given out.
    used: HashSet<String>,
    /// How often a suffix was tried for this id.
    suffixes: HashMap<String, u32>,
    /// Unanswered calls of the turn, oldest first; entries answered by another way are skipped when they come up.
    turn: VecDeque<usize>,
    turn_by_name: HashMap<String, VecDeque<usize>>,
    turn_by_id: HashMap<String, VecDeque<usize>>,
    /// Unanswered calls of earlier turns.
    earlier_by_id: HashMap<String, VecDeque<usize>>,
    /// The latest call with each wire id.
    latest: HashMap<String, usize>,
    /// Whether something other than a call came since the last call.
    turn_over: bool,
}

#[derive(Debug)]
struct Call {
    id: String,
    wire_id: Option<String>,
    answered: bool,
}

impl Calls {
    /// Enters a call; returns its id, and whether the wire's id had to be changed because it was in use.
    pub(super) fn propose(&mut self, wire_id: Option<String>, name: &str) -> (String, bool) {
        if std::mem::take(&mut self.turn_over) {
            self.begin_turn();
        }
        let number = self.calls.len();
        let id = match &wire_id {
            Some(wire) => self.unique(wire),
            None => self.unique(&format!("call_{number}")),
        };
        let changed = wire_id.as_ref().is_some_and(|wire| *wire != id);
        self.turn.push_back(number);
        self.turn_by_name
            .entry(name.to_owned())
            .or_default()
            .push_back(number);
        if let Some(wire) = &wire_id {
            self.turn_by_id
                .entry(wire.clone())
                .or_default()
                .push_back(number);
            self.latest.insert(wire.clone(), number);
        }
        self.calls.push(Call {
            id: id.clone(),
            wire_id,
            answered: false,
        });
        (id, changed)
    }

    /// Finds the call that a result answers.
    pub(super) fn answer(&mut self, wire_id: Option<&str>, name: Option<&str>) -> Answers {
        self.turn_over = true;
        let calls = &self.calls;
        let found = match (wire_id, name) {
            (Some(id), _) => pop(self.turn_by_id.get_mut(id), calls)
                .or_else(|| pop(self.earlier_by_id.get_mut(id), calls)),
            (None, Some(name)) => pop(self.turn_by_name.get_mut(name), calls),
            (None, None) => pop(Some(&mut self.turn), calls),
        };
        if let Some(call) = found.and_then(|number| self.calls.get_mut(number)) {
            call.answered = true;
            return Answers::Call(call.id.clone());
        }
        let again = wire_id
            .and_then(|id| self.latest.get(id))
            .and_then(|n| self.calls.get(*n));
        match again {
            Some(call) => Answers::Again(call.id.clone()),
            None => Answers::Nothing(self.unique(wire_id.or(name).unwrap_or("result"))),
        }
    }

    /// Something other than a call or a result came: the next call begins a new turn.
    pub(super) fn end_turn(&mut self) {
        self.turn_over = true;
    }

    fn begin_turn(&mut self) {
        self.turn_by_name.clear();
        self.turn_by_id.clear();
        for number in self.turn.drain(..) {
            if let Some(call) = self.calls.get(number).filter(|c| !c.answered)
                && let Some(wire) = &call.wire_id
            {
                self.earlier_by_id
                    .entry(wire.clone())
                    .or_default()
                    .push_back(number);
            }
        }
    }

    fn unique(&mut self, wanted: &str) -> String {
        if self.used.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let next = self.suffixes.entry(wanted.to_owned()).or_insert(1);
        loop {
            *next += 1;
            let candidate = format!("{wanted}#{next}");
            if self.used.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// The oldest call in the queue that is still unanswered.
fn pop(queue: Option<&mut VecDeque<usize>>, calls: &[Call]) -> Option<usize> {
    let queue = queue?;
    while let Some(number) = queue.pop_front() {
        if calls.get(number).is_some_and(|c| !c.answered) {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Did {
        /// A call with this wire id and name gets this id.
        Call(Option<&'static str>, &'static str, &'static str),
        /// A result with this wire id and name answers this.
        Result(Option<&'static str>, Option<&'static str>, Answers),
        Turn,
    }
    use Did::{Call as C, Result as R, Turn};

    fn call(id: &str) -> Answers {
        Answers::Call(id.into())
    }

    #[track_caller]
    fn check(story: Vec<Did>) {
        let mut calls = Calls::default();
        for did in story {
            match did {
                C(wire, name, id) => assert_eq!(calls.propose(wire.map(Into::into), name).0, id),
                R(wire, name, expected) => assert_eq!(calls.answer(wire, name), expected),
                Turn => calls.end_turn(),
            }
        }
    }

    #[test]
    fn ids_decide_whatever_the_order() {
        check(vec![
            C(Some("a"), "f", "a"),
            C(Some("b"), "f", "b"),
            R(Some("b"), None, call("b")),
            R(Some("a"), None, call("a")),
        ]);
    }

    #[test]
    fn duplicate_ids_are_answered_oldest_first() {
        check(vec![
            C(Some("a"), "f", "a"),
            C(Some("a"), "g", "a#2"),
            R(Some("a"), None, call("a")),
            R(Some("a"), None, call("a#2")),
            R(Some("a"), None, Answers::Again("a#2".into())),
            C(Some("a"), "f", "a#3"),
            R(Some("a"), None, call("a#3")),
            C(Some("a#2"), "f", "a#2#2"),
        ]);
    }

    #[test]
    fn without_ids_name_and_position_decide() {
        check(vec![
            C(None, "f", "call_0"),
            C(None, "g", "call_1"),
            C(None, "f", "call_2"),
            R(None, Some("g"), call("call_1")),
            R(None, None, call("call_0")),
            R(None, Some("f"), call("call_2")),
            R(None, Some("f"), Answers::Nothing("f".into())),
            R(None, None, Answers::Nothing("result".into())),
        ]);
    }

    #[test]
    fn a_call_that_was_never_answered_takes_no_later_result() {
        check(vec![
            C(None, "f", "call_0"),
            C(Some("x"), "f", "x"),
            Turn,
            C(None, "f", "call_2"),
            R(None, None, call("call_2")),
            R(None, None, Answers::Nothing("result".into())),
            R(Some("x"), None, call("x")),
        ]);
    }

    #[test]
    fn a_result_before_its_call_does_not_take_the_id_away() {
        check(vec![
            R(Some("x"), None, Answers::Nothing("x".into())),
            C(Some("x"), "f", "x#2"),
            R(Some("x"), None, call("x#2")),
        ]);
    }
}
