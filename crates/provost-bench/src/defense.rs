//! The defenses that are compared, each a way to set up the engine's session.

use std::fmt;
use std::str::FromStr;

use provost::{Options, Policy, Session};

/// What stands between the agent and its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defense {
    /// Nothing: a session under a policy that takes every tool for one that only reads.
    None,
    /// The causal audit, by rules; with components left out for ablations.
    Causal(Options),
}

/// Why there is no such defense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefenseError {
    /// The name is not known.
    #[error(
        "no defense is called `{0}`; there are `none`, `causal`, and `causal-without-C` with components C \
         (`seg`, `grd`, `ent`, `inv`) joined by `-`"
    )]
    Unknown(String),
    /// The policy of `none` is not valid.
    #[error("internal error: the policy of `none` is not valid: {0}")]
    Policy(String),
}

impl Defense {
    /// A session of this defense, under `policy` where it goes by one.
    ///
    /// # Errors
    /// Only internal ones.
    pub fn session(self, policy: &Policy) -> Result<Session, DefenseError> {
        match self {
            Self::None => {
                let all = Policy::from_toml("[defaults]\neffect = \"read\"\n", "none")
                    .map_err(|e| DefenseError::Policy(e.to_string()))?;
                Ok(Session::new(all, Options::default()))
            }
            Self::Causal(options) => Ok(Session::new(policy.clone(), options)),
        }
    }
}

/// The components of the causal audit, by the names that ablations have, in the order of the ARGUS paper's table 4.
pub const COMPONENTS: [&str; 4] = ["seg", "grd", "ent", "inv"];

fn components(options: &mut Options) -> [(&'static str, &mut bool); 4] {
    let [seg, grd, ent, inv] = COMPONENTS;
    [
        (seg, &mut options.segment),
        (grd, &mut options.ground),
        (ent, &mut options.entail),
        (inv, &mut options.invariants),
    ]
}

impl Defense {
    /// The causal audit whole, and without each of its four components (ARGUS paper, section 5.3).
    pub fn ablations() -> Vec<Self> {
        let without = |left_out: Option<&str>| {
            let mut options = Options::default();
            for (name, on) in components(&mut options) {
                *on = left_out != Some(name);
            }
            Self::Causal(options)
        };
        let each = COMPONENTS.into_iter().map(Some);
        std::iter::once(None).chain(each).map(without).collect()
    }

    /// The components of the causal audit that are left out, in the order of the paper's; nothing where this is no causal audit.
    pub fn left_out(self) -> Option<Vec<&'static str>> {
        let Self::Causal(mut options) = self else {
            return None;
        };
        let off = components(&mut options).into_iter().filter(|(_, on)| !**on);
        Some(off.map(|(name, _)| name).collect())
    }
}

impl fmt::Display for Defense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.left_out().as_deref() {
            None => f.write_str("none"),
            Some([]) => f.write_str("causal"),
            Some(off) => write!(f, "causal-without-{}", off.join("-")),
        }
    }
}

impl FromStr for Defense {
    type Err = DefenseError;

    fn from_str(name: &str) -> Result<Self, DefenseError> {
        let unknown = || DefenseError::Unknown(name.to_owned());
        if name == "none" {
            return Ok(Self::None);
        }
        let mut options = Options::default();
        let rest = name.strip_prefix("causal").ok_or_else(unknown)?;
        if !rest.is_empty() {
            for off in rest
                .strip_prefix("-without-")
                .ok_or_else(unknown)?
                .split('-')
            {
                let mut known = components(&mut options).into_iter();
                let (_, on) = known.find(|(n, _)| *n == off).ok_or_else(unknown)?;
                *on = false;
            }
        }
        Ok(Self::Causal(options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, same: &str| {
            let read: Result<Defense, _> = name.parse();
            assert_eq!(read.map(|d| d.to_string()).as_deref(), Ok(same));
        };
        check("none", "none");
        check("causal", "causal");
        check("causal-without-seg", "causal-without-seg");
        check("causal-without-inv-seg", "causal-without-seg-inv");
        for name in [
            "",
            "non",
            "causal-",
            "causal-without-",
            "causal-without-x",
            "causal-without-seg-",
            "CAUSAL",
        ] {
            assert_eq!(
                name.parse::<Defense>(),
                Err(DefenseError::Unknown(name.into())),
                "{name}"
            );
        }
    }

    #[test]
    fn ablations_leave_out_one_component_each() {
        let names: Vec<String> = Defense::ablations()
            .iter()
            .map(ToString::to_string)
            .collect();
        let expected = [
            "",
            "-without-seg",
            "-without-grd",
            "-without-ent",
            "-without-inv",
        ];
        assert_eq!(names, expected.map(|end| format!("causal{end}")));
        assert_eq!(Defense::None.left_out(), None);
    }

    #[test]
    fn without_a_defense_everything_is_released() {
        let mut session = Defense::None.session(&Policy::default()).unwrap();
        let call = provost::ToolCall::new("c1", "send_money", serde_json::json!({"to": "anyone"}));
        let step = session.step(provost::Input::Propose(call));
        assert!(matches!(step, provost::Step::Release(_)), "{step:?}");
    }
}
