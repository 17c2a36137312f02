//! Rules for any text file: no path of one machine, no registry but the usual one.

use super::Problem;
use crate::workspace;

/// Paths that exist on one machine only. Split so that this file does not hold them.
const MACHINE_PATHS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/fa", "rm/")];

/// Hosts of package registries and their mirrors. Split for the same reason.
const REGISTRY_HOSTS: [&str; 7] = [
    concat!("artif", "actory"),
    concat!("index.cr", "ates.io"),
    concat!("static.cr", "ates.io"),
    concat!("registry.npm", "js.org"),
    concat!("py", "pi.org"),
    concat!("files.python", "hosted.org"),
    concat!("deb.deb", "ian.org"),
];

/// The one source that `Cargo.lock` may name.
const LOCK_SOURCE: &str = r#"source = "registry+https://github.com/rust-lang/crates.io-index""#;

/// Checks one file.
pub(super) fn check(name: &str, text: &str) -> Vec<Problem> {
    let root = workspace::root().display().to_string();
    let mut problems = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut problem = |what: String| problems.push(Problem::at(n + 1, what));
        for path in MACHINE_PATHS.into_iter().chain([root.as_str()]) {
            if line.contains(path) {
                problem(format!("names a path of one machine (`{path}`)"));
                break;
            }
        }
        for host in REGISTRY_HOSTS {
            if line.contains(host) {
                problem(format!("names a registry host (`{host}`)"));
            }
        }
        if name.ends_with("Cargo.lock") && line.starts_with("source =") && line != LOCK_SOURCE {
            problem("a dependency from elsewhere than crates.io".into());
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_lines(name: &str, text: &str, expected: &[usize]) {
        let lines: Vec<usize> = check(name, text).iter().map(|p| p.line).collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn machine_paths_and_registries_are_found() {
        check_lines("a.md", "fine\n/usr/lib and ./work and homework/x\n", &[]);
        check_lines("a.md", &format!("x\ncd {}x\n", MACHINE_PATHS[0]), &[2]);
        let root = workspace::root().display();
        check_lines("a.md", &format!("see {root}/README.md"), &[1]);
        check_lines("a.md", &format!("https://{}/x", REGISTRY_HOSTS[4]), &[1]);
    }

    #[test]
    fn a_lock_file_names_one_source() {
        check_lines("Cargo.lock", LOCK_SOURCE, &[]);
        check_lines("fuzz/Cargo.lock", "source = \"git+https://x.org/y\"", &[1]);
        check_lines("other.txt", "source = \"git+https://x.org/y\"", &[]);
    }
}
