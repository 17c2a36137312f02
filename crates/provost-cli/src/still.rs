//! Still pages: they hold no script, and load nothing. Everything that comes from runs may be an attacker's words: it is
//! escaped, and what hides or reorders text is spelled out.

use provost_bench::report::plain;

use crate::report::hash;

/// The page up to its contents, with this title and nothing but this style.
pub(crate) fn opening(title: &str, style: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; \
         form-action 'none'; style-src 'sha256-{}'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>{style}</style>\n</head>\n<body>\n<main>\n",
        hash(style),
        escaped(title)
    )
}

/// The page from its contents on.
pub(crate) const CLOSING: &str = "</main>\n</body>\n</html>\n";

/// Text, as it may stand in an element or in a quoted attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}
