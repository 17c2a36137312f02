//! Which runs there are, and in which order they are made.

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::agent::AgentKind;
use crate::defense::Defense;
use crate::sidecar::{Catalog, Suite};

/// One task of a user, perhaps with an attack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Case {
    /// The suite.
    pub suite: String,
    /// What the user wants.
    pub user_task: String,
    /// The generator of the attack; absent in a clean run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack: Option<String>,
    /// What the attacker wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection_task: Option<String>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.suite, self.user_task)?;
        if let (Some(attack), Some(task)) = (&self.attack, &self.injection_task) {
            write!(f, " {attack} {task}")?;
        }
        Ok(())
    }
}

/// A case, and who plays it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The case.
    pub case: Case,
    /// Whether the attacker's goal takes a call.
    pub acts: bool,
    /// Whether the attack wants the agent to stop.
    pub denies: bool,
    /// The agent.
    pub agent: AgentKind,
    /// The defense.
    pub defense: Defense,
}

impl Job {
    /// What tells this job from others, and is the same in every session.
    pub fn key(&self) -> (Case, String, String) {
        (
            self.case.clone(),
            self.agent.to_string(),
            self.defense.to_string(),
        )
    }
}

/// What to run of all that a benchmark holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// Suites; all when empty.
    pub suites: Vec<String>,
    /// User tasks, as `user_task_3` or `banking/user_task_3`; all when empty.
    pub tasks: Vec<String>,
    /// Attacks. Clean runs are always made.
    pub attacks: Vec<String>,
    /// How many cases at most: the first in the order of `seed`.
    pub limit: Option<usize>,
    /// Determines the order.
    pub seed: u64,
}

/// Why a selection selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A name that the benchmark does not know.
    #[error("no {kind} is called `{name}`; there are {known}")]
    Unknown {
        /// Of what.
        kind: &'static str,
        /// The name.
        name: String,
        /// What there is.
        known: String,
    },
}

impl Selection {
    /// The jobs: every selected case with every agent and defense. The order is the same for all of these, and mixes
    /// suites, so that a part stands for the whole and the time that is left can be told from the time spent.
    ///
    /// # Errors
    /// A name that the benchmark does not know.
    pub fn jobs(
        &self,
        catalog: &Catalog,
        agents: &[AgentKind],
        defenses: &[Defense],
    ) -> Result<Vec<Job>, PlanError> {
        let mut cases = self.cases(catalog)?;
        cases.sort_by_cached_key(|(case, ..)| (mix(self.seed, &case.to_string()), case.clone()));
        cases.truncate(self.limit.unwrap_or(usize::MAX));
        let mut jobs = Vec::new();
        for (case, acts, denies) in cases {
            for &agent in agents {
                for &defense in defenses {
                    jobs.push(Job {
                        case: case.clone(),
                        acts,
                        denies,
                        agent,
                        defense,
                    });
                }
            }
        }
        Ok(jobs)
    }

    /// Whether the benchmark knows every name of it.
    ///
    /// # Errors
    /// A name that it does not know.
    pub fn check(&self, catalog: &Catalog) -> Result<(), PlanError> {
        self.cases(catalog).map(drop)
    }

    fn cases(&self, catalog: &Catalog) -> Result<Vec<(Case, bool, bool)>, PlanError> {
        let suites = || catalog.suites.iter().filter(|s| self.wants_suite(s));
        let names = || catalog.suites.iter().map(|s| s.name.clone());
        known("suite", &self.suites, names(), names())?;
        let attacks = || catalog.attacks.iter().map(|a| a.name.clone());
        known("attack", &self.attacks, attacks(), attacks())?;
        let tasks = suites().flat_map(|s| {
            let long = s.user_tasks.iter().map(|t| format!("{}/{t}", s.name));
            s.user_tasks.iter().cloned().chain(long)
        });
        let ranges = suites().filter_map(|s| {
            let (first, last) = (s.user_tasks.first()?, s.user_tasks.last()?);
            Some(format!("{0}/{first} to {0}/{last}", s.name))
        });
        known("user task", &self.tasks, tasks, ranges)?;
        let mut cases = Vec::new();
        for suite in suites() {
            for task in suite
                .user_tasks
                .iter()
                .filter(|t| self.wants_task(suite, t))
            {
                let clean = Case {
                    suite: suite.name.clone(),
                    user_task: task.clone(),
                    attack: None,
                    injection_task: None,
                };
                cases.push((clean.clone(), false, false));
                for attack in catalog
                    .attacks
                    .iter()
                    .filter(|a| self.attacks.contains(&a.name))
                {
                    // What wants the agent to stop is the same for every injection task.
                    let goals = if attack.denies { 1 } else { usize::MAX };
                    for goal in suite.injection_tasks.iter().take(goals) {
                        let case = Case {
                            attack: Some(attack.name.clone()),
                            injection_task: Some(goal.id.clone()),
                            ..clean.clone()
                        };
                        cases.push((case, goal.acts && !attack.denies, attack.denies));
                    }
                }
            }
        }
        Ok(cases)
    }

