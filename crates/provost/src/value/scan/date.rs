//! Dates: `2026-02-24`, `24.02.2026`, `2/24/2026`, `24 Feb 2026`, `February 24th, 2026`, `15. Juni`, `2026年2月24日`.
//!
//! Normal forms follow ISO 8601: `2026-02-24`; `--02-24` without a year; `2026-02` without a day; `--02` for a month;
//! `2026-W09` for a week; `---15` for a day of some month (the 15th); `-W-5` for a day of the week (Friday).

use super::token::{Case, Tok};
use super::vocab::Term;
use super::{Kind, Scan};

/// Year, month, day; either may be missing, but not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ymd {
    year: Option<u32>,
    month: u32,
    day: Option<u32>,
}

impl Ymd {
    /// The normal form, if there is such a date.
    fn norm(self) -> Option<Box<str>> {
        let Self { year, month, day } = self;
        if !(1..=12).contains(&month) || year.is_some_and(|y| y == 0 || y > 9999) {
            return None;
        }
        if day.is_some_and(|d| d == 0 || d > days_in(year, month)) {
            return None;
        }
        Some(
            match (year, day) {
                (Some(y), Some(d)) => format!("{y:04}-{month:02}-{d:02}"),
                (Some(y), None) => format!("{y:04}-{month:02}"),
                (None, Some(d)) => format!("--{month:02}-{d:02}"),
                (None, None) => format!("--{month:02}"),
            }
            .into(),
        )
    }
}

fn days_in(year: Option<u32>, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => match year {
            Some(y) if !(y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)) => 28,
            _ => 29,
        },
        _ => 31,
    }
}

/// `26` in a date is 2026; from 70 on, the last century.
fn full_year(year: u32, len: usize) -> u32 {
    match len {
        2 if year < 70 => 2000 + year,
        2 => 1900 + year,
        _ => year,
    }
}

