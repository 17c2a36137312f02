//! The problems of a policy file with their places, as a person reads them.

use std::fmt;
use std::ops::Range;

use crate::policy::problem::{Problem, plain};

/// Problems that are kept, and problems that are shown; the rest is counted.
const KEPT: usize = 1000;
const SHOWN: usize = 50;
/// Characters of a source line that an excerpt shows.
const WIDTH: usize = 100;

/// Everything that is wrong with a policy file, in the order of the file.
#[derive(Debug)]
pub struct PolicyErrors {
    errors: Vec<PolicyError>,
    /// Problems beyond those kept.
    more: usize,
}

/// One thing that is wrong, and where. `Display` shows the line.
#[derive(Debug)]
pub struct PolicyError {
    file: String,
    line: usize,
    column: usize,
    excerpt: String,
    problem: Problem,
}

impl PolicyErrors {
    /// Places problems in a text. `None` when there are none.
    pub(crate) fn place(
        file: &str,
        text: &str,
        mut problems: Vec<(Range<usize>, Problem)>,
    ) -> Option<Self> {
        if problems.is_empty() {
            return None;
        }
        problems.sort_by_key(|(at, _)| at.start);
        let lines = Lines::new(text);
        let more = problems.len().saturating_sub(KEPT);
        let errors = problems
            .into_iter()
            .take(KEPT)
            .map(|(at, problem)| {
                let (line, column) = lines.position(at.start);
                PolicyError {
                    file: file.to_owned(),
                    line,
                    column,
                    excerpt: lines.excerpt(line, column, at),
                    problem,
                }
            })
            .collect();
        Some(Self { errors, more })
    }

    /// The problems, in the order of the file. Never empty; of more than 1,000, the first 1,000.
    pub fn errors(&self) -> &[PolicyError] {
        &self.errors
    }
}

impl PolicyError {
    /// The file, as the caller named it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}",
            self.file, self.line, self.column, self.problem
        )?;
        if let Some(name) = self.problem.nearest() {
            write!(f, "; did you mean `{name}`?")?;
        }
        write!(f, "\n{}\n  = {}", self.excerpt, self.problem.remedy())
    }
}

impl std::error::Error for PolicyError {}

impl fmt::Display for PolicyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.errors.iter().take(SHOWN).enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{error}")?;
        }
        match self.errors.len().saturating_sub(SHOWN) + self.more {
            0 => Ok(()),
            more => write!(f, "\n\n… and {more} more problems"),
        }
    }
}

impl std::error::Error for PolicyErrors {}

/// A text with the starts of its lines.
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(i, _)| i + 1))
            .collect();
        Self { text, starts }
    }

    /// Line and column (in characters) of a byte offset, from 1.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|s| *s <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..offset.min(self.text.len()));
        // An offset within a character counts as the character's start.
        (line, before.map_or(0, |b| b.chars().count()) + 1)
    }

    /// The line, with the range marked beneath it.
    fn excerpt(&self, line: usize, column: usize, at: Range<usize>) -> String {
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let rest = self.text.get(start..).unwrap_or("");
        let text = rest.lines().next().unwrap_or("");
        let skip = column.saturating_sub(WIDTH / 2 + 1);
        let shown: String = text.chars().skip(skip).take(WIDTH).map(plain).collect();
        let marked = self.text.get(at).unwrap_or("");
        let marked = marked.lines().next().unwrap_or("").chars().count();
        let before = column - 1 - skip;
        let room = WIDTH.saturating_sub(before).max(1);
        format!(
            "{line:>5} | {shown}\n      | {}{}",
            " ".repeat(before),
            "^".repeat(marked.clamp(1, room))
        )
    }
}
