//! The Python environment that AgentDojo runs in, made on first use and kept.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use crate::sidecar::Launch;

/// The packages, each with its version.
const REQUIREMENTS: &str = include_str!("../sidecar/requirements.txt");
/// The sidecar's program.
const PROGRAM: &str = include_str!("../sidecar/serve_agentdojo.py");
/// Written last: an environment without it is not whole.
const WHOLE: &str = "installed-requirements.txt";
/// The oldest Python that AgentDojo runs on, as (3, minor).
const OLDEST: u32 = 10;

/// Why there is no environment.
#[derive(Debug, thiserror::Error)]
pub enum VenvError {
    /// The system's.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// No folder to keep it in.
    #[error("no home folder is known; name a folder for caches in XDG_CACHE_HOME")]
    NoCache,
    /// A folder that is another one for each program. (The XDG Base Directory Specification wants absolute paths only.)
    #[error("the folder for caches, {}, is not an absolute path; name one in XDG_CACHE_HOME", .0.display())]
    Relative(PathBuf),
    /// A folder that nothing can be kept in.
    #[error(
        "AgentDojo's Python environment cannot be kept in {}: {why}; name another folder for caches in XDG_CACHE_HOME",
        path.display()
    )]
    Unwritable {
        /// The folder for it.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// No Python.
    #[error(
        "AgentDojo needs Python 3.{OLDEST} or newer with the module `venv`, and `{program}` is none: {why}"
    )]
    NoPython {
        /// What was tried.
        program: String,
        /// What it said.
        why: String,
    },
    /// A command failed.
    #[error("{what} failed: {why}")]
    Failed {
        /// What was done.
        what: &'static str,
        /// What it said.
        why: String,
    },
}

/// The folder for caches of the person who runs this.
///
/// # Errors
/// None is known, or it is not an absolute path.
pub fn cache_folder() -> Result<PathBuf, VenvError> {
    cache_among(&|name| std::env::var_os(name))
}

/// The same, by these variables.
fn cache_among(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<PathBuf, VenvError> {
    let set = |name| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = || set("HOME").or_else(|| set("USERPROFILE"));
    let cache = set("XDG_CACHE_HOME").or_else(|| {
        if cfg!(target_os = "macos") {
            home().map(|h| h.join("Library/Caches"))
        } else if cfg!(windows) {
            set("LOCALAPPDATA")
        } else {
            home().map(|h| h.join(".cache"))
        }
    });
    let cache = cache.ok_or(VenvError::NoCache)?;
    if cache.is_relative() {
        return Err(VenvError::Relative(cache));
    }
    Ok(cache.join("provost"))
}

/// How to start AgentDojo's sidecar. Its Python environment is made below `cache` if it is not there; `say` gets a line
/// for each part of that, for people to see.
///
/// # Errors
/// No Python, nowhere to keep the environment, or the packages cannot be installed.
pub fn agentdojo(cache: &Path, say: &dyn Fn(&str)) -> Result<Launch, VenvError> {
    let folder = cache.join("agentdojo-v1.2.2");
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |why| VenvError::Io { path, why }
    };
    let is_whole = || fs::read_to_string(folder.join(WHOLE)).ok().as_deref() == Some(REQUIREMENTS);
    match locked(cache) {
        // Another process may be making it. Released when the file is closed.
        Ok(_lock) if !is_whole() => {
            if folder.exists() {
                fs::remove_dir_all(&folder).map_err(failed(&folder))?;
            }
            make(&folder, &python, say)?;
            let whole = folder.join(WHOLE);
            fs::write(&whole, REQUIREMENTS).map_err(failed(&whole))?;
        }
        // What is whole need not be written.
        Ok(_) => {}
        Err(_) if is_whole() => {}
        Err(why) => {
            let path = cache.to_owned();
            return Err(VenvError::Unwritable { path, why });
        }
    }
    Ok(Launch {
        program: python,
        args: ["-c", PROGRAM].map(OsString::from).into(),
        // Sets are printed in the order of their hashes. Nothing of the user's own Python gets in between.
        env: [
            ("PYTHONHASHSEED", "0"),
            ("PYTHONPATH", ""),
            ("PYTHONHOME", ""),
            ("PYTHONNOUSERSITE", "1"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into(),
        // `-c` looks for modules here first.
        folder: Some(folder),
        patience: Duration::from_secs(180),
    })
}

/// The cache's folder is there, and nobody else is making an environment in it until the file is closed.
fn locked(cache: &Path) -> io::Result<File> {
    fs::create_dir_all(cache)?;
    let lock = File::create(cache.join("agentdojo-v1.2.2.lock"))?;
    lock.lock()?;
    Ok(lock)
}

fn make(folder: &Path, python: &Path, say: &dyn Fn(&str)) -> Result<(), VenvError> {
    let base = if cfg!(windows) { "python" } else { "python3" };
    let old = format!(
        "import sys, venv; sys.exit('it is ' + sys.version) if sys.version_info < (3, {OLDEST}) else None"
    );
    let no_python = |why| VenvError::NoPython {
        program: base.to_owned(),
        why,
    };
    match Command::new(base).args(["-c", &old]).output() {
        Err(error) => return Err(no_python(error.to_string())),
        Ok(output) if !output.status.success() => return Err(no_python(last_words(&output))),
        Ok(_) => {}
    }
    say("making a Python environment for AgentDojo (once)");
    finish(
        "making the Python environment",
        Command::new(base).args(["-m", "venv"]).arg(folder),
    )?;
    say("installing AgentDojo 0.1.35 (once, about 20 MB)");
    let list = folder.join("requirements.txt");
    fs::write(&list, REQUIREMENTS).map_err(|why| VenvError::Io {
        path: list.clone(),
        why,
    })?;
    let pip = [
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--retries",
        "2",
        "--quiet",
        "--no-deps",
        "-r",
    ];
    finish(
        "installing AgentDojo with pip",
        Command::new(python).args(pip).arg(list),
    )
}

fn finish(what: &'static str, command: &mut Command) -> Result<(), VenvError> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(VenvError::Failed {
            what,
            why: last_words(&output),
        }),
        Err(error) => Err(VenvError::Failed {
            what,
            why: error.to_string(),
        }),
    }
}

