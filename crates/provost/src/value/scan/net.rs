//! Mail addresses, URLs, hosts, file paths and file names.

use super::token::{Case, Tok};
use super::{Kind, Scan};
use crate::value::text::{is_cjk, normal};

impl Scan<'_> {
    /// A URL with a scheme, a mail address, or a drive path, that starts with lexeme `i..end`.
    pub(super) fn address(&mut self, i: usize, end: usize) -> Option<usize> {
        if self.is(end, b':') && self.is(end + 1, b'/') && self.is(end + 2, b'/') {
            return self.url(i, end + 3);
        }
        let drive = end == i + 1 && self.str(i).len() == 1 && self.is(end, b':');
        let slash = self.is(end + 1, b'\\') || self.is(end + 1, b'/');
        if drive && slash && self.is_alnum(end + 2) {
            return self.free_path(i);
        }
        if end > i + 1 {
            self.email(i, end)
        } else {
            None
        }
    }

    /// `scheme://rest`; `rest` starts at token `after`.
    fn url(&mut self, i: usize, after: usize) -> Option<usize> {
        if !self.is_word(i) || !self.slice(i, after).is_ascii() {
            return None;
        }
        let from = self.start(after);
        let to = from + url_len(self.text.get(from..)?);
        if to == from {
            return None;
        }
        let end = self.token_at(to, after);
        self.push(Kind::Url, i, end, normal_url(self.slice(i, end)));
        self.push_authority(after, end);
        Some(end)
    }

    /// The host in a URL whose authority starts at token `i`.
    fn push_authority(&mut self, i: usize, end: usize) {
        let rest = self.slice(i, end);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let skipped = authority.rfind('@').map_or(0, |at| at + 1);
        let host = authority.get(skipped..).unwrap_or_default();
        let host = host.split(':').next().unwrap_or_default();
        if host.contains('.') && host.contains(char::is_alphanumeric) {
            let start = self.start(i) + skipped;
            self.atoms.push(super::Atom {
                range: start..start + host.len(),
                kind: Kind::Host,
                norm: host.trim_end_matches('.').to_lowercase().into(),
                alt: None,
            });
        }
    }

    /// `local@domain` somewhere in lexeme `i..end`.
    fn email(&mut self, i: usize, end: usize) -> Option<usize> {
        let at = (i + 1..end).find(|k| self.is(*k, b'@'))?;
        let mut stop = at + 1;
        while stop < end && (self.is_alnum(stop) || self.is(stop, b'.') || self.is(stop, b'-')) {
            stop += 1;
        }
        let domain = self.slice(at + 1, stop);
        let top = domain.rsplit('.').next().unwrap_or_default();
        let letters = top.chars().all(|c| c.is_alphanumeric() || c == '-');
        if !domain.contains('.') || top.len() < 2 || !letters || domain.contains("..") {
            return None;
        }
        self.push(Kind::Email, i, stop, self.slice(i, stop).to_lowercase());
        self.push(Kind::Host, at + 1, stop, domain.to_lowercase());
        Some(stop)
    }

    /// A bare host, a URL without scheme, a path or a file name: lexeme `i..end`.
    pub(super) fn path(&mut self, i: usize, end: usize) -> Option<usize> {
        let text = self.slice(i, end);
        let slash = text.find(['/', '\\']);
        let head = text.get(..slash.unwrap_or(text.len()))?;
        let port = self.is(end, b':') && self.num(end + 1).is_some_and(|d| d.len <= 5);
        let url_follows = text.as_bytes().get(slash.unwrap_or(usize::MAX)) == Some(&b'/')
            || slash.is_none() && (self.is(end, b'/') || self.is(end, b'?') || port);
        let backslash = text.as_bytes().get(head.len()) == Some(&b'\\');
        if !backslash && is_host(head, slash.is_some()) {
            if url_follows {
                return self.bare_url(i);
            }
            self.push(Kind::Host, i, end, text.to_lowercase());
            return Some(end);
        }
        let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
        let extension = name
            .rsplit_once('.')
            .filter(|(stem, _)| !stem.is_empty())
            .map(|(_, e)| e);
        let named = extension
            .is_some_and(|e| is_extension(e) || slash.is_some() && looks_like_extension(e));
        let deep =
            text.matches(['/', '\\']).count() >= 2 && text.bytes().any(|b| b.is_ascii_lowercase());
        if named || deep {
            self.push(Kind::Path, i, end, normal_path(text));
            return Some(end);
        }
        None
    }

    /// A URL without scheme that starts at token `i`.
    fn bare_url(&mut self, i: usize) -> Option<usize> {
        let from = self.start(i);
        let to = from + url_len(self.text.get(from..)?);
        let end = self.token_at(to, i);
        let text = self.slice(i, end);
        let norm = normal_url(text);
        let kind = if norm.contains('/') || text.contains([':', '?', '#']) {
            Kind::Url
        } else {
            Kind::Host
        };
        self.push(kind, i, end, norm);
        if kind == Kind::Url {
            self.push_authority(i, end);
        }
        Some(end)
    }

    /// A path that starts with `/`, `./`, `../` or `~/` at token `i`.
    pub(super) fn rooted_path(&mut self, i: usize) -> Option<usize> {
        let free = match self.before(i) {
            Tok::End | Tok::Space | Tok::Break => true,
            Tok::Punct => matches!(
                self.byte(i - 1),
                b'"' | b'\'' | b'`' | b'(' | b'[' | b':' | b'='
            ),
            _ => false,
        };
        let mut j = i;
        while self.is(j, b'.') || self.is(j, b'~') {
            j += 1;
        }
        if !free || j > i + 2 || !self.is(j, b'/') || !self.is_alnum(j + 1) && !self.is(j + 1, b'.')
        {
            return None;
        }
        self.free_path(i)
    }

    /// A path from token `i` up to a space or a closing mark.
    fn free_path(&mut self, i: usize) -> Option<usize> {
        let from = self.start(i);
        let rest = self.text.get(from..)?;
        let stop = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\'' | '`' | '<' | '>' | '|' | ',' | ';' | ')' | ']' | '}'
                )
        };
        let len = rest.find(stop).unwrap_or(rest.len());
        let len = rest
            .get(..len)?
            .trim_end_matches(['.', ':', '!', '?'])
            .len();
        let end = self.token_at(from + len, i);
        let norm = normal_path(self.slice(i, end));
        if !norm.contains(char::is_alphanumeric) {
            return None;
        }
        self.push(Kind::Path, i, end, norm);
        Some(end)
    }

    /// The token that starts at or after byte `to`, from token `from` on.
    fn token_at(&self, to: usize, from: usize) -> usize {
        let mut end = from;
        while end < self.tokens.len() && self.start(end) < to {
            end += 1;
        }
        end
    }

    /// `@name`; `i` is the sign.
    pub(super) fn handle(&mut self, i: usize) -> usize {
        let end = self.lexeme_end(i + 1);
        self.lexeme_end = end;
        self.push(Kind::Name, i, end, normal(self.slice(i + 1, end)));
        end
    }

    /// `#123`, `#general`; `i` is the sign.
    pub(super) fn tagged(&mut self, i: usize) -> usize {
        let end = self.lexeme_end(i + 1);
        self.lexeme_end = end;
        self.push(Kind::Id, i, end, self.slice(i + 1, end).to_lowercase());
        end
    }

    /// Whether word `i` is written in lower case throughout.
    pub(super) fn is_lower(&self, i: usize) -> bool {
        self.tok(i) == Tok::Word(Case::Lower)
    }
}

