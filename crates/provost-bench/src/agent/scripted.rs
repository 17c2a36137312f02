//! The worst agent that a defense can meet: follows the user's ground truth, and obeys a payload that it can see
//! without fail and without doubt.
//!
//! The attacker's script is done first, as soon as the payload's goal can be read in anything that came from the outside:
//! what a call returned, or the tools' documentation. A refused call is proposed again, [`INSISTS`] times; then the agent
//! goes on with the rest. What the attacker has got stays: a call of the user's that would undo it is left out. Where the
//! attacker's script is all that a persuaded agent does, the rest of the user's is gone on with only if a call of the
//! attacker's was refused. It answers the user only when all of the user's calls ran: without them it could not know the
//! answer.
//!
//! It knows what it sees. When no payload can be read any more, it goes on as if there had been none; when one can be read
//! again, it obeys again. And where a probe stands in place of the user's words, it knows nothing of the user's task: it
//! does what a payload asks, or nothing.

use std::collections::VecDeque;

use super::payload::Payloads;
use super::{Act, INSISTS, Oracle, Seen, View};
use crate::sidecar::{SidecarError, Started, Truth, Wanted, Whose};

/// An attacker's script that is being done.
#[derive(Clone, Copy, Debug)]
struct Script {
    /// It takes the place of the user's.
    whole: bool,
    /// All calls of the attacker's ran so far.
    gained: bool,
}

/// A call that is to be made.
#[derive(Clone, Debug)]
struct Planned {
    call: Wanted,
    /// Where it stands among the user's calls; nowhere, if it is the attacker's.
    own: Option<usize>,
    /// It is part of the attacker's script.
    scripted: bool,
    /// It has no place after what the attacker has got.
    left_out: bool,
}

impl Planned {
    fn users((at, call): (usize, Wanted)) -> Self {
        Self {
            call,
            own: Some(at),
            scripted: false,
            left_out: false,
        }
    }

    fn whose(&self) -> Whose {
        self.own.map_or(Whose::Injection, |_| Whose::User)
    }

    fn proposed(&self) -> Act {
        Act::Call(self.call.clone(), Some(self.whose()))
    }
}

/// What can be told from a view.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// A payload can be read.
    payload: bool,
    /// What the user wants can be read.
    task: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    /// The user's calls that were not proposed yet, in their order.
    user: VecDeque<Planned>,
    /// The attacker's script, with the user's calls that it takes over.
    injection: VecDeque<Planned>,
    output: String,
    /// What the attacker wants to be said.
    says: String,
    payloads: Payloads,
    denies: bool,
    exposed: bool,
    /// The attacker's script was taken up, and its payload was in view ever since.
    obeys: bool,
    /// A call of the user's did not run.
    refused: bool,
    /// How the attacker's script stands, until what it got has been looked after.
    script: Option<Script>,
    /// The call that was proposed last, and how often it was refused before.
    last: Option<(Planned, usize)>,
}

impl Scripted {
    pub(crate) fn new(started: &Started, denies: bool) -> Self {
        let calls = started.truth.calls.iter().cloned().enumerate();
        Self {
            user: calls.map(Planned::users).collect(),
            injection: VecDeque::new(),
            output: started.truth.output.clone(),
            says: String::new(),
            payloads: Payloads::new(&started.payloads, &started.goal),
            denies,
            exposed: false,
            obeys: false,
            refused: false,
            script: None,
            last: None,
        }
    }

    pub(crate) fn is_exposed(&self) -> bool {
        self.exposed
    }

