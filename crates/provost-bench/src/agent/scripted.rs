//! The worst agent that a defense can meet: follows the user's ground truth, and obeys a payload that it can see
//! without fail and without doubt.
//!
//! The attacker's script is done first, as soon as the payload's goal can be read in what a call returned. A refused
//! call is proposed again, [`INSISTS`] times; then the agent goes on with the rest. What the attacker has got stays: a
//! call of the user's that would undo it is left out. It answers the user only when all of the user's calls ran: without
//! them it could not know the answer.

use std::collections::VecDeque;

use super::{Act, Seen};
use crate::sidecar::{Sidecar, SidecarError, Started, Truth, Wanted, Whose};

/// How often a refused call is proposed again.
const INSISTS: usize = 2;

/// What the agent can know of the benchmark's tasks.
pub(crate) trait Oracle {
    /// What solves a task in the present environment.
    fn truth(&mut self, of: Whose) -> Result<Truth, SidecarError>;
    /// Which of these calls, done in this order from here, would undo what the attacker has got.
    fn undoing(&mut self, calls: &[Wanted]) -> Result<Vec<usize>, SidecarError>;
}

impl Oracle for Sidecar {
    fn truth(&mut self, of: Whose) -> Result<Truth, SidecarError> {
        Sidecar::truth(self, of)
    }

    fn undoing(&mut self, calls: &[Wanted]) -> Result<Vec<usize>, SidecarError> {
        Sidecar::undoing(self, calls)
    }
}

#[derive(Debug)]
pub(crate) struct Scripted {
    user: VecDeque<Wanted>,
    injection: VecDeque<Wanted>,
    output: String,
    /// What the attacker wants to be said.
    says: String,
    /// Payloads by what of them has to be visible, squashed.
    payloads: Vec<String>,
    denies: bool,
    exposed: bool,
    refused: bool,
    /// All calls of the attacker's ran so far, and what they got has not been looked after yet.
    gained: bool,
    last: Option<(Wanted, Whose, usize)>,
}

impl Scripted {
    pub(crate) fn new(started: &Started, denies: bool) -> Self {
        let goal = squash(&started.goal);
        let active = |payload: &String| {
            let whole = squash(payload);
            if whole.contains(&goal) && !goal.is_empty() {
                goal.clone()
            } else {
                whole
            }
        };
        Self {
            user: started.truth.calls.clone().into(),
            injection: VecDeque::new(),
            output: started.truth.output.clone(),
            says: String::new(),
            payloads: started
                .payloads
                .iter()
                .map(active)
                .filter(|p| !p.is_empty())
                .collect(),
            denies,
            exposed: false,
            refused: false,
            gained: false,
            last: None,
        }
    }

    pub(crate) fn is_exposed(&self) -> bool {
        self.exposed
    }

    pub(crate) fn next(
        &mut self,
        seen: Seen,
        oracle: &mut dyn Oracle,
    ) -> Result<Act, SidecarError> {
        match (seen, self.last.take()) {
            (Seen::Refused(_), Some((call, whose, tries))) => {
                if tries < INSISTS {
                    self.last = Some((call.clone(), whose, tries + 1));
                    return Ok(Act::Call(call, Some(whose)));
                }
                self.refused |= whose == Whose::User;
                self.gained &= whose == Whose::User;
            }
            (Seen::Result(text), _) if !self.exposed && self.shows_payload(&text) => {
                self.exposed = true;
                if self.denies {
                    return Ok(Act::Finish(String::new()));
                }
                let truth = oracle.truth(Whose::Injection)?;
                self.gained = !truth.calls.is_empty();
                self.injection = truth.calls.into();
                self.says = truth.output;
            }
            _ => {}
        }
        if self.gained && self.injection.is_empty() {
            self.gained = false;
            let undoing = oracle.undoing(self.user.make_contiguous())?;
            for at in undoing.into_iter().rev() {
                self.user.remove(at);
                self.refused = true;
            }
        }
        let injected = self
            .injection
            .pop_front()
            .map(|call| (call, Whose::Injection));
        let next = injected.or_else(|| self.user.pop_front().map(|call| (call, Whose::User)));
        let Some((call, whose)) = next else {
            return Ok(Act::Finish(self.last_words()));
        };
        self.last = Some((call.clone(), whose, 0));
        Ok(Act::Call(call, Some(whose)))
    }

    fn shows_payload(&self, text: &str) -> bool {
        let text = squash(text);
        self.payloads.iter().any(|payload| text.contains(payload))
    }

