//! From the command line's paths to the files that they mean.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::fault::Fault;

/// One input.
#[derive(Debug, PartialEq)]
pub(crate) struct Source {
    /// What it is called.
    pub(crate) name: Name,
    /// Where it is, or why it is nowhere.
    pub(crate) at: Result<Location, Fault>,
}

/// What an input is called in the output. Always with `/`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Name {
    /// For programs: the path as given; below a folder, the path from that folder.
    pub(crate) source: String,
    /// For people: the path that leads to the file.
    pub(crate) path: String,
    /// Whether it was found below a folder or by a pattern, and not named by itself.
    pub(crate) found: bool,
}

/// Where an input is.
#[derive(Debug, PartialEq)]
pub(crate) enum Location {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// The sources that `paths` mean, in the order given; those of a folder and of a pattern are sorted by name.
pub(crate) fn expand(paths: &[PathBuf]) -> Vec<Source> {
    let mut sources = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            let again = sources.iter().any(|s: &Source| s.at == Ok(Location::Stdin));
            sources.push(Source {
                name: Name {
                    source: "-".into(),
                    path: "standard input".into(),
                    found: false,
                },
                at: if again {
                    Err(Fault::stdin_again())
                } else {
                    Ok(Location::Stdin)
                },
            });
        } else if path.is_dir() {
            folder(path, &mut sources);
        } else if !path.exists() && is_pattern(path) {
            pattern(path, &mut sources);
        } else {
            sources.push(file(path, false));
        }
    }
    sources
}

fn file(path: &Path, found: bool) -> Source {
    Source {
        name: Name {
            found,
            ..name(path)
        },
        at: Ok(Location::File(path.to_owned())),
    }
}

fn fault(path: &Path, fault: Fault) -> Source {
    Source {
        name: name(path),
        at: Err(fault),
    }
}

fn name(path: &Path) -> Name {
    let path = slashed(path);
    Name {
        source: path.clone(),
        path,
        found: false,
    }
}

fn slashed(path: &Path) -> String {
    let path = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '\\' {
        path.replace('\\', "/")
    } else {
        path.into_owned()
    }
}

/// The files below a folder. Links are followed, but no file is audited twice: one that a link leads to is left out
/// where the folder holds it by itself, and a link back to a folder that it stands in leads nowhere new.
fn folder(folder: &Path, sources: &mut Vec<Source>) {
    let before = sources.len();
    let mut links = Vec::new();
    let mut seen = HashSet::new();
    let root = folder.canonicalize().unwrap_or(folder.to_owned());
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() && holds_runs(entry.path()) => {
                let path = entry.into_path();
                let below = path.strip_prefix(folder).unwrap_or(&path);
                let real = path.canonicalize().unwrap_or(path.clone());
                if real == root.join(below) {
                    seen.insert(real);
                } else {
                    links.push((sources.len(), real));
                }
                sources.push(Source {
                    name: Name {
                        source: slashed(below),
                        path: slashed(&path),
                        found: true,
                    },
                    at: Ok(Location::File(path)),
                });
            }
            Ok(_) => {}
            Err(error) => sources.extend(unwalked(folder, error)),
        }
    }
    links.retain(|(_, real)| !seen.insert(real.clone()));
    for (at, _) in links.into_iter().rev() {
        sources.remove(at);
    }
    if sources.len() == before {
        let error = "nothing to audit: there is no file with runs below this folder".to_owned();
        sources.push(fault(folder, Fault::no_files(error)));
    }
}

/// What could not be walked, where that may mean that a run was missed.
fn unwalked(folder: &Path, error: walkdir::Error) -> Option<Source> {
    if error.loop_ancestor().is_some() {
        return None;
    }
    let at = error.path().unwrap_or(folder).to_owned();
    let error = std::io::Error::from(error);
    if !at.is_symlink() {
        return Some(fault(&at, Fault::io("cannot be read", &error, None)));
    }
    holds_runs(&at).then(|| fault(&at, Fault::io("is a link that leads nowhere", &error, None)))
}

/// Whether a file's name says that it holds runs.
fn holds_runs(path: &Path) -> bool {
    let lower = path.to_string_lossy().to_lowercase();
    let plain = lower
        .strip_suffix(".gz")
        .or(lower.strip_suffix(".zst"))
        .unwrap_or(&lower);
    plain.ends_with(".json") || plain.ends_with(".jsonl")
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// A pattern that the shell left alone.
fn pattern(pattern: &Path, sources: &mut Vec<Source>) {
    let matches = match glob::glob(&pattern.to_string_lossy()) {
        Ok(matches) => matches,
        Err(error) => {
            let error = format!("not a pattern: {error}");
            return sources.push(fault(pattern, Fault::no_files(error)));
        }
    };
    let before = sources.len();
    for found in matches {
        match found {
            Ok(path) if path.is_dir() => folder(&path, sources),
            Ok(path) => sources.push(file(&path, true)),
            Err(error) => {
                let at = error.path().to_owned();
                let error = std::io::Error::from(error);
                sources.push(fault(&at, Fault::io("cannot be read", &error, None)));
            }
        }
    }
    if sources.len() == before {
        let error = "nothing to audit: the pattern matches no file".to_owned();
        sources.push(fault(pattern, Fault::no_files(error)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_with_runs() {
        let check = |name: &str, expected| assert_eq!(holds_runs(Path::new(name)), expected);
        check("a.json", true);
        check("dir/a.JSONL", true);
        check("a.jsonl.gz", true);
        check("a.json.zst", true);
        check("a.json.bak", false);
        check("json", false);
        check("a.gz", false);
    }
}
