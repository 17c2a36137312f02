//! Words: proper names, number words, days of the week, and text in quotation marks.

use super::number::canonical;
use super::token::{Case, Tok};
use super::vocab::Term;
use super::{Kind, Scan};
use crate::value::text::{is_function_word, normal};

/// Names longer than this are headings or shouting, not names.
const LONGEST_NAME: usize = 8;
/// Quoted text longer than this (bytes) is not taken as one value.
const LONGEST_QUOTE: usize = 200;

impl Scan<'_> {
    /// What starts with the single word at `i`.
    pub(super) fn word(&mut self, i: usize) -> usize {
        let Tok::Word(case) = self.tok(i) else {
            return i + 1;
        };
        match self.term(i) {
            Some(Term::Month(_) | Term::MonthBesideDay(_)) => {
                if let Some(end) = self.month_first(i) {
                    return end;
                }
                if let Some(month) = self.month_alone(i) {
                    self.push(Kind::Date, i, i + 1, format!("--{month:02}"));
                }
            }
            Some(Term::Weekday(day)) => {
                self.push(Kind::Date, i, i + 1, format!("-W-{day}"));
                self.day_after_weekday(i);
                return i + 1;
            }
            Some(Term::WeekdayBesideDay(day)) if case != Case::Lower && self.day_follows(i) => {
                self.push(Kind::Date, i, i + 1, format!("-W-{day}"));
                self.day_after_weekday(i);
                return i + 1;
            }
            Some(Term::Number(n)) => {
                self.push(
                    Kind::Number,
                    i,
                    i + 1,
                    canonical(&n.to_string(), "", 0, false),
                );
                return i + 1;
            }
            Some(Term::Currency(_)) if self.number_follows(i) => return i + 1,
            _ => {}
        }
        match case {
            Case::Title | Case::Upper | Case::Mixed => self.name(i),
            Case::Lower | Case::Cjk => i + 1,
        }
    }

    fn number_follows(&self, i: usize) -> bool {
        let j = if self.is(i + 1, b'.') { i + 2 } else { i + 1 };
        self.tok(if self.is_blank(j) { j + 1 } else { j }) == Tok::Num
    }

    /// `Fri, 24`, `Fri. 24`, `Fri 24`.
    fn day_follows(&self, i: usize) -> bool {
        let j = if self.is(i + 1, b',') || self.is(i + 1, b'.') {
            i + 2
        } else {
            i + 1
        };
        self.is_blank(j)
            && (self.tok(j + 1) == Tok::Num
                || matches!(
                    self.term(j + 1),
                    Some(Term::Month(_) | Term::MonthBesideDay(_))
                ))
    }

    /// The month that a word names without a day: a full name; one that is also a common word only with a capital inside
    /// of a sentence ("in May").
    fn month_alone(&self, i: usize) -> Option<u8> {
        match self.term(i)? {
            Term::Month(month) => Some(month),
            Term::MonthBesideDay(month) => {
                let full =
                    ["May", "March", "Mars", "Mai", "Mei", "Maj", "Mayo"].contains(&self.str(i));
                (full && !self.opens_sentence(i)).then_some(month)
            }
            _ => None,
        }
    }

    /// The day of some month in `Thu 4`, unless a month follows or it is a time.
    fn day_after_weekday(&mut self, i: usize) {
        let j = if self.is(i + 1, b',') || self.is(i + 1, b'.') {
            i + 2
        } else {
            i + 1
        };
        if let Some(day) = self
            .short_num(j + 1, 2)
            .filter(|day| self.is_blank(j) && (1..=31).contains(day))
        {
            let goes_on = matches!(self.tok(j + 2), Tok::Word(_))
                || self.is_joined(j + 2)
                || self.is_blank(j + 2) && self.is_word(j + 3) && self.is_date_or_time_word(j + 3);
            if !goes_on {
                self.push(Kind::Date, j + 1, j + 2, format!("---{day:02}"));
            }
        }
    }

    /// Whether punctuation at `i` goes on with a digit.
    fn is_joined(&self, i: usize) -> bool {
        self.tok(i) == Tok::Punct && self.tok(i + 1) == Tok::Num
    }

    fn is_date_or_time_word(&self, i: usize) -> bool {
        matches!(
            self.term(i),
            Some(
                Term::Month(_)
                    | Term::MonthBesideDay(_)
                    | Term::Meridiem(_)
                    | Term::Clock
                    | Term::Of
            )
        )
    }

    /// A run of capitalised words that starts at `i`.
    fn name(&mut self, i: usize) -> usize {
        let (words, run_end) = self.capital_run(i);
        let skip = |w: &&(usize, usize)| is_function_word(&self.str(w.0).to_lowercase());
        let lead = words.iter().take_while(skip).count();
        let trail = words.iter().skip(lead).rev().take_while(skip).count();
        let core = words.get(lead..words.len() - trail).unwrap_or_default();
        let (Some(first), Some(last)) = (core.first(), core.last()) else {
            return run_end;
        };
        if core.len() > LONGEST_NAME {
            return run_end;
        }
        let (from, to) = (first.0, last.1);
        let text = self.slice(from, to);
        let ordinary = self.tok(from) == Tok::Word(Case::Title);
        let alone =
            core.len() == 1 && ordinary && self.opens_sentence(from) && to < self.tokens.len();
        let short = core.len() == 1 && text.chars().count() < 2;
        if !(alone || short) {
            let norm = normal(text.strip_suffix("'s").unwrap_or(text));
            self.push(Kind::Name, from, to, norm);
        }
        // The first word of a sentence has its capital from there: the name may start after it.
        if let [_, second, ..] = core
            && ordinary
            && self.opens_sentence(from)
        {
            let rest = self.slice(second.0, to);
            let norm = normal(rest.strip_suffix("'s").unwrap_or(rest));
            self.push(Kind::Name, second.0, to, norm);
        }
        run_end
    }

    /// The words (token ranges) of a run of capitalised words, and the token after it.
    fn capital_run(&self, i: usize) -> (Vec<(usize, usize)>, usize) {
        let mut words = vec![(i, i + 1)];
        let mut end = i + 1;
        while let Some(next) = self.next_in_name(end) {
            words.push((next, next + 1));
            end = next + 1;
        }
        (words, end)
    }

    /// The next capitalised word of a name whose last word ends at `end`.
    fn next_in_name(&self, end: usize) -> Option<usize> {
        let capital = |j: usize| {
            let capital = matches!(
                self.tok(j),
                Tok::Word(Case::Title | Case::Upper | Case::Mixed)
            );
            capital
                && !matches!(self.term(j), Some(Term::Weekday(_) | Term::Month(_)))
                && !self.is_glued(j)
        };
        if (self.is(end, b'-') || self.is(end, b'&')) && capital(end + 1) {
            return Some(end + 1);
        }
        let mut j = end;
        if self.is(j, b'.') && self.str(j - 1).chars().count() <= 3 {
            j += 1;
        }
        if !self.is_blank(j) {
            return None;
        }
        j += 1;
        for _ in 0..3 {
            if capital(j) {
                return Some(j);
            }
            let link = self.is(j, b'&') || self.is_lower(j) && is_link(self.str(j));
            if !link || !self.is_blank(j + 1) {
                return None;
            }
            j += 2;
        }
        None
    }

    /// Whether word `j` is part of an identifier or an address rather than of a name.
    fn is_glued(&self, j: usize) -> bool {
        let mark = self.byte(j + 1);
        match self.tok(j + 1) {
            Tok::Num => true,
            Tok::Punct if matches!(mark, b'-' | b'&') => self.tok(j + 2) == Tok::Num,
            Tok::Punct => super::is_joiner(mark) && self.is_alnum(j + 2),
            _ => false,
        }
    }

    /// Whether token `i` is the first word of a sentence or line.
    fn opens_sentence(&self, i: usize) -> bool {
        let mut j = i;
        while j > 0 {
            match self.tok(j - 1) {
                Tok::Break => return true,
                Tok::Space => j -= 1,
                Tok::Punct => match self.byte(j - 1) {
                    b'.' | b'!' | b'?' | b':' | b'*' | b'-' | b'#' | b'>' => return true,
                    b'"' | b'\'' | b'(' | b'[' => j -= 1,
                    _ => return false,
                },
                _ => return false,
            }
            if i - j > 6 {
                return false;
            }
        }
        true
    }

    /// Text in quotation marks that open at token `i`; what is inside is scanned as well.
    pub(super) fn quoted(&mut self, i: usize) -> usize {
        let open = self.str(i).chars().next().unwrap_or(' ');
        let Some(closers) = closers(open) else {
            return i + 1;
        };
        let free_before = !self.is_alnum(i.wrapping_sub(1));
        let from = self.start(i + 1);
        let rest = self.text.get(from..).unwrap_or_default();
        if !free_before || rest.starts_with(char::is_whitespace) {
            return i + 1;
        }
        for (at, c) in rest
            .char_indices()
            .take_while(|(at, c)| *at <= LONGEST_QUOTE && *c != '\n')
        {
            if !closers.contains(&c) {
                continue;
            }
            let tail = rest.get(at + c.len_utf8()..).unwrap_or_default();
            if at == 0 || tail.starts_with(char::is_alphanumeric) {
                if at == 0 {
                    break;
                }
                continue;
            }
            let inner = rest.get(..at).unwrap_or_default();
            let range = from - open.len_utf8()..from + at + c.len_utf8();
            let norm = normal(inner).into_boxed_str();
            self.atoms.push(super::Atom {
                range,
                kind: Kind::Quoted,
                norm,
                alt: None,
            });
            break;
        }
        i + 1
    }
}

/// Characters that close a quotation that this one opens.
fn closers(open: char) -> Option<&'static [char]> {
    Some(match open {
        '"' => &['"'],
        '\'' => &['\''],
        '`' => &['`'],
        '“' => &['”', '“'],
        '„' => &['“', '”'],
        '‘' => &['’', '\''],
        '«' => &['»'],
        '»' => &['«'],
        '「' => &['」'],
        '『' => &['』'],
        _ => return None,
    })
}

/// Lower-case words inside names.
fn is_link(word: &str) -> bool {
    matches!(
        word,
        "de" | "del"
            | "della"
            | "di"
            | "da"
            | "do"
            | "dos"
            | "du"
            | "des"
            | "la"
            | "le"
            | "les"
            | "van"
            | "von"
            | "der"
            | "den"
            | "ter"
            | "ten"
            | "zu"
            | "zum"
            | "of"
            | "og"
            | "och"
            | "y"
            | "e"
            | "et"
            | "bin"
            | "al"
            | "the"
            | "for"
    )
}
