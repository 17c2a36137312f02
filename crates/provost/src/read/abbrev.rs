//! Words that a full stop follows without ending the sentence, in European languages.

/// What a full stop after an abbreviation means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Never the end: something always follows (`Mr.`, `e.g.`, an initial).
    Never,
    /// Not the end before a number (`No. 5`).
    BeforeNumber,
    /// The end only before a capital (`etc.`, `Ltd.`, `Feb.`).
    MayEnd,
}

/// Titles and the like; only with a capital (`Ms.` is a title, `ms.` a unit at the end of a sentence).
const TITLES: &[&str] = &[
    "av", "avv", "capt", "col", "dott", "dr", "dra", "fr", "frl", "gen", "geom", "gov", "hon",
    "hr", "ing", "lt", "mag", "messrs", "mgr", "mlle", "mm", "mme", "mr", "mrs", "ms", "mt",
    "pres", "prof", "profa", "rag", "rep", "rev", "sen", "sgt", "sig", "sr", "sra", "srta", "st",
    "ste", "sta",
];

const NEVER: &[&str] = &[
    "abt", "adv", "approx", "att", "bzw", "ca", "cca", "cf", "dott", "dr", "einschl", "evtl",
    "excl", "geom", "ggf", "incl", "ing", "inkl", "insb", "max", "prof", "resp", "sog", "vgl",
    "vs", "zzgl",
];

const BEFORE_NUMBER: &[&str] = &[
    "abs", "anl", "app", "art", "cap", "ch", "chap", "cl", "ed", "eq", "fig", "int", "lit", "nb",
    "no", "nos", "nr", "nrs", "num", "núm", "pag", "par", "para", "pos", "pp", "pt", "ref", "rev",
    "rm", "rn", "rz", "sect", "tab", "tel", "tél", "vol", "ziff",
];

const MAY_END: &[&str] = &[
    "al", "anm", "apr", "apt", "aug", "ave", "blvd", "co", "corp", "dec", "dept", "dez", "doz",
    "est", "etc", "ext", "feb", "ff", "fri", "ft", "gmbh", "hrs", "hwy", "inc", "jan", "janv",
    "jr", "jul", "jun", "kl", "lb", "lbs", "llc", "ltd", "mar", "mfg", "min", "mon", "mwst", "nov",
    "oct", "okt", "oz", "pcs", "pl", "plc", "rd", "sat", "sec", "sep", "sept", "std", "stk", "str",
    "sun", "thu", "tue", "usw", "wed", "yr", "yrs",
];

const MONTHS: &[&str] = &[
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "januar",
    "jänner",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "okt",
    "dezember",
    "dez",
    "januari",
    "februari",
    "mars",
    "maj",
    "augusti",
    "augustus",
    "maart",
    "mei",
];

/// Words before an ordinal number written with a full stop (`am 24. Tag`, `den 3. plats`).
const ORDINAL_LEADS: &[&str] = &[
    "ab", "am", "beim", "bis", "das", "dem", "den", "der", "des", "die", "im", "ins", "vom", "zum",
    "zur", "jeden", "jedem", "jeder", "d", "på", "til", "fra",
];

/// How a full stop after `word` (without it) counts; `None` for words that are no known abbreviation.
pub(super) fn kind(word: &str) -> Option<Kind> {
    if word.len() > 12 {
        return None;
    }
    // `e.g`, `z.B`, `U.S`, `p.m`: letters with full stops between.
    if word.contains('.') {
        let letters = word
            .split('.')
            .all(|p| p.chars().count() <= 2 && p.chars().all(char::is_alphabetic));
        let time = matches!(word, "a.m" | "p.m" | "A.M" | "P.M");
        return letters.then_some(if time { Kind::MayEnd } else { Kind::Never });
    }
    let mut chars = word.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && c.is_alphabetic()
    {
        return Some(if c.is_uppercase() {
            Kind::Never
        } else {
            Kind::MayEnd
        });
    }
    let capital = word.starts_with(char::is_uppercase);
    let lower = word.to_lowercase();
    let word = lower.as_str();
    if NEVER.contains(&word) || capital && TITLES.contains(&word) {
        Some(Kind::Never)
    } else if MAY_END.contains(&word) {
        Some(Kind::MayEnd)
    } else if BEFORE_NUMBER.contains(&word) {
        Some(Kind::BeforeNumber)
    } else {
        None
    }
}

/// Whether a word is the name of a month.
pub(super) fn is_month(word: &str) -> bool {
    word.len() <= 12 && MONTHS.contains(&word.to_lowercase().as_str())
}

/// Whether a number with a full stop after this word is an ordinal.
pub(super) fn leads_ordinal(word: &str) -> bool {
    word.len() <= 6 && ORDINAL_LEADS.contains(&word.to_lowercase().as_str())
}
