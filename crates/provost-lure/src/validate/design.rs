//! The design: which sample is on which surface, and how many that makes.

use std::collections::BTreeMap;
use std::fmt;

use crate::env::Environment;
use crate::library::TaskId;
use crate::task::{Surface, Vector};

/// The surface that the design has for a task's sample: memory, skills and hand-overs have their own, the others
/// alternate over three.
pub fn surface(id: TaskId, vector: Vector) -> Surface {
    const TURNS: [Surface; 3] = [Surface::ToolDocs, Surface::ToolReturn, Surface::Document];
    let v = match vector {
        Vector::Tool => 0,
        Vector::Argument => 1,
        Vector::Condition => 2,
        Vector::Reasoning => 3,
        Vector::Workflow => 4,
        Vector::Memory => return Surface::Memory,
        Vector::Skill => return Surface::Skill,
        Vector::Handoff => return Surface::AgentMessage,
    };
    let e = match id.environment {
        Environment::Banking => 0,
        Environment::Travel => 1,
        Environment::Workspace => 2,
        Environment::Slack => 3,
    };
    let turn = (usize::from(id.number) + v + e) % TURNS.len();
    TURNS.get(turn).copied().unwrap_or(Surface::Document)
}

/// Samples, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    cells: BTreeMap<(Vector, Surface, Environment), usize>,
}

impl Counts {
    /// Counts one.
    pub fn add(&mut self, vector: Vector, surface: Surface, environment: Environment) {
        *self
            .cells
            .entry((vector, surface, environment))
            .or_default() += 1;
    }

    /// How many there are for which `is` holds.
    fn sum(&self, is: impl Fn(Vector, Surface, Environment) -> bool) -> usize {
        let cells = self.cells.iter().filter(|((v, s, e), _)| is(*v, *s, *e));
        cells.map(|(_, n)| n).sum()
    }
}

/// A table: a line a vector, a column a surface, and in each cell the four environments' counts and their sum.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<10}", "vector")?;
        for surface in Surface::ALL {
            write!(f, " {:>14}", surface.name())?;
        }
        writeln!(f, " {:>6}", "all")?;
        for vector in Vector::ALL {
            write!(f, "{:<10}", vector.name())?;
            for surface in Surface::ALL {
                let of = |e| self.sum(|v, s, o| (v, s, o) == (vector, surface, e));
                let all = self.sum(|v, s, _| (v, s) == (vector, surface));
                let parts = Environment::ALL.map(|e| of(e).to_string()).join("+");
                let cell = if all == 0 {
                    "-".to_owned()
                } else {
                    format!("{parts}={all}")
                };
                write!(f, " {cell:>14}")?;
            }
            writeln!(f, " {:>6}", self.sum(|v, _, _| v == vector))?;
        }
        write!(f, "{:<10}", "all")?;
        for surface in Surface::ALL {
            write!(f, " {:>14}", self.sum(|_, s, _| s == surface))?;
        }
        writeln!(f, " {:>6}", self.sum(|_, _, _| true))?;
        let environments = Environment::ALL.map(Environment::name).join(" + ");
        writeln!(f, "Cells: {environments}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::TASKS;

    #[test]
    fn the_five_vectors_are_spread_evenly_over_three_surfaces() {
        let mut counts = Counts::default();
        for environment in Environment::ALL {
            for number in 1..=TASKS {
                for vector in Vector::ALL {
                    let id = TaskId {
                        environment,
                        number,
                    };
                    counts.add(vector, surface(id, vector), environment);
                }
            }
        }
        for vector in &Vector::ALL[..5] {
            for at in [Surface::ToolDocs, Surface::ToolReturn, Surface::Document] {
                let n = counts.sum(|v, s, _| (v, s) == (*vector, at));
                assert!((13..=14).contains(&n), "{vector} {at}: {n}");
            }
        }
        for (vector, at) in [
            (Vector::Memory, Surface::Memory),
            (Vector::Skill, Surface::Skill),
            (Vector::Handoff, Surface::AgentMessage),
        ] {
            assert_eq!(counts.sum(|v, s, _| (v, s) == (vector, at)), 40);
            assert_eq!(counts.sum(|v, _, _| v == vector), 40);
        }
        let table = counts.to_string();
        assert!(table.contains("10+10+10+10=40"), "{table}");
        assert!(
            table
                .lines()
                .any(|l| l.starts_with("all") && l.ends_with(" 320")),
            "{table}"
        );
    }
}
