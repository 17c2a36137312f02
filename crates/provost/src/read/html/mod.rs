//! HTML and XML: tags are syntax, text hangs by structure, what is not shown is concealed.
//!
//! Inline tags do not break a sentence: the piece covers them, its decoded text is without them. Lists and table rows
//! are indexes, column heads, headings and terms are keys; elements of XML are keys by their names, with an index
//! where siblings share one.

mod entity;
mod tags;
mod tree;

use std::collections::HashSet;
use std::ops::Range;

use self::tags::Tag;
use self::tree::{Event, Kind, Tree};
use super::decode::Builder;
use super::sink::{Sink, Trail};
use super::{Path, Piece, Role, Seg, text};

/// Reads `src` as HTML or XML; `None` when it is neither.
pub(super) fn read(src: &str, base: &Path, depth: u8) -> Option<Vec<Piece>> {
    let xml = is_xml(src)?;
    let tree = Tree::build(tags::tokens(src, xml), src.len(), xml);
    let mut walker = Walker {
        hidden: hidden_names(src, &tree),
        src,
        depth,
        xml,
        tree: &tree,
        sink: Sink::new(src, base, depth),
        trail: Trail::new(base),
        open: Vec::new(),
        tables: Vec::new(),
        sections: Vec::new(),
        concealed: 0,
        run: None,
        run_end: 0,
    };
    for event in &tree.events {
        walker.event(event);
    }
    walker.flush();
    Some(walker.sink.finish())
}

/// Whether markup is XML (`Some(true)`) or HTML (`Some(false)`); `None` when the text is no markup.
fn is_xml(src: &str) -> Option<bool> {
    let mut text = src.trim();
    while let Some(rest) = text.strip_prefix("<!--") {
        text = rest.split_once("-->")?.1.trim_start();
    }
    let rest = text.strip_prefix('<')?;
    if rest
        .get(..8)
        .is_some_and(|d| d.eq_ignore_ascii_case("!doctype"))
    {
        return Some(
            !rest
                .get(8..)
                .is_some_and(|d| d.trim_start().to_ascii_lowercase().starts_with("html")),
        );
    }
    if rest.starts_with("?xml") {
        return Some(true);
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')))?;
    let name = &rest[..end];
    if !name.starts_with(char::is_alphabetic) || !rest.contains('>') {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let closing = format!("</{name}>");
    if tree::kind(&lower, false) != Kind::Inline {
        return Some(false);
    }
    if is_inline_name(&lower) {
        // Text that merely starts with a tag is not HTML.
        return memchr::memmem::find(rest.as_bytes(), closing.as_bytes()).map(|_| false);
    }
    (text.ends_with(&closing) || text.ends_with("/>") && !rest[..rest.len() - 2].contains('<'))
        .then_some(true)
}

/// Whether an element is one of HTML's that stand within text.
fn is_inline_name(name: &str) -> bool {
    let names = [
        "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i",
        "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong",
        "sub", "sup", "time", "tt", "u", "var",
    ];
    names.contains(&name)
}

/// Whether the start tag `tag` (without its `>`) hides its element: for tags within plain text.
pub(super) fn is_hiding_tag(tag: &str) -> bool {
    let attributes =
        memchr::memmem::find(tag.as_bytes(), b"style").is_some() || tag.contains("hidden");
    attributes
        && tags::tokens(&format!("{tag}>"), true)
            .iter()
            .any(|t| matches!(t, tags::Token::Open(t) if t.hides))
}

/// The classes and ids that the style sheets of a document hide.
fn hidden_names<'a>(src: &'a str, tree: &Tree) -> HashSet<&'a str> {
    let is_style = |e: usize| {
        tree.elements
            .get(e)
            .is_some_and(|e| &*e.tag.name == "style")
    };
    let sheets = tree.events.windows(2).filter_map(|w| match w {
        [Event::Open(e), Event::Text(range)] if is_style(*e) => src.get(range.clone()),
        _ => None,
    });
    sheets.flat_map(tags::hidden_selectors).collect()
}

/// An open element.
#[derive(Debug)]
struct Open {
    element: usize,
    /// Steps of the trail that end with it.
    steps: usize,
    /// Levels of the headings whose sections it holds.
    sections: Vec<u8>,
    conceals: bool,
}

/// A table being read.
#[derive(Debug, Default)]
struct Table {
    columns: Vec<Box<str>>,
    column: usize,
    /// Whether a row was read.
    started: bool,
    /// Whether the current row names the columns.
    head: bool,
    /// Whether the current row is a label with its value.
    pair: bool,
    /// Whether the current head cell still has no name.
    unnamed: bool,
}

struct Walker<'a, 't> {
    src: &'a str,
    /// Classes and ids that the document's style sheets hide.
    hidden: HashSet<&'a str>,
    depth: u8,
    xml: bool,
    tree: &'t Tree,
    sink: Sink<'a>,
    trail: Trail,
    open: Vec<Open>,
    tables: Vec<Table>,
    /// Levels of the headings outside of any element.
    sections: Vec<u8>,
    /// Number of open elements that conceal.
    concealed: usize,
    /// The running text read so far, and the end of its last text.
    run: Option<Builder<'a>>,
    run_end: usize,
}

