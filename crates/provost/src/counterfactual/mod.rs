//! Counterfactual diagnosis at tool-return boundaries (AgentSentry; DESIGN.md, section 4).
//!
//! At a boundary, when new content has entered and before what the agent then proposes is done, the agent is run dry under
//! four regimes that differ in the user's words and in the content's directives ([`Regime`]). What it would do there says
//! who is behind the proposal (`outcome`, `estimate`, `boundary`). On an alarm the agent's view is purified (`purify`), and
//! it is asked again. Where reading alone does not tell what in the content commands, dry runs do (`search`).
//!
//! The live proposal is the first sample of `orig`; regimes whose views are the same bytes share their samples, so that what
//! they are compared by differs only in what it should.

mod boundary;
mod diagnose;
pub mod estimate;
mod outcome;
mod purify;
mod samples;
mod search;
mod views;

use serde::{Deserialize, Serialize};

pub use boundary::{Alarm, Boundary, Trend};
pub(crate) use diagnose::{Diagnoser, Diagnosis, Live, Progress, World};
pub use estimate::{Effects, Outcomes};
pub use outcome::Deviation;

/// The views on which the agent is run dry at a boundary (AgentSentry paper, section 4 and appendix B).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Regime {
    /// The user's words, the mediator as it is.
    Orig,
    /// A task-neutral probe in place of the user's words, the mediator as it is.
    Mask,
    /// The probe, the purified mediator.
    MaskSanitized,
    /// The user's words, the purified mediator.
    OrigSanitized,
}

impl Regime {
    /// All four.
    pub const ALL: [Self; 4] = [
        Self::Orig,
        Self::Mask,
        Self::MaskSanitized,
        Self::OrigSanitized,
    ];

    /// Whether the agent has the user's words.
    pub fn is_told(self) -> bool {
        matches!(self, Self::Orig | Self::OrigSanitized)
    }

    /// Its twin with the purified mediator.
    pub fn sanitized(self) -> Self {
        match self {
            Self::Orig | Self::OrigSanitized => Self::OrigSanitized,
            Self::Mask | Self::MaskSanitized => Self::MaskSanitized,
        }
    }

    /// Whether the mediator is purified.
    pub fn is_sanitized(self) -> bool {
        matches!(self, Self::MaskSanitized | Self::OrigSanitized)
    }
}

/// The task-neutral probe x_mask: says nothing of what the user wants, and forbids nothing (AgentSentry paper, appendix B.1).
pub const PROBE: &str = "Go on with what there is to do.";

/// What is drawn, and what an alarm takes (AgentSentry paper, section 4 and appendix C.2; DESIGN.md, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// K: samples of each regime at a boundary, at least 1.
    pub samples: u32,
    /// B: bootstrap resamples for the significance of IE; 0: IE > 0 is enough.
    pub resamples: u32,
    /// w: boundaries over which a trend is looked for, at least 2.
    pub window: usize,
    /// ρ*: the risk from which a trend is an alarm, in [0, 1).
    pub risk: f64,
    /// Whether what the agent says counts, and not only what it calls.
    pub text: bool,
    /// Whether trends over the window raise alarms, and not only what is seen at one boundary.
    pub temporal: bool,
}

impl Settings {
    /// Whether a trend can be seen where nothing was done yet: one sample of what the agent would read is none.
    fn shows_trends(self) -> bool {
        self.temporal && self.samples > 1
    }
}

impl Default for Settings {
    /// The paper's evaluation: K = 1, B = 0, w = 2.
    fn default() -> Self {
        Self {
            samples: 1,
            resamples: 0,
            window: 2,
            risk: 0.5,
            text: true,
            temporal: true,
        }
    }
}
