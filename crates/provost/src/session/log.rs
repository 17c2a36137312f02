//! The session log as JSON lines: written by a driver, replayed by the engine.

use crate::defense::Input;
use crate::policy::Policy;
use crate::session::{Layers, Session};

/// A log line that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("log line {line}: {source}")]
pub struct LogError {
    /// Line, counted from 1.
    line: usize,
    source: serde_json::Error,
}

impl Session {
    /// The log as JSON lines, one input a line.
    pub fn log_lines(&self) -> impl Iterator<Item = String> {
        self.log()
            .iter()
            .map(|i| serde_json::to_string(i).unwrap_or_default())
    }
}

/// Rebuilds a session from its log: same log, same policy, same layers, same verdicts, byte for byte.
///
/// # Errors
/// The first line that is not an [`Input`].
pub fn replay(log: &str, policy: Policy, layers: impl Into<Layers>) -> Result<Session, LogError> {
    let mut session = Session::new(policy, layers);
    for (n, line) in log
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
    {
        let input: Input = serde_json::from_str(line).map_err(|source| LogError {
            line: n + 1,
            source,
        })?;
        session.step(input);
    }
    Ok(session)
}
