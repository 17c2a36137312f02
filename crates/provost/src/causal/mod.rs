//! The causal audit (ARGUS, Algorithm 1), implemented by rules.

use serde::{Deserialize, Serialize};

/// Which components are on (ARGUS paper, section 5.3: each can be ablated).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// ContextSegmenter; off: every observation is one benign span.
    pub segment: bool,
    /// ArgumentGrounder; off: all benign spans go to the entailment check.
    pub ground: bool,
    /// EntailChecker; off: the grounder's result stands.
    pub entail: bool,
    /// InvChecker; off: the call is compared with the user's prompt directly.
    pub invariants: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment: true,
            ground: true,
            entail: true,
            invariants: true,
        }
    }
}

/// What the audit keeps between inputs.
#[derive(Debug, Default)]
pub(crate) struct Auditor {}

impl Auditor {
    pub(crate) fn invariants(&self) -> Vec<String> {
        Vec::new()
    }
}
