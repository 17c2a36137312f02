//! Identifiers: letters and digits mixed, digits with inner marks, words joined by underscores or hyphens.

use super::net::is_host;
use super::token::{Case, Tok};
use super::{Kind, Scan};

/// What a lexeme is made of.
#[derive(Default)]
struct Shape {
    letters: bool,
    digits: bool,
    underscore: bool,
    slash: bool,
    hyphen: bool,
    dot: bool,
    all_lower: bool,
    all_upper: bool,
}

impl Scan<'_> {
    /// The lexeme `i..end` as an identifier. Normal form: lower case.
    pub(super) fn identifier(&mut self, i: usize, end: usize) -> Option<usize> {
        let shape = self.shape(i, end)?;
        if self.is_rate(i, end) {
            return None;
        }
        let mixed = shape.letters && shape.digits;
        let marked_digits = shape.digits && !shape.letters;
        let joined_words = shape.letters
            && !shape.digits
            && !shape.slash
            && (shape.underscore
                || shape.all_lower && (shape.hyphen || shape.dot)
                || shape.all_upper && shape.hyphen);
        if !(mixed || marked_digits || joined_words) {
            return None;
        }
        let norm = self.slice(i, end).to_lowercase();
        if shape.dot && is_host(&norm, false) {
            return None;
        }
        self.push(Kind::Id, i, end, norm);
        if shape.slash {
            self.push_parts(i, end);
        }
        if marked_digits {
            self.push_each(i, end);
        } else if self.tok(i) == Tok::Num && end == i + 2 && self.is_unit(i + 1) {
            let norm = super::number::canonical(self.str(i), "", 0, false);
            self.push(Kind::Number, i, i + 1, norm);
        }
        Some(end)
    }

    /// `145.00/h`: a number per unit.
    fn is_rate(&self, i: usize, end: usize) -> bool {
        let number = (i..end).find(|j| self.is(*j, b'/')).unwrap_or(i);
        number > i
            && (i..number).all(|j| self.tok(j) == Tok::Num || self.is(j, b'.'))
            && (number + 1..end).all(|j| self.is_word(j))
    }

    fn shape(&self, i: usize, end: usize) -> Option<Shape> {
        let mut shape = Shape {
            all_lower: true,
            all_upper: true,
            ..Shape::default()
        };
        for j in i..end {
            match self.tok(j) {
                Tok::Word(case) => {
                    shape.letters = true;
                    shape.all_lower &= case == Case::Lower;
                    shape.all_upper &= case == Case::Upper;
                }
                Tok::Num => shape.digits = true,
                _ => match self.byte(j) {
                    b'_' => shape.underscore = true,
                    b'/' => shape.slash = true,
                    b'-' => shape.hyphen = true,
                    b'.' => shape.dot = true,
                    _ => return None,
                },
            }
        }
        Some(shape)
    }

    /// The parts of `A-1/B-2` that are identifiers of their own.
    fn push_parts(&mut self, i: usize, end: usize) {
        let mut from = i;
        for j in i..=end {
            if j < end && !self.is(j, b'/') {
                continue;
            }
            let kinds = (from..j).fold((false, false), |(w, n), k| {
                (w || self.is_word(k), n || self.tok(k) == Tok::Num)
            });
            if kinds == (true, true) {
                self.push(Kind::Id, from, j, self.slice(from, j).to_lowercase());
            }
            from = j + 1;
        }
    }

    /// Whether word `i`, glued to a number, is short enough for a unit (`20kg`, `45min`).
    fn is_unit(&self, i: usize) -> bool {
        self.is_lower(i) && self.str(i).len() <= 3
    }
}