/// The end of what a command said.
fn last_words(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]]
        .map(String::from_utf8_lossy)
        .concat();
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(5)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_have_absolute_paths() {
        let check = |variables: &[(&str, &str)], expected: Result<&str, &str>| {
            let find = |name: &str| {
                let found = variables.iter().find(|(n, _)| *n == name);
                found.map(|(_, value)| OsString::from(value))
            };
            let found = cache_among(&find).map_err(|error| error.to_string());
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, Path::new(expected)),
                (Err(error), Err(part)) => {
                    assert!(error.contains(part), "{error}");
                    assert!(error.contains("in XDG_CACHE_HOME"), "{error}");
                }
                (found, expected) => panic!("{found:?}, not {expected:?}"),
            }
        };
        check(&[("XDG_CACHE_HOME", "/c")], Ok("/c/provost"));
        check(
            &[("XDG_CACHE_HOME", "c")],
            Err("c, is not an absolute path"),
        );
        check(&[("XDG_CACHE_HOME", "./c")], Err("is not an absolute path"));
        if cfg!(all(unix, not(target_os = "macos"))) {
            let home = [("XDG_CACHE_HOME", ""), ("HOME", "/h")];
            check(&home, Ok("/h/.cache/provost"));
            check(&[("HOME", "h")], Err("h/.cache, is not an absolute path"));
        }
        check(&[("HOME", "")], Err("no home folder is known"));
    }

    #[test]
    fn where_nothing_can_be_kept_is_told_with_a_remedy() {
        let temporary = tempfile::tempdir().unwrap();
        let file = temporary.path().join("file");
        fs::write(&file, "").unwrap();
        let cache = file.join("provost");
        let error = agentdojo(&cache, &|_| {}).unwrap_err();
        let said = error.to_string();
        assert!(matches!(error, VenvError::Unwritable { .. }), "{said}");
        assert!(said.contains(&cache.display().to_string()), "{said}");
        assert!(
            said.contains("name another folder for caches in XDG_CACHE_HOME"),
            "{said}"
        );

        // What is whole is used as it is, also where nothing can be written: here the lock is a folder.
        let cache = temporary.path().join("cache");
        fs::create_dir_all(cache.join("agentdojo-v1.2.2.lock")).unwrap();
        let error = agentdojo(&cache, &|_| {}).unwrap_err();
        assert!(matches!(error, VenvError::Unwritable { .. }), "{error}");
        let folder = cache.join("agentdojo-v1.2.2");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(WHOLE), REQUIREMENTS).unwrap();
        let launch = agentdojo(&cache, &|_| {}).unwrap();
        assert_eq!(launch.folder.as_deref(), Some(&*folder));
    }
}
