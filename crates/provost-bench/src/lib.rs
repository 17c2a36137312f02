//! Benchmarks: attacks × defenses × agents, in one loop.
//!
//! The agent proposes on what it may see, the defense steps, and the environment runs only what carries a
//! [`provost::Permit`] (`play`). Environments, tools, attacks and scorers are the benchmark's own: its package runs in
//! a process of its own, the sidecar, that speaks JSON lines (`sidecar`). Results are JSON lines that can be gone on
//! with after any interruption (`record`), and what a report says is counted from them alone (`metrics`, `report`, `causes`).

pub mod about;
pub mod agent;
pub mod agentdojo;
pub mod causes;
pub mod compare;
pub mod defense;
pub mod metrics;
pub mod plan;
mod play;
pub mod record;
pub mod recorded;
pub mod report;
pub mod runner;
pub mod sidecar;
pub mod venv;

pub use agent::AgentKind;
pub use defense::Defense;
pub use plan::{Case, Half, Job, Selection};
pub use record::{Record, Results};
pub use sidecar::{Launch, Sidecar};
