//! Which runs there are, and in which order they are made.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

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

/// Which half of a benchmark's tasks, where it makes halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    /// Rules may be made for these.
    Dev,
    /// No rule is made for one of these.
    Test,
}

/// There is no such half.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no half is called `{0}`; there are `dev` and `test`")]
pub struct UnknownHalf(String);

impl Half {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Dev, Self::Test];

    /// The name, as in results and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Test => "test",
        }
    }

    /// The same in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Dev => "development",
            Self::Test => "test",
        }
    }
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Half {
    type Err = UnknownHalf;

    fn from_str(name: &str) -> Result<Self, UnknownHalf> {
        let found = Self::ALL.into_iter().find(|half| half.name() == name);
        found.ok_or_else(|| UnknownHalf(name.to_owned()))
    }
}

/// A case, and who plays it.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The case.
    pub case: Case,
    /// The half that its user task is in, where the benchmark makes halves.
    pub half: Option<Half>,
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
    /// Only user tasks of this half.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half: Option<Half>,
    /// Attacks. Clean runs are always made.
    pub attacks: Vec<String>,
    /// How many cases at most: the first in the order of `seed`, in which each task's clean case comes right before the first with
    /// an attack, so that clean and attacked cases are of the same tasks.
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
    /// A half of what has none.
    #[error("the suite `{0}` has no halves; leave the half out")]
    NoHalves(String),
}

/// A case that was selected, and what the benchmark says of it.
struct Selected {
    case: Case,
    half: Option<Half>,
    acts: bool,
    denies: bool,
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
        self.order(&mut cases);
        cases.truncate(self.limit.unwrap_or(usize::MAX));
        let mut jobs = Vec::new();
        for selected in cases {
            for &agent in agents {
                for &defense in defenses {
                    jobs.push(Job {
                        case: selected.case.clone(),
                        half: selected.half,
                        acts: selected.acts,
                        denies: selected.denies,
                        agent,
                        defense,
                    });
                }
            }
        }
        Ok(jobs)
    }

    /// Puts cases in the order of the seed; a task's clean case right before the first with an attack.
    fn order(&self, cases: &mut [Selected]) {
        fn task(case: &Case) -> (String, String) {
            (case.suite.clone(), case.user_task.clone())
        }
        let place = |case: &Case| mix(self.seed, &case.to_string());
        let mut first: HashMap<(String, String), u64> = HashMap::new();
        for Selected { case, .. } in cases.iter().filter(|s| s.case.attack.is_some()) {
            let first = first.entry(task(case)).or_insert(u64::MAX);
            *first = place(case).min(*first);
        }
        cases.sort_by_cached_key(|Selected { case, .. }| {
            let is_attacked = case.attack.is_some();
            let before = first.get(&task(case)).filter(|_| !is_attacked);
            let place = before.copied().unwrap_or_else(|| place(case));
            (place, is_attacked, case.clone())
        });
    }

    /// Whether the benchmark knows every name of it.
    ///
    /// # Errors
    /// A name that it does not know.
    pub fn check(&self, catalog: &Catalog) -> Result<(), PlanError> {
        self.cases(catalog).map(drop)
    }

    fn cases(&self, catalog: &Catalog) -> Result<Vec<Selected>, PlanError> {
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
            if self.half.is_some() && suite.halves.is_empty() {
                return Err(PlanError::NoHalves(suite.name.clone()));
            }
            let wanted = suite.user_tasks.iter();
            for task in wanted.filter(|t| self.wants_task(suite, t)) {
                self.of_task(suite, task, catalog, &mut cases);
            }
        }
        Ok(cases)
    }

    /// The cases of one user task: without an attack, and with each.
    fn of_task(&self, suite: &Suite, task: &str, catalog: &Catalog, cases: &mut Vec<Selected>) {
        let half = suite.halves.get(task).copied();
        let clean = Case {
            suite: suite.name.clone(),
            user_task: task.to_owned(),
            attack: None,
            injection_task: None,
        };
        cases.push(Selected {
            case: clean.clone(),
            half,
            acts: false,
            denies: false,
        });
        let attacks = catalog.attacks.iter();
        for attack in attacks.filter(|a| self.attacks.contains(&a.name)) {
            // What wants the agent to stop is the same for every injection task.
            let goals = if attack.denies { 1 } else { usize::MAX };
            for goal in suite.injection_tasks.iter().take(goals) {
                cases.push(Selected {
                    case: Case {
                        attack: Some(attack.name.clone()),
                        injection_task: Some(goal.id.clone()),
                        ..clean.clone()
                    },
                    half,
                    acts: goal.acts && !attack.denies,
                    denies: attack.denies,
                });
            }
        }
    }

    fn wants_suite(&self, suite: &Suite) -> bool {
        self.suites.is_empty() || self.suites.contains(&suite.name)
    }

    fn wants_task(&self, suite: &Suite, task: &str) -> bool {
        let is = |name: &String| match name.split_once('/') {
            Some((s, t)) => s == suite.name && t == task,
            None => name == task,
        };
        let half = self.half.is_none_or(|h| suite.halves.get(task) == Some(&h));
        half && (self.tasks.is_empty() || self.tasks.iter().any(is))
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
                {"name": "a", "user_tasks": ["u0", "u1"], "halves": {"u0": "dev", "u1": "test"}, "tools": [],
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
    fn halves_are_those_that_the_benchmark_declares() {
        let half = |suites: &[&str], half| Selection {
            half: Some(half),
            ..select(suites, &[], &["ask"])
        };
        let dev = names(&half(&["a"], Half::Dev));
        assert_eq!(dev.len(), 3);
        assert!(dev.iter().all(|case| case.starts_with("a u0")), "{dev:?}");
        let jobs =
            half(&["a"], Half::Test).jobs(&catalog(), &[AgentKind::Scripted], &[Defense::None]);
        let halves: Vec<_> = jobs.unwrap().iter().map(|job| job.half).collect();
        assert_eq!(halves, [Some(Half::Test); 3]);
        let none = half(&[], Half::Dev).check(&catalog()).unwrap_err();
        let expected = "the suite `b` has no halves; leave the half out";
        assert_eq!(none.to_string(), expected);
        for half in Half::ALL {
            assert_eq!(half.name().parse(), Ok(half));
            assert_eq!(serde_json::to_value(half).unwrap(), half.name());
        }
        assert!("odd".parse::<Half>().is_err());
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

    #[test]
    fn clean_and_attacked_cases_are_of_the_same_tasks() {
        for seed in 0..40 {
            let selection = Selection {
                seed,
                ..select(&[], &[], &["ask", "halt"])
            };
            let all = names(&selection);
            let task = |case: &str| case.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
            for (n, case) in all.iter().enumerate() {
                let whole = task(case);
                let earlier = all[..n].iter().any(|c| task(c) == whole);
                // A clean case comes first of its task's, and the next is the first with an attack.
                assert_eq!(*case != whole, earlier, "{all:?}");
                assert!(earlier || task(&all[n + 1]) == whole, "{all:?}");
            }
        }
    }
}
