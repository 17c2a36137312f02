//! Plug-in estimates of causal effects at one boundary, and their significance.

use serde::{Deserialize, Serialize};

use super::Regime;

/// Keeps the risk defined, and below 1.
const EPSILON: f64 = 1e-9;
/// How often a resampled effect may be none, for the effect to be significant.
const SIGNIFICANCE: f64 = 0.05;

/// Outcomes Y under the four regimes, one a sample, each in 0..=3.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Under (x, m).
    pub orig: Vec<u8>,
    /// Under (x_mask, m).
    pub mask: Vec<u8>,
    /// Under (x_mask, m̃).
    pub mask_sanitized: Vec<u8>,
    /// Under (x, m̃).
    pub orig_sanitized: Vec<u8>,
}

impl Outcomes {
    /// Those of a regime.
    pub fn of(&self, regime: Regime) -> &[u8] {
        match regime {
            Regime::Orig => &self.orig,
            Regime::Mask => &self.mask,
            Regime::MaskSanitized => &self.mask_sanitized,
            Regime::OrigSanitized => &self.orig_sanitized,
        }
    }

    pub(super) fn of_mut(&mut self, regime: Regime) -> &mut Vec<u8> {
        match regime {
            Regime::Orig => &mut self.orig,
            Regime::Mask => &mut self.mask,
            Regime::MaskSanitized => &mut self.mask_sanitized,
            Regime::OrigSanitized => &mut self.orig_sanitized,
        }
    }
}

/// Differences between the means μ of Y under the regimes (AgentSentry paper, section 4; DESIGN.md, section 4), each in
/// [−3, 3].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effects {
    /// μ(orig) − μ(mask): what the user's words change while the mediator stays as it is.
    pub ace: f64,
    /// μ(mask) − μ(mask_sanitized): what the mediator does without the user.
    pub ie: f64,
    /// μ(orig_sanitized) − μ(mask_sanitized): what the user's words change once the mediator is inert.
    pub de: f64,
    /// μ(orig) − μ(orig_sanitized): what the mediator does under the user's words.
    pub me: f64,
    /// ACE − DE: the interaction of both.
    pub r: f64,
    /// ρ = IE⁺ / (IE⁺ + |ACE| + ε), in [0, 1).
    pub risk: f64,
}

impl Effects {
    /// The estimates from samples. A regime without samples counts as on goal throughout.
    ///
    /// # Panics
    /// Never: the identity ACE + IE = ME + DE that is asserted is one of numbers. It is checked up to rounding, on means.
    pub fn of(outcomes: &Outcomes) -> Self {
        let [orig, mask, mask_sanitized, orig_sanitized] =
            Regime::ALL.map(|r| mean(outcomes.of(r)));
        let (ace, ie) = (orig - mask, mask - mask_sanitized);
        let (de, me) = (orig_sanitized - mask_sanitized, orig - orig_sanitized);
        assert!(((ace + ie) - (me + de)).abs() < 1e-9, "ACE + IE = ME + DE");
        let up = ie.max(0.0);
        Self {
            ace,
            ie,
            de,
            me,
            r: ace - de,
            risk: up / (up + ace.abs() + EPSILON),
        }
    }
}

fn mean(samples: &[u8]) -> f64 {
    let sum: u32 = samples.iter().map(|y| u32::from(*y)).sum();
    f64::from(sum) / samples.len().max(1) as f64
}

/// Whether IE is more than chance: in at least 95 % of `resamples` bootstrap resamples it is above zero. Without resamples,
/// or with one sample a regime, whether it is above zero. The same `seed` gives the same answer.
pub fn is_significant(outcomes: &Outcomes, resamples: u32, seed: u64) -> bool {
    let observed = mean(&outcomes.mask) > mean(&outcomes.mask_sanitized);
    if resamples == 0 || outcomes.mask.len() < 2 || !observed {
        return observed;
    }
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut drawn = |of: &[u8]| -> f64 {
        let sum: u32 = of
            .iter()
            .map(|_| {
                of.get(chance.usize(..of.len()))
                    .map_or(0, |y| u32::from(*y))
            })
            .sum();
        f64::from(sum) / of.len().max(1) as f64
    };
    let none = (0..resamples)
        .filter(|_| drawn(&outcomes.mask) <= drawn(&outcomes.mask_sanitized))
        .count();
    (none as f64) < SIGNIFICANCE * f64::from(resamples)
}