impl Scan<'_> {
    /// A date that starts with the digits at `i`.
    pub(super) fn date(&mut self, i: usize) -> Option<usize> {
        self.year_first(i)
            .or_else(|| self.day_first(i))
            .or_else(|| self.day_and_month_name(i))
            .or_else(|| self.cjk_date(i))
            .or_else(|| self.compact_date(i))
    }

    fn push_date(&mut self, i: usize, end: usize, date: Ymd) -> Option<usize> {
        let norm = date.norm()?;
        self.push(Kind::Date, i, end, norm);
        Some(end)
    }

    /// `2026-02-24`, `2026/02/24`, `2026-02`, `2026-W09`.
    fn year_first(&mut self, i: usize) -> Option<usize> {
        let year = self.num(i).filter(|d| d.len == 4)?.value;
        let sep = self.separator(i + 1)?;
        if sep == b'-' && self.str(i + 2).eq_ignore_ascii_case("w") {
            let week = self
                .num(i + 3)
                .filter(|d| d.len == 2 && (1..=53).contains(&d.value))?
                .value;
            self.push(Kind::Date, i, i + 4, format!("{year:04}-W{week:02}"));
            return Some(i + 4);
        }
        let month = self.num(i + 2).filter(|d| d.len <= 2)?;
        if self.is(i + 3, sep) && self.tok(i + 4) == Tok::Num {
            let day = self.short_num(i + 4, 2)?;
            if self.goes_on(i + 5, sep) {
                return None;
            }
            let end = self.push_date(
                i,
                i + 5,
                Ymd {
                    year: Some(year),
                    month: month.value,
                    day: Some(day),
                },
            )?;
            return Some(self.after_date(end));
        }
        let plausible = (1900..=2199).contains(&year) && month.len == 2 && sep != b'.';
        if !plausible || self.is_word(i + 3) || self.goes_on(i + 3, sep) {
            return None;
        }
        self.push_date(
            i,
            i + 3,
            Ymd {
                year: Some(year),
                month: month.value,
                day: None,
            },
        )
    }

    /// `24.02.2026`, `24/02/26`, `2/24/2026`, `21/04`, `15.06.`, `06/2026`.
    fn day_first(&mut self, i: usize) -> Option<usize> {
        let a = self.num(i).filter(|d| d.len <= 2)?;
        let sep = self.separator(i + 1)?;
        let b = self.num(i + 2)?;
        if b.len == 4
            && sep != b'.'
            && (1900..=2199).contains(&b.value)
            && !self.goes_on(i + 3, sep)
        {
            return self.push_date(
                i,
                i + 3,
                Ymd {
                    year: Some(b.value),
                    month: a.value,
                    day: None,
                },
            );
        }
        if b.len > 2 {
            return None;
        }
        let third = if self.is(i + 3, sep) {
            self.num(i + 4)
        } else {
            None
        };
        let (year, end) = match third {
            Some(c) if c.len == 4 || c.len == 2 && sep != b'-' => {
                (Some(full_year(c.value, c.len)), i + 5)
            }
            Some(_) => return None,
            None if sep == b'/' && a.len.max(b.len) == 2 => (None, i + 3),
            None if sep == b'.' && self.is(i + 3, b'.') && !self.is_word(i + 4) => (None, i + 4),
            None => return None,
        };
        if self.goes_on(end, sep) || self.is_word(end) && third.is_none() {
            return None;
        }
        let day_month = Ymd {
            year,
            month: b.value,
            day: Some(a.value),
        }
        .norm();
        let month_day = Ymd {
            year,
            month: a.value,
            day: Some(b.value),
        }
        .norm()
        .filter(|_| sep != b'.');
        let (norm, alt) = match (day_month, month_day) {
            (Some(norm), alt) => (norm, alt),
            (None, Some(norm)) => (norm, None),
            (None, None) => return None,
        };
        self.push_alt(Kind::Date, i, end, norm, alt);
        if year.is_none() && sep == b'/' {
            let text = self.slice(i, end);
            self.push(Kind::Id, i, end, text);
        }
        Some(self.after_date(end))
    }

    /// `24 Feb 2026`, `24th of February`, `15. Juni`, `24-Feb-2026`, `3 de mayo de 2026`.
    fn day_and_month_name(&mut self, i: usize) -> Option<usize> {
        let day = self.short_num(i, 2)?;
        let mut j = i + 1;
        if self.term(j) == Some(Term::Ordinal) || self.is(j, b'.') {
            j += 1;
        }
        if self.is_blank(j) || self.is(j, b'-') || self.is(j, b'/') {
            j += 1;
        }
        if self.term(j) == Some(Term::Of) && self.is_blank(j + 1) {
            j += 2;
        }
        let month = self.month(j)?;
        let after = if self.is(j + 1, b'.') { j + 2 } else { j + 1 };
        let year = self.year_after(after);
        if year.is_none() && self.is_common_word(j) {
            return None;
        }
        let end = year.map_or(j + 1, |(_, end)| end);
        self.push_date(
            i,
            end,
            Ymd {
                year: year.map(|(y, _)| y),
                month,
                day: Some(day),
            },
        )
    }

    /// `February 24th, 2026`, `Feb 24`, `June 2026`, `junio de 2026`; `i` is the month.
    pub(super) fn month_first(&mut self, i: usize) -> Option<usize> {
        let month = self.month(i)?;
        let after = if self.is(i + 1, b'.') { i + 2 } else { i + 1 };
        if let Some((year, end)) = self.year_after(after) {
            return self.push_date(
                i,
                end,
                Ymd {
                    year: Some(year),
                    month,
                    day: None,
                },
            );
        }
        if !(self.is_blank(after) || self.is(after, b'-')) || self.is_common_word(i) {
            return None;
        }
        let day = self.short_num(after + 1, 2)?;
        let mut end = after + 2;
        if self.is(end, b':') || matches!(self.term(end + 1), Some(Term::Meridiem(_))) {
            return None;
        }
        if self.term(end) == Some(Term::Ordinal) {
            end += 1;
        } else if self.is_word(end) {
            return None;
        }
        let year = self.year_after(if self.is(end, b',') { end + 1 } else { end });
        let date = Ymd {
            year: year.map(|(y, _)| y),
            month,
            day: Some(day),
        };
        self.push_date(i, year.map_or(end, |(_, e)| e), date)
    }

    /// `2026年2月24日`, `2월 24일`.
    fn cjk_date(&mut self, i: usize) -> Option<usize> {
        let mut j = i;
        let mut year = None;
        if self.starts(j + 1, &['年', '년']) {
            year = Some(self.num(j).filter(|d| d.len == 4)?.value);
            j += if self.is_blank(j + 2) { 3 } else { 2 };
        }
        let month = self
            .short_num(j, 2)
            .filter(|_| self.starts(j + 1, &['月', '월']))?;
        let k = if self.is_blank(j + 2) { j + 3 } else { j + 2 };
        let day = self
            .short_num(k, 2)
            .filter(|_| self.starts(k + 1, &['日', '号', '일']));
        let end = if day.is_some() { k + 2 } else { j + 2 };
        self.push_date(i, end, Ymd { year, month, day })
    }

    /// `20260224`; it may as well be a number, so both are given.
    fn compact_date(&mut self, i: usize) -> Option<usize> {
        let digits = self.str(i);
        if digits.len() != 8 || self.is_word(i + 1) && !self.str(i + 1).eq_ignore_ascii_case("t") {
            return None;
        }
        let part = |from, to| digits.get(from..to)?.parse::<u32>().ok();
        let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
        if !(1900..=2199).contains(&year) {
            return None;
        }
        let end = self.push_date(
            i,
            i + 1,
            Ymd {
                year: Some(year),
                month,
                day: Some(day),
            },
        )?;
        self.push(Kind::Number, i, i + 1, digits);
        Some(self.after_date(end))
    }

    /// The ISO forms without a year that normal forms use: `--02-24`, `--02`, `---24`, `-W-5`; `i` is the first hyphen.
    pub(super) fn partial_date(&mut self, i: usize) -> Option<usize> {
        if self.is_alnum(i.wrapping_sub(1)) || self.is(i.wrapping_sub(1), b'-') {
            return None;
        }
        if self.str(i + 1) == "W" && self.is(i + 2, b'-') {
            let day = self.short_num(i + 3, 1).filter(|d| (1..=7).contains(d))?;
            self.push(Kind::Date, i, i + 4, format!("-W-{day}"));
            return Some(i + 4);
        }
        if self.is(i + 1, b'-') && self.is(i + 2, b'-') {
            let day = self
                .num(i + 3)
                .filter(|d| d.len == 2 && (1..=31).contains(&d.value))?
                .value;
            self.push(Kind::Date, i, i + 4, format!("---{day:02}"));
            return Some(i + 4);
        }
        let two = |k: usize| self.num(k).filter(|d| d.len == 2).map(|d| d.value);
        let month = two(i + 2).filter(|_| self.is(i + 1, b'-'))?;
        let day = if self.is(i + 3, b'-') {
            two(i + 4)
        } else {
            None
        };
        let end = if day.is_some() { i + 5 } else { i + 3 };
        if self.is_alnum(end) || self.goes_on(end, b'-') {
            return None;
        }
        self.push_date(
            i,
            end,
            Ymd {
                year: None,
                month,
                day,
            },
        )
    }

    /// Separator of a numeric date.
    fn separator(&self, i: usize) -> Option<u8> {
        let b = self.byte(i);
        (self.tok(i) == Tok::Punct && matches!(b, b'-' | b'/' | b'.')).then_some(b)
    }

    /// Whether the numeric pattern goes on at `i` with the same separator, or with more digits.
    fn goes_on(&self, i: usize, sep: u8) -> bool {
        self.tok(i) == Tok::Num || self.is(i, sep) && self.tok(i + 1) == Tok::Num
    }

    /// End of a date and time joined by `T` or `_`; the time becomes an atom of its own.
    fn after_date(&mut self, end: usize) -> usize {
        let joint = self.str(end).eq_ignore_ascii_case("t") || self.is(end, b'_');
        if joint && self.tok(end + 1) == Tok::Num {
            return self.time(end + 1).unwrap_or(end + 1);
        }
        end
    }

    /// The month that word `i` names beside a number.
    fn month(&self, i: usize) -> Option<u32> {
        match self.term(i)? {
            Term::Month(m) | Term::MonthBesideDay(m) => Some(u32::from(m)),
            _ => None,
        }
    }

    /// Month words that, in lower case, are more often something else.
    fn is_common_word(&self, i: usize) -> bool {
        let common = [
            "may", "march", "set", "out", "ago", "des", "mag", "mar", "gen", "ene", "dec",
        ];
        self.tok(i) == Tok::Word(Case::Lower) && common.contains(&self.str(i))
    }

    /// A year after a month, from token `i` on, and where it ends: ` 2026`, `, 2026`, `-2026`, ` de 2026`, ` '26`.
    fn year_after(&self, i: usize) -> Option<(u32, usize)> {
        let mut j = i;
        if self.is(j, b',') {
            j += 1;
        }
        if self.is_blank(j) || self.is(j, b'-') || self.is(j, b'/') {
            j += 1;
        } else if j == i {
            return None;
        }
        if self.term(j) == Some(Term::Of) && self.is_blank(j + 1) {
            j += 2;
        }
        if self.is(j, b'\'') {
            let year = self.num(j + 1).filter(|d| d.len == 2)?;
            return Some((full_year(year.value, 2), j + 2));
        }
        let year = self
            .num(j)
            .filter(|d| d.len == 4 && (1900..=2199).contains(&d.value))?;
        let glued = self.is_word(j + 1) || self.is(j + 1, b':') && self.tok(j + 2) == Tok::Num;
        (!glued).then_some((year.value, j + 1))
    }

    /// Whether token `i` is a word that starts with one of these characters.
    pub(super) fn starts(&self, i: usize, chars: &[char]) -> bool {
        self.is_word(i) && self.str(i).starts_with(chars)
    }
}
