//! The walk's bookkeeping: what opens, what closes, and the rows of tables.

use std::ops::Range;

use super::super::sink::trim;
use super::super::{Role, Seg, sentence, table};
use super::line::{self, Line, Mark};
use super::{Frame, Table, Walker};

/// Most frames open at a time: keeps looking through them cheap.
const MAX_FRAMES: usize = 48;

/// Most lines of names with values above a table.
const PAIRS: usize = 16;

impl Walker<'_> {
    /// Opens something that is one of a list.
    pub(super) fn enter(&mut self, frame: Frame) {
        self.frames.push(frame);
        self.trail.enter();
    }

    /// Closes the innermost frames while `ends` says so.
    pub(super) fn close(&mut self, ends: impl Fn(&Frame) -> bool) {
        while self.frames.last().is_some_and(&ends) {
            self.frames.pop();
            self.trail.pop();
        }
    }

    /// Closes what a line at `indent` that is no item ends.
    pub(super) fn close_for(&mut self, indent: usize, fresh: bool) {
        self.close(|f| match *f {
            Frame::Item { indent: own, .. } | Frame::Group { indent: own, .. } => own >= indent,
            Frame::Chat => fresh,
            Frame::Message | Frame::Section(_) => false,
        });
    }

    /// Opens an item; items at the same or a deeper indent end.
    pub(super) fn open_item(&mut self, indent: usize, mark: Mark) {
        self.close(|f| match *f {
            Frame::Item { indent: own, .. } => own >= indent,
            Frame::Group { indent: own, flush } => own > indent || own == indent && !flush,
            _ => false,
        });
        if self.frames.len() < MAX_FRAMES {
            self.enter(Frame::Item { indent, mark });
        }
    }

    /// Whether a marker on line `i` opens an item: numbers have to count.
    pub(super) fn is_item(&self, i: usize, mark: Mark) -> bool {
        let value = match mark {
            Mark::Bullet => return true,
            Mark::Number(1) => return true,
            Mark::Number(n) | Mark::Section(n) => n,
        };
        let kind = std::mem::discriminant(&mark);
        let follows = |other: Mark, up: bool| match other {
            Mark::Number(m) | Mark::Section(m) if std::mem::discriminant(&other) == kind => {
                if up {
                    m == value + 1 || m == 1 && kind != std::mem::discriminant(&Mark::Number(0))
                } else {
                    value > m && value <= m + 9
                }
            }
            _ => false,
        };
        let before = self
            .frames
            .iter()
            .rev()
            .any(|f| matches!(f, Frame::Item { mark, .. } if follows(*mark, false)));
        before
            || self.lines[i + 1..]
                .iter()
                .take(4)
                .any(|l| line::mark(l.of(self.src)).is_some_and(|(m, _)| follows(m, true)))
    }

    /// Whether line `i` is one of a chat: a neighbour has a speaker too.
    pub(super) fn is_chat(&self, i: usize) -> bool {
        let speaks = |l: &Line| {
            line::speaker(l.of(self.src))
                .or_else(|| line::stamp(l.of(self.src)))
                .is_some()
        };
        matches!(self.frames.last(), Some(Frame::Chat))
            || self.lines[i + 1..].iter().take(3).any(speaks)
            || self.lines[i.saturating_sub(3)..i].iter().any(speaks)
    }

    /// What a label without value on line `i` opens, if it heads what is below it.
    pub(super) fn group(&self, i: usize, l: Line, label: &str) -> Option<Frame> {
        if label.split_whitespace().count() > 2 || self.frames.len() >= MAX_FRAMES {
            return None;
        }
        let below = self.lines[i + 1..].iter().take(2).find(|n| !n.is_blank())?;
        let (own, indent) = (l.indent(), below.indent());
        let flush = indent == own && line::mark(below.of(self.src)).is_some();
        (indent > own || flush).then_some(Frame::Group { indent: own, flush })
    }

    /// The comma of a `name,value` line beside other delimited lines.
    pub(super) fn pair(&self, i: usize, text: &str) -> Option<usize> {
        let at = text.find([',', ';'])?;
        let sign = text.as_bytes()[at];
        let (key, value) = (&text[..at], &text[at + 1..]);
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let plain = !key.is_empty()
            && key.len() <= 24
            && key.starts_with(char::is_alphabetic)
            && key.chars().all(word)
            && !value.is_empty()
            && !value.starts_with(' ')
            && !value.contains([char::from(sign), ':']);
        let neighbour = |l: Option<&Line>| {
            l.is_some_and(|l| {
                let t = l.of(self.src);
                t.find(char::from(sign))
                    .is_some_and(|c| !t[c + 1..].starts_with(' ') && c + 1 < t.len())
            })
        };
        let beside = neighbour(self.lines.get(i + 1)) || i > 0 && neighbour(self.lines.get(i - 1));
        (plain && beside).then_some(at)
    }

    /// Whether lines of two cells from line `i` on are names with values: the second cell of the first is no column's
    /// name, or the lines stand above a wider table.
    fn are_pairs(&self, i: usize, style: table::Style, second: &str) -> bool {
        let width = |l: &Line| table::row(self.src, l.text, l.end, style).0.len();
        let below = self.lines[i + 1..]
            .iter()
            .take(PAIRS)
            .take_while(|l| !l.is_blank());
        second.contains(|c: char| c.is_ascii_digit())
            || below.map(width).find(|&w| w != 2).is_some_and(|w| w > 2)
    }

    /// Starts a table at line `i`, if one starts there.
    pub(super) fn table_start(&mut self, i: usize, l: Line) -> Option<usize> {
        let text = l.of(self.src);
        let below = self.lines.get(i + 1).copied();
        if text.contains('|')
            && let Some(b) = below
            && (table::is_pipe_rule(b.of(self.src))
                || text.starts_with('|') && b.of(self.src).starts_with('|'))
        {
            self.seen.markdown |= table::is_pipe_rule(b.of(self.src));
            return Some(self.pipe_table(i, l));
        }
        let range = |l: Option<&Line>| l.filter(|l| !l.is_blank()).map(|l| l.text..l.end);
        let style = table::detect(
            self.src,
            l.text..l.end,
            range(below.as_ref()),
            range(self.lines.get(i + 2)),
        )?;
        let (cells, end) = table::row(self.src, l.text, l.end, style);
        if cells.len() == 2 && self.are_pairs(i, style, &cells[1].text) {
            return None;
        }
        self.close_for(l.indent(), true);
        let headed = !cells.iter().any(|c| is_data(&c.text));
        if headed {
            let names = table::names(cells.iter().map(|c| &*c.text));
            for (cell, name) in cells.iter().zip(&names) {
                self.header(cell.raw.clone(), name);
            }
            self.table = Some(Table::Delimited(style, names));
            return Some(self.line_after(i, end));
        }
        let names = table::names(cells.iter().map(|_| ""));
        self.table = Some(Table::Delimited(style, names));
        self.table_row(i, l)
    }

    /// Reads line `i` as a row of the open table, if it is one.
    pub(super) fn table_row(&mut self, i: usize, l: Line) -> Option<usize> {
        let table = self.table.take()?;
        let next = match &table {
            Table::Delimited(style, names) => {
                let fits = table::fits(self.src, l.text..l.end, *style, names.len());
                fits.then(|| {
                    let (cells, end) = table::row(self.src, l.text, l.end, *style);
                    self.trail.enter();
                    for (cell, name) in cells.iter().zip(names) {
                        self.trail.push(Seg::Key(name.clone()));
                        let path = self.trail.path();
                        self.sink.leaf(cell, &path);
                        self.trail.pop();
                    }
                    self.trail.pop();
                    self.line_after(i, end)
                })
            }
            Table::Aligned(names) => {
                let text = l.of(self.src);
                let cells = line::cells(text);
                if line::is_rule(text) {
                    self.table = Some(table);
                    return Some(i + 1);
                }
                if cells.len() != names.len() {
                    // A table without delimiters ends at the first line that is laid out otherwise.
                    return None;
                }
                self.trail.enter();
                for (cell, name) in cells.iter().zip(names) {
                    self.cell(l.text + cell.start..l.text + cell.end, name);
                }
                self.trail.pop();
                Some(i + 1)
            }
        };
        self.table = Some(table);
        next
    }

    /// Reads a pipe table from its head on line `i`; the line after it.
    fn pipe_table(&mut self, i: usize, l: Line) -> usize {
        let head = table::pipe_row(self.src, l.text..l.end);
        let names = table::names(head.iter().map(|c| &self.src[c.clone()]));
        for (cell, name) in head.iter().zip(&names) {
            self.header(cell.clone(), name);
        }
        let mut next = i + 1;
        while let Some(row) = self.lines.get(next) {
            let text = row.of(self.src);
            if !text.contains('|') || row.is_blank() {
                break;
            }
            next += 1;
            if table::is_pipe_rule(text) {
                continue;
            }
            let cells = table::pipe_row(self.src, row.text..row.end);
            self.trail.enter();
            for (n, cell) in cells.into_iter().enumerate() {
                let number;
                let name = match names.get(n) {
                    Some(name) => name,
                    None => {
                        number = (n + 1).to_string().into_boxed_str();
                        &number
                    }
                };
                self.cell(cell, name);
            }
            self.trail.pop();
        }
        self.seen.rows += next - i - 1;
        next
    }

    /// Reads a line laid out in columns: labels with values, a row, or the head of an aligned table.
    /// `false`, with nothing read, when it is running text with wide spaces.
    pub(super) fn row_of_cells(&mut self, i: usize, l: Line, cells: &[Range<usize>]) -> bool {
        let text = l.of(self.src);
        let labels = cells
            .iter()
            .filter(|c| line::label(&text[(*c).clone()]).is_some_and(|n| n.value < c.len()))
            .count();
        if labels > 1 || labels > 0 && line::is_row(text, cells) && self.is_laid_out(i, text, cells)
        {
            for cell in cells {
                self.labelled_cell(l.text + cell.start..l.text + cell.end);
            }
            return true;
        }
        if !line::is_row(text, cells) || !self.is_laid_out(i, text, cells) {
            return self.amount_at_end(l, cells);
        }
        if let Some(names) = self.aligned_head(i, text, cells) {
            for (cell, name) in cells.iter().zip(&names) {
                self.header(l.text + cell.start..l.text + cell.end, name);
            }
            self.table = Some(Table::Aligned(names));
            return true;
        }
        let row = cells.len() > 2;
        if row {
            self.trail.enter();
        }
        let key = trim(self.src, l.text + cells[0].start..l.text + cells[0].end);
        self.trail.push(Seg::Key(self.src[key.clone()].into()));
        let path = self.trail.path();
        self.sink.say(key, Role::Key, &path);
        for cell in &cells[1..] {
            self.sink
                .value(l.text + cell.start..l.text + cell.end, &path);
        }
        self.trail.pop();
        if row {
            self.trail.pop();
        }
        true
    }

    /// Reads text that has a figure set apart at its end, as the lines of a bill have; `false` when it has none.
    fn amount_at_end(&mut self, l: Line, cells: &[Range<usize>]) -> bool {
        let Some(last) = cells.last().map(|c| l.text + c.start..l.text + c.end) else {
            return false;
        };
        if cells.len() != 2 || !is_data(&self.src[last.clone()]) {
            return false;
        }
        let path = self.trail.path();
        self.sink.sentences(
            l.text..l.text + cells[0].end,
            &path,
            sentence::Breaks::Never,
        );
        self.sink.value(last, &path);
        true
    }

    /// Whether wide spaces on a line are layout: really wide, or on a neighbouring line too.
    fn is_laid_out(&self, i: usize, text: &str, cells: &[Range<usize>]) -> bool {
        let widest = cells
            .windows(2)
            .map(|w| w[1].start - w[0].end)
            .max()
            .unwrap_or(0);
        let short = text[cells[0].clone()].split_whitespace().count() <= 2;
        let beside = |l: Option<&Line>| l.is_some_and(|l| line::cells(l.of(self.src)).len() > 1);
        widest > 2
            || text.contains('\t')
            || short
            || beside(self.lines.get(i + 1))
            || i > 0 && beside(self.lines.get(i - 1))
    }

    /// The column names of an aligned table whose head is line `i`.
    fn aligned_head(&self, i: usize, text: &str, cells: &[Range<usize>]) -> Option<Vec<Box<str>>> {
        let mut below = self.lines.get(i + 1)?;
        let ruled = line::is_rule(below.of(self.src));
        if ruled {
            below = self.lines.get(i + 2)?;
        }
        let row = below.of(self.src);
        let row_cells = line::cells(row);
        let wordy = |c: &Range<usize>| {
            let t = &text[c.clone()];
            !t.contains(|c: char| c.is_ascii_digit()) && t.split_whitespace().count() <= 4
        };
        let numbered = row_cells
            .iter()
            .any(|c| row[c.clone()].contains(|c: char| c.is_ascii_digit()));
        let fits = row_cells.len() == cells.len()
            && cells.iter().all(wordy)
            && numbered
            && (ruled || cells.len() > 2);
        fits.then(|| table::names(cells.iter().map(|c| &text[c.clone()])))
    }

    /// Puts a column's name.
    fn header(&mut self, range: Range<usize>, name: &str) {
        self.trail.push(Seg::Key(name.into()));
        let path = self.trail.path();
        self.sink.say(trim(self.src, range), Role::Key, &path);
        self.trail.pop();
    }

    /// Puts a cell of the row that the trail stands in.
    fn cell(&mut self, range: Range<usize>, name: &str) {
        self.trail.push(Seg::Key(name.into()));
        let path = self.trail.path();
        self.sink.value(range, &path);
        self.trail.pop();
    }

    /// Puts a cell that may have a label of its own.
    pub(super) fn labelled_cell(&mut self, range: Range<usize>) {
        let range = trim(self.src, range);
        let text = &self.src[range.clone()];
        match line::label(text) {
            Some(label) => {
                let key = range.start + label.key.start..range.start + label.key.end;
                self.trail.push(Seg::Key(self.src[key.clone()].into()));
                let path = self.trail.path();
                self.sink.say(key, Role::Key, &path);
                self.sink.value(range.start + label.value..range.end, &path);
                self.trail.pop();
            }
            None => {
                let path = self.trail.path();
                self.sink.value(range, &path);
            }
        }
    }

    /// The line after the one that holds `end`.
    fn line_after(&self, i: usize, end: usize) -> usize {
        let more = self.lines[i + 1..]
            .iter()
            .take_while(|l| l.start < end)
            .count();
        i + 1 + more
    }
}

/// Whether a cell is data rather than the name of a column.
fn is_data(text: &str) -> bool {
    let t = text.trim();
    t.starts_with(|c: char| c.is_ascii_digit())
        && !t.contains(char::is_alphabetic)
        && !sentence::is_prose(t)
}
