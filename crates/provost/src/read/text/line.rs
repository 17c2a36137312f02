//! What a single line of text looks like, before its neighbours are asked.

use std::ops::Range;

use super::super::sentence;

/// A line: where its text is, without white space at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Start of the line.
    pub(super) start: usize,
    /// Start of its text; equal to `end` when it is blank.
    pub(super) text: usize,
    /// End of its text.
    pub(super) end: usize,
}

impl Line {
    /// Whether it holds white space only.
    pub(super) fn is_blank(&self) -> bool {
        self.text == self.end
    }

    /// White space before its text, in bytes.
    pub(super) fn indent(&self) -> usize {
        self.text - self.start
    }

    /// Its text.
    pub(super) fn of<'a>(&self, src: &'a str) -> &'a str {
        src.get(self.text..self.end).unwrap_or("")
    }
}

/// The lines of a text.
pub(super) fn lines(src: &str) -> Vec<Line> {
    let mut out = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', src.as_bytes()).chain([src.len()]) {
        let line = &src[start..end];
        let text = line.trim_start();
        let at = start + line.len() - text.len();
        out.push(Line {
            start,
            text: at,
            end: at + text.trim_end().len(),
        });
        start = end + 1;
    }
    out
}

/// What opens an item of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A bullet.
    Bullet,
    /// A number or letter and its position; items of one list count up.
    Number(u32),
    /// The last number of a section number such as `3.1`.
    Section(u32),
}

/// The list marker at the start of a line, and its length with the white space after it.
pub(super) fn mark(line: &str) -> Option<(Mark, usize)> {
    let first = line.chars().next()?;
    let (mark, len) = match first {
        '-' | '*' | '+' | '•' | '–' | '·' | '▪' | '◦' | '‣' | '●' | '○' => {
            (Mark::Bullet, first.len_utf8())
        }
        '0'..='9' => number(line)?,
        '(' => {
            let (mark, len) = enumerator(&line[1..])?;
            (mark, len + 1)
        }
        'a'..='z' => enumerator(line)?,
        _ => return None,
    };
    let rest = &line[len..];
    let text = rest.trim_start();
    (rest.len() > text.len() && !text.is_empty()).then(|| (mark, line.len() - text.len()))
}

/// `a)`, `a.`, `12)`: a letter or number that ends in a bracket or full stop.
fn enumerator(line: &str) -> Option<(Mark, usize)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (value, len) = match line.bytes().next()? {
        b @ b'a'..=b'z' => (u32::from(b - b'a') + 1, 1),
        _ if (1..=3).contains(&digits) => (line[..digits].parse().ok()?, digits),
        _ => return None,
    };
    line[len..]
        .starts_with([')', '.'])
        .then_some((Mark::Number(value), len + 1))
}

/// `12.`, `12)`, `3.1`, `3.1.`, or a number set off by two spaces.
fn number(line: &str) -> Option<(Mark, usize)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 3 {
        return None;
    }
    let rest = &line[digits..];
    let value = line[..digits].parse().ok()?;
    if rest.starts_with("  ") || rest.starts_with('\t') {
        return Some((Mark::Number(value), digits));
    }
    if rest.starts_with(')') || rest.starts_with(". ") || rest.starts_with(".\t") {
        return Some((Mark::Number(value), digits + 1));
    }
    // A section number: `3.1`, `2.4.1`.
    let len = line
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    let whole = line[..len].trim_end_matches('.');
    let last = whole.rsplit('.').next()?.parse().ok()?;
    let parts = whole
        .split('.')
        .filter(|p| (1..=2).contains(&p.len()))
        .count();
    (parts >= 2 && parts == whole.split('.').count() && len <= 12)
        .then_some((Mark::Section(last), len))
}

/// The level of a Markdown heading and the range of its text within the line.
pub(super) fn heading(line: &str) -> Option<(usize, Range<usize>)> {
    let level = line.bytes().take_while(|&b| b == b'#').count();
    let rest = line.get(level..)?;
    if !(1..=6).contains(&level) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = rest.trim();
    let text = text.trim_end_matches('#').trim_end();
    let start = line.len() - rest.trim_start().len();
    (!text.is_empty()).then(|| (level, start..start + text.len()))
}

/// Whether a line only separates: at least three signs, or `--`, and no letter or digit.
pub(super) fn is_rule(line: &str) -> bool {
    let Some(first) = line.chars().next().filter(|c| !c.is_alphanumeric()) else {
        return false;
    };
    let count = line.chars().count();
    let same = line.chars().filter(|&c| c == first).count();
    let long = count >= 3 && (same * 2 > count || count > 8) || matches!(line, "--" | "==" | "__");
    long && line.chars().all(|c| !c.is_alphanumeric())
}

