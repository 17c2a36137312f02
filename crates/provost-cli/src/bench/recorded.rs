//! `provost bench recorded`: audits stored runs of real agents.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::Args;
use provost_bench::recorded::{Label, Recording, Told};
use provost_bench::{Defense, Record, Results, Selection, record};
use provost_llm::runs::{Parsed, parse};

use super::noted;
use super::progress::Progress;
use crate::audit::fault::Fault;
use crate::audit::paths::{Source, expand};
use crate::audit::policy::Policies;
use crate::audit::reader::{Found, RunText, read};

pub(super) const ABOUT: &str = "\
Audits stored runs of real agents as they are, without running anything, and writes what would have come of them under a \
defense as results like any others. A run has to say how it ended: AgentDojo's own files do (`utility`, `security`), in \
collections of them `metadata` does, and for others --labels has a file of the same name for each file of runs, with a line a run.

What would have become of a run, had a call been held, nobody knows; it is counted against the defense. An attack that had \
succeeded counts as stopped only if every call of the attacker's was held (by the labels; without any, every call that does \
more than read). A task that had been done counts as lost if any other call was held. With the defense `none`, the counts \
are those of the recorder. A run that AgentDojo stored although the recorder had failed counts nowhere.

Nothing is written before every run was read.";

const AFTER: &str = "\
Exit status: 0 all runs audited, 2 bad usage, or runs or labels that cannot be read.

Examples:
  provost bench recorded runs/ --defense none,causal -o recorded
      Stored runs of AgentDojo's, without and with the causal audit
  provost bench recorded runs/ --labels labels/ --trust-annotations -o recorded
      Runs that bring their own tools, with labels that say whose each call is
  provost report results recorded
      The live runs and the stored ones beside each other";

/// Arguments of `provost bench recorded`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct RecordedArgs {
    /// Files, folders or globs of stored runs
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Folder with labels: for each file of runs, one of the same name
    #[arg(long, value_name = "DIR")]
    labels: Option<PathBuf>,
    /// Defenses, comma-separated: `none`, `causal`, and `causal-without-C` (seg, grd, ent, inv, joined by `-`)
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "DEFENSE",
        default_value = "causal"
    )]
    defense: Vec<Defense>,
    /// Policy file, or the name of a shipped policy (`agentdojo`)
    #[arg(short, long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Believe the MCP annotations of the tools that a run brings along
    #[arg(long)]
    trust_annotations: bool,
    /// The folder where the results are, or will be
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(args: &RecordedArgs) -> anyhow::Result<ExitCode> {
    record::check(&args.out)?;
    let policies = Policies::new(args.policy.as_deref(), args.trust_annotations)?;
    let mut recordings = Vec::new();
    for source in expand(&args.paths) {
        load(&source, args.labels.as_deref(), &policies, &mut recordings)?;
    }
    let asked = keys(&recordings, &args.defense)?;

    let mut results = Results::open(&args.out)?;
    let agents: BTreeSet<&str> = recordings.iter().map(|r| r.recording.agent()).collect();
    let agents: Vec<&str> = agents.into_iter().collect();
    let paths: Vec<String> = args.paths.iter().map(|p| p.display().to_string()).collect();
    let what = format!("stored runs: {}", paths.join(", "));
    noted(
        &args.out,
        &what,
        Selection::default(),
        &agents,
        &args.defense,
    )?;
    let done: HashSet<_> = results.records().iter().map(Record::key).collect();
    let mut progress = Progress::new();
    progress.begin(asked.len());
    for stored in &recordings {
        for &defense in &args.defense {
            if !done.contains(&stored.recording.key(defense)) {
                results.write(&stored.recording.audit(defense, &stored.policy)?)?;
            }
            progress.one();
        }
    }
    progress.end();
    drop(results);
    super::summary(&args.out, &asked, false)?;
    Ok(ExitCode::SUCCESS)
}

/// A stored run, where it is, and the policy that it is audited by.
struct Stored {
    recording: Recording,
    place: String,
    policy: provost::Policy,
}

/// What is asked for. Runs of the same task by the same agent could not be told apart.
fn keys(
    recordings: &[Stored],
    defenses: &[Defense],
) -> anyhow::Result<HashSet<(provost_bench::Case, String, String)>> {
    let mut places: HashMap<_, &str> = HashMap::new();
    let mut keys = HashSet::new();
    for stored in recordings {
        for &defense in defenses {
            let key = stored.recording.key(defense);
            if let Some(other) = places.insert(key.clone(), &stored.place)
                && other != stored.place
            {
                bail!(
                    "{} and {other} are both {} by {}; audit them into folders of their own",
                    stored.place,
                    key.0,
                    key.1
                );
            }
            keys.insert(key);
        }
    }
    Ok(keys)
}

/// Reads all runs of a source.
fn load(
    source: &Source,
    labels: Option<&Path>,
    policies: &Policies,
    out: &mut Vec<Stored>,
) -> anyhow::Result<()> {
    let path = &source.name.path;
    let mut found = Vec::new();
    // The receiver wants everything.
    let _ = read(source, &|_| {}, &mut |one| {
        found.push(one);
        Ok(())
    });
    let file = path.rsplit('/').next().unwrap_or(path);
    let mut labelled = labels
        .map(|folder| label_file(&folder.join(file)))
        .transpose()?;
    let plain = file.strip_suffix(".gz").or(file.strip_suffix(".zst"));
    let plain = plain.unwrap_or(file);
    let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
    let mut number = 0;
    for one in found {
        let text: RunText = match one {
            Found::Run(text) => text,
            Found::Fault(fault) => return Err(unread(path, &fault)),
        };
        let run = match parse(text.bytes()) {
            Ok(Parsed::Header) => continue,
            Ok(Parsed::Run(run)) => run,
            Err(error) => {
                let fault = Fault::unreadable(&error, text.place(error.at()));
                return Err(unread(path, &fault));
            }
        };
        let place = format!("{path} run {number}");
        let label = match &mut labelled {
            None => None,
            Some(labels) => Some(
                labels
                    .next()
                    .with_context(|| format!("{place}: there is no label for it"))?,
            ),
        };
        let policy = policies.of(&run);
        let told = Told::read(text.bytes());
        let recording =
            Recording::new(run, told, label, stem, number).with_context(|| place.clone())?;
        out.push(Stored {
            recording,
            place,
            policy,
        });
        number += 1;
    }
    let left = labelled.map_or(0, Iterator::count);
    ensure!(
        left == 0,
        "{path}: {left} labels too many for {number} runs"
    );
    Ok(())
}

fn unread(path: &str, fault: &Fault) -> anyhow::Error {
    let place = fault.place.map_or_else(String::new, |at| {
        format!(" line {}, byte {}", at.line, at.byte)
    });
    let Fault {
        error,
        expected,
        remedy,
        ..
    } = fault;
    anyhow::anyhow!("{path}{place}: {error}\n  expected: {expected}\n  remedy: {remedy}")
}

fn label_file(path: &Path) -> anyhow::Result<std::vec::IntoIter<Label>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the labels {}", path.display()))?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let labels = lines.map(|(n, line)| {
        serde_json::from_str(line)
            .with_context(|| format!("{}: line {} is not a label", path.display(), n + 1))
    });
    Ok(labels.collect::<anyhow::Result<Vec<Label>>>()?.into_iter())
}