impl<'a> Walker<'a, '_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Open(e) => self.start(*e),
            Event::Close(e) => self.end(*e),
            Event::Comment(range) => {
                self.flush();
                let path = self.trail.path();
                self.sink.put(range.clone(), Role::Concealed, &path, None);
            }
            Event::Text(range) => self.text(range.clone()),
        }
    }

    /// What the innermost block is.
    fn block(&self) -> Kind {
        let kinds = self
            .open
            .iter()
            .rev()
            .map(|o| self.tree.elements[o.element].kind);
        kinds
            .take(64)
            .find(|k| *k != Kind::Inline)
            .unwrap_or(Kind::Block)
    }

    fn start(&mut self, e: usize) {
        let element = &self.tree.elements[e];
        let tag = &element.tag;
        let conceals = tag.hides || element.kind == Kind::Unseen || self.is_hidden(tag);
        if element.kind != Kind::Inline || conceals {
            if element.kind == Kind::Break && conceals == (self.concealed > 0) {
                self.line_break(tag.range.start);
                return;
            }
            self.flush();
        }
        self.concealed += usize::from(conceals);
        let steps = self.enter(e);
        self.attributes(tag);
        self.open.push(Open {
            element: e,
            steps,
            sections: Vec::new(),
            conceals,
        });
    }

    /// Whether a style sheet hides an element.
    fn is_hidden(&self, tag: &Tag) -> bool {
        if self.hidden.is_empty() {
            return false;
        }
        let id = tag.attributes.iter().find(|a| &*a.name == "id");
        let id = id.and_then(|a| self.src.get(a.value.clone())).unwrap_or("");
        let mut names = tag.class.split_whitespace();
        names.any(|c| self.hidden.contains(format!(".{c}").as_str()))
            || self.hidden.contains(format!("#{id}").as_str())
    }

    /// Steps of the trail for a new element; their number.
    fn enter(&mut self, e: usize) -> usize {
        let element = &self.tree.elements[e];
        match element.kind {
            Kind::Item => self.trail.enter(),
            Kind::Record if element.siblings > 1 => self.trail.enter(),
            Kind::Named => {
                self.trail.push(Seg::Key(element.tag.name.clone()));
                if element.siblings > 1 {
                    self.trail.push(Seg::Index(element.ordinal));
                    return 2;
                }
            }
            Kind::Table => {
                self.tables.push(Table::default());
                return 0;
            }
            Kind::Row => {
                let headless = self.heads() == 0;
                let Some(table) = self.tables.last_mut() else {
                    return 0;
                };
                table.column = 0;
                table.head = !table.started && element.data == 0;
                table.pair = element.cells == 2
                    && element.data > 0
                    && table.columns.is_empty()
                    && (headless || element.data == 1);
                table.started = true;
                if table.head || table.pair {
                    return 0;
                }
                self.trail.enter();
            }
            Kind::Cell | Kind::HeadCell => return self.enter_cell(),
            Kind::Description => {
                let term = self.term();
                self.trail.push(Seg::Key(term));
            }
            _ => return 0,
        }
        1
    }

    /// Number of head cells of the innermost table.
    fn heads(&self) -> u32 {
        let mut up = self
            .open
            .iter()
            .rev()
            .take(64)
            .map(|o| &self.tree.elements[o.element]);
        up.find(|e| e.kind == Kind::Table).map_or(0, |e| e.cells)
    }

    fn enter_cell(&mut self) -> usize {
        let Some(table) = self.tables.last_mut() else {
            return 0;
        };
        let column = table.column;
        table.column += 1;
        if table.head || table.pair && column == 0 {
            table.unnamed = true;
            return 0;
        }
        let name = if table.pair {
            table.columns.last()
        } else {
            table.columns.get(column)
        };
        let name = name
            .cloned()
            .unwrap_or_else(|| (column + 1).to_string().into());
        self.trail.push(Seg::Key(name));
        1
    }

    /// The last term of the innermost description list.
    fn term(&self) -> Box<str> {
        self.tables
            .last()
            .and_then(|t| t.columns.last().cloned())
            .unwrap_or_else(|| "1".into())
    }

    fn end(&mut self, e: usize) {
        let kind = self.tree.elements[e].kind;
        if self.open.last().is_none_or(|o| o.element != e) {
            // A line break is never open.
            return;
        }
        if kind != Kind::Inline || self.open.last().is_some_and(|o| o.conceals) {
            self.flush();
        }
        let Some(open) = self.open.pop() else { return };
        self.concealed -= usize::from(open.conceals);
        for _ in 0..open.steps + open.sections.len() {
            self.trail.pop();
        }
        match kind {
            Kind::Table => {
                self.tables.pop();
            }
            Kind::Cell | Kind::HeadCell => {
                if let Some(t) = self.tables.last_mut().filter(|t| t.unnamed) {
                    t.unnamed = false;
                    let number = (t.column).to_string().into();
                    t.columns.push(number);
                }
            }
            Kind::Row => {
                if let Some(t) = self.tables.last_mut().filter(|t| t.pair) {
                    t.columns.clear();
                }
            }
            _ => {}
        }
    }

    /// Puts the values of the attributes that say something.
    fn attributes(&mut self, tag: &Tag) {
        let role = if self.concealed > 0 {
            Role::Concealed
        } else {
            Role::Value
        };
        for a in &tag.attributes {
            let says = self.xml
                || matches!(
                    &*a.name,
                    "href"
                        | "src"
                        | "alt"
                        | "title"
                        | "value"
                        | "placeholder"
                        | "content"
                        | "action"
                        | "formaction"
                        | "aria-label"
                        | "aria-description"
                        | "label"
                        | "summary"
                        | "cite"
                        | "srcset"
                        | "poster"
                        | "datetime"
                        | "data"
                )
                || a.name.starts_with("data-");
            if !says || a.value.is_empty() || self.src.get(a.value.clone()).is_none() {
                continue;
            }
            self.flush();
            self.trail.push(Seg::Key(a.name.clone()));
            let path = self.trail.path();
            let value = entity::decode(self.src, a.value.clone());
            if role == Role::Value {
                self.sink.leaf(&value, &path);
            } else {
                self.sink.whole(&value, role, &path);
            }
            self.trail.pop();
        }
    }

    /// Takes up text into the run.
    fn text(&mut self, range: Range<usize>) {
        let keep = self.xml
            || self.concealed > 0
            || self
                .open
                .iter()
                .rev()
                .take(64)
                .any(|o| self.tree.elements[o.element].kind == Kind::Pre);
        if self.run.is_none() {
            let lead = if keep {
                0
            } else {
                self.src[range.clone()].len() - self.src[range.clone()].trim_start().len()
            };
            if lead == range.len() {
                return;
            }
            self.run = Some(Builder::new(self.src, range.start + lead));
        }
        let Some(run) = &mut self.run else { return };
        entity::append(self.src, range.clone(), run, !keep);
        self.run_end = range.end;
    }

    fn line_break(&mut self, at: usize) {
        if let Some(run) = &mut self.run {
            run.trim_end(0);
            run.push('\n', at);
        }
    }

    /// Puts the run.
    fn flush(&mut self) {
        let Some(run) = self.run.take() else { return };
        let run = run.finish(self.run_end);
        let said = run.text.trim();
        if said.is_empty() {
            return;
        }
        if self.concealed > 0 {
            let path = self.trail.path();
            self.sink.whole(&run, Role::Concealed, &path);
            return;
        }
        match self.block() {
            Kind::Heading(level) => {
                self.section(level, said);
                let path = self.trail.path();
                self.sink.whole(&run, Role::Heading, &path);
            }
            Kind::Caption => {
                let path = self.trail.path();
                self.sink.whole(&run, Role::Heading, &path);
            }
            Kind::HeadCell | Kind::Cell if self.tables.last().is_some_and(|t| t.unnamed) => {
                self.name(&run, said)
            }
            Kind::Term => self.name(&run, said),
            Kind::Named | Kind::Pre => {
                let path = self.trail.path();
                self.sink.leaf(&run, &path);
            }
            _ => {
                let path = self.trail.path();
                let pieces = text::read_run(&run.text, &path, self.depth);
                self.sink.graft(&run, pieces);
            }
        }
    }

    /// Puts the name of a column, a row or a term.
    fn name(&mut self, run: &super::decode::Decoded<'_>, said: &str) {
        let name: Box<str> = said.trim_end_matches(':').trim().into();
        match self.tables.last_mut() {
            Some(t) => {
                t.unnamed = false;
                t.columns.push(name.clone());
            }
            None => self.tables.push(Table {
                columns: vec![name.clone()],
                ..Table::default()
            }),
        }
        self.trail.push(Seg::Key(name));
        let path = self.trail.path();
        self.sink.whole(run, Role::Key, &path);
        self.trail.pop();
    }

    /// Opens the section of a heading in the element that holds the heading.
    fn section(&mut self, level: u8, title: &str) {
        let heading = |o: &Open| matches!(self.tree.elements[o.element].kind, Kind::Heading(_));
        let Some(at) = self.open.iter().rposition(heading) else {
            return;
        };
        let holder = match at.checked_sub(1).and_then(|h| self.open.get_mut(h)) {
            Some(open) => &mut open.sections,
            None => &mut self.sections,
        };
        while holder.last().is_some_and(|&l| l >= level) {
            holder.pop();
            self.trail.pop();
        }
        holder.push(level);
        self.trail.push(Seg::Key(title.into()));
    }
}
