//! The words that scanners know: months, weekdays, currencies, number words and their companions.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word means to a scanner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// Month 1 to 12.
    Month(u8),
    /// Abbreviation of a month, or a month name that is also a common word: counts beside a day number only.
    MonthBesideDay(u8),
    /// Day of the week, Monday = 1.
    Weekday(u8),
    /// Abbreviated day of the week: counts when capitalised and followed by a number.
    WeekdayBesideDay(u8),
    /// A number.
    Number(u8),
    /// Currency: an ISO 4217 code or the symbol of a family of currencies.
    Currency(&'static str),
    /// Power of ten: thousand = 3.
    Scale(u8),
    /// Per cent.
    Percent,
    /// Before or after noon.
    Meridiem(Half),
    /// Marks the number before it as a time of day.
    Clock,
    /// Marks the number after it as a time of day.
    At,
    /// Stands between a day and a month, or between a month and a year.
    Of,
    /// Suffix of an ordinal number.
    Ordinal,
}

/// Half of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Am,
    Pm,
}

/// What a word means; case does not matter. Longest known word: 14 bytes.
pub(super) fn term(word: &str) -> Option<Term> {
    let len = word.len();
    if !(1..=14).contains(&len) {
        return None;
    }
    if word.is_ascii() {
        let mut buffer = [0_u8; 14];
        let lower = buffer.get_mut(..len)?;
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        return TERMS.get(std::str::from_utf8(lower).ok()?).copied();
    }
    TERMS.get(word.to_lowercase().as_str()).copied()
}

/// Currency that a symbol stands for; `$` and `¥` are families.
pub(super) fn symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '$' => "$",
        '€' => "EUR",
        '£' => "GBP",
        '¥' => "¥",
        '₹' => "INR",
        '₩' => "KRW",
        '₽' => "RUB",
        '₺' => "TRY",
        '₪' => "ILS",
        '฿' => "THB",
        '₫' => "VND",
        '₴' => "UAH",
        '₦' => "NGN",
        '₱' => "PHP",
        '₿' => "BTC",
        _ => return None,
    })
}

/// The family that a currency code belongs to: `$5` may be US or Canadian dollars, `5 kr` Swedish or Norwegian.
pub(crate) fn family(code: &str) -> Option<&'static str> {
    Some(match code {
        "USD" | "CAD" | "AUD" | "NZD" | "SGD" | "HKD" | "MXN" => "$",
        "SEK" | "NOK" | "DKK" | "ISK" => "kr",
        "JPY" | "CNY" => "¥",
        _ => return None,
    })
}

static TERMS: LazyLock<HashMap<&'static str, Term>> = LazyLock::new(|| {
    let mut map = HashMap::new();
    for (table, make) in TABLES {
        for (i, line) in table.iter().enumerate() {
            for word in line.split_ascii_whitespace() {
                // A full name wins over an abbreviation that is spelled alike; the tables are in that order.
                map.entry(word).or_insert_with(|| make(i as u8));
            }
        }
    }
    for (lower, code) in CODES {
        map.entry(*lower).or_insert(Term::Currency(code));
    }
    for (words, term) in OTHERS {
        for word in words.split_ascii_whitespace() {
            map.entry(word).or_insert(*term);
        }
    }
    map
});

type Table = (&'static [&'static str], fn(u8) -> Term);

const TABLES: &[Table] = &[
    (MONTHS, |i| Term::Month(i + 1)),
    (MONTHS_BESIDE_DAY, |i| Term::MonthBesideDay(i + 1)),
    (WEEKDAYS, |i| Term::Weekday(i + 1)),
    (WEEKDAYS_BESIDE_DAY, |i| Term::WeekdayBesideDay(i + 1)),
    (NUMBERS, Term::Number),
];

/// Full month names that are no common word of their own: en, de, fr, es, it, pt, nl, sv, da, no.
const MONTHS: &[&str] = &[
    "january januar jänner janvier enero gennaio janeiro januari",
    "february februar février fevrier febrero febbraio fevereiro februari",
    "märz marzo março maart",
    "april avril abril aprile",
    "maggio maio",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august août agosto augustus augusti",
    "september septembre septiembre settembre setembro",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember décembre decembre diciembre dicembre dezembro desember",
];

