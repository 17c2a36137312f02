//! YAML flow collections: `[a, b]`, `{k: v}`.

use super::super::Seg;
use super::super::decode::Decoded;
use super::super::sink::{Sink, Trail, trim};
use super::{ends_key, scalar};

/// Reads the flow collection that starts at `at`; the offset after it. `None`, with nothing put, when it is none.
pub(super) fn read(src: &str, at: usize, trail: &mut Trail, sink: &mut Sink<'_>) -> Option<usize> {
    let mut events = Vec::new();
    let end = scan(src, at, &mut events)?;
    for event in &events {
        match event {
            Event::Key(key) => {
                trail.push(Seg::Key((&*key.text).into()));
                let path = trail.path();
                sink.key(key, &path);
            }
            Event::Index(i) => trail.push(Seg::Index(*i)),
            Event::Leaf(text) => {
                let path = trail.path();
                sink.leaf(text, &path);
            }
            Event::Leave => trail.pop(),
        }
    }
    Some(end)
}

enum Event<'a> {
    Key(Decoded<'a>),
    Index(u32),
    Leaf(Decoded<'a>),
    Leave,
}

struct Frame {
    close: u8,
    index: u32,
    /// Whether an entry is entered.
    inside: bool,
    /// Whether the entry has its value.
    filled: bool,
}

/// Lists what a flow collection holds, without recursion; the offset after it.
fn scan<'a>(src: &'a str, start: usize, events: &mut Vec<Event<'a>>) -> Option<usize> {
    let bytes = src.as_bytes();
    let mut frames: Vec<Frame> = Vec::new();
    let mut at = start;
    loop {
        let rest = &src[at..];
        at += rest.len() - rest.trim_start().len();
        let b = *bytes.get(at)?;
        if let Some(f) = frames.last_mut() {
            if b == b',' || b == f.close {
                if std::mem::take(&mut f.inside) {
                    events.push(Event::Leave);
                }
                f.filled = false;
                at += 1;
                if b == b',' {
                    continue;
                }
                frames.pop();
                match frames.last_mut() {
                    Some(outer) => outer.filled = true,
                    None => return Some(at),
                }
                continue;
            }
            if f.filled {
                return None;
            }
            if !f.inside {
                f.inside = true;
                if f.close == b']' {
                    events.push(Event::Index(f.index));
                    f.index = f.index.saturating_add(1);
                } else {
                    let (key, end) = word(src, at)?;
                    let colon = end + src[end..].len() - src[end..].trim_start().len();
                    if bytes.get(colon) != Some(&b':') {
                        return None;
                    }
                    events.push(Event::Key(key));
                    at = colon + 1;
                    continue;
                }
            }
        }
        match b {
            b'[' | b'{' => {
                frames.push(Frame {
                    close: if b == b'[' { b']' } else { b'}' },
                    index: 0,
                    inside: false,
                    filled: false,
                });
                at += 1;
            }
            _ => {
                let (text, end) = word(src, at)?;
                events.push(Event::Leaf(text));
                frames.last_mut()?.filled = true;
                at = end;
            }
        }
    }
}

/// Reads a quoted or plain word.
fn word(src: &str, at: usize) -> Option<(Decoded<'_>, usize)> {
    if src[at..].starts_with(['"', '\'']) {
        return scalar::quoted(src, at, src.len());
    }
    let rest = &src[at..];
    let len = rest
        .find([',', '[', ']', '{', '}', '\n', ':'])
        .map(|first| {
            // A colon within a word, as in a time, does not end it.
            let mut len = first;
            while rest[len..].starts_with(':') && !ends_flow_key(&rest[len..]) {
                let more = &rest[len + 1..];
                len += 1 + more
                    .find([',', '[', ']', '{', '}', '\n', ':'])
                    .unwrap_or(more.len());
            }
            len
        })?;
    let range = trim(src, at..at + len);
    (!range.is_empty()).then(|| (Decoded::verbatim(src, range), at + len))
}

fn ends_flow_key(rest: &str) -> bool {
    ends_key(rest) || rest[1..].starts_with([',', '[', ']', '{', '}', '"', '\''])
}