/// The title of a separator line such as `--- 2 ---` or `===== Part two =====`.
pub(super) fn titled_rule(line: &str) -> Option<&str> {
    let sign = line.chars().next().filter(|c| "-=*_~#+".contains(*c))?;
    let title = line.trim_start_matches(sign);
    let inner = title.trim_end_matches(sign);
    let (before, after) = (line.len() - title.len(), title.len() - inner.len());
    let title = inner.trim();
    (before >= 2 && after >= 2 && !title.is_empty() && title.len() <= 60).then_some(title)
}

/// A label: the range of its words, and the offset of what it labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The words, without emphasis marks.
    pub(super) key: Range<usize>,
    /// Where the value starts.
    pub(super) value: usize,
}

/// Most words of a label.
const LABEL_WORDS: usize = 7;

/// Most bytes of a label.
const LABEL_BYTES: usize = 64;

/// The label of a `Label: value` line; the value may be empty.
pub(super) fn label(line: &str) -> Option<Label> {
    let emphasis = line.len() - line.trim_start_matches(['*', '_']).len();
    if emphasis > 3 {
        return None;
    }
    let head = prefix(line, LABEL_BYTES + 8);
    let colon = colon(head)?;
    let sign = head[colon..].chars().next()?.len_utf8();
    let after = line[colon + sign..].trim_start_matches(['*', '_']);
    let closed = line.len() - after.len();
    let spaced = after.is_empty() || after.starts_with([' ', '\t']) || sign > 1;
    if !spaced || (emphasis == 0 && closed > colon + sign) {
        return None;
    }
    let words = head[emphasis..colon].trim_end_matches(['*', '_']).trim();
    let start = emphasis + (head[emphasis..colon].len() - head[emphasis..colon].trim_start().len());
    let key = start..start + words.len();
    let value = line.len() - after.trim_start().len();
    is_label(words, &line[value..]).then_some(Label { key, value })
}

/// The first colon of a text, ASCII or wide.
fn colon(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let ascii = memchr::memchr(b':', bytes);
    let before = ascii.unwrap_or(text.len());
    match memchr::memchr(0xEF, &bytes[..before]) {
        Some(_) => text[..before].find('：').or(ascii),
        None => ascii,
    }
}

/// Whether words before a colon are plausibly a label of the text after it, rather than half a sentence.
fn is_label(words: &str, value: &str) -> bool {
    if !words.starts_with(char::is_alphanumeric) || words.len() > LABEL_BYTES {
        return false;
    }
    let count = words.split_whitespace().count();
    if count > LABEL_WORDS
        || words.contains([
            ',', ';', '!', '?', '"', '“', '”', '„', '|', '=', '<', '>', '。', '、', '`', '[',
        ])
    {
        return false;
    }
    // A full stop only where it abbreviates: `Ref. no.`, `Tel.`
    let abbreviated = words.split('.').rev().skip(1).all(|part| {
        let word = part.rsplit(char::is_whitespace).next().unwrap_or("");
        (1..=4).contains(&word.chars().count())
    });
    let balanced = words.matches('(').count() == words.matches(')').count();
    let laid_out = words.contains("**") || words.contains("  ") || words.contains('\t');
    let wide = words.chars().filter(|c| !c.is_ascii()).count() > 16 && count < 2;
    abbreviated && !wide && balanced && !laid_out && (count < 3 || !sentence::is_prose(value))
}

/// The cells of a line that is laid out in columns: parts set apart by tabs, two or more spaces, or dot leaders.
/// Fewer than two when it is not laid out so.
pub(super) fn cells(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut out = Vec::new();
    let mut start = 0;
    for at in memchr::memchr2_iter(b' ', b'\t', bytes) {
        if at < start {
            continue;
        }
        let Some(gap) = gap_len(&bytes[at..]) else {
            continue;
        };
        if at > start {
            out.push(start..at);
        }
        start = at + gap;
    }
    if start > 0 && start < bytes.len() {
        out.push(start..bytes.len());
    }
    out
}

/// Length of the gap between cells at the start of `bytes`.
fn gap_len(bytes: &[u8]) -> Option<usize> {
    match (bytes.first()?, bytes.get(1)) {
        (b' ', Some(b' ' | b'\t' | b'.' | b'_' | b'-')) | (b'\t', _) => {}
        _ => return None,
    }
    let blanks = bytes
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let signs = bytes[blanks..]
        .iter()
        .take_while(|&&b| b == b'.' || b == b'_' || b == b'-')
        .count();
    let leader = if signs >= 4 { signs } else { 0 };
    let after = bytes[blanks + leader..]
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let wide = blanks >= 2 || leader > 0 || bytes[..blanks].contains(&b'\t');
    wide.then_some(blanks + leader + after)
}

/// Whether cells are a label with what it labels, or a row, rather than sentences set apart by spaces.
pub(super) fn is_row(line: &str, cells: &[Range<usize>]) -> bool {
    let Some(first) = cells.first().filter(|_| cells.len() > 1) else {
        return false;
    };
    let first = line[first.clone()].trim();
    let words = first.split_whitespace().count();
    // A full stop only after an initial or the like.
    let last = first.rsplit(char::is_whitespace).next().unwrap_or("");
    let stopped = first.ends_with('.') && (words > 4 || last.chars().count() > 4);
    first.contains(char::is_alphanumeric)
        && words <= 7
        && first.len() <= 80
        && !stopped
        && !first.ends_with([',', ';', '!', '?', ':', '…', '。'])
        && cells[1..].iter().any(|c| c.len() <= 60)
}

