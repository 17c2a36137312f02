//! From tags to elements: what is inside what, by the rules of HTML that matter for reading.

use std::collections::HashMap;
use std::ops::Range;

use super::tags::{Tag, Token};

/// What an element means for the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Part of the running text.
    Inline,
    /// Sets its content apart.
    Block,
    /// Without content.
    Void,
    /// A line break.
    Break,
    /// A heading of this level.
    Heading(u8),
    /// Like a heading, without opening a section: a caption, a title.
    Caption,
    /// An item of a list.
    Item,
    Table,
    Row,
    Cell,
    HeadCell,
    Term,
    Description,
    /// One of several like it: an article, a card.
    Record,
    /// Keeps white space.
    Pre,
    /// Never shown: scripts, styles, templates.
    Unseen,
    /// An element of XML.
    Named,
}

/// What an element is, by its name.
pub(super) fn kind(name: &str, xml: bool) -> Kind {
    if xml {
        return Kind::Named;
    }
    match name {
        "h1" => Kind::Heading(1),
        "h2" => Kind::Heading(2),
        "h3" => Kind::Heading(3),
        "h4" => Kind::Heading(4),
        "h5" => Kind::Heading(5),
        "h6" => Kind::Heading(6),
        "title" | "caption" | "figcaption" | "legend" => Kind::Caption,
        "li" | "option" => Kind::Item,
        "table" => Kind::Table,
        "tr" => Kind::Row,
        "td" => Kind::Cell,
        "th" => Kind::HeadCell,
        "dt" => Kind::Term,
        "dd" => Kind::Description,
        "article" | "section" | "div" => Kind::Record,
        "pre" | "textarea" | "listing" | "plaintext" | "xmp" => Kind::Pre,
        "script" | "style" | "template" | "noscript" => Kind::Unseen,
        "br" | "wbr" => Kind::Break,
        "area" | "base" | "col" | "embed" | "hr" | "img" | "input" | "link" | "meta" | "param"
        | "source" | "track" => Kind::Void,
        "address" | "aside" | "blockquote" | "body" | "button" | "center" | "dl" | "details"
        | "dialog" | "fieldset" | "figure" | "footer" | "form" | "head" | "header" | "hgroup"
        | "html" | "main" | "menu" | "nav" | "ol" | "p" | "search" | "select" | "summary"
        | "tbody" | "tfoot" | "thead" | "ul" | "colgroup" | "iframe" | "object" | "video"
        | "audio" | "svg" | "math" | "optgroup" | "datalist" => Kind::Block,
        _ => Kind::Inline,
    }
}

/// An element.
#[derive(Debug)]
pub(super) struct Element {
    /// Its start tag.
    pub(super) tag: Tag,
    /// What it means.
    pub(super) kind: Kind,
    /// Position among the siblings of its name (and class).
    pub(super) ordinal: u32,
    /// Number of such siblings.
    pub(super) siblings: u32,
    /// Cells of a row; head cells of a table.
    pub(super) cells: u32,
    /// Data cells of a row.
    pub(super) data: u32,
}

/// What happens, in the order of the source.
#[derive(Debug)]
pub(super) enum Event {
    /// An element starts.
    Open(usize),
    /// An element ends, with or without an end tag.
    Close(usize),
    /// A comment.
    Comment(Range<usize>),
    /// Text.
    Text(Range<usize>),
}

/// A question about an element.
type Test = fn(&Element) -> bool;

/// How far up an implied end looks.
const REACH: usize = 32;

/// Elements and events of a source.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The elements, in the order of their start tags.
    pub(super) elements: Vec<Element>,
    /// What happens.
    pub(super) events: Vec<Event>,
    stack: Vec<usize>,
    /// Open elements by name.
    open: HashMap<Box<str>, u32>,
    /// Siblings seen, by parent and name: the elements with that name.
    siblings: HashMap<(usize, Box<str>), Vec<usize>>,
    xml: bool,
}

