//! What each crate may not know (ARCHITECTURE.md), read from `cargo tree`; and no crate twice in what ships.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::licences;
use crate::workspace;

/// The binary that ships.
const SHIPPED: &str = "provost-cli";

/// Servers, databases, and the crates of ours that are made of them.
const SERVING: &[&str] = &[
    "actix-web",
    "axum",
    "diesel",
    "libsqlite3-sys",
    "postgres",
    "provost-bench",
    "provost-cli",
    "provost-gateway",
    "provost-store",
    "rusqlite",
    "sqlx",
    "sqlx-core",
    "tokio-postgres",
    "tonic",
    "warp",
];

/// Models, async runtimes, HTTP, file systems, threads, entropy: nothing that a library without I/O can need.
const DOING: &[&str] = &[
    "async-std",
    "fs-err",
    "getrandom",
    "glob",
    "globwalk",
    "http",
    "hyper",
    "ignore",
    "isahc",
    "memmap2",
    "mio",
    "native-tls",
    "notify",
    "provost-llm",
    "rayon",
    "reqwest",
    "rustls",
    "smol",
    "socket2",
    "tempfile",
    "threadpool",
    "tokio",
    "ureq",
    "walkdir",
];

/// What talks with a person at a terminal.
const TALKING: &[&str] = &["clap", "indicatif"];

/// What each crate may not know.
const BANNED: &[(&str, &[&[&str]])] = &[
    ("provost", &[SERVING, DOING, TALKING]),
    ("provost-llm", &[SERVING]),
    ("provost-lure", &[SERVING, DOING, TALKING]),
];

/// Checks the trees of this workspace.
///
/// # Errors
/// cargo failed: a tree that cannot be read proves nothing.
pub(super) fn check() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for (package, banned) in BANNED {
        problems.extend(banned_in(package, banned, &tree(package)?));
    }
    let skipped = licences::rules()?.skipped_duplicates();
    problems.extend(duplicates(&tree(SHIPPED)?, &skipped));
    Ok(problems)
}

/// Names and versions of everything that `package` is built from, itself first.
fn tree(package: &str) -> Result<Vec<(String, String)>> {
    let text = workspace::output(workspace::cargo().args([
        "tree",
        "--package",
        package,
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--all-features",
    ]))?;
    parse(package, &text)
}

fn parse(package: &str, text: &str) -> Result<Vec<(String, String)>> {
    let mut nodes = BTreeSet::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            nodes.insert((name.to_owned(), version.to_owned()));
        }
    }
    let known = nodes.iter().any(|(name, _)| name == package);
    anyhow::ensure!(known, "cargo tree printed no tree of {package}");
    Ok(nodes.into_iter().collect())
}

fn banned_in(package: &str, banned: &[&[&str]], tree: &[(String, String)]) -> Vec<String> {
    let is_banned = |name: &str| banned.iter().any(|list| list.contains(&name));
    let found = tree.iter().filter(|(name, _)| is_banned(name));
    found
        .map(|(name, version)| {
            format!("{package} may not know {name} ({version}): cargo tree -p {package} -e normal -i {name}")
        })
        .collect()
}

fn duplicates(tree: &[(String, String)], skipped: &[String]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, version) in tree {
        versions.entry(name).or_default().push(version);
    }
    versions
        .into_iter()
        .filter(|(name, versions)| versions.len() > 1 && !skipped.iter().any(|s| s == name))
        .map(|(name, versions)| {
            format!(
                "{SHIPPED} holds {name} more than once: {}",
                versions.join(", ")
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "provost v0.1.0 (x)\nserde v1.0.1\ntokio v1.2.3\nserde v1.0.1 (*)\nsyn v2.0.1\nsyn v3.0.1\n";

    #[test]
    fn a_banned_dependency_is_found() {
        let tree = parse("provost", TREE).unwrap();
        let found = banned_in("provost", &[SERVING, DOING], &tree);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("may not know tokio"), "{found:?}");
        assert!(banned_in("provost-llm", &[SERVING], &tree).is_empty());
    }

    #[test]
    fn a_duplicate_is_found() {
        let tree = parse("provost", TREE).unwrap();
        assert_eq!(duplicates(&tree, &[]).len(), 1);
        assert!(duplicates(&tree, &["syn".into()]).is_empty());
    }

    #[test]
    fn an_empty_tree_proves_nothing() {
        assert!(parse("provost", "").is_err());
        assert!(parse("provost", "error: no such package\n").is_err());
        assert!(tree("no-such-package").is_err());
    }
}
