//! What AgentDojo v1.2.2 holds, by name: known before its package is there, so that a slip in a name is told at once.

use std::collections::BTreeMap;

use crate::sidecar::{Attack, Catalog, InjectionTask, Suite};

/// The benchmark.
pub const NAME: &str = "AgentDojo v1.2.2";

/// Its suites, each with how many tasks it has of users, and the numbers of those of attackers.
const TASKS: [(&str, usize, std::ops::Range<usize>); 4] = [
    ("workspace", 40, 0..14),
    ("travel", 20, 0..7),
    ("banking", 16, 0..9),
    ("slack", 21, 1..6),
];

/// Its suites.
pub const SUITES: [&str; 4] = ["workspace", "travel", "banking", "slack"];

/// Its generators of attacks that want something done or said.
pub const ATTACKS: [&str; 11] = [
    "direct",
    "ignore_previous",
    "system_message",
    "injecagent",
    "tool_knowledge",
    "important_instructions",
    "important_instructions_no_user_name",
    "important_instructions_no_model_name",
    "important_instructions_no_names",
    "important_instructions_wrong_model_name",
    "important_instructions_wrong_user_name",
];

/// Its generators of attacks that want the agent to stop.
pub const DENIALS: [&str; 5] = [
    "dos",
    "swearwords_dos",
    "captcha_dos",
    "offensive_email_dos",
    "felony_dos",
];

/// The one task of an attacker whose goal takes no call: to recommend a hotel.
const SAID: (&str, &str) = ("travel", "injection_task_6");

/// Whether what this attack wants takes a call.
pub fn acts(suite: &str, attack: &str, injection_task: &str) -> bool {
    (suite, injection_task) != SAID && !DENIALS.contains(&attack)
}

/// Everything by name, without the tools.
pub fn names() -> Catalog {
    let suite = |(name, users, attackers): (&str, usize, std::ops::Range<usize>)| Suite {
        name: name.to_owned(),
        user_tasks: (0..users).map(|n| format!("user_task_{n}")).collect(),
        halves: BTreeMap::new(),
        injection_tasks: attackers
            .map(|n| format!("injection_task_{n}"))
            .map(|id| InjectionTask {
                acts: acts(name, "", &id),
                id,
            })
            .collect(),
        tools: Vec::new(),
    };
    let attack = |denies: bool| {
        move |name: &str| Attack {
            name: name.to_owned(),
            denies,
        }
    };
    let acting = ATTACKS.into_iter().map(attack(false));
    Catalog {
        suites: TASKS.into_iter().map(suite).collect(),
        attacks: acting
            .chain(DENIALS.into_iter().map(attack(true)))
            .collect(),
    }
}
