//! Times of day: `10:00`, `17:42:10Z`, `5:30 pm`, `10h30`, `14.30 Uhr`, `5 p.m.`, `10時30分`.
//!
//! Normal form `HH:MM`, with `:SS` unless the seconds are zero. Zones are read over: `17:00+02:00` is `17:00`.

use super::token::Tok;
use super::vocab::{Half, Term};
use super::{Kind, Scan};

/// Hours, minutes and seconds as written.
#[derive(Clone, Copy, Debug)]
struct Clock {
    hour: u32,
    minute: u32,
    second: u32,
    /// The hour was written with two digits: then it is not a twelve-hour time without its half.
    padded: bool,
}

impl Clock {
    fn norm(self, half: Option<Half>) -> Option<Box<str>> {
        let Self {
            hour,
            minute,
            second,
            ..
        } = self;
        let hour = match half {
            Some(_) if !(1..=12).contains(&hour) => return None,
            Some(Half::Am) => hour % 12,
            Some(Half::Pm) => hour % 12 + 12,
            None => hour,
        };
        if hour > 24 || minute > 59 || second > 59 || hour == 24 && minute + second > 0 {
            return None;
        }
        Some(
            match second {
                0 => format!("{hour:02}:{minute:02}"),
                s => format!("{hour:02}:{minute:02}:{s:02}"),
            }
            .into(),
        )
    }
}

