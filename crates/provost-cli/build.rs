//! A digest of what decides what comes of a benchmark's run: the sources of the engine, of the readers of stored runs, of the bench
//! and of AgentLure, the policies, and the versions of all dependencies. Results say by which they were made.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Files and folders, from the root of the workspace.
const PARTS: [&str; 8] = [
    "Cargo.lock",
    "crates/provost/src",
    "crates/provost-bench/sidecar",
    "crates/provost-bench/src",
    "crates/provost-llm/src",
    "crates/provost-lure/data",
    "crates/provost-lure/src",
    "policies",
];

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = own.join("../..");
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    for part in PARTS {
        println!("cargo::rerun-if-changed=../../{part}");
        digest.all(&root, &root.join(part))?;
    }
    println!("cargo::rustc-env=PROVOST_SOURCES={:016x}", digest.0);
    Ok(())
}

/// FNV-1a, 64 bits.
struct Digest(u64);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// A file, or all below a folder, by name. What editors hide there is no source.
    fn all(&mut self, root: &Path, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            let entries: io::Result<Vec<_>> = fs::read_dir(path)?.map(|e| Ok(e?.path())).collect();
            let mut entries = entries?;
            entries.sort();
            let hidden = |p: &Path| {
                p.file_name()
                    .is_some_and(|n| n.to_string_lossy().starts_with('.'))
            };
            return entries
                .iter()
                .filter(|p| !hidden(p))
                .try_for_each(|p| self.all(root, p));
        }
        let name = path.strip_prefix(root).map_err(io::Error::other)?;
        self.add(name.to_string_lossy().replace('\\', "/").as_bytes());
        self.add(&fs::read(path)?);
        Ok(())
    }
}