/// Abbreviations, and full names that are also common words (`may`, `march`, `mars`, `mei`).
const MONTHS_BESIDE_DAY: &[&str] = &[
    "jan janv ene gen",
    "feb févr fevr fev febr",
    "march mars mar mär mrz mrt",
    "apr avr abr",
    "may mai mayo mei maj mag",
    "jun giu",
    "jul juil lug",
    "aug aout ago agt",
    "sep sept set",
    "oct okt ott out",
    "nov",
    "dec dez déc dic des",
];

const WEEKDAYS: &[&str] = &[
    "monday montag lundi lunes lunedì segunda-feira maandag måndag mandag",
    "tuesday dienstag mardi martes martedì dinsdag tisdag tirsdag",
    "wednesday mittwoch mercredi miércoles mercoledì woensdag onsdag",
    "thursday donnerstag jeudi jueves giovedì donderdag torsdag",
    "friday freitag vendredi viernes venerdì vrijdag fredag",
    "saturday samstag sonnabend samedi sábado sabato zaterdag lördag lørdag",
    "sunday sonntag dimanche domingo domenica zondag söndag søndag",
];

const WEEKDAYS_BESIDE_DAY: &[&str] = &[
    "mon lun",
    "tue tues",
    "wed mer mié",
    "thu thur thurs jeu jue gio",
    "fri ven vie",
    "sat sam sáb sab",
    "sun dim dom",
];

const NUMBERS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve dozen",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// ISO 4217 codes of the currencies in wide use that are no English words.
const CODES: &[(&str, &str)] = &[
    ("aed", "AED"),
    ("ars", "ARS"),
    ("aud", "AUD"),
    ("bgn", "BGN"),
    ("brl", "BRL"),
    ("btc", "BTC"),
    ("cad", "CAD"),
    ("chf", "CHF"),
    ("clp", "CLP"),
    ("cny", "CNY"),
    ("cop", "COP"),
    ("czk", "CZK"),
    ("dkk", "DKK"),
    ("egp", "EGP"),
    ("eth", "ETH"),
    ("eur", "EUR"),
    ("gbp", "GBP"),
    ("hkd", "HKD"),
    ("huf", "HUF"),
    ("idr", "IDR"),
    ("ils", "ILS"),
    ("inr", "INR"),
    ("isk", "ISK"),
    ("jpy", "JPY"),
    ("kes", "KES"),
    ("krw", "KRW"),
    ("mad", "MAD"),
    ("mxn", "MXN"),
    ("myr", "MYR"),
    ("ngn", "NGN"),
    ("nok", "NOK"),
    ("nzd", "NZD"),
    ("pen", "PEN"),
    ("php", "PHP"),
    ("pkr", "PKR"),
    ("pln", "PLN"),
    ("ron", "RON"),
    ("rsd", "RSD"),
    ("rub", "RUB"),
    ("sar", "SAR"),
    ("sek", "SEK"),
    ("sgd", "SGD"),
    ("thb", "THB"),
    ("twd", "TWD"),
    ("uah", "UAH"),
    ("usd", "USD"),
    ("vnd", "VND"),
    ("zar", "ZAR"),
];

const OTHERS: &[(&str, Term)] = &[
    ("euro euros", Term::Currency("EUR")),
    ("dollar dollars bucks", Term::Currency("$")),
    ("sterling quid", Term::Currency("GBP")),
    ("yen", Term::Currency("JPY")),
    ("yuan rmb", Term::Currency("CNY")),
    ("rupee rupees rs", Term::Currency("INR")),
    ("franken sfr", Term::Currency("CHF")),
    ("kr kronor kroner kronen", Term::Currency("kr")),
    ("zł zloty złotych", Term::Currency("PLN")),
    ("kč", Term::Currency("CZK")),
    ("forint", Term::Currency("HUF")),
    (
        "thousand tausend mille mila duizend tusen tusind tsd",
        Term::Scale(3),
    ),
    (
        "million millions millionen mio millones millón milioni milione milhão milhões miljoen miljoner",
        Term::Scale(6),
    ),
    ("billion billions milliarden mrd miljard", Term::Scale(9)),
    (
        "percent prozent procent pourcent prosent pct",
        Term::Percent,
    ),
    ("am", Term::Meridiem(Half::Am)),
    ("pm", Term::Meridiem(Half::Pm)),
    ("uhr uur", Term::Clock),
    ("kl klo klokken um", Term::At),
    ("of de del den der di do", Term::Of),
    ("st nd rd th er ère e º ª ste", Term::Ordinal),
];
