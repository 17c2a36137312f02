//! Rules for Rust sources: sizes, module docs, unfinished code, and the engine's "no I/O".

use proc_macro2::TokenStream;
use syn::visit::{self, Visit};

use super::{Problem, is_test_file, tokens};

/// Lines that a file may have, and above which it is named as a candidate for a split.
const FILE_LINES: usize = 800;
const FILE_LINES_WARNED: usize = 400;
/// Lines that a function may have, from its signature to its closing brace.
const FUNCTION_LINES: usize = 80;
/// Macros that mark unfinished code.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];
/// Where the engine is.
const ENGINE: &str = "crates/provost/src/";
/// What the engine does not do: I/O, clocks, processes, threads. Whole modules, or single names.
const NOT_IN_ENGINE: [&str; 11] = [
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "std::time::*",
    "std::*",
];

/// Checks one source file.
pub(super) fn check(name: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let lines = text.lines().count();
    if lines > FILE_LINES {
        problems.push(Problem::at(
            0,
            format!("{lines} lines; {FILE_LINES} at most: split it by what it knows"),
        ));
    }
    let (file, stream) = match (syn::parse_file(text), text.parse::<TokenStream>()) {
        (Ok(file), Ok(stream)) => (file, stream),
        _ => {
            problems.push(Problem::at(0, "not Rust"));
            return problems;
        }
    };
    let inner_doc = |a: &syn::Attribute| {
        a.path().is_ident("doc") && matches!(a.style, syn::AttrStyle::Inner(_))
    };
    if !file.attrs.iter().any(inner_doc) {
        problems.push(Problem::at(1, "no `//!` that says what the module is for"));
    }
    for (line, called) in tokens::macros(stream.clone()) {
        if UNFINISHED.contains(&called.as_str()) {
            problems.push(Problem::at(line, format!("unfinished: `{called}!`")));
        }
    }
    if is_test_file(name) {
        return problems;
    }
    let mut functions = Functions::default();
    functions.visit_file(&file);
    problems.extend(functions.problems);
    if name.starts_with(ENGINE) {
        problems.extend(engine(stream));
    }
    problems
}

/// A file that is on its way to being too long.
pub(super) fn warning(name: &str, text: &str) -> Option<String> {
    let tests = text.lines().position(|line| line == "#[cfg(test)]");
    let lines = tests.unwrap_or_else(|| text.lines().count());
    let warned = lines > FILE_LINES_WARNED && !is_test_file(name);
    warned.then(|| {
        format!("{name}: {lines} lines before its tests; about {FILE_LINES_WARNED} is the aim")
    })
}

fn engine(stream: TokenStream) -> Vec<Problem> {
    let used = tokens::paths(stream, "std");
    let banned = used.into_iter().filter(|(_, path)| {
        path == "std"
            || NOT_IN_ENGINE.iter().any(|banned| {
                path.strip_prefix(banned)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            })
    });
    banned
        .map(|(line, path)| Problem::at(line, format!("the engine performs no I/O: `{path}`")))
        .collect()
}

/// Finds functions that are too long; tests left out.
#[derive(Default)]
struct Functions {
    problems: Vec<Problem>,
}

