//! The policy that an audit goes by.

use std::path::Path;

use anyhow::Context;
use provost::Policy;
use provost::policy::nearest;
use provost_llm::runs::Run;
use sha2::{Digest as _, Sha256};

use crate::policy_cmd::text_of;

/// The policies that there are to choose from.
#[derive(Debug)]
pub(crate) struct Policies {
    /// The policy that the person named.
    pub(crate) named: Option<Policy>,
    /// The policy for runs that bring no tool definitions, where none was named.
    pub(crate) shipped: Policy,
    /// Whether annotations of tool definitions are believed.
    pub(crate) trust_annotations: bool,
    /// The text of the policy that the person named.
    text: Option<String>,
}

impl Policies {
    /// What there is to choose from where a person named `file`, or none.
    pub(crate) fn new(file: Option<&Path>, trust_annotations: bool) -> anyhow::Result<Self> {
        let (named, text) = file.map(load).transpose()?.unzip();
        Ok(Self {
            named,
            text,
            shipped: Policy::builtin(SHIPPED)
                .context("internal error: the shipped policy is not valid")?,
            trust_annotations,
        })
    }

    /// What tells these policies from others: the SHA-256 of the text that they were read from.
    pub(crate) fn digest(&self) -> String {
        match &self.text {
            Some(text) => sha256(text),
            None => {
                let shipped = sha256(Policy::builtin_text(SHIPPED).unwrap_or_default());
                format!("shipped, {shipped}")
            }
        }
    }

    /// The policy that a run is audited by.
    pub(crate) fn of(&self, run: &Run) -> Policy {
        let policy = match &self.named {
            Some(policy) => policy.clone(),
            None if run.has_tools() => Policy::default(),
            None => self.shipped.clone(),
        };
        if self.trust_annotations {
            policy.trusting_annotations()
        } else {
            policy
        }
    }
}

/// The name of the policy that ships with the engine.
pub(crate) const SHIPPED: &str = "agentdojo";

/// The SHA-256 of a text, in hexadecimal.
pub(crate) fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text);
    digest
        .iter()
        .fold("sha256:".to_owned(), |out, byte| format!("{out}{byte:02x}"))
}

/// Reads the policy that the person named: a file, or a shipped policy's name where there is no such file. With its text.
fn load(path: &Path) -> anyhow::Result<(Policy, String)> {
    let name = path.to_string_lossy();
    if !path.exists()
        && let Some(policy) = Policy::builtin(&name)
    {
        let text = Policy::builtin_text(&name).unwrap_or_default();
        return Ok((policy, text.to_owned()));
    }
    let bytes = std::fs::read(path).with_context(|| {
        let meant = meant(path).map_or_else(String::new, |m| format!("; did you mean `{m}`?"));
        format!(
            "cannot read the policy {name}{meant}\n  expected: a policy file in TOML, or the name of the shipped \
             policy, `{SHIPPED}`\n  remedy: check the name; `provost policy draft TOOLS.json` writes a first policy\n  \
             cause"
        )
    })?;
    let text = text_of(bytes).with_context(|| name.to_string())?;
    let policy = Policy::from_toml(&text, &name)
        .map_err(|errors| anyhow::anyhow!("the policy is not valid\n{errors}"))?;
    Ok((policy, text))
}

/// What may have been meant by a path that leads nowhere: the shipped policy, or a policy file in the same folder.
fn meant(path: &Path) -> Option<String> {
    if path.exists() {
        return None;
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let files = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok();
    let files = files.into_iter().flatten().flatten();
    let mut names: Vec<String> = files
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    if folder.is_none() {
        names.push(SHIPPED.to_owned());
    }
    let name = path.file_name()?.to_string_lossy();
    let near = nearest(&name, names.iter().map(String::as_str))?;
    Some(match folder {
        Some(folder) => folder.join(near).display().to_string(),
        None => near,
    })
}
