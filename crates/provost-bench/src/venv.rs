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
/// None is known.
pub fn cache_folder() -> Result<PathBuf, VenvError> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
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
    Ok(cache.ok_or(VenvError::NoCache)?.join("provost"))
}

/// How to start AgentDojo's sidecar. Its Python environment is made below `cache` if it is not there; `say` gets a line
/// for each part of that, for people to see.
///
/// # Errors
/// No Python, or the packages cannot be installed.
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
    fs::create_dir_all(cache).map_err(failed(cache))?;
    let lock_at = cache.join("agentdojo-v1.2.2.lock");
    let lock = File::create(&lock_at).map_err(failed(&lock_at))?;
    // Another process may be making it. Released when the file is closed.
    lock.lock().map_err(failed(&lock_at))?;
    if fs::read_to_string(folder.join(WHOLE)).ok().as_deref() != Some(REQUIREMENTS) {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed(&folder))?;
        }
        make(&folder, &python, say)?;
        let whole = folder.join(WHOLE);
        fs::write(&whole, REQUIREMENTS).map_err(failed(&whole))?;
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