/// The least-squares slope of values at equal distances, a step; 0 for fewer than two.
pub fn slope(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let at = |i: usize| i as f64 - (n - 1.0) / 2.0;
    let spread: f64 = (0..values.len()).map(|i| at(i) * at(i)).sum();
    if spread == 0.0 {
        return 0.0;
    }
    let along: f64 = values.iter().enumerate().map(|(i, y)| at(i) * y).sum();
    along / spread
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn outcomes(orig: &[u8], mask: &[u8], quiet: &[u8], safe: &[u8]) -> Outcomes {
        Outcomes {
            orig: orig.into(),
            mask: mask.into(),
            mask_sanitized: quiet.into(),
            orig_sanitized: safe.into(),
        }
    }

    #[test]
    fn a_takeover_is_all_mediator() {
        let taken = Effects::of(&outcomes(&[3], &[3], &[0], &[0]));
        assert_eq!(
            (taken.ace, taken.ie, taken.me, taken.de),
            (0.0, 3.0, 3.0, 0.0)
        );
        assert!(taken.risk > 0.99 && taken.risk < 1.0);
        let calm = Effects::of(&outcomes(&[0], &[0], &[0], &[0]));
        assert_eq!((calm.ie, calm.me, calm.risk), (0.0, 0.0, 0.0));
    }

    #[test]
    fn significance() {
        let check = |mask: &[u8], quiet: &[u8], resamples, expected| {
            let found = is_significant(&outcomes(&[], mask, quiet, &[]), resamples, 7);
            assert_eq!(found, expected, "{mask:?} {quiet:?} {resamples}");
        };
        check(&[1], &[0], 0, true);
        check(&[1], &[0], 200, true);
        check(&[0], &[0], 200, false);
        check(&[2, 0, 0, 0], &[0; 4], 0, true);
        check(&[2, 0, 0, 0], &[0; 4], 200, false);
        check(&[2, 2, 2, 0], &[0; 4], 200, true);
        check(&[0, 0], &[1, 1], 200, false);
    }

    #[test]
    fn slopes() {
        let check = |values: &[f64], expected: f64| {
            assert!((slope(values) - expected).abs() < 1e-12, "{values:?}");
        };
        check(&[], 0.0);
        check(&[5.0], 0.0);
        check(&[0.0, 3.0], 3.0);
        check(&[1.0, 2.0, 3.0], 1.0);
        check(&[3.0, 3.0, 3.0], 0.0);
        check(&[0.0, 2.0, 1.0], 0.5);
    }

    proptest! {
        #[test]
        fn effects_decompose(samples in (1_usize..6).prop_flat_map(|k| prop::collection::vec(prop::collection::vec(0_u8..=3, k), 4))) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| samples[i].clone());
            let all = outcomes(&a, &b, &c, &d);
            let e = Effects::of(&all);
            prop_assert!((e.ace + e.ie - e.me - e.de).abs() < 1e-9);
            prop_assert!((e.r - (e.ace - e.de)).abs() < 1e-9);
            prop_assert!((0.0..1.0).contains(&e.risk));
            prop_assert_eq!(is_significant(&all, 50, 1), is_significant(&all, 50, 1));
        }

        #[test]
        fn a_slope_is_linear(values in prop::collection::vec(-3.0_f64..3.0, 2..8), by in -2.0_f64..2.0) {
            let scaled: Vec<f64> = values.iter().map(|v| v * by + 1.0).collect();
            prop_assert!((slope(&scaled) - slope(&values) * by).abs() < 1e-9);
        }
    }
}
