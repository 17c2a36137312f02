//! What a token stream names: macros called and paths used, inside macros too, tests left out.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A name and the line it stands on.
pub(super) type Named = (usize, String);

/// Names of the macros that are called anywhere, tests included.
pub(super) fn macros(stream: TokenStream) -> Vec<Named> {
    let mut found = Vec::new();
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    for (n, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(ident) if is_punct(tokens.get(n + 1), '!') => {
                found.push((ident.span().start().line, ident.to_string()));
            }
            TokenTree::Group(group) => found.extend(macros(group.stream())),
            _ => {}
        }
    }
    found
}

/// Every path that starts with `first`, as `std::fs::read`; groups in `use` are expanded, a glob is `*`.
/// Items under `#[cfg(test)]` are left out.
pub(super) fn paths(stream: TokenStream, first: &str) -> Vec<Named> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut found = Vec::new();
    let mut n = 0;
    while let Some(token) = tokens.get(n) {
        if is_cfg_test(&tokens, n) {
            n = end_of_item(&tokens, n);
            continue;
        }
        match token {
            TokenTree::Ident(ident) if ident == first => path(&tokens, n, "", &mut found),
            TokenTree::Group(group) => found.extend(paths(group.stream(), first)),
            _ => {}
        }
        n += 1;
    }
    found
}

/// Reads the path that starts at `tokens[at]`.
fn path(tokens: &[TokenTree], at: usize, prefix: &str, found: &mut Vec<Named>) {
    let (line, step) = match tokens.get(at) {
        Some(TokenTree::Ident(ident)) => (ident.span().start().line, ident.to_string()),
        Some(TokenTree::Punct(p)) if p.as_char() == '*' => (p.span().start().line, "*".into()),
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let starts = (0..inner.len()).filter(|n| *n == 0 || is_punct(inner.get(n - 1), ','));
            for start in starts {
                path(&inner, start, prefix, found);
            }
            return;
        }
        _ => return,
    };
    let whole = if prefix.is_empty() {
        step
    } else {
        format!("{prefix}::{step}")
    };
    if is_punct(tokens.get(at + 1), ':') && is_punct(tokens.get(at + 2), ':') {
        path(tokens, at + 3, &whole, found);
    } else {
        found.push((line, whole));
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == wanted)
}

/// Whether `#[cfg(test)]` stands at `tokens[n]`.
fn is_cfg_test(tokens: &[TokenTree], n: usize) -> bool {
    let Some(TokenTree::Group(attribute)) = tokens.get(n + 1) else {
        return false;
    };
    is_punct(tokens.get(n), '#') && attribute.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// Position after the item whose attributes start at `tokens[n]`: after its block or its semicolon.
fn end_of_item(tokens: &[TokenTree], n: usize) -> usize {
    let rest = tokens.iter().enumerate().skip(n);
    let mut ends = rest.filter(|(_, token)| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(p) => p.as_char() == ';',
        _ => false,
    });
    ends.next().map_or(tokens.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: Vec<Named>) -> Vec<String> {
        found.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn paths_are_found_wherever_they_stand() {
        let check = |text: &str, expected: &[&str]| {
            let found = paths(text.parse().unwrap(), "std");
            assert_eq!(names(found), expected, "{text}");
        };
        check("use std::fs;", &["std::fs"]);
        check(
            "use std::{fs, time::{self, Instant}, collections::*};",
            &[
                "std::fs",
                "std::time::self",
                "std::time::Instant",
                "std::collections::*",
            ],
        );
        check("fn f() { ::std::fs::read(p)?; }", &["std::fs::read"]);
        check(
            "fn f() { format!(\"{}\", std::env::var(x)) }",
            &["std::env::var"],
        );
        check("use std as s;", &["std"]);
        check("// std::fs\nfn f() { \"std::fs\" }", &[]);
        check(
            "#[cfg(test)]\nmod tests { use std::fs; } use std::io;",
            &["std::io"],
        );
        check("#[cfg(test)] mod tests; use std::io;", &["std::io"]);
        check("fn f() { let std = 1; nostd::fs() }", &["std"]);
    }

    #[test]
    fn macros_are_found_inside_macros() {
        let found = macros("fn f() { vec![todo!()]; a != b }".parse().unwrap());
        assert_eq!(names(found), ["vec", "todo", "a"]);
    }
}