impl Tree {
    /// Builds the tree of `len` bytes of source with these tokens.
    pub(super) fn build(tokens: Vec<Token>, len: usize, xml: bool) -> Self {
        let mut tree = Self {
            xml,
            ..Self::default()
        };
        let mut at = 0;
        for token in tokens {
            let range = token.range();
            if range.start > at {
                tree.events.push(Event::Text(at..range.start));
            }
            at = range.end.max(at);
            match token {
                Token::Open(tag) => tree.start(tag),
                Token::Close(name, _) => tree.end(&name),
                Token::Comment(range) => tree.events.push(Event::Comment(range)),
                Token::Other(_) => {}
            }
        }
        if at < len {
            tree.events.push(Event::Text(at..len));
        }
        while tree.close_top() {}
        for like in tree.siblings.values() {
            for &e in like {
                tree.elements[e].siblings = u32::try_from(like.len()).unwrap_or(u32::MAX);
            }
        }
        tree
    }

    fn start(&mut self, tag: Tag) {
        let kind = kind(&tag.name, self.xml);
        self.imply_ends(kind);
        let parent = self.stack.last().map_or(usize::MAX, |&p| p);
        let index = self.elements.len();
        let leaf = matches!(kind, Kind::Void | Kind::Break) || tag.self_closing && self.xml;
        let mut element = Element {
            tag,
            kind,
            ordinal: 0,
            siblings: 1,
            cells: 0,
            data: 0,
        };
        if matches!(kind, Kind::Named | Kind::Record) {
            let like = self
                .siblings
                .entry((parent, element.tag.likeness()))
                .or_default();
            element.ordinal = u32::try_from(like.len()).unwrap_or(u32::MAX);
            like.push(index);
        }
        if matches!(kind, Kind::Cell | Kind::HeadCell) {
            self.count_cell(kind);
        }
        self.events.push(Event::Open(index));
        if !leaf {
            *self.open.entry(element.tag.name.clone()).or_default() += 1;
            self.stack.push(index);
        }
        self.elements.push(element);
        if leaf {
            self.events.push(Event::Close(index));
        }
    }

    /// Counts a cell at its row and its table.
    fn count_cell(&mut self, kind: Kind) {
        for &open in self.stack.iter().rev().take(REACH) {
            let e = &mut self.elements[open];
            match e.kind {
                Kind::Row => {
                    e.cells += 1;
                    e.data += u32::from(kind == Kind::Cell);
                }
                Kind::Table => {
                    e.cells += u32::from(kind == Kind::HeadCell);
                    return;
                }
                _ => {}
            }
        }
    }

    /// Closes what a new element of this kind ends without an end tag.
    fn imply_ends(&mut self, kind: Kind) {
        let (ends, barrier): (Test, Test) = match kind {
            Kind::Item => (
                |e| e.kind == Kind::Item,
                |e| matches!(&*e.tag.name, "ul" | "ol" | "menu" | "select" | "table"),
            ),
            Kind::Term | Kind::Description => (
                |e| matches!(e.kind, Kind::Term | Kind::Description),
                |e| matches!(&*e.tag.name, "dl" | "table"),
            ),
            Kind::Row => (|e| e.kind == Kind::Row, |e| e.kind == Kind::Table),
            Kind::Cell | Kind::HeadCell => (
                |e| matches!(e.kind, Kind::Cell | Kind::HeadCell),
                |e| matches!(e.kind, Kind::Table | Kind::Row),
            ),
            Kind::Block | Kind::Heading(_) | Kind::Table | Kind::Pre | Kind::Record => (
                |e| &*e.tag.name == "p",
                |e| !matches!(e.kind, Kind::Inline) && &*e.tag.name != "p",
            ),
            _ => return,
        };
        let mut depth = 0;
        for (up, &open) in self.stack.iter().rev().enumerate().take(REACH) {
            let e = &self.elements[open];
            if ends(e) {
                depth = up + 1;
                break;
            }
            if barrier(e) {
                break;
            }
        }
        for _ in 0..depth {
            self.close_top();
        }
    }

    fn end(&mut self, name: &str) {
        if self.open.get(name).is_none_or(|&n| n == 0) {
            return;
        }
        loop {
            let hit = self
                .stack
                .last()
                .is_some_and(|&top| &*self.elements[top].tag.name == name);
            if !self.close_top() || hit {
                return;
            }
        }
    }

    fn close_top(&mut self) -> bool {
        let Some(top) = self.stack.pop() else {
            return false;
        };
        if let Some(n) = self.open.get_mut(&self.elements[top].tag.name) {
            *n = n.saturating_sub(1);
        }
        self.events.push(Event::Close(top));
        true
    }
}
