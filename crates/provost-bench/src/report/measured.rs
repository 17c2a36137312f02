//! The measures of the papers' table, and those of dry runs where there were any.

use std::collections::BTreeMap;

use super::{BARE, Cell, OF_ALONE, REPLAYS};
use crate::defense::Defense;
use crate::metrics::{Group, Measures};

/// Everything that was measured, and which of it there is to show.
pub(super) struct Measured<'a> {
    all: &'a BTreeMap<Group, Measures>,
    /// Some agent was run dry.
    replays: bool,
    /// There are both layers and one of them alone.
    of_alone: bool,
}

impl<'a> Measured<'a> {
    pub(super) fn new(all: &'a BTreeMap<Group, Measures>) -> Self {
        let mut measured = Self {
            all,
            replays: all.values().any(|m| m.replays > 0),
            of_alone: false,
        };
        measured.of_alone = all.iter().any(|(g, m)| measured.of_alone(g, m).is_some());
        measured
    }

    /// The measures of the papers' table, and of dry runs.
    pub(super) fn of(&self, group: &Group, m: &Measures) -> Vec<(&'static str, Cell)> {
        let attacked = m.attacked();
        let mut measures = vec![
            ("ASR", Cell::Share(attacked.success)),
            ("W-ASR", Cell::Share(m.worst())),
            ("U_c", Cell::Share(m.clean.utility)),
            ("U_a", Cell::Share(attacked.utility)),
            ("refusal", Cell::Share(m.clean.refusal)),
            ("EDS", Cell::Fraction(m.eds())),
            ("cost", Cell::Times(self.cost(group, m))),
        ];
        if self.replays {
            measures.push((REPLAYS, Cell::Mean(m.replays_a_run())));
        }
        if self.of_alone {
            measures.push((OF_ALONE, Cell::Fraction(self.of_alone(group, m))));
        }
        measures
    }

    /// What these are called.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let nobody = Group {
            agent: String::new(),
            defense: String::new(),
            suite: None,
            half: None,
        };
        let measures = self.of(&nobody, &Measures::default());
        measures.into_iter().map(|(name, _)| name).collect()
    }

    /// Tokens relative to the same agent's without a defense; where no model took part, 1; where no run was made, unknown.
    pub(super) fn cost(&self, group: &Group, m: &Measures) -> Option<f64> {
        if m.made() == 0 {
            return None;
        }
        let bare = Group {
            defense: BARE.into(),
            ..group.clone()
        };
        match (m.tokens, self.all.get(&bare).map(|b| b.tokens)) {
            (0, None | Some(0)) => Some(1.0),
            (_, None | Some(0)) => None,
            (tokens, Some(bare)) => Some(tokens as f64 / bare as f64),
        }
    }

    /// Of both layers: dry runs a run, relative to those of the diagnosis alone.
    pub(super) fn of_alone(&self, group: &Group, m: &Measures) -> Option<f64> {
        let alone = Group {
            defense: group.defense.parse::<Defense>().ok()?.alone()?.to_string(),
            ..group.clone()
        };
        let alone = self.all.get(&alone)?.replays_a_run()?;
        let share = m.replays_a_run()? / alone;
        share.is_finite().then_some(share)
    }
}
