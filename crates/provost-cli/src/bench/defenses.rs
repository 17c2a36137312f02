//! `--defense`, of every benchmark.

use std::str::FromStr;

use clap::Args;
use provost_bench::Defense;
use provost_bench::defense::DefenseError;

use super::once;

/// Which defenses.
#[derive(Debug, Args)]
pub(super) struct Defenses {
    /// Defenses: `none`, `causal`, `causal-without-C` with components C left out (seg, grd, ent, inv, joined by `-`), and
    /// `ablations` for `causal` and each of the four without one component
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
        assert!(Command::try_parse_from(["bench", "--defense", "ablation"]).is_err());
    }
}