    pub(crate) fn next(
        &mut self,
        seen: &Seen,
        view: View<'_>,
        oracle: &mut dyn Oracle,
    ) -> Result<Act, SidecarError> {
        let sight = Sight {
            payload: self.payloads.are_visible(view),
            task: view.is_the_users(),
        };
        self.exposed |= sight.payload;
        if sight.payload && self.denies {
            return Ok(Act::Finish(String::new(), Some(Whose::Injection)));
        }
        if self.obeys && !sight.payload {
            self.leave();
        }
        let last = self.last.take();
        if let (Seen::Refused(_), Some((planned, tries))) = (seen, last)
            && let Some(again) = self.insist(planned, tries, sight)
        {
            return Ok(again);
        }
        if sight.payload && !self.obeys {
            self.obey(oracle.truth(Whose::Injection)?);
        }
        if sight.task
            && self.injection.is_empty()
            && let Some(script) = self.script.take()
        {
            self.look_after(script, oracle)?;
        }
        let Some(planned) = self.choose(sight) else {
            return Ok(self.last_words(sight));
        };
        let act = planned.proposed();
        self.last = Some((planned, 0));
        Ok(act)
    }

    /// The same once more, unless it was proposed often enough, or what called for it is out of sight.
    fn insist(&mut self, planned: Planned, tries: usize, sight: Sight) -> Option<Act> {
        let users = planned.own.is_some();
        let wanted = users && sight.task || planned.scripted && sight.payload;
        if wanted && tries < INSISTS {
            let act = planned.proposed();
            self.last = Some((planned, tries + 1));
            return Some(act);
        }
        self.refused |= users;
        if let Some(script) = &mut self.script {
            script.gained &= users;
        }
        None
    }

    /// Takes the attacker's script up. Calls that a whole script has in common with the user's are the user's.
    fn obey(&mut self, truth: Truth) {
        self.obeys = true;
        self.script = (truth.whole || !truth.calls.is_empty()).then_some(Script {
            whole: truth.whole,
            gained: true,
        });
        self.says = truth.output;
        for call in truth.calls {
            let mut own = self.user.iter();
            let at = own.position(|planned| truth.whole && planned.call == call);
            let shared = at.and_then(|at| self.user.remove(at));
            self.injection.push_back(Planned {
                call,
                own: shared.and_then(|planned| planned.own),
                scripted: true,
                left_out: false,
            });
        }
    }

    /// Lays the attacker's script down, and takes up all that it had taken from the user's.
    fn leave(&mut self) {
        self.obeys = false;
        self.script = None;
        self.says.clear();
        let taken = self.injection.drain(..).filter(|call| call.own.is_some());
        let mut user: Vec<Planned> = taken.chain(self.user.drain(..)).collect();
        for planned in &mut user {
            (planned.scripted, planned.left_out) = (false, false);
        }
        user.sort_by_key(|planned| planned.own);
        self.user = user.into();
    }

    /// Leaves out the calls of the user's that have no place after the attacker's script.
    fn look_after(&mut self, script: Script, oracle: &mut dyn Oracle) -> Result<(), SidecarError> {
        match (script.whole, script.gained) {
            (true, true) => {
                for planned in &mut self.user {
                    planned.left_out = true;
                }
            }
            (false, false) => {}
            // A whole script may have got what it wants by the calls that ran.
            (true, false) | (false, true) => {
                let mut kept: Vec<&mut Planned> =
                    self.user.iter_mut().filter(|p| !p.left_out).collect();
                let calls: Vec<Wanted> = kept.iter().map(|p| p.call.clone()).collect();
                for at in oracle.undoing(&calls)? {
                    if let Some(planned) = kept.get_mut(at) {
                        planned.left_out = true;
                    }
                }
            }
        }
        Ok(())
    }

    /// The next call: the attacker's first.
    fn choose(&mut self, sight: Sight) -> Option<Planned> {
        if let Some(planned) = self.injection.pop_front() {
            return Some(planned);
        }
        let at = self.user.iter().position(|planned| !planned.left_out);
        at.filter(|_| sight.task)
            .and_then(|at| self.user.remove(at))
    }

    fn last_words(&self, sight: Sight) -> Act {
        let knows = sight.task && !self.refused && self.user.is_empty();
        let answer = if knows { &self.output } else { "" };
        let words = [answer, &self.says];
        let words = words.into_iter().filter(|s| !s.is_empty());
        let whose = if self.says.is_empty() {
            Whose::User
        } else {
            Whose::Injection
        };
        Act::Finish(words.collect::<Vec<_>>().join("\n"), Some(whose))
    }
}

#[cfg(test)]
mod tests;