/// How many bytes of `rest` belong to a URL: up to white space, quotes, brackets or CJK text, less closing marks.
fn url_len(rest: &str) -> usize {
    let cjk_inside = rest.starts_with(is_cjk);
    let stop = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '"' | '<' | '>' | '`' | '{' | '}' | '|' | '\\' | '^')
            || !c.is_ascii() && (!c.is_alphanumeric() || is_cjk(c) && !cjk_inside)
    };
    let text = rest
        .get(..rest.find(stop).unwrap_or(rest.len()))
        .unwrap_or_default();
    let count = |c| text.bytes().filter(|b| *b == c).count();
    let mut extra_round = count(b')').saturating_sub(count(b'('));
    let mut extra_square = count(b']').saturating_sub(count(b'['));
    let mut len = text.len();
    for b in text.bytes().rev() {
        match b {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_' => {}
            b')' if extra_round > 0 => extra_round -= 1,
            b']' if extra_square > 0 => extra_square -= 1,
            _ => break,
        }
        len -= 1;
    }
    len
}

/// Normal form of a URL: without the scheme if it is HTTP(S), host in lower case, no default port, no trailing slash,
/// unreserved characters not percent-encoded (RFC 3986, section 6.2.2).
pub(super) fn normal_url(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let scheme = scheme.to_ascii_lowercase();
    let cut = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(cut);
    let (user, host) = authority
        .rsplit_once('@')
        .map_or(("", authority), |(u, h)| (u, h));
    let host = host.to_lowercase();
    let host = host
        .strip_suffix(":80")
        .or_else(|| host.strip_suffix(":443"))
        .unwrap_or(&host);
    let cut = tail.find(['?', '#']).unwrap_or(tail.len());
    let (path, query) = tail.split_at(cut);
    let mut out = String::with_capacity(url.len());
    if !matches!(scheme.as_str(), "" | "http" | "https") {
        out.extend([scheme.as_str(), "://"]);
    }
    if !user.is_empty() {
        out.extend([user, "@"]);
    }
    out.push_str(host.trim_end_matches('.'));
    push_decoded(&mut out, path.trim_end_matches('/'));
    push_decoded(&mut out, query);
    out
}

