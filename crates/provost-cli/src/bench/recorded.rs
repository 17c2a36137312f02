//! `provost bench recorded`: audits stored runs of real agents.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::Args;
use provost_bench::about::SetUp;
use provost_bench::recorded::{Label, Recording, Told};
use provost_bench::report::plain;
use provost_bench::{Defense, Record, Results, Selection, record};
use provost_llm::runs::{Parsed, parse};

use super::defenses::Defenses;
use super::noted;
use super::progress::Progress;
use crate::audit::fault::Fault;
use crate::audit::paths::{Source, expand};
use crate::audit::policy::{Policies, sha256};
use crate::audit::reader::{Found, RunText, read};

pub(super) const ABOUT: &str = "\
Audits stored runs of real agents as they are, without running anything, and writes what would have come of them under a \
defense as results like any others. A run has to say how it ended: AgentDojo's own files do (`utility`, `security`), in \
collections of them `metadata` does, and for others --labels has a file of the same name for each file of runs, with a line a run.

What would have become of a run, had a call been held, nobody knows; it is counted against the defense. An attack that had \
succeeded counts as stopped only if every call of the attacker's was held (by the labels; without any, every call that does \
more than read). A task that had been done counts as lost if any other call was held. With the defense `none`, the counts \
are those of the recorder. A run that AgentDojo stored although the recorder had failed counts nowhere.

Nothing is written before every run was read. A folder is for one policy, one set of labels, and one answer to whether annotations \
are believed: for another, name another folder.";

const AFTER: &str = "\
Exit status: 0 all runs audited, also where some cannot be counted because their recorder had failed, 2 bad usage, or runs or labels that cannot be read.

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
    #[command(flatten)]
    defenses: Defenses,
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
    let defenses = args.defenses.once();
    if let Some(dry) = defenses.iter().find(|defense| defense.needs_dry_runs()) {
        bail!(
            "{dry} runs the agent dry, and the agents of stored runs cannot be asked\n  remedy: name `none` or `causal` as \
             --defense, or make new runs with `provost bench agentdojo`"
        );
    }
    let policies = Policies::new(args.policy.as_deref(), args.trust_annotations)?;
    let mut recordings = Vec::new();
    let mut labels = args.labels.as_deref().map(Labels::new);
    for source in expand(&args.paths) {
        load(&source, labels.as_mut(), &policies, &mut recordings)?;
    }
    let asked = keys(&recordings, &defenses)?;
    let set_up = SetUp {
        policy: policies.digest(),
        labels: labels.map(|labels| labels.digests),
        trust_annotations: args.trust_annotations,
    };

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
        &defenses,
        Some(set_up),
    )?;
    let done: HashSet<_> = results.records().iter().map(Record::key).collect();
    let mut progress = Progress::new();
    progress.begin(asked.difference(&done).count());
    for stored in &recordings {
        for &defense in &defenses {
            if !done.contains(&stored.recording.key(defense)) {
                results.write(&stored.recording.audit(defense, &stored.policy)?)?;
                progress.one();
            }
        }
    }
    progress.end();
    drop(results);
    uncounted(&super::summary(&args.out, &asked)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Says which runs cannot be counted, and why.
fn uncounted(records: &[Record]) -> io::Result<()> {
    let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
    for why in records.iter().filter_map(|r| r.error.as_deref()) {
        *whys.entry(why).or_default() += 1;
    }
    if whys.is_empty() {
        return Ok(());
    }
    let (some, all) = (whys.values().sum::<usize>(), records.len());
    let mut out = io::stdout().lock();
    writeln!(out, "\n{some} of {all} runs cannot be counted:")?;
    for (why, times) in whys {
        writeln!(out, "  {times}: {}", plain(why))?;
    }
    Ok(())
}

/// The folder with labels, and the digest of each file that was read of it.
struct Labels<'a> {
    folder: &'a Path,
    digests: BTreeMap<String, String>,
}

impl<'a> Labels<'a> {
    fn new(folder: &'a Path) -> Self {
        let digests = BTreeMap::new();
        Self { folder, digests }
    }

    /// The labels for the runs of `file`.
    fn of(&mut self, file: &str) -> anyhow::Result<std::vec::IntoIter<Label>> {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read the labels {}", path.display()))?;
        self.digests.insert(file.to_owned(), sha256(&text));
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
    labels: Option<&mut Labels<'_>>,
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
    let mut labelled = labels.map(|labels| labels.of(file)).transpose()?;
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
