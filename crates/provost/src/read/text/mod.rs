//! Plain text and Markdown: messages, sections, lists, labels, tables, and the sentences of everything else.
//!
//! One walk over the lines with a stack of what is open. Structure gives paths: a message of a list, an item and a
//! table row are indexes, a heading and a label are keys. What has no such structure is split into sentences.

mod line;
mod message;
mod outline;

use std::ops::Range;

use self::line::{Line, Mark};
use super::decode::Decoded;
use super::sentence::{self, Breaks};
use super::sink::{Sink, Trail};
use super::{Format, Path, Piece, Role, Seg, inline, json, table};

/// Reads `src` as text.
pub(super) fn read(src: &str, base: &Path, depth: u8) -> (Format, Vec<Piece>) {
    let lines = line::lines(src);
    let starts = message::starts(src, &lines);
    let mut walker = Walker {
        src,
        single: lines.iter().filter(|l| !l.is_blank()).take(2).count() < 2,
        lines,
        starts,
        started: 0,
        sink: Sink::with_cuts(src, base, depth, inline::cuts(src)),
        trail: Trail::new(base),
        frames: Vec::new(),
        table: None,
        unfenced: false,
        fresh: true,
        width: sentence::wrap_width(src),
        seen: Seen::default(),
    };
    let mut i = 0;
    while i < walker.lines.len() {
        i = walker.line(i).max(i + 1);
    }
    (walker.seen.format(), walker.sink.finish())
}

/// Reads a run of text from a structured format: its lines with their labels, but no lists, tables or headings.
/// Line breaks are those the format shows.
pub(super) fn read_run(src: &str, base: &Path, depth: u8) -> Vec<Piece> {
    let mut sink = Sink::new(src, base, depth);
    for l in line::lines(src) {
        let text = l.of(src);
        match line::label(text).filter(|n| n.value < text.len()) {
            Some(label) => {
                let mut trail = Trail::new(base);
                trail.push(Seg::Key(text[label.key.clone()].into()));
                let path = trail.path();
                sink.say(
                    l.text + label.key.start..l.text + label.key.end,
                    Role::Key,
                    &path,
                );
                sink.value(l.text + label.value..l.end, &path);
            }
            None => sink.value(l.text..l.end, base),
        }
    }
    sink.finish()
}

/// What a text was seen to hold.
#[derive(Debug, Default)]
struct Seen {
    markdown: bool,
    rows: usize,
    other: usize,
}

impl Seen {
    fn format(&self) -> Format {
        if self.markdown {
            Format::Markdown
        } else if self.rows > self.other {
            Format::Table
        } else {
            Format::Text
        }
    }
}

/// Something open: each frame stands for one step of the trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// A message of a list of messages.
    Message,
    /// A section below a heading of this level.
    Section(usize),
    /// An item of a list.
    Item { indent: usize, mark: Mark },
    /// What stands below a label; `flush` when its items stand at the label's own indent.
    Group { indent: usize, flush: bool },
    /// A line of a chat.
    Chat,
}

/// A table whose rows are being read.
#[derive(Debug)]
enum Table {
    Delimited(table::Style, Vec<Box<str>>),
    Aligned(Vec<Box<str>>),
}

struct Walker<'a> {
    src: &'a str,
    lines: Vec<Line>,
    /// Lines at which messages begin, and how many have begun.
    starts: Vec<usize>,
    started: usize,
    sink: Sink<'a>,
    trail: Trail,
    frames: Vec<Frame>,
    table: Option<Table>,
    /// Whether a fence was found to have no end.
    unfenced: bool,
    /// Whether the line before was blank or a separator.
    fresh: bool,
    /// Whether there is only one line.
    single: bool,
    /// The width at which lines are wrapped, if they are.
    width: Option<usize>,
    seen: Seen,
}

