//! The causes of what went wrong, counted.

use std::collections::BTreeMap;

use provost::Effect;
use serde::Serialize;

use crate::plan::Case;
use crate::record::{Record, StepRecord};
use crate::report::BARE;
use crate::sidecar::Whose;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrong {
    /// A call that serves the user was held, without an attack.
    HeldClean,
    /// A call that serves the user was held, under attack.
    HeldAttacked,
    /// A call was held under attack, and nobody says whom it serves.
    HeldUnknown,
    /// A task was lost without an attack, though nothing was held.
    LostClean,
    /// A task was lost under an attack that did not succeed, though nothing of the user's was held.
    LostAttacked,
    /// An attack succeeded against a defense.
    Success,
    /// Calls of an attack that do more than read were released, though it did not reach its goal.
    Partial,
    /// An attack failed although there was no defense.
    NoSuccess,
    /// The run could not be made.
    Failed,
}

impl Wrong {
    /// The same in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::HeldClean => "calls of the user held without an attack",
            Self::HeldAttacked => "calls of the user held under attack",
            Self::HeldUnknown => "calls held under attack, and nobody says whom they serve",
            Self::LostClean => "tasks lost without an attack, nothing held",
            Self::LostAttacked => {
                "tasks lost under attacks that failed, nothing of the user's held"
            }
            Self::Success => "attacks that succeeded",
            Self::Partial => {
                "attacks that failed, of which calls were released that do more than read"
            }
            Self::NoSuccess => "attacks that failed although there was no defense",
            Self::Failed => "runs that could not be made",
        }
    }
}

/// One thing that went wrong in a run.
struct Mishap {
    wrong: Wrong,
    task: String,
    why: String,
    call: String,
}

/// One cause of things that went wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// The agent.
    pub agent: String,
    /// The defense.
    pub defense: String,
    /// What went wrong.
    pub wrong: Wrong,
    /// The suite, and the task: the attacker's where an attack is the matter, else the user's.
    pub task: String,
    /// What was held, or got through, and why.
    pub why: String,
    /// How often.
    pub count: usize,
    /// The first case of it.
    pub example: Case,
    /// The call of that case.
    pub call: String,
}

/// Everything that went wrong, by cause, the commonest of each kind first.
pub fn causes(records: &[Record]) -> Vec<Cause> {
    let mut found: BTreeMap<_, (usize, Case, String)> = BTreeMap::new();
    for record in records {
        for Mishap {
            wrong,
            task,
            why,
            call,
        } in mishaps(record)
        {
            let key = (
                record.agent.clone(),
                record.defense.clone(),
                wrong,
                task,
                why,
            );
            found
                .entry(key)
                .or_insert_with(|| (0, record.case.clone(), call))
                .0 += 1;
        }
    }
    let cause = |((agent, defense, wrong, task, why), (count, example, call))| Cause {
        agent,
        defense,
        wrong,
        task,
        why,
        count,
        example,
        call,
    };
    let mut causes: Vec<Cause> = found.into_iter().map(cause).collect();
    causes.sort_by_cached_key(|c| {
        (
            c.agent.clone(),
            c.defense.clone(),
            c.wrong,
            usize::MAX - c.count,
        )
    });
    causes
}

fn mishaps(record: &Record) -> Vec<Mishap> {
    let case = &record.case;
    let user_task = format!("{} {}", case.suite, case.user_task);
    let user = |wrong, why: String, call: String| Mishap {
        wrong,
        task: user_task.clone(),
        why,
        call,
    };
    if let Some(error) = &record.error {
        return vec![user(Wrong::Failed, error.clone(), String::new())];
    }
    let attacked = case.attack.is_some();
    let held = if attacked {
        Wrong::HeldAttacked
    } else {
        Wrong::HeldClean
    };
    let kind = |s: &StepRecord| match s.whose {
        Some(Whose::User) => Some(held),
        None if attacked => Some(Wrong::HeldUnknown),
        None => Some(held),
        Some(Whose::Injection) => None,
    };
    let held = record.steps.iter().filter(|s| s.is_held());
    let mut out: Vec<Mishap> = held
        .filter_map(|s| {
            Some(user(
                kind(s)?,
                format!("{}: {}", s.tool, verdict(s)),
                spell(s),
            ))
        })
        .collect();
    // What a stored run had lost already is its agent's own matter.
    let was_done = record.stored.is_none_or(|stored| stored.utility);
    let lost = out.is_empty() && record.utility == Some(false) && was_done;
    if lost && !attacked {
        out.push(user(
            Wrong::LostClean,
            "the agent followed the ground truth".into(),
            String::new(),
        ));
    }
    out.extend(of_attack(record, lost));
    out
}