/// Pushes text with percent-encoded unreserved characters decoded and other escapes in upper case.
fn push_decoded(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let byte = escape
            .get(1..3)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(b) if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~') => {
                out.push(char::from(b));
                rest = escape.get(3..).unwrap_or_default();
            }
            Some(_) => {
                out.push_str(&escape.get(..3).unwrap_or_default().to_ascii_uppercase());
                rest = escape.get(3..).unwrap_or_default();
            }
            None => {
                out.push('%');
                rest = escape.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
}

/// Normal form of a path: forward slashes, lower case, no leading `./`, no doubled or trailing slash.
pub(super) fn normal_path(path: &str) -> String {
    let slashed = path.replace('\\', "/").to_lowercase();
    let mut out = String::with_capacity(slashed.len());
    if slashed.starts_with('/') {
        out.push('/');
    }
    for part in slashed.split('/').filter(|p| !p.is_empty() && *p != ".") {
        if !(out.is_empty() || out == "/") {
            out.push('/');
        }
        out.push_str(part);
    }
    out
}

/// Whether a text is a host name: labels, the last one a known top-level domain and not a file extension (unless a
/// path follows); or an IPv4 address.
pub(super) fn is_host(text: &str, path_follows: bool) -> bool {
    let labels: Vec<&str> = text.split('.').collect();
    let [.., second, top] = labels[..] else {
        return false;
    };
    if labels.len() == 4 && labels.iter().all(|l| l.parse::<u8>().is_ok()) {
        return true;
    }
    let good = |l: &&str| {
        !l.is_empty() && !l.starts_with('-') && l.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    if !labels.iter().all(good) || labels.len() > 8 {
        return false;
    }
    // "the end.Next": a sentence, not a host.
    let cased =
        top.bytes().any(|b| b.is_ascii_uppercase()) && text.bytes().any(|b| b.is_ascii_lowercase());
    if cased || !top.bytes().all(|b| b.is_ascii_alphabetic()) {
        return false;
    }
    let www = labels
        .first()
        .is_some_and(|l| l.eq_ignore_ascii_case("www"))
        && labels.len() > 2;
    let top = top.to_ascii_lowercase();
    let extension = is_extension(&top) && !path_follows;
    let country = top.len() == 2 && second.len() > 1;
    www || !extension && (country || TOP_LEVEL.contains(&top.as_str()))
}

fn looks_like_extension(text: &str) -> bool {
    (1..=5).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric())
        && !text.bytes().all(|b| b.is_ascii_digit())
}

