//! Licences and sources of every dependency, by the rules of `deny.toml`.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;
use spdx::{Expression, LicenseReq};

use crate::workspace;

/// The part of `deny.toml` that is enforced here.
#[derive(Debug, Deserialize)]
pub(super) struct Rules {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

/// A crate that may occur twice, and why.
#[derive(Debug, Deserialize)]
struct Skip {
    #[serde(rename = "crate")]
    name: String,
    #[expect(dead_code, reason = "required, so that nobody leaves it out")]
    reason: String,
}

impl Rules {
    /// Names of crates that may occur in two versions.
    pub(super) fn skipped_duplicates(&self) -> Vec<String> {
        // cargo-deny writes a version as `name@1.2.3`.
        let name = |s: &Skip| s.name.split('@').next().unwrap_or_default().to_owned();
        self.bans.skip.iter().map(name).collect()
    }
}

/// Reads `deny.toml`.
///
/// # Errors
/// It is not there, or not as expected.
pub(super) fn rules() -> Result<Rules> {
    let path = workspace::root().join("deny.toml");
    let text = fs::read_to_string(&path).context("deny.toml")?;
    toml::from_str(&text).context("deny.toml")
}

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

/// Checks every package that this workspace is built from, its tests, benches and fuzz targets too.
///
/// # Errors
/// cargo failed, or `deny.toml` cannot be read.
pub(super) fn check() -> Result<Vec<String>> {
    let text = workspace::output(workspace::cargo().args([
        "metadata",
        "--format-version",
        "1",
        "--locked",
    ]))?;
    let metadata: Metadata = serde_json::from_str(&text).context("cargo metadata")?;
    judge(&rules()?, &metadata)
}

fn judge(rules: &Rules, metadata: &Metadata) -> Result<Vec<String>> {
    let mut allowed: Vec<LicenseReq> = Vec::new();
    for licence in &rules.licenses.allow {
        let parsed = Expression::parse(licence).with_context(|| format!("deny.toml: {licence}"))?;
        allowed.extend(parsed.requirements().map(|r| r.req.clone()));
    }
    let mut problems = Vec::new();
    for package in &metadata.packages {
        let Package { name, version, .. } = package;
        if let Some(source) = &package.source
            && !source.starts_with("registry+https://github.com/rust-lang/")
        {
            problems.push(format!("{name} {version} comes from {source}"));
        }
        let licence = package.license.as_deref().unwrap_or("(none given)");
        let fine = Expression::parse_mode(licence, spdx::ParseMode::LAX)
            .is_ok_and(|e| e.evaluate(|req| allowed.contains(req)));
        if !fine {
            problems.push(format!(
                "{name} {version} has the licence {licence}; deny.toml does not allow it"
            ));
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(licence: Option<&str>, source: Option<&str>, fine: bool) {
        let package = Package {
            name: "x".into(),
            version: "1".into(),
            license: licence.map(str::to_owned),
            source: source.map(str::to_owned),
        };
        let metadata = Metadata {
            packages: vec![package],
        };
        let found = judge(&rules().unwrap(), &metadata).unwrap();
        assert_eq!(found.is_empty(), fine, "{licence:?} {source:?}: {found:?}");
    }

    #[test]
    fn licences_are_read_as_spdx_expressions() {
        check(Some("MIT OR Apache-2.0"), None, true);
        check(Some("MIT/Apache-2.0"), None, true);
        check(Some("(MIT OR GPL-3.0-only) AND Unicode-3.0"), None, true);
        check(Some("Apache-2.0 WITH LLVM-exception"), None, true);
        check(Some("GPL-3.0-only"), None, false);
        check(Some("MIT AND AGPL-3.0-only"), None, false);
        check(Some("whatever I like"), None, false);
        check(None, None, false);
    }

    #[test]
    fn sources_are_crates_io_or_this_workspace() {
        let index = "registry+https://github.com/rust-lang/crates.io-index";
        check(Some("MIT"), Some(index), true);
        check(Some("MIT"), Some("git+https://github.com/x/y#z"), false);
        check(
            Some("MIT"),
            Some("registry+https://mirror.example/index"),
            false,
        );
    }
}
