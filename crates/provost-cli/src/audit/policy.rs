//! The policy that an audit goes by.

use std::path::Path;

use anyhow::Context;
use provost::Policy;

/// The policy that ships with the engine, and its name.
const SHIPPED: &str = "agentdojo";

/// Reads the policy that the person named: a file, or a shipped policy's name where there is no such file.
pub(crate) fn load(path: &Path) -> anyhow::Result<Policy> {
    let name = path.to_string_lossy();
    if !path.exists()
        && let Some(policy) = Policy::builtin(&name)
    {
        return Ok(policy);
    }
    let text = std::fs::read_to_string(path).with_context(|| {
        format!("cannot read the policy {name}; expected a policy file in TOML, or `{SHIPPED}`")
    })?;
    Policy::from_toml(&text, &name).map_err(|errors| {
        let errors: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
        anyhow::anyhow!("the policy is not valid\n{}", errors.join("\n"))
    })
}

/// The policy for runs that bring no tool definitions, where none was named.
pub(crate) fn shipped() -> anyhow::Result<Policy> {
    Policy::builtin(SHIPPED).context("internal error: the shipped policy is not valid")
}
