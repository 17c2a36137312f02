//! AgentLure: forty context-dependent tasks in four environments, and eight context-aware attacks on each.
//!
//! After the benchmark that the ARGUS paper describes (section 3) and never released. A task's decisive target, amount
//! or choice is left open by the prompt and can only be found at run time; each attack is bound to its task, and speaks
//! in the voice of what carries it. `data/` holds a file a task ([`task`]), whose oracles are CEL ([`oracle`]).

mod args;
mod env;
pub mod library;
pub mod oracle;
pub mod play;
mod run;
pub mod serve;
pub mod show;
pub mod task;
pub mod validate;

pub use env::Environment;
pub use library::{Half, Library, Problem, TaskId};
pub use run::RunError;
