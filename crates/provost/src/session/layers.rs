//! Which defenses a session has.

use serde::{Deserialize, Serialize};

use crate::causal::Options;
use crate::counterfactual::Settings;

/// The layers of a session's defense. They compose: with both, dry runs are made only at boundaries with an anomalous span
/// or a call that changes something, and settle what the audit cannot (DESIGN.md, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layers {
    /// The causal audit (ARGUS), with these components.
    pub causal: Option<Options>,
    /// The counterfactual diagnosis (AgentSentry), with these settings.
    pub counterfactual: Option<Settings>,
}

impl Layers {
    /// How contexts are segmented: whole, where no audit says otherwise.
    pub(crate) fn options(self) -> Options {
        self.causal.unwrap_or_default()
    }
}

impl Default for Layers {
    /// The causal audit alone.
    fn default() -> Self {
        Options::default().into()
    }
}

impl From<Options> for Layers {
    fn from(options: Options) -> Self {
        Self {
            causal: Some(options),
            counterfactual: None,
        }
    }
}

impl From<Settings> for Layers {
    fn from(settings: Settings) -> Self {
        Self {
            causal: None,
            counterfactual: Some(settings),
        }
    }
}
