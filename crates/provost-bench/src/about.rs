//! What a folder of results says of itself, in `run.json`: who made the runs in it, and by which commands.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::plan::Selection;
use crate::record::ResultsError;

/// The name of the file, in a folder of results.
pub const FILE: &str = "run.json";

/// One command that made runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The version of the program.
    pub provost: String,
    /// The benchmark, or the files that the runs were recorded in.
    pub benchmark: String,
    /// The agents.
    pub agents: Vec<String>,
    /// The defenses.
    pub defenses: Vec<String>,
    /// What was selected, and the seed of the order.
    #[serde(flatten)]
    pub selection: Selection,
}

#[derive(Default, Serialize, Deserialize)]
struct About {
    /// The commands, each once, in the order in which they were first given.
    made_by: Vec<Made>,
}

/// Notes a command in `folder`, and returns the other versions of the program that made runs there before.
///
/// # Errors
/// The file cannot be read or written, or is not what this module writes.
pub fn note(folder: &Path, made: Made) -> Result<Vec<String>, ResultsError> {
    let path = folder.join(FILE);
    let failed = ResultsError::io(&path);
    let mut about: About = match fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|why| failed(why.into()))?,
        Err(why) if why.kind() == io::ErrorKind::NotFound => About::default(),
        Err(why) => return Err(failed(why)),
    };
    let others = about.made_by.iter().map(|m| m.provost.clone());
    let others: Vec<String> = others.filter(|v| *v != made.provost).collect();
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
            benchmark: "b".into(),
            agents: vec!["scripted".into()],
            defenses: vec!["none".into()],
            selection: Selection {
                seed,
                ..Selection::default()
            },
        }
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
        check(made("2", 7), &["1", "1"], 3);
        fs::write(folder.path().join(FILE), "{").unwrap();
        let error = note(folder.path(), made("1", 0)).unwrap_err();
        assert!(error.to_string().contains(FILE), "{error}");
    }
}