    fn wants_suite(&self, suite: &Suite) -> bool {
        self.suites.is_empty() || self.suites.contains(&suite.name)
    }

    fn wants_task(&self, suite: &Suite, task: &str) -> bool {
        let is = |name: &String| match name.split_once('/') {
            Some((s, t)) => s == suite.name && t == task,
            None => name == task,
        };
        self.tasks.is_empty() || self.tasks.iter().any(is)
    }
}

/// Whether all `names` are among those that there are, in short `known`.
fn known(
    kind: &'static str,
    names: &[String],
    all: impl Iterator<Item = String>,
    known: impl Iterator<Item = String>,
) -> Result<(), PlanError> {
    let all: HashSet<String> = all.collect();
    match names.iter().find(|name| !all.contains(*name)) {
        None => Ok(()),
        Some(name) => Err(PlanError::Unknown {
            kind,
            name: name.clone(),
            known: known.collect::<Vec<_>>().join(", "),
        }),
    }
}

/// A number for `text` that looks random and is the same everywhere (FNV-1a, then the finaliser of SplitMix64).
fn mix(seed: u64, text: &str) -> u64 {
    let mut x = seed ^ 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        x = (x ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        let text = r#"{
            "suites": [
                {"name": "a", "user_tasks": ["u0", "u1"], "tools": [],
                 "injection_tasks": [{"id": "i0", "acts": true}, {"id": "i1", "acts": false}]},
                {"name": "b", "user_tasks": ["u0"], "tools": [], "injection_tasks": [{"id": "i0", "acts": true}]}
            ],
            "attacks": [{"name": "ask", "denies": false}, {"name": "halt", "denies": true}]
        }"#;
        serde_json::from_str(text).unwrap()
    }

    fn select(suites: &[&str], tasks: &[&str], attacks: &[&str]) -> Selection {
        let own = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect();
        Selection {
            suites: own(suites),
            tasks: own(tasks),
            attacks: own(attacks),
            ..Selection::default()
        }
    }

    fn names(selection: &Selection) -> Vec<String> {
        let jobs = selection
            .jobs(&catalog(), &[AgentKind::Scripted], &[Defense::None])
            .unwrap();
        jobs.iter().map(|job| job.case.to_string()).collect()
    }

    #[test]
    fn selections() {
        let check = |suites: &[&str], tasks: &[&str], attacks: &[&str], expected: &[&str]| {
            let mut found = names(&select(suites, tasks, attacks));
            found.sort();
            assert_eq!(found, expected);
        };
        check(&[], &[], &[], &["a u0", "a u1", "b u0"]);
        check(&["b"], &[], &["ask"], &["b u0", "b u0 ask i0"]);
        check(&[], &["a/u0"], &["halt"], &["a u0", "a u0 halt i0"]);
        check(&[], &["u0"], &[], &["a u0", "b u0"]);
        check(
            &["a"],
            &["u1"],
            &["ask"],
            &["a u1", "a u1 ask i0", "a u1 ask i1"],
        );
    }

    #[test]
    fn unknown_names_say_what_there_is() {
        let check = |selection: Selection, expected: &str| {
            let error = selection.jobs(&catalog(), &[], &[]).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        check(
            select(&["c"], &[], &[]),
            "no suite is called `c`; there are a, b",
        );
        check(
            select(&[], &[], &["x"]),
            "no attack is called `x`; there are ask, halt",
        );
        check(
            select(&["b"], &["u1"], &[]),
            "no user task is called `u1`; there are b/u0 to b/u0",
        );
    }

    #[test]
    fn a_limit_takes_a_prefix_and_the_seed_decides_of_what() {
        let mut selection = select(&[], &[], &["ask", "halt"]);
        let all = names(&selection);
        assert_eq!(all, names(&selection));
        selection.limit = Some(4);
        assert_eq!(names(&selection), all[..4]);
        selection.limit = None;
        selection.seed = 7;
        assert_ne!(names(&selection), all);
    }
}
