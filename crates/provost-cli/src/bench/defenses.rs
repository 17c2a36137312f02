//! `--defense`, of every benchmark.

use std::str::FromStr;

use clap::Args;
use provost_bench::Defense;
use provost_bench::defense::DefenseError;

use super::once;

/// Which defenses.
#[derive(Debug, Args)]
pub(super) struct Defenses {
    /// Defenses: `none`, `causal`, `counterfactual` (runs the agent dry at each boundary), `causal+counterfactual`
    ///
    /// Of `causal`, components can be left out: `causal-without-seg-inv` (seg, grd, ent, inv, joined by `-`). Of
    /// `counterfactual`, too, and its settings can be named, in this order: `counterfactual-without-temporal-text-k4-b200-w3`
    /// (no trends over boundaries, calls only; samples of each regime, bootstrap resamples, boundaries of a trend; otherwise
    /// k1, b0, w2). `ablations` stands for `causal` and each of the four without one component, `sentry-ablations` for
    /// `counterfactual`, and it without temporal and without text.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "DEFENSE",
        default_value = "causal"
    )]
    defense: Vec<Named>,
}

/// What a name stands for.
#[derive(Clone, Debug)]
struct Named(Vec<Defense>);

impl FromStr for Named {
    type Err = DefenseError;

    fn from_str(name: &str) -> Result<Self, DefenseError> {
        Ok(Self(match name {
            "ablations" => Defense::ablations(),
            "sentry-ablations" => Defense::sentry_ablations(),
            name => vec![name.parse()?],
        }))
    }
}

impl Defenses {
    /// Each that was named, once, in the order given.
    pub(super) fn once(&self) -> Vec<Defense> {
        let all: Vec<Defense> = self
            .defense
            .iter()
            .flat_map(|named| named.0.clone())
            .collect();
        once(&all)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        defenses: Defenses,
    }

    #[test]
    fn names() {
        let check = |args: &[&str], expected: &[&str]| {
            let args = ["bench"].iter().chain(args);
            let command = Command::try_parse_from(args).unwrap();
            let found: Vec<String> = command
                .defenses
                .once()
                .iter()
                .map(Defense::to_string)
                .collect();
            assert_eq!(found, expected);
        };
        check(&[], &["causal"]);
        check(&["--defense", "none,causal,none"], &["none", "causal"]);
        let all = [
            "none",
            "causal",
            "causal-without-seg",
            "causal-without-grd",
            "causal-without-ent",
            "causal-without-inv",
        ];
        check(
            &["--defense", "none,ablations", "--defense", "causal"],
            &all,
        );
        let sentry = [
            "counterfactual",
            "counterfactual-without-temporal",
            "counterfactual-without-text",
            "causal+counterfactual-w3",
        ];
        let named = "sentry-ablations,causal+counterfactual-w3";
        check(&["--defense", named], &sentry);
        for unknown in ["ablation", "causal+", "sentry-ablations-w3"] {
            assert!(Command::try_parse_from(["bench", "--defense", unknown]).is_err());
        }
    }
}