impl<'a> Walker<'a> {
    /// Reads what starts at line `i`; the line after it.
    fn line(&mut self, i: usize) -> usize {
        let mut l = self.lines[i];
        if l.is_blank() {
            self.table = None;
            self.fresh = true;
            return i + 1;
        }
        l.text = l.text.max(self.sink.pos());
        if l.text >= l.end {
            return i + 1;
        }
        let fresh = std::mem::replace(&mut self.fresh, false);
        self.sink.set_item(0);
        if self.starts.get(self.started) == Some(&i) {
            self.started += 1;
            self.close(|_| true);
            self.enter(Frame::Message);
            self.table = None;
            l.text += message::ordinal(l.of(self.src));
        }
        l.text += line::lead(l.of(self.src));
        let text = l.of(self.src);
        if let Some(next) = self.table_row(i, l) {
            self.seen.rows += 1;
            return next;
        }
        if let Some(next) = self.block(i, l, fresh) {
            return next;
        }
        if let Some(next) = self.table_start(i, l) {
            self.seen.rows += 1;
            return next;
        }
        self.seen.other += 1;
        if let Some((mark, len)) = line::mark(text)
            && self.is_item(i, mark)
        {
            self.open_item(l.indent(), mark);
            if let Mark::Number(n) = mark {
                self.sink.set_item(n);
            }
            let item = Line {
                text: l.text + len,
                ..l
            };
            return self.content(i, item, true);
        }
        self.close_for(l.indent(), fresh);
        let speaker = line::speaker(text).or_else(|| line::stamp(text));
        if let Some(speaker) = speaker.filter(|_| self.is_chat(i)) {
            self.close(|f| matches!(f, Frame::Item { .. } | Frame::Group { .. } | Frame::Chat));
            self.enter(Frame::Chat);
            return self.labelled(i, l, &speaker);
        }
        self.content(i, l, false)
    }

    /// Reads blocks that stand apart from running text: separators, fences, headings, JSON on a line.
    fn block(&mut self, i: usize, l: Line, fresh: bool) -> Option<usize> {
        let text = l.of(self.src);
        let first = text.as_bytes().first().copied()?;
        match first {
            b'`' | b'~' => self.fence(i, l),
            b'#' => self.heading(i, l, fresh),
            b'{' | b'[' if text.ends_with(['}', ']']) && text.contains([':', '"', '\'']) => {
                let path = self.trail.path();
                let range = l.text..l.end;
                let pieces = json::read(text, &path, self.sink.depth() + 1)?;
                self.sink.graft(&Decoded::verbatim(self.src, range), pieces);
                Some(i + 1)
            }
            _ if line::is_rule(text) => {
                self.close(|f| matches!(f, Frame::Item { .. } | Frame::Group { .. } | Frame::Chat));
                self.fresh = true;
                Some(i + 1)
            }
            _ => {
                let title = line::titled_rule(text)?;
                self.fresh = true;
                let numbered = self.started > 0 && self.starts.get(self.started - 1) == Some(&i);
                if !numbered {
                    let at = l.text + text.find(title).unwrap_or(0);
                    self.section(1, at..at + title.len());
                }
                Some(i + 1)
            }
        }
    }

    /// Reads a fenced block: its inside is read as what it is.
    fn fence(&mut self, i: usize, l: Line) -> Option<usize> {
        let text = l.of(self.src);
        let sign = text.chars().next()?;
        let len = text.bytes().take_while(|&b| b == sign as u8).count();
        if len < 3 || self.unfenced || text[len..].contains(sign) {
            return None;
        }
        let closes = |l: &Line| {
            let t = l.of(self.src);
            t.len() >= len && t.bytes().all(|b| b == sign as u8)
        };
        let Some(close) = self.lines[i + 1..].iter().position(closes) else {
            self.unfenced = true;
            return None;
        };
        let inside = self.lines[i + 1].start..self.lines[i + 1 + close].start;
        let path = self.trail.path();
        self.sink.nested(inside, &path);
        self.seen.markdown = true;
        Some(i + close + 2)
    }

    /// Reads a heading, which opens a section. A remark that starts with `#` is no heading.
    fn heading(&mut self, i: usize, l: Line, fresh: bool) -> Option<usize> {
        let text = l.of(self.src);
        let (level, range) = line::heading(text)?;
        let title = &text[range.clone()];
        let below = self.lines.get(i + 1).map_or("", |n| n.of(self.src));
        let remarks =
            below.starts_with('#') && line::heading(below).is_some_and(|(l, _)| l == level);
        let range = l.text + range.start..l.text + range.end;
        if level == 1 && (!fresh || remarks) || self.table.is_some() || sentence::count(title) > 1 {
            let path = self.trail.path();
            self.sink.sentences(range, &path, Breaks::Never);
            self.seen.other += 1;
            return Some(i + 1);
        }
        self.seen.markdown = true;
        self.section(level, range);
        Some(i + 1)
    }

