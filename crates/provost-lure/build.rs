//! Embeds the data: a list of all files below `data/`, with their texts.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=data");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("data");
    let mut list = String::from("&[\n");
    for folder in sorted(&root)? {
        for file in sorted(&folder)? {
            let name = file.strip_prefix(&root).map_err(io::Error::other)?;
            let name = name.to_string_lossy().replace('\\', "/");
            writeln!(list, "    ({name:?}, include_str!({file:?})),").map_err(io::Error::other)?;
        }
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("files.rs"), list)
}

/// What a folder holds, by name; nothing where it is a file.
fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.map(|e| Ok(e?.path())).collect();
    let mut entries = entries?;
    entries.retain(|path| path.is_dir() || path.extension().is_some_and(|e| e == "toml"));
    entries.sort();
    Ok(entries)
}