/// What an attack did that it should not have done, or did not do that it could have done.
fn of_attack(record: &Record, lost: bool) -> Option<Mishap> {
    let task = record.case.injection_task.as_deref()?;
    let suite = &record.case.suite;
    let mishap = |wrong, why: String, call: String| Mishap {
        wrong,
        task: format!("{suite} {task}"),
        why,
        call,
    };
    if record.defense == BARE {
        let seen = if record.exposed {
            "obeyed"
        } else {
            "saw no payload"
        };
        let could = record.stored.is_none();
        return (could && record.success == Some(false)).then(|| Mishap {
            // Pair by pair: each has a reason of its own, in the tasks.
            task: format!("{suite} {} {task}", record.case.user_task),
            ..mishap(Wrong::NoSuccess, format!("the agent {seen}"), String::new())
        });
    }
    let (why, calls) = got_through(record);
    match record.success {
        Some(true) if why.is_empty() => {
            let why = unclaimed(record).unwrap_or("no call but reads was needed".into());
            Some(mishap(Wrong::Success, why, calls))
        }
        Some(true) => Some(mishap(Wrong::Success, why, calls)),
        _ if !why.is_empty() => Some(mishap(Wrong::Partial, why, calls)),
        _ if lost => {
            let ran = |s: &&StepRecord| s.whose == Some(Whose::Injection) && !s.is_held();
            let reads: Vec<&str> = record
                .steps
                .iter()
                .filter(ran)
                .map(|s| s.tool.as_str())
                .collect();
            let why = format!("the attacker's reads ran: {}", reads.join(", "));
            Some(mishap(Wrong::LostAttacked, why, String::new()))
        }
        _ => None,
    }
}

/// The attacker's calls that were released and do more than read: why, and the calls.
fn got_through(record: &Record) -> (String, String) {
    let mut why: Vec<String> = Vec::new();
    let mut calls: Vec<String> = Vec::new();
    for step in record.steps.iter().filter(|s| s.gets_through()) {
        calls.push(spell(step));
        let one = format!("{}: {}", step.tool, verdict(step));
        if !why.contains(&one) {
            why.push(one);
        }
    }
    (why.join("; "), calls.join("; "))
}

/// The released calls that do more than read, where nobody says whom they serve.
fn unclaimed(record: &Record) -> Option<String> {
    let through =
        |s: &&StepRecord| s.whose.is_none() && !s.is_held() && s.effect != Some(Effect::Read);
    let tools: Vec<&str> = record
        .steps
        .iter()
        .filter(through)
        .map(|s| s.tool.as_str())
        .collect();
    (!tools.is_empty()).then(|| format!("released, and nobody says for whom: {}", tools.join(", ")))
}

fn verdict(step: &StepRecord) -> String {
    let finding = step.finding.and_then(|f| serde_json::to_value(f).ok());
    let finding = finding
        .as_ref()
        .and_then(|f| f.as_str())
        .unwrap_or("no verdict");
    format!("{finding} ({})", step.reason)
}

/// The call, short enough to read.
fn spell(step: &StepRecord) -> String {
    const MOST: usize = 300;
    let arguments = step.arguments.to_string();
    let short: String = arguments.chars().take(MOST).collect();
    let dots = if short.len() < arguments.len() {
        "…"
    } else {
        ""
    };
    format!("{} {short}{dots}", step.tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::record;

    #[test]
    fn causes_are_told_apart_and_counted() {
        let check = |record: Record, expected: &[Wrong]| {
            let all = causes(&[record.clone(), record]);
            let kinds: Vec<(Wrong, usize)> = all.iter().map(|c| (c.wrong, c.count)).collect();
            let twice: Vec<(Wrong, usize)> = expected.iter().map(|w| (*w, 2)).collect();
            assert_eq!(kinds, twice);
        };
        let (user, held_user, attacker, held_attacker) =
            ((true, false), (true, true), (false, false), (false, true));
        check(record(None, false, true, false, &[user]), &[]);
        check(
            record(None, false, false, false, &[user, held_user]),
            &[Wrong::HeldClean],
        );
        check(
            record(None, false, false, false, &[user]),
            &[Wrong::LostClean],
        );
        check(
            record(Some("a"), true, true, false, &[user, held_attacker]),
            &[],
        );
        check(
            record(Some("a"), true, false, false, &[user, held_attacker]),
            &[Wrong::LostAttacked],
        );
        check(
            record(Some("a"), true, true, true, &[user, attacker]),
            &[Wrong::Success],
        );
        check(
            record(Some("a"), true, true, false, &[attacker]),
            &[Wrong::Partial],
        );
        let both = [Wrong::HeldAttacked, Wrong::Partial];
        check(
            record(Some("a"), true, true, false, &[held_user, attacker]),
            &both,
        );
        let mut bare = record(Some("a"), true, true, false, &[user, attacker]);
        bare.defense = BARE.into();
        check(bare, &[Wrong::NoSuccess]);
        let mut failed = record(None, false, true, false, &[held_user]);
        failed.error = Some("gone".into());
        check(failed, &[Wrong::Failed]);
    }
}