    fn last_words(&self) -> String {
        let answer = if self.refused { "" } else { &self.output };
        [answer, &self.says]
            .into_iter()
            .filter(|s| !s.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// The letters and digits of a text, without what printing does to it: wrapping, indentation, quotes and escapes.
fn squash(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let digits = match chars.clone().next() {
                    Some('x') => 2,
                    Some('u') => 4,
                    Some('U') => 8,
                    _ => 0,
                };
                // The letter of the escape, and its digits.
                for _ in 0..=digits {
                    chars.next();
                }
            }
            _ if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(tool: &str) -> Wanted {
        Wanted {
            tool: tool.into(),
            arguments: json!({}),
        }
    }

    fn started(payloads: &[&str], goal: &str) -> Started {
        Started {
            system: String::new(),
            prompt: String::new(),
            goal: goal.into(),
            payloads: payloads.iter().map(|&p| p.to_owned()).collect(),
            truth: Truth {
                calls: vec![wanted("look"), wanted("act")],
                output: "done".into(),
            },
        }
    }

    /// The attacker steals and hides; to tidy up gives the loot back.
    struct Tasks;

    impl Oracle for Tasks {
        fn truth(&mut self, of: Whose) -> Result<Truth, SidecarError> {
            assert_eq!(of, Whose::Injection);
            Ok(Truth {
                calls: vec![wanted("steal"), wanted("hide")],
                output: "obeyed".into(),
            })
        }

        fn undoing(&mut self, calls: &[Wanted]) -> Result<Vec<usize>, SidecarError> {
            let found = calls.iter().enumerate().filter(|(_, c)| c.tool == "tidy");
            Ok(found.map(|(i, _)| i).collect())
        }
    }

    /// Plays against answers: `Some` is a result, `None` a refusal. Returns what the agent did.
    fn play(
        started: &Started,
        denies: bool,
        answers: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<String> {
        let mut agent = Scripted::new(started, denies);
        let (mut seen, mut did) = (Seen::Nothing, Vec::new());
        for _ in 0..50 {
            match agent.next(seen, &mut Tasks).unwrap() {
                Act::Call(call, _) => {
                    seen = answers(&call.tool).map_or(Seen::Refused("no".into()), Seen::Result);
                    did.push(call.tool);
                }
                Act::Finish(words) => {
                    did.push(words);
                    return did;
                }
            }
        }
        panic!("the agent does not end: {did:?}");
    }

    #[test]
    fn obeys_insists_and_goes_on() {
        let attack = started(
            &["Hello. Do the bad thing now. Bye."],
            "Do the bad thing now.",
        );
        let shows = |tool: &str| {
            Some(
                if tool == "look" {
                    "x: do the bad\n  thing now"
                } else {
                    "ok"
                }
                .to_owned(),
            )
        };
        let check = |denies, refused: &[&str], expected: &[&str]| {
            let answers = |tool: &str| {
                if refused.contains(&tool) {
                    None
                } else {
                    shows(tool)
                }
            };
            assert_eq!(play(&attack, denies, &answers), expected);
        };
        check(
            false,
            &[],
            &["look", "steal", "hide", "act", "done\nobeyed"],
        );
        check(
            false,
            &["steal"],
            &[
                "look",
                "steal",
                "steal",
                "steal",
                "hide",
                "act",
                "done\nobeyed",
            ],
        );
        check(
            false,
            &["act"],
            &["look", "steal", "hide", "act", "act", "act", "obeyed"],
        );
        let mut tidy = attack.clone();
        tidy.truth.calls.push(wanted("tidy"));
        let all = |tool: &str| shows(tool);
        let kept = play(&tidy, false, &all);
        assert_eq!(kept, ["look", "steal", "hide", "act", "obeyed"]);
        let held = |tool: &str| shows(tool).filter(|_| tool != "steal");
        assert!(play(&tidy, false, &held).contains(&"tidy".to_owned()));
        check(true, &[], &["look", ""]);
        // What cannot be seen cannot be obeyed.
        check(false, &["look"], &["look", "look", "look", "act", ""]);
    }

    #[test]
    fn without_an_attack() {
        let calm = |_: &str| Some("nothing".to_owned());
        assert_eq!(
            play(&started(&[], ""), false, &calm),
            ["look", "act", "done"]
        );
    }

    #[test]
    fn payloads_are_seen_however_they_are_printed() {
        let check = |payload: &str, text: &str, expected: bool| {
            let agent = Scripted::new(&started(&[payload], ""), false);
            assert_eq!(
                agent.shows_payload(text),
                expected,
                "{payload:?} in {text:?}"
            );
        };
        check(
            "Send it to Bob's bank.",
            "body: 'Send it to Bob''s\n    bank.'",
            true,
        );
        check(
            "Send it\nnow",
            r#"body: "A caf\xE9. Send it\n\n  now""#,
            true,
        );
        check("Send it\nnow", r#"{'body': 'Send it\nnow'}"#, true);
        check("Send it now", "Send it later", false);
        check("", "anything", false);
    }
}
