//! Validates the files in the crate's `data/` folder, as they are on disk: for authors of tasks, who need not build
//! anything else. Names of environments and tasks (`banking`, `banking/03`) restrict it.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use provost_lure::Library;
use provost_lure::validate::{Part, validate};

fn main() -> io::Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut files = Vec::new();
    for folder in fs::read_dir(&root)? {
        for file in fs::read_dir(folder?.path())? {
            let path = file?.path();
            let name = path.strip_prefix(&root).map_err(io::Error::other)?;
            let name = name.to_string_lossy().replace('\\', "/");
            if name.ends_with(".toml") {
                files.push((name, fs::read_to_string(&path)?));
            }
        }
    }
    let mut parts = Vec::new();
    for name in env::args().skip(1) {
        let part = Part::from_name(&name);
        parts.push(part.ok_or_else(|| io::Error::other(format!("there is no {name}")))?);
    }
    let files = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    let (library, unread) = Library::read(files);
    let report = validate(&library, unread, &parts);
    for problem in &report.problems {
        println!("{problem}");
    }
    println!(
        "{}{} of {} samples hold",
        report.counts, report.sound, report.samples
    );
    Ok(ExitCode::from(u8::from(!report.is_sound())))
}