impl Functions {
    fn measure(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let name = &signature.ident;
        let first = signature.fn_token.span.start().line;
        let lines = block.brace_token.span.close().end().line + 1 - first;
        if lines > FUNCTION_LINES {
            let what = format!("fn {name}: {lines} lines; {FUNCTION_LINES} at most");
            self.problems.push(Problem::at(first, what));
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        let cfg_test = |list: &syn::MetaList| list.tokens.to_string() == "test";
        a.path().is_ident("cfg") && a.meta.require_list().is_ok_and(cfg_test)
    })
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        if !is_test(&f.attrs) {
            self.measure(&f.sig, &f.block);
            visit::visit_item_fn(self, f);
        }
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        self.measure(&f.sig, &f.block);
        visit::visit_impl_item_fn(self, f);
    }

    fn visit_trait_item_fn(&mut self, f: &'ast syn::TraitItemFn) {
        if let Some(block) = &f.default {
            self.measure(&f.sig, block);
        }
        visit::visit_trait_item_fn(self, f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTSIDE: &str = "crates/provost-cli/src/x.rs";
    const INSIDE: &str = "crates/provost/src/x.rs";

    fn check_file(name: &str, text: &str, expected: &[(usize, &str)]) {
        let found = check(name, text);
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (problem, (line, part)) in found.iter().zip(expected) {
            assert_eq!(problem.line, *line, "{problem:?}");
            assert!(problem.what.contains(part), "{problem:?}");
        }
    }

    #[test]
    fn a_module_says_what_it_is_for() {
        check_file(OUTSIDE, "//! This.\nfn f() {}\n", &[]);
        check_file(OUTSIDE, "// This.\nfn f() {}\n", &[(1, "`//!`")]);
        check_file(OUTSIDE, "/// This.\nfn f() {}\n", &[(1, "`//!`")]);
        check_file(OUTSIDE, "//! This.\nfn f( {}\n", &[(0, "not Rust")]);
    }

    #[test]
    fn files_and_functions_have_a_size() {
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
        let file = |lines: usize| format!("//! This.\n{}", function(lines));
        check_file(OUTSIDE, &file(80), &[]);
        check_file(OUTSIDE, &file(81), &[(2, "fn f: 81 lines")]);
        let inside = |header: &str| format!("//! This.\n{header} {{\n{}}}\n", function(81));
        check_file(OUTSIDE, &inside("impl X"), &[(3, "fn f")]);
        check_file(OUTSIDE, &inside("trait X"), &[(3, "fn f")]);
        check_file(OUTSIDE, &inside("mod x"), &[(3, "fn f")]);
        check_file(OUTSIDE, &inside("#[cfg(test)] mod tests"), &[]);
        check_file("crates/provost/tests/x.rs", &file(81), &[]);
        let long = |lines: usize| format!("//! This.\n{}", "// x\n".repeat(lines - 1));
        check_file(OUTSIDE, &long(800), &[]);
        check_file(OUTSIDE, &long(801), &[(0, "801 lines")]);
        assert_eq!(warning(OUTSIDE, &long(400)), None);
        assert!(warning(OUTSIDE, &long(401)).is_some());
        let with_tests = long(300) + "#[cfg(test)]\nmod tests {\n" + &long(300) + "}\n";
        assert_eq!(warning(OUTSIDE, &with_tests), None);
    }

    #[test]
    fn unfinished_code_is_found_in_tests_too() {
        for called in UNFINISHED {
            let text =
                format!("//! This.\n#[cfg(test)]\nmod t {{ fn f() {{ vec![{called}!()] }} }}\n");
            check_file(OUTSIDE, &text, &[(3, called)]);
        }
        check_file(OUTSIDE, "//! todo!\n// dbg!(x)\nfn todo() {}\n", &[]);
    }

    #[test]
    fn the_engine_performs_no_io() {
        let banned = [
            "use std::fs;",
            "use std::{sync::Arc, net::TcpStream};",
            "fn f() { std::process::exit(1) }",
            "fn f() { vec![std::env::args()] }",
            "use std::time::{Duration, Instant};",
            "fn f() { std::time::SystemTime::now() }",
            "fn f() { std::thread::spawn(g) }",
            "use std::time::*;",
            "use std::*;",
            "use std as s;",
        ];
        for line in banned {
            let text = format!("//! This.\n{line}\n");
            check_file(INSIDE, &text, &[(2, "no I/O")]);
            check_file(OUTSIDE, &text, &[]);
        }
        let fine = "//! This.\nuse std::{sync::Arc, time::Duration, collections::HashMap};\n\
                    #[cfg(test)]\nmod tests { use std::fs; }\n";
        check_file(INSIDE, fine, &[]);
    }
}
