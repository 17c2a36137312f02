//! What is kept of each boundary: every quantity that the diagnosis rests on.

use serde::{Deserialize, Serialize};

use super::estimate::{Effects, Outcomes};
use super::outcome::Deviation;
use super::{Regime, Settings, estimate};
use crate::graph::NodeId;
use crate::span::SpanRef;

/// Why the agent's view was purified, or why its proposal was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alarm {
    /// The instantaneous safeguard: an unauthorised high-impact call under this regime and not under its sanitized twin.
    Violation(Regime),
    /// Over the window the user's effect falls and the mediator's rises.
    Trend,
    /// The agent's last words deviate, and would not on the purified mediator.
    Answer,
    /// A text that an audit holds to steer the call does: without it, the agent proposes something else.
    Steered,
    /// The agent acts without the user's words, and no purification makes it stop.
    Unpurified,
}

/// Slopes over the window, a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// Of |ACE|.
    pub ace: f64,
    /// Of IE.
    pub ie: f64,
}

/// A tool-return boundary: after new content entered, before what the agent proposed next was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Boundary {
    /// The newest content that the agent had seen.
    pub after: NodeId,
    /// The tool that it wanted to call; nothing where it wanted to end.
    pub tool: Option<String>,
    /// Y under the four regimes.
    pub outcomes: Outcomes,
    /// The estimates.
    pub effects: Effects,
    /// The trend up to here; absent before the window is full.
    pub trend: Option<Trend>,
    /// How the proposal, or what the mediator alone leads to, deviates most.
    pub deviation: Option<Deviation>,
    /// What was found.
    pub alarm: Option<Alarm>,
    /// Texts that dry runs showed to command, beyond those that reading them showed.
    pub commands: Vec<SpanRef>,
    /// Dry runs of the agent.
    pub replays: u32,
}

/// The trend over the last `settings.window` boundaries, the last of which is `now`.
pub(super) fn trend(before: &[Boundary], now: Effects, settings: Settings) -> Option<Trend> {
    let window = settings.window.max(2);
    let from = (before.len() + 1).checked_sub(window)?;
    let effects = || before[from..].iter().map(|b| b.effects).chain([now]);
    let ace: Vec<f64> = effects().map(|e| e.ace.abs()).collect();
    let ie: Vec<f64> = effects().map(|e| e.ie).collect();
    Some(Trend {
        ace: estimate::slope(&ace),
        ie: estimate::slope(&ie),
    })
}
