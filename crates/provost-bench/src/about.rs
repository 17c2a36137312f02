//! What a folder of results says of itself, in `run.json`: who made the runs in it, and by which commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::plan::Selection;
use crate::record::{ResultsError, regular};

/// The name of the file, in a folder of results.
pub const FILE: &str = "run.json";

/// One command that made runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The version of the program.
    pub provost: String,
    /// The digest of what decides what comes of a run, as the program was built: versions are few, changes of rules many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<String>,
    /// The benchmark, or the files that the runs were recorded in.
    pub benchmark: String,
    /// The agents.
    pub agents: Vec<String>,
    /// The defenses.
    pub defenses: Vec<String>,
    /// What was selected, and the seed of the order.
    #[serde(flatten)]
    pub selection: Selection,
    /// Of stored runs: what they are audited by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_up: Option<SetUp>,
}

/// What stored runs are audited by, beside the defense. By another one, they are other results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetUp {
    /// The policy: the SHA-256 of its text, and whether it was named.
    pub policy: String,
    /// The files of labels, by name, with the SHA-256 of each; absent without labels.
    pub labels: Option<BTreeMap<String, String>>,
    /// Whether annotations of tools are believed.
    pub trust_annotations: bool,
}

impl SetUp {
    /// What is not the same in both. Files of labels that only one has are for other runs.
    fn differs(&self, other: &Self) -> Option<&'static str> {
        let same_labels = match (&self.labels, &other.labels) {
            (None, None) => true,
            (Some(these), Some(those)) => these
                .iter()
                .all(|(name, text)| those.get(name).is_none_or(|t| t == text)),
            _ => false,
        };
        if self.policy != other.policy {
            Some("policy (--policy)")
        } else if !same_labels {
            Some("labels (--labels)")
        } else {
            (self.trust_annotations != other.trust_annotations).then_some("--trust-annotations")
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
struct About {
    /// The commands, each once, in the order in which they were first given.
    made_by: Vec<Made>,
}

impl Made {
    /// Which program.
    pub fn program(&self) -> String {
        match &self.sources {
            None => format!("provost {}", self.provost),
            Some(sources) => format!("provost {} of sources {sources}", self.provost),
        }
    }
}

/// Notes a command in `folder`, and returns the other programs ([`Made::program`]) that made runs there before.
///
/// # Errors
/// The file cannot be read or written, or is not what this module writes; or runs there have another set-up.
pub fn note(folder: &Path, made: Made) -> Result<Vec<String>, ResultsError> {
    let path = folder.join(FILE);
    let failed = ResultsError::io(&path);
    let mut about: About = match regular(&path)? {
        Some(text) => serde_json::from_slice(&text).map_err(|why| ResultsError::About {
            path: path.clone(),
            why,
        })?,
        None => About::default(),
    };
    let set_ups = about.made_by.iter().filter_map(|m| m.set_up.as_ref());
    if let Some(ours) = &made.set_up
        && let Some(what) = set_ups.into_iter().find_map(|theirs| ours.differs(theirs))
    {
        return Err(ResultsError::OtherSetUp {
            folder: folder.to_owned(),
            what,
        });
    }
    let (ours, others) = (made.program(), about.made_by.iter().map(Made::program));
    let others: Vec<String> = others.filter(|theirs| *theirs != ours).collect();
    if !about.made_by.contains(&made) {
        about.made_by.push(made);
        let mut text = serde_json::to_vec_pretty(&about).map_err(|why| failed(why.into()))?;
        text.push(b'\n');
        // Never half a file, whenever this is interrupted.
        let draft = folder.join(format!("{FILE}.new"));
        fs::write(&draft, text).map_err(ResultsError::io(&draft))?;
        fs::rename(&draft, &path).map_err(&failed)?;
    }
    Ok(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(provost: &str, seed: u64) -> Made {
        Made {
            provost: provost.into(),
            sources: None,
            benchmark: "b".into(),
            agents: vec!["scripted".into()],
            defenses: vec!["none".into()],
            selection: Selection {
                seed,
                ..Selection::default()
            },
            set_up: None,
        }
    }

    #[test]
    fn runs_of_another_set_up_are_refused() {
        let set_up = |policy: &str, labels: Option<&[(&str, &str)]>, trust_annotations| SetUp {
            policy: policy.into(),
            labels: labels.map(|files| {
                let own = files.iter().map(|&(n, t)| (n.to_owned(), t.to_owned()));
                own.collect()
            }),
            trust_annotations,
        };
        let check = |theirs: SetUp, ours: SetUp, what: Option<&str>| {
            let folder = tempfile::tempdir().unwrap();
            let note = |set_up| {
                let set_up = Some(set_up);
                note(
                    folder.path(),
                    Made {
                        set_up,
                        ..made("1", 0)
                    },
                )
            };
            note(theirs).unwrap();
            let before = fs::read(folder.path().join(FILE)).unwrap();
            match (note(ours), what) {
                (Ok(_), None) => {}
                (Err(error), Some(what)) => {
                    let error = error.to_string();
                    assert!(
                        error.contains(what) && error.contains("another folder"),
                        "{error}"
                    );
                    assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), before);
                }
                (noted, what) => panic!("{noted:?}, not {what:?}"),
            }
        };
        let labels = |text: &'static str| set_up("p", Some(&[("a", text)]), false);
        check(set_up("p", None, false), set_up("p", None, false), None);
        check(
            set_up("p", None, false),
            set_up("q", None, false),
            Some("--policy"),
        );
        check(
            set_up("p", None, false),
            set_up("p", None, true),
            Some("--trust-annotations"),
        );
        check(set_up("p", None, false), labels("1"), Some("--labels"));
        check(labels("1"), set_up("p", None, false), Some("--labels"));
        check(labels("1"), labels("2"), Some("--labels"));
        check(
            labels("1"),
            set_up("p", Some(&[("a", "1"), ("b", "2")]), false),
            None,
        );
        check(labels("1"), set_up("p", Some(&[("b", "2")]), false), None);
    }

    #[test]
    fn commands_are_noted_once_and_other_versions_told() {
        let folder = tempfile::tempdir().unwrap();
        let check = |made: Made, others: &[&str], lines: usize| {
            assert_eq!(note(folder.path(), made).unwrap(), others);
            let text = fs::read(folder.path().join(FILE)).unwrap();
            let about: About = serde_json::from_slice(&text).unwrap();
            assert_eq!(about.made_by.len(), lines);
        };
        check(made("1", 0), &[], 1);
        check(made("1", 0), &[], 1);
        check(made("1", 7), &[], 2);
        check(made("2", 7), &["provost 1", "provost 1"], 3);
        let changed = |sources: &str| Made {
            sources: Some(sources.into()),
            ..made("2", 7)
        };
        let others = ["provost 1", "provost 1", "provost 2"];
        check(changed("ab"), &others, 4);
        check(changed("ab"), &others, 4);
        let others = [&others[..], &["provost 2 of sources ab"]].concat();
        check(changed("cd"), &others, 5);
        for other in ["{", "[]", "\u{feff}", r#"{"made_by": [{"provost": "9"}]}"#] {
            fs::write(folder.path().join(FILE), other).unwrap();
            let error = note(folder.path(), made("1", 0)).unwrap_err().to_string();
            assert!(
                error.contains(FILE) && error.contains("remove it"),
                "{error}"
            );
        }
    }
}
