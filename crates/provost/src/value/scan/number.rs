//! Numbers and amounts: `1,234.50`, `1.234,50`, `41 902,00 kr`, `€20`, `USD 20`, `15 %`, `2 million`.
//!
//! Normal form: the exact decimal without leading and trailing zeros, then ` EUR` (or `%`). Where a separator may mark
//! thousands or decimals (`1,234`), the other reading is the atom's alternative.

use super::token::{Case, Tok};
use super::vocab::{self, Term};
use super::{Kind, Scan};

/// A number as written: digits before and after the decimal mark.
struct Parsed {
    end: usize,
    whole: String,
    fraction: String,
    /// The other reading of an ambiguous separator.
    other: Option<(String, String)>,
    /// The comma may as well separate two numbers.
    list: bool,
}

impl Scan<'_> {
    /// A number at token `i` with its sign, currency, percent sign and power of ten.
    pub(super) fn number(&mut self, i: usize) -> Option<usize> {
        if self.dotted_id(i) {
            return None;
        }
        let mut parsed = self.spaced_groups(i).or_else(|| self.plain_number(i))?;
        let (mut start, mut currency) = self.currency_before(i);
        let mut end = parsed.end;
        let mut shift = 0;
        if let Some((power, after)) = self.scale_after(end, currency.is_some()) {
            shift = power;
            end = after;
        }
        let specific = currency.is_some_and(|c| c.len() == 3);
        if let Some((code, after)) = self.currency_after(end) {
            if !specific {
                currency = Some(code);
            }
            end = after;
        }
        let percent = if currency.is_none() && shift == 0 {
            self.percent_after(end)
        } else {
            None
        };
        end = percent.unwrap_or(end);
        if percent.is_none() && currency.is_none() && self.term(end) == Some(Term::Ordinal) {
            if let Some(day) = self.short_num(i, 2).filter(|day| (1..=31).contains(day)) {
                self.push(Kind::Date, i, end + 1, format!("---{day:02}"));
            }
            end += 1;
        }
        let negative = self.is_sign(start);
        if negative {
            start -= 1;
        }
        let write = |whole: &str, fraction: &str| {
            let mut norm = canonical(whole, fraction, shift, negative);
            match (currency, percent) {
                (Some(code), _) => norm.extend([" ", code]),
                (None, Some(_)) => norm.push('%'),
                (None, None) => {}
            }
            norm.into_boxed_str()
        };
        let mut norm = write(&parsed.whole, &parsed.fraction);
        let mut alt = parsed.other.take().map(|(w, f)| write(&w, &f));
        // Money has no thousandths: `1.100 kr` is eleven hundred first of all.
        if let Some(alt) = alt
            .as_mut()
            .filter(|_| currency.is_some() && !parsed.fraction.is_empty())
        {
            std::mem::swap(alt, &mut norm);
        }
        let fractional = !parsed.fraction.is_empty() && percent.is_none();
        let kind = if currency.is_some() || fractional {
            Kind::Amount
        } else {
            Kind::Number
        };
        self.push_number(kind, start..end, norm, alt, negative);
        if parsed.list && currency.is_none() && percent.is_none() {
            self.push_each(i, parsed.end);
        }
        Some(end)
    }

    fn push_number(
        &mut self,
        kind: Kind,
        tokens: std::ops::Range<usize>,
        norm: Box<str>,
        alt: Option<Box<str>>,
        negative: bool,
    ) {
        // A code with leading zeros (`0042`) is more than its number.
        let plain = kind == Kind::Number && tokens.len() == 1 && !negative;
        let text = self.slice(tokens.start, tokens.end);
        if plain && text.len() > 1 && text.starts_with('0') {
            self.push(Kind::Id, tokens.start, tokens.end, text);
        } else {
            self.push_alt(kind, tokens.start, tokens.end, norm, alt);
        }
    }

    /// Each run of digits in `i..end` as a number of its own.
    pub(super) fn push_each(&mut self, i: usize, end: usize) {
        for j in i..end {
            if self.tok(j) == Tok::Num {
                let norm = canonical(self.str(j), "", 0, false);
                self.push(Kind::Number, j, j + 1, norm);
            }
        }
    }

    /// `1.2.3`, `10.0.0.1`: groups that no reading as thousands fits.
    fn dotted_id(&self, i: usize) -> bool {
        let second = self.is(i + 1, b'.') && self.tok(i + 2) == Tok::Num;
        let third = self.is(i + 3, b'.') && self.tok(i + 4) == Tok::Num;
        second && third && !(self.str(i + 2).len() == 3 && self.str(i + 4).len() == 3)
    }

    /// `41 902,00`, `1 234 567 EUR`: groups of three set off by single spaces, and a sign that they belong together.
    fn spaced_groups(&mut self, i: usize) -> Option<Parsed> {
        let first = self.num(i).filter(|d| d.len <= 3 && d.value > 0)?;
        let mut whole = self.str(i).to_owned();
        let mut end = i + 1;
        let mut groups = 1;
        while groups < 5
            && self.is_blank(end)
            && self.str(end + 1).len() == 3
            && self.tok(end + 1) == Tok::Num
        {
            whole.push_str(self.str(end + 1));
            end += 2;
            groups += 1;
        }
        if groups == 1 || first.len == 3 && groups > 4 {
            return None;
        }
        let mark = (self.is(end, b',') || self.is(end, b'.')) && self.str(end + 1).len() <= 2;
        let fraction = if mark && self.tok(end + 1) == Tok::Num {
            self.str(end + 1)
        } else {
            ""
        };
        if !fraction.is_empty() {
            end += 2;
        }
        let money = self.currency_before(i).1.is_some() || self.currency_after(end).is_some();
        if fraction.is_empty() && !money {
            // Perhaps one number, perhaps several: the whole is offered beside its parts.
            let more = self.is_blank(end) && self.tok(end + 1) == Tok::Num;
            if !(more || self.is(end, b'-')) {
                self.push(Kind::Number, i, end, canonical(&whole, "", 0, false));
            }
            return None;
        }
        Some(Parsed {
            end,
            whole,
            fraction: fraction.to_owned(),
            other: None,
            list: false,
        })
    }

    /// Digits with commas, points or apostrophes.
    fn plain_number(&self, i: usize) -> Option<Parsed> {
        let first = self.str(i);
        let mut parsed = Parsed {
            end: i + 1,
            whole: first.to_owned(),
            fraction: String::new(),
            other: None,
            list: false,
        };
        let sep = self.byte(i + 1);
        let separated = self.tok(i + 1) == Tok::Punct && matches!(sep, b',' | b'.' | b'\'' | b'_');
        let in_list = self.is(i.wrapping_sub(1), sep) && self.tok(i.wrapping_sub(2)) == Tok::Num;
        if !separated || in_list || self.tok(i + 2) != Tok::Num {
            return Some(parsed);
        }
        let groupable = first.len() <= 3 && !first.starts_with('0');
        let (groups, end) = self.groups_of_three(i, sep);
        if groupable && groups > 0 {
            let (decimals, after) = self.decimals(end, sep);
            let dangling = self.is(end, sep) && self.tok(end + 1) == Tok::Num;
            if groups > 1 || decimals.is_some() || matches!(sep, b'\'' | b'_') {
                if dangling {
                    return Some(parsed);
                }
                parsed.whole = self.slice(i, end).replace(char::from(sep), "");
                parsed.fraction = decimals.unwrap_or_default().to_owned();
                parsed.end = after;
                return Some(parsed);
            }
            if dangling {
                return Some(parsed);
            }
            let grouped = (
                self.slice(i, end).replace(char::from(sep), ""),
                String::new(),
            );
            let decimal = (first.to_owned(), self.str(i + 2).to_owned());
            let (main, other) = if sep == b',' {
                (grouped, decimal)
            } else {
                (decimal, grouped)
            };
            (parsed.whole, parsed.fraction) = main;
            parsed.other = Some(other);
            parsed.end = end;
            return Some(parsed);
        }
        let digits = self.str(i + 2);
        let another = self.is(i + 3, sep) && self.tok(i + 4) == Tok::Num;
        let decimal = match sep {
            b'.' => !another,
            b',' => !another && (digits.len() <= 2 || first == "0"),
            _ => false,
        };
        if decimal {
            parsed.fraction = digits.to_owned();
            parsed.end = i + 3;
            parsed.list = sep == b',';
        }
        Some(parsed)
    }

    /// How many groups `sep 123` follow the number at `i`, and where they end.
    fn groups_of_three(&self, i: usize, sep: u8) -> (usize, usize) {
        let (mut groups, mut end) = (0, i + 1);
        while groups < 8
            && self.is(end, sep)
            && self.tok(end + 1) == Tok::Num
            && self.str(end + 1).len() == 3
        {
            groups += 1;
            end += 2;
        }
        (groups, end)
    }

    /// Decimals after grouped digits: the other mark, and digits that are not another group.
    fn decimals(&self, end: usize, sep: u8) -> (Option<&str>, usize) {
        let mark = match sep {
            b',' => self.is(end, b'.'),
            b'.' => self.is(end, b','),
            _ => self.is(end, b'.') || self.is(end, b','),
        };
        let more = self.is(end + 2, b',') || self.is(end + 2, b'.');
        if mark && self.tok(end + 1) == Tok::Num && !(more && self.tok(end + 3) == Tok::Num) {
            (Some(self.str(end + 1)), end + 2)
        } else {
            (None, end)
        }
    }

    /// Whether a minus sign stands right before token `start` and belongs to it.
    fn is_sign(&self, start: usize) -> bool {
        if start == 0 || !self.is(start - 1, b'-') {
            return false;
        }
        match self.before(start - 1) {
            Tok::Word(_) | Tok::Num => false,
            Tok::Punct => !matches!(self.byte(start - 2), b'-' | b')' | b'.' | b'/' | b'_'),
            // `3 - 2` is no sign, `3 -2` neither.
            Tok::Space => start < 3 || self.tok(start - 3) != Tok::Num,
            Tok::Break | Tok::End => true,
        }
    }

    /// A currency right before token `i`, not taken by another number: where it starts, and what it is.
    fn currency_before(&self, i: usize) -> (usize, Option<&'static str>) {
        let none = (i, None);
        let Some(mut j) = i.checked_sub(1) else {
            return none;
        };
        let signed = self.is(j, b'-') && j > 0;
        let before_sign = if signed { j - 1 } else { j };
        if self.is_blank(before_sign) && before_sign > 0 {
            j = before_sign - 1;
        } else {
            j = before_sign;
        }
        if self.is(j, b'.') && j > 0 && self.is_word(j - 1) {
            j -= 1;
        }
        if j < self.taken {
            return none;
        }
        let Some(code) = self.currency(j) else {
            return none;
        };
        if self.tok(j) == Tok::Punct
            && j > self.taken
            && let Some(code) = self.dollar_prefix(j)
        {
            return (j - 1, Some(code));
        }
        (j, Some(code))
    }

    /// Whether a currency stands right before or after the digits at `i`.
    pub(super) fn is_money(&self, i: usize) -> bool {
        self.currency_before(i).1.is_some() || self.currency_after(i + 1).is_some()
    }

    /// `US$`, `C$`: the country before a dollar sign at `j`.
    fn dollar_prefix(&self, j: usize) -> Option<&'static str> {
        let country = self.str(j.checked_sub(1)?);
        if self.str(j) != "$" {
            return None;
        }
        Some(match country {
            "US" | "USD" => "USD",
            "C" | "CA" | "CAD" => "CAD",
            "A" | "AU" | "AUD" => "AUD",
            "NZ" => "NZD",
            "HK" => "HKD",
            "S" | "SG" => "SGD",
            "R" => "BRL",
            "MX" => "MXN",
            _ => return None,
        })
    }

    /// The currency that token `i` names.
    pub(super) fn currency(&self, i: usize) -> Option<&'static str> {
        match self.tok(i) {
            Tok::Punct => self.str(i).chars().next().and_then(vocab::symbol),
            Tok::Word(case) => match self.term(i)? {
                Term::Currency(code)
                    if code.len() == 3 && self.str(i).len() == 3 && code != "JPY" =>
                {
                    let usual = matches!(
                        code,
                        "USD" | "EUR" | "GBP" | "CHF" | "SEK" | "NOK" | "DKK" | "PLN" | "CZK"
                    );
                    (case == Case::Upper || usual).then_some(code)
                }
                Term::Currency(code) => Some(code),
                _ => None,
            },
            _ => None,
        }
    }

    /// A currency from token `i` on, after at most one space, and where it ends.
    fn currency_after(&self, i: usize) -> Option<(&'static str, usize)> {
        let spaced = self.is_blank(i);
        let j = if spaced { i + 1 } else { i };
        let code = self.currency(j)?;
        // In `20 €30` and `5 USD 20` the sign belongs to the number after it.
        let next = self.tok(j + 1) == Tok::Num;
        if spaced && next && self.tok(j) == Tok::Punct || self.is_joined_word(j) {
            return None;
        }
        Some((code, j + 1))
    }

    /// Whether word `j` goes on with a joining mark (`USD-account`).
    fn is_joined_word(&self, j: usize) -> bool {
        self.is_word(j) && (self.is(j + 1, b'-') || self.is(j + 1, b'_')) && self.is_alnum(j + 2)
    }

    /// A power of ten after a number: ` million`, ` Mio.`, or glued `k`, `m`, `bn` in amounts.
    fn scale_after(&self, i: usize, money: bool) -> Option<(usize, usize)> {
        if money {
            let glued = match self.str(i) {
                "k" | "K" => 3,
                "m" | "M" => 6,
                "bn" | "B" => 9,
                _ => 0,
            };
            if glued > 0 {
                return Some((glued, i + 1));
            }
        }
        let j = if self.is_blank(i) { i + 1 } else { i };
        match self.term(j)? {
            Term::Scale(power) => Some((
                usize::from(power),
                if self.is(j + 1, b'.') { j + 2 } else { j + 1 },
            )),
            _ => None,
        }
    }

    fn percent_after(&self, i: usize) -> Option<usize> {
        let j = if self.is_blank(i) { i + 1 } else { i };
        if self.is(j, b'%') || self.term(j) == Some(Term::Percent) {
            return Some(j + 1);
        }
        let two_words = self.str(j) == "per" && self.is_blank(j + 1) && self.str(j + 2) == "cent";
        two_words.then_some(j + 3)
    }
}

/// The exact decimal of these digits times ten to the `shift`, without superfluous zeros.
pub(super) fn canonical(whole: &str, fraction: &str, shift: usize, negative: bool) -> String {
    let (moved, rest) = fraction.split_at(shift.min(fraction.len()));
    let zeros = shift.saturating_sub(fraction.len());
    let mut digits = String::with_capacity(whole.len() + fraction.len() + zeros + 2);
    digits.push_str(whole);
    digits.push_str(moved);
    digits.extend(std::iter::repeat_n('0', zeros));
    let int = digits.trim_start_matches('0');
    let rest = rest.trim_end_matches('0');
    let mut out = String::with_capacity(int.len() + rest.len() + 3);
    if negative && !(int.is_empty() && rest.is_empty()) {
        out.push('-');
    }
    out.push_str(if int.is_empty() { "0" } else { int });
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    out
}