/// Who speaks, on a line of a chat or of notes: `[08:14] Ann: hello`, `#3 bob (10:05): hello`, `[12 May, Ann] hello`.
pub(super) fn speaker(line: &str) -> Option<Label> {
    let time = match line.as_bytes().first()? {
        b'[' => {
            let close = line.bytes().take(60).position(|b| b == b']')?;
            let inner = &line[1..close];
            if !inner.contains(|c: char| c.is_ascii_digit()) {
                return None;
            }
            let rest = line[close + 1..].trim_start();
            if inner.contains(char::is_alphabetic) {
                let label = Label {
                    key: 1..close,
                    value: line.len() - rest.len(),
                };
                return (!rest.is_empty() && rest.len() < line.len() - close - 1).then_some(label);
            }
            close + 1
        }
        b'#' => {
            1 + line[1..]
                .bytes()
                .take(6)
                .take_while(u8::is_ascii_digit)
                .count()
        }
        b'0'..=b'9' => clock(line)?,
        _ => return None,
    };
    let rest = line.get(time..)?;
    if time < 2 || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let head = prefix(rest, 90);
    let colon = head.find(": ")?;
    let name = rest[..colon].trim();
    let sentence = name
        .as_bytes()
        .windows(2)
        .any(|w| matches!(w, [b'!' | b'?', b' ']));
    let plausible = name.starts_with(char::is_alphanumeric)
        && name.split_whitespace().count() <= 10
        && !sentence;
    let start = line.len() - rest.trim_start().len();
    plausible.then(|| Label {
        key: start..start + name.len(),
        value: line.len() - rest[colon + 1..].trim_start().len(),
    })
}

/// At most `len` bytes from the start of a text, to a character boundary.
fn prefix(text: &str, len: usize) -> &str {
    let mut len = text.len().min(len);
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    &text[..len]
}

/// The time stamp of a line of a log, set off by two spaces: `2026-03-11 19:55 (in)  Hello`.
pub(super) fn stamp(line: &str) -> Option<Label> {
    let head = prefix(line, 40);
    let gap = head.find("  ").or_else(|| head.find('\t'))?;
    let stamp = &line[..gap];
    let value = line.len() - line[gap..].trim_start().len();
    let date = stamp.split([' ', 'T']).next().is_some_and(|d| {
        let digits = d.bytes().filter(u8::is_ascii_digit).count();
        (3..=8).contains(&digits)
            && d.len() <= 10
            && d.contains(['-', '.', '/', ':'])
            && d.bytes()
                .all(|b| b.is_ascii_digit() || b"-./:".contains(&b))
    });
    let prose =
        value < line.len() && sentence::is_prose(&line[value..]) && cells(&line[value..]).len() < 2;
    (date && prose).then_some(Label { key: 0..gap, value })
}

/// The `key: value` parts of a line that is a whole record, such as `id: M03, name: Hof Jansen, status: active`.
pub(super) fn record(line: &str) -> Vec<Range<usize>> {
    let Some(sign) = [", ", "; ", " | "].into_iter().find(|s| line.contains(s)) else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for part in line.split(sign) {
        let range = start..start + part.len();
        start = range.end + sign.len();
        let labelled = label(part)
            .is_some_and(|l| l.value < part.len() && part[l.key].split_whitespace().count() <= 3);
        if !labelled {
            return Vec::new();
        }
        parts.push(range);
    }
    if parts.len() > 2 { parts } else { Vec::new() }
}

/// Length of what stands before the text of a line without being part of it: quotation marks of mail and Markdown,
/// the box of a task.
pub(super) fn lead(line: &str) -> usize {
    let text = line.trim_start_matches(['>', ' ']);
    let quote = if line.starts_with('>') {
        line.len() - text.len()
    } else {
        0
    };
    let rest = &line[quote..];
    let boxed = ["[ ] ", "[x] ", "[X] ", "☐ ", "☑ ", "☒ "]
        .iter()
        .find(|b| rest.starts_with(**b))
        .map_or(0, |b| b.len());
    let lead = quote + boxed;
    if lead < line.len() { lead } else { 0 }
}

/// Length of the time of day at the start of a line.
fn clock(line: &str) -> Option<usize> {
    let b = line.as_bytes();
    let hours = b.iter().take(2).take_while(|b| b.is_ascii_digit()).count();
    let minutes = b.get(hours + 1..hours + 3)?.iter().all(u8::is_ascii_digit);
    (hours > 0 && matches!(b.get(hours), Some(b':' | b'.')) && minutes).then_some(hours + 3)
}
