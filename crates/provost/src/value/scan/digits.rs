//! Long digit groups: phone numbers and account numbers.
//!
//! Whether `0203 555 0142` is a phone or an account cannot be told from its shape alone. What starts with `+`, with a
//! trunk zero, or reads as 3-3-4 is a phone; other groups of nine digits and more are accounts. A checksum does not
//! matter: invented account numbers are as binding for an agent as real ones.

use super::token::{Case, Tok};
use super::{Kind, Scan};

/// Digit groups with single separators.
struct Groups {
    end: usize,
    digits: String,
    lens: Vec<usize>,
    /// Separators between the groups.
    seps: Vec<u8>,
}

impl Scan<'_> {
    /// A phone number that starts with `+` or `(` at token `i`.
    pub(super) fn phone(&mut self, i: usize) -> Option<usize> {
        let plus = self.is(i, b'+');
        if plus && self.is_alnum(i.wrapping_sub(1)) {
            return None;
        }
        let first = if plus && self.is(i + 1, b'(') {
            i + 2
        } else {
            i + 1
        };
        let groups = self.groups(first, if plus { 15 } else { 12 })?;
        let count = groups.digits.len();
        if plus && (7..=15).contains(&count) {
            self.push(Kind::Phone, i, groups.end, format!("+{}", groups.digits));
            return Some(groups.end);
        }
        let area = self.is(first + 1, b')') && groups.lens.len() > 1;
        if !plus && area && (8..=12).contains(&count) {
            self.push(Kind::Phone, i, groups.end, groups.digits);
            return Some(groups.end);
        }
        None
    }

    /// A phone or account number that starts with the digits at `i`.
    pub(super) fn digit_groups(&mut self, i: usize) -> Option<usize> {
        let len = self.str(i).len();
        if len >= 9 {
            return self.long_run(i);
        }
        // Most numbers end here: no separator and digits after them.
        if self.tok(i + 2) != Tok::Num && !self.is(i + 1, b'(') && !self.is(i + 2, b'(') {
            return None;
        }
        let groups = self.groups(i, 34)?;
        let count = groups.digits.len();
        let (lens, seps) = (&groups.lens, &groups.seps);
        // Two groups with a point between them are a decimal.
        if lens.len() < 2 || count < 8 || seps[..] == [b'.'] {
            return None;
        }
        let international = groups.digits.starts_with("00") && (9..=17).contains(&count);
        let trunk = groups.digits.starts_with('0') && (8..=12).contains(&count);
        let pairs = count == 8 && (lens[..] == [2, 2, 2, 2] || lens[..] == [3, 2, 3]);
        let three_three_four = lens[..] == [3, 3, 4] && seps[..] != [b' ', b' '];
        if international {
            let digits = groups.digits.trim_start_matches('0');
            self.push(Kind::Phone, i, groups.end, format!("+{digits}"));
            return Some(groups.end);
        }
        if trunk || pairs || three_three_four {
            self.push(Kind::Phone, i, groups.end, groups.digits);
            return Some(groups.end);
        }
        let thousands = seps.iter().all(|s| *s == b'.') && lens.iter().skip(1).all(|l| *l == 3);
        if count < 9 || lens.contains(&1) || thousands {
            return None;
        }
        self.push(Kind::Account, i, groups.end, groups.digits);
        if seps.contains(&b' ') {
            self.push_each(i, groups.end);
        }
        Some(groups.end)
    }

    /// Nine digits and more without separators.
    fn long_run(&mut self, i: usize) -> Option<usize> {
        let digits = self.str(i);
        let fraction =
            (self.is(i + 1, b'.') || self.is(i + 1, b',')) && self.tok(i + 2) == Tok::Num;
        if fraction || self.is_word(i + 1) || self.is_money(i) {
            return None;
        }
        if let Some(rest) = digits
            .strip_prefix("00")
            .filter(|_| (9..=17).contains(&digits.len()))
        {
            self.push(
                Kind::Phone,
                i,
                i + 1,
                format!("+{}", rest.trim_start_matches('0')),
            );
        } else if digits.starts_with('0') && digits.len() <= 12 {
            self.push(Kind::Phone, i, i + 1, digits);
        } else {
            self.push(Kind::Account, i, i + 1, digits);
        }
        Some(i + 1)
    }

    /// Digit groups from token `i` on, as many as fit into `max` digits.
    fn groups(&self, i: usize, max: usize) -> Option<Groups> {
        self.num(i)?;
        let mut groups = Groups {
            end: i,
            digits: String::new(),
            lens: Vec::new(),
            seps: Vec::new(),
        };
        let mut at = i;
        while self.tok(at) == Tok::Num && groups.lens.len() < 12 {
            let digits = self.str(at);
            let another_value = !groups.lens.is_empty() && self.starts_date_or_time(at);
            if groups.digits.len() + digits.len() > max || another_value || self.is_word(at + 1) {
                break;
            }
            groups.digits.push_str(digits);
            groups.lens.push(digits.len());
            groups.end = at + 1;
            let Some((sep, next)) = self.group_separator(at + 1) else {
                break;
            };
            groups.seps.push(sep);
            at = next;
        }
        groups.seps.truncate(groups.lens.len().saturating_sub(1));
        (!groups.lens.is_empty()).then_some(groups)
    }

    /// What separates two digit groups at token `i`, and where the next group starts. A trunk zero in parentheses
    /// (`+44 (0)20`) is part of the separator.
    fn group_separator(&self, i: usize) -> Option<(u8, usize)> {
        let j = if self.is(i, b')') { i + 1 } else { i };
        let sep = match self.tok(j) {
            Tok::Space if self.str(j).len() == 1 => b' ',
            Tok::Punct if matches!(self.byte(j), b'-' | b'.' | b'/' | b'(') => self.byte(j),
            Tok::Num if j > i => return Some((b')', j)),
            _ => return None,
        };
        let open = if sep == b'(' { j } else { j + 1 };
        if self.is(open, b'(') {
            let trunk = self.str(open + 1) == "0" && self.is(open + 2, b')');
            let next = if trunk { open + 3 } else { open + 1 };
            let next = if trunk && self.is_blank(next) {
                next + 1
            } else {
                next
            };
            return (self.tok(next) == Tok::Num).then_some((b'(', next));
        }
        (self.tok(j + 1) == Tok::Num).then_some((sep, j + 1))
    }

    fn starts_date_or_time(&self, i: usize) -> bool {
        let year = self.str(i).len() == 4 && (self.is(i + 1, b'-') || self.is(i + 1, b'/'));
        let digits_follow = self.tok(i + 2) == Tok::Num;
        let date = self.str(i).len() == 2
            && self.is(i + 1, b'.')
            && digits_follow
            && self.is(i + 3, b'.')
            && self.str(i + 4).len() == 4;
        year && digits_follow && self.str(i + 2).len() == 2
            || date
            || self.is(i + 1, b':') && digits_follow
    }

    /// An IBAN-shaped account number: country, two check digits, then letters and digits, with or without single
    /// separators (ISO 13616 prints groups of four). The token `i` is the country.
    pub(super) fn iban(&mut self, i: usize, lexeme_end: usize) -> Option<usize> {
        let country = self.str(i);
        let ascii = country.len() == 2 && country.is_ascii();
        let check = self.num(i + 1)?.len;
        if !ascii || check < 2 {
            return None;
        }
        let mut ends = Vec::new();
        let mut compact = String::new();
        let mut at = i;
        let mut group_start = 0;
        while compact.len() <= 34 {
            match self.tok(at) {
                Tok::Word(Case::Upper | Case::Lower) | Tok::Num => {
                    compact.push_str(self.str(at));
                    at += 1;
                }
                _ => {
                    let group = compact.get(group_start..).unwrap_or_default();
                    let digits = group.bytes().any(|b| b.is_ascii_digit());
                    let bank = group_start == 4 && group.len() == 4;
                    if group.is_empty()
                        || !group.is_ascii()
                        || !(digits || bank)
                        || group.len() > 12 && !ends.is_empty()
                    {
                        break;
                    }
                    ends.push((compact.len(), at));
                    let sep = self.is_blank(at) || self.is(at, b'.') || self.is(at, b'-');
                    if !sep || !self.is_alnum(at + 1) {
                        break;
                    }
                    group_start = compact.len();
                    at += 1;
                }
            }
        }
        let (len, end) = choose_end(country, &ends)?;
        let norm = compact.get(..len)?.to_ascii_uppercase();
        let digits = norm.bytes().filter(u8::is_ascii_digit).count();
        if !(12..=34).contains(&len) || digits < 8 || end < lexeme_end {
            return None;
        }
        self.push(Kind::Account, i, end, norm);
        Some(end)
    }
}

/// Which group boundary ends the number: the one at the country's length; else all groups of four and the first
/// shorter one.
fn choose_end(country: &str, ends: &[(usize, usize)]) -> Option<(usize, usize)> {
    let first = *ends.first()?;
    if ends.len() == 1 || first.0 > 4 {
        return Some(first);
    }
    let expected = iban_length(country);
    if let Some(end) = ends.iter().find(|(len, _)| Some(*len) == expected) {
        return Some(*end);
    }
    let mut last = first;
    for pair in ends.windows(2) {
        let [(before, _), end] = pair else { continue };
        last = *end;
        if end.0 - before != 4 {
            break;
        }
    }
    Some(last)
}

/// Registered length of a country's IBANs (SWIFT IBAN registry).
fn iban_length(country: &str) -> Option<usize> {
    const LENGTHS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24\
        FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21\
        MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27TN24TR26UA29VG24XK20";
    let upper = country.to_ascii_uppercase();
    LENGTHS
        .as_bytes()
        .chunks_exact(4)
        .find(|entry| entry.starts_with(upper.as_bytes()))
        .and_then(|entry| std::str::from_utf8(entry.get(2..)?).ok()?.parse().ok())
}