impl Scan<'_> {
    /// A time that starts with the digits at `i`.
    pub(super) fn time(&mut self, i: usize) -> Option<usize> {
        if self.is(i.wrapping_sub(1), b':') && self.tok(i.wrapping_sub(2)) == Tok::Num {
            return None;
        }
        let hour = self.num(i).filter(|d| d.len <= 2 && d.value <= 24)?;
        let mut clock = Clock {
            hour: hour.value,
            minute: 0,
            second: 0,
            padded: hour.len == 2,
        };
        if let Some(minute) = self.two_digits(i + 2) {
            clock.minute = minute;
            match self.byte(i + 1) {
                b':' => return self.colon_time(i, clock),
                b'.' => return self.dotted_time(i, clock),
                b'h' | b'H' if self.str(i + 1).len() == 1 => {
                    let norm = clock.norm(None)?;
                    self.push(Kind::Time, i, i + 3, norm);
                    return Some(i + 3);
                }
                b'-' if self.after_t(i) => {
                    let norm = clock.norm(None)?;
                    self.push(Kind::Time, i, i + 3, norm);
                    let seconds = self.is(i + 3, b'-') && self.two_digits(i + 4).is_some();
                    return Some(self.zone_end(if seconds { i + 5 } else { i + 3 }, true));
                }
                _ => {}
            }
        }
        clock.minute = 0;
        if self.is_blank(i + 1) && self.str(i + 2) == "h" {
            return self.spaced_hours(i, clock);
        }
        self.cjk_time(i, clock).or_else(|| self.bare_hour(i, clock))
    }

    /// `10:00`, `10:00:30.5`, `5:30 pm`, with a zone.
    fn colon_time(&mut self, i: usize, mut clock: Clock) -> Option<usize> {
        let mut end = i + 3;
        if self.is(end, b':') && self.tok(end + 1) == Tok::Num {
            clock.second = self.two_digits(end + 1)?.min(59);
            end += 2;
            if self.is(end, b'.') && self.tok(end + 1) == Tok::Num {
                end += 2;
            }
            if self.is(end, b':') && self.is_alnum(end + 1) {
                return None;
            }
        }
        let half = self.half(end);
        let norm = clock.norm(half.map(|(h, _)| h))?;
        let both = half.is_none() && !clock.padded && (1..=11).contains(&clock.hour);
        let alt = if both {
            clock.norm(Some(Half::Pm))
        } else {
            None
        };
        let end = match half {
            Some((_, end)) => end,
            None => self.zone_end(self.clock_word(end).unwrap_or(end), self.after_t(i)),
        };
        self.push_alt(Kind::Time, i, end, norm, alt);
        Some(end)
    }

    /// `14.30 Uhr`, `kl. 14.30`, `2.30 pm`.
    fn dotted_time(&mut self, i: usize, clock: Clock) -> Option<usize> {
        if let Some((half, end)) = self.half(i + 3) {
            let norm = clock.norm(Some(half))?;
            self.push(Kind::Time, i, end, norm);
            return Some(end);
        }
        let announced = i >= 2 && self.announced(i);
        let end = match self.clock_word(i + 3) {
            Some(end) => end,
            None if announced => i + 3,
            None => return None,
        };
        let norm = clock.norm(None)?;
        self.push(Kind::Time, i, end, norm);
        Some(end)
    }

    /// `5 pm`, `5 p.m.`, `17 Uhr`, `16h` (which may also be sixteen hours), `kl 17`.
    fn bare_hour(&mut self, i: usize, clock: Clock) -> Option<usize> {
        if let Some((half, end)) = self.half(i + 1) {
            let norm = clock.norm(Some(half))?;
            self.push(Kind::Time, i, end, norm);
            return Some(end);
        }
        let norm = clock.norm(None)?;
        if let Some(end) = self.clock_word(i + 1) {
            self.push(Kind::Time, i, end, norm);
            return Some(end);
        }
        if self.str(i + 1) == "h" && !self.is_alnum(i + 2) {
            self.push(Kind::Time, i, i + 2, norm);
            self.push(Kind::Number, i, i + 1, clock.hour.to_string());
            return Some(i + 2);
        }
        None
    }

    /// `16 h 30`; `16 h` may also be sixteen hours.
    fn spaced_hours(&mut self, i: usize, mut clock: Clock) -> Option<usize> {
        let minute = self
            .two_digits(i + 4)
            .filter(|_| self.is_blank(i + 3) && !self.is_word(i + 5));
        clock.minute = minute.unwrap_or(0);
        let norm = clock.norm(None)?;
        let end = if minute.is_some() { i + 5 } else { i + 3 };
        self.push(Kind::Time, i, end, norm);
        if minute.is_none() {
            self.push(Kind::Number, i, i + 1, clock.hour.to_string());
        }
        Some(end)
    }

    /// `10時30分`, `10时`, `10시 30분`.
    fn cjk_time(&mut self, i: usize, mut clock: Clock) -> Option<usize> {
        if !self.starts(i + 1, &['時', '时', '点', '시']) {
            return None;
        }
        let k = if self.is_blank(i + 2) { i + 3 } else { i + 2 };
        let minute = self
            .short_num(k, 2)
            .filter(|_| self.starts(k + 1, &['分', '분']));
        clock.minute = minute.unwrap_or(0);
        let end = if minute.is_some() { k + 2 } else { i + 2 };
        let norm = clock.norm(None)?;
        self.push(Kind::Time, i, end, norm);
        Some(end)
    }

    fn two_digits(&self, i: usize) -> Option<u32> {
        self.num(i)
            .filter(|d| d.len == 2 && d.value <= 60)
            .map(|d| d.value)
    }

    /// `am`, `pm`, `a.m.`, `p.m.` from token `i` on, after at most one space; and where it ends.
    fn half(&self, i: usize) -> Option<(Half, usize)> {
        let j = if self.is_blank(i) { i + 1 } else { i };
        if let Some(Term::Meridiem(half)) = self.term(j) {
            return Some((half, j + 1));
        }
        let half = match self.str(j) {
            "a" | "A" => Half::Am,
            "p" | "P" => Half::Pm,
            _ => return None,
        };
        let dotted = self.is(j + 1, b'.') && self.str(j + 2).eq_ignore_ascii_case("m");
        dotted.then(|| (half, if self.is(j + 3, b'.') { j + 4 } else { j + 3 }))
    }

    fn clock_word(&self, i: usize) -> Option<usize> {
        let j = if self.is_blank(i) { i + 1 } else { i };
        (self.term(j) == Some(Term::Clock)).then_some(j + 1)
    }

    /// Whether a word like `kl.` stands before token `i`.
    fn announced(&self, i: usize) -> bool {
        let j = if self.is_blank(i - 1) { i - 2 } else { i - 1 };
        let j = if self.is(j, b'.') && j > 0 { j - 1 } else { j };
        self.term(j) == Some(Term::At)
    }

    /// Whether token `i` follows the `T` of a date and time.
    fn after_t(&self, i: usize) -> bool {
        i > 0 && self.str(i - 1).eq_ignore_ascii_case("t")
    }

    /// End of a zone that starts at `i`: `Z`, ` UTC`, `+02:00`, ` +0200`; after a `T` (`west`) also `-05:00`, which is
    /// otherwise the end of a range of times.
    fn zone_end(&self, i: usize, west: bool) -> usize {
        if matches!(self.str(i), "Z" | "z") {
            return i + 1;
        }
        let j = if self.is_blank(i) { i + 1 } else { i };
        if matches!(self.str(j), "UTC" | "GMT") {
            return j + 1;
        }
        if !(self.is(j, b'+') || west && self.is(j, b'-')) {
            return i;
        }
        match self.num(j + 1).map(|d| d.len) {
            Some(2) if self.is(j + 2, b':') && self.two_digits(j + 3).is_some() => j + 4,
            Some(2 | 4) => j + 2,
            _ => i,
        }
    }
}