    /// Opens a section below the heading at `title`.
    fn section(&mut self, level: usize, title: Range<usize>) {
        self.close(|f| {
            !matches!(f, Frame::Message) && !matches!(f, Frame::Section(l) if *l < level)
        });
        self.frames.push(Frame::Section(level));
        let words = self.src[title.clone()].trim_matches(['*', '_', '`', ' ']);
        self.trail.push(Seg::Key(words.into()));
        let path = self.trail.path();
        self.sink.say(title, Role::Heading, &path);
        self.table = None;
    }

    /// Reads the text of a line, after its list marker if it has one; the line after it.
    fn content(&mut self, i: usize, l: Line, item: bool) -> usize {
        let text = l.of(self.src);
        let cells = line::cells(text);
        if cells.len() > 1 && self.row_of_cells(i, l, &cells) {
            return i + 1;
        }
        let record = line::record(text);
        if !record.is_empty() {
            self.trail.enter();
            for part in record {
                self.labelled_cell(l.text + part.start..l.text + part.end);
            }
            self.trail.pop();
            return i + 1;
        }
        if let Some(label) = line::label(text).filter(|_| !self.single || !item) {
            let below = matches!(&text[label.value..], "|" | ">" | "|-" | ">-");
            if label.value < text.len() && !below {
                return self.labelled(i, l, &label);
            }
            if let Some(group) = self.group(i, l, &text[label.key.clone()]) {
                self.frames.push(group);
                self.trail.push(Seg::Key(text[label.key.clone()].into()));
                let path = self.trail.path();
                self.sink.say(
                    l.text + label.key.start..l.text + label.key.end,
                    Role::Key,
                    &path,
                );
                return i + 1;
            }
        }
        if let Some(comma) = self.pair(i, text) {
            let key = 0..comma;
            return self.labelled(
                i,
                l,
                &line::Label {
                    key,
                    value: comma + 1,
                },
            );
        }
        let (end, next) = self.gather(i, l);
        let path = self.trail.path();
        if item || self.single {
            self.sink.value(l.text..end, &path);
        } else {
            self.sink.sentences(l.text..end, &path, Breaks::Never);
        }
        next
    }

    /// Reads a label and what it labels; the line after it.
    fn labelled(&mut self, i: usize, l: Line, label: &line::Label) -> usize {
        let key = l.text + label.key.start..l.text + label.key.end;
        self.trail.push(Seg::Key(self.src[key.clone()].into()));
        let path = self.trail.path();
        self.trail.pop();
        self.sink.say(key, Role::Key, &path);
        let (end, next) = self.gather(i, l);
        self.sink.value(l.text + label.value..end, &path);
        next
    }

    /// The end of the sentence-wise paragraph that starts on line `i`, and the line after it.
    fn gather(&self, i: usize, l: Line) -> (usize, usize) {
        let mut end = l.end;
        let mut next = i + 1;
        let mut before = l.of(self.src);
        while let Some(more) = self.lines.get(next) {
            let text = more.of(self.src);
            if !sentence::continues(before, text, self.width, next == i + 1)
                || self.starts.get(self.started) == Some(&next)
            {
                break;
            }
            let full = self.width.is_some_and(|w| before.len() + text.len() > w)
                && text.starts_with(char::is_lowercase);
            if self.opens_block(next, *more)
                || !full && line::label(text).is_some()
                || line::is_row(text, &line::cells(text))
            {
                break;
            }
            end = more.end;
            before = text;
            next += 1;
        }
        (end, next)
    }

    /// Whether line `i` opens something other than running text.
    fn opens_block(&self, i: usize, l: Line) -> bool {
        let text = l.of(self.src);
        text.starts_with(['#', '`', '~', '|', '{', '<', '>'])
            || line::is_rule(text)
            || line::mark(text).is_some_and(|(m, _)| self.is_item(i, m))
            || line::speaker(text).is_some()
            || matches!(&self.table, Some(Table::Delimited(style, names)) if table::fits(self.src, l.text..l.end, *style, names.len()))
    }
}
