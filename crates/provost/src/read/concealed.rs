//! Characters that a person looking at the text does not see: zero-width and bidirectional controls, tag characters,
//! runs of variation selectors.
//!
//! Uses that scripts and emoji need stay text: joiners between letters of joining scripts or pictographs, direction
//! marks beside right-to-left letters, one variation selector after its base, the tag sequence of a flag, and a byte
//! order mark at the very start.

use std::ops::Range;

/// Longest tag sequence that still is a flag (Unicode UTS #51: region subdivisions have up to six letters and digits).
const MAX_FLAG_TAGS: usize = 6;

/// Ranges of concealed characters in `text`, ascending, adjacent ones merged.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    if text.is_ascii() || !text.bytes().any(|b| matches!(b, 0xE1 | 0xE2 | 0xEF | 0xF3)) {
        return out;
    }
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|&(_, n)| n);
        if is_flag_base(c) {
            let tags = flag_tags(&text[at + c.len_utf8()..]);
            for _ in 0..tags {
                chars.next();
            }
            before = Some(c);
            continue;
        }
        if conceals(c, before, after, at) {
            let end = at + c.len_utf8();
            match out.last_mut() {
                Some(last) if last.end == at => last.end = end,
                _ => out.push(at..end),
            }
        }
        before = Some(c);
    }
    out
}

/// What a run of concealed characters says: tag characters spell ASCII, variation selectors spell bytes.
pub(super) fn spelled(run: &str) -> Option<Box<str>> {
    let mut said = Vec::new();
    for c in run.chars() {
        match c as u32 {
            v @ 0xE0020..=0xE007E => said.push((v - 0xE0000) as u8),
            v @ 0xFE00..=0xFE0F => said.push((v - 0xFE00) as u8),
            v @ 0xE0100..=0xE01EF => said.push((v - 0xE0100 + 16) as u8),
            _ => {}
        }
    }
    let said = String::from_utf8(said).ok()?;
    (!said.is_empty()).then(|| said.into())
}

fn conceals(c: char, before: Option<char>, after: Option<char>, at: usize) -> bool {
    match c as u32 {
        // Byte order mark; elsewhere a zero-width no-break space.
        0xFEFF => at != 0,
        0x200C | 0x200D => !(before.is_some_and(joins) && after.is_some_and(joins)),
        0x200E | 0x200F | 0x061C => !(before.is_some_and(is_rtl) || after.is_some_and(is_rtl)),
        0x200B | 0x180E | 0x2060..=0x2064 | 0x202A..=0x202E | 0x2066..=0x206F => true,
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF => {
            before.is_none_or(|b| is_selector(b) || b.is_whitespace())
        }
        0xE0000..=0xE007F => true,
        _ => false,
    }
}

/// Letters and signs between which a joiner changes what is seen: joining and Indic scripts, pictographs.
fn joins(c: char) -> bool {
    matches!(c as u32,
        0x0600..=0x08FF | 0x0900..=0x0DFF | 0x0F00..=0x109F | 0x1780..=0x18AF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC
        | 0x2190..=0x2BFF | 0x1F000..=0x1FAFF | 0xFE0F)
}

fn is_rtl(c: char) -> bool {
    matches!(c as u32, 0x0590..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFC | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF)
}

fn is_selector(c: char) -> bool {
    matches!(c as u32, 0xFE00..=0xFE0F | 0xE0100..=0xE01EF)
}

fn is_flag_base(c: char) -> bool {
    c == '\u{1F3F4}'
}

/// Number of characters of the tag sequence at the start of `rest`, with its terminator; 0 when it is not a flag's.
fn flag_tags(rest: &str) -> usize {
    let tags = rest
        .chars()
        .take(MAX_FLAG_TAGS + 1)
        .take_while(|&c| matches!(c as u32, 0xE0030..=0xE0039 | 0xE0061..=0xE007A))
        .count();
    let ended = rest.chars().nth(tags) == Some('\u{E007F}');
    if ended && (1..=MAX_FLAG_TAGS).contains(&tags) {
        tags + 1
    } else {
        0
    }
}