/// Extensions of files that people and programs pass around.
fn is_extension(text: &str) -> bool {
    (1..=7).contains(&text.len()) && EXTENSIONS.contains(&text.to_ascii_lowercase().as_str())
}

const EXTENSIONS: &[&str] = &[
    "txt", "pdf", "doc", "docx", "odt", "rtf", "md", "tex", "csv", "tsv", "xls", "xlsx", "ods",
    "ppt", "pptx", "odp", "json", "jsonl", "yaml", "yml", "xml", "toml", "ini", "cfg", "conf",
    "env", "log", "html", "htm", "css", "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "tiff",
    "heic", "mp3", "mp4", "wav", "mov", "avi", "mkv", "zip", "gz", "tar", "tgz", "zst", "bz2",
    "xz", "7z", "rar", "py", "rs", "js", "ts", "tsx", "jsx", "java", "c", "h", "cc", "cpp", "hpp",
    "go", "rb", "php", "sh", "bat", "ps1", "exe", "dll", "so", "sql", "db", "sqlite", "bak", "tmp",
    "lock", "eml", "msg", "ics", "vcf", "pem", "key", "crt", "parquet", "ipynb", "patch", "diff",
    "epub", "dwg", "wasm",
];

/// Top-level domains in wide use, and the names reserved for private networks and examples (RFC 2606, RFC 6761).
/// Two-letter ones are country codes and need no list.
const TOP_LEVEL: &[&str] = &[
    "com",
    "net",
    "org",
    "edu",
    "gov",
    "mil",
    "int",
    "info",
    "biz",
    "app",
    "dev",
    "cloud",
    "online",
    "site",
    "shop",
    "store",
    "tech",
    "blog",
    "email",
    "news",
    "agency",
    "digital",
    "group",
    "company",
    "world",
    "life",
    "live",
    "space",
    "xyz",
    "club",
    "pro",
    "name",
    "mobi",
    "travel",
    "jobs",
    "museum",
    "aero",
    "coop",
    "asia",
    "cat",
    "tel",
    "post",
    "london",
    "berlin",
    "paris",
    "tokyo",
    "nyc",
    "amsterdam",
    "hamburg",
    "koeln",
    "wien",
    "law",
    "health",
    "care",
    "finance",
    "bank",
    "money",
    "capital",
    "insurance",
    "energy",
    "solutions",
    "services",
    "systems",
    "software",
    "network",
    "media",
    "studio",
    "design",
    "art",
    "photo",
    "photos",
    "gallery",
    "games",
    "game",
    "fun",
    "top",
    "icu",
    "vip",
    "work",
    "works",
    "team",
    "chat",
    "social",
    "page",
    "pages",
    "link",
    "wiki",
    "zone",
    "one",
    "global",
    "legal",
    "clinic",
    "dental",
    "hotel",
    "restaurant",
    "coffee",
    "bar",
    "pub",
    "house",
    "homes",
    "land",
    "garden",
    "school",
    "academy",
    "university",
    "foundation",
    "church",
    "community",
    "support",
    "help",
    "center",
    "codes",
    "computer",
    "tools",
    "delivery",
    "express",
    "supply",
    "trade",
    "market",
    "sale",
    "auction",
    "bid",
    "cash",
    "credit",
    "tax",
    "fund",
    "ventures",
    "partners",
    "consulting",
    "marketing",
    "press",
    "review",
    "reviews",
    "fit",
    "yoga",
    "run",
    "ngo",
    "ong",
    "eus",
    "gal",
    "bzh",
    "scot",
    "wales",
    "example",
    "test",
    "invalid",
    "local",
    "localhost",
    "internal",
    "corp",
    "home",
    "lan",
    "intranet",
    "onion",
    "arpa",
];
