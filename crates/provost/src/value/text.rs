//! Comparable forms of text: `normal` for exact comparison, `fold` and `words` for likeness.
//!
//! Two strengths, because they answer different questions. [`normal`] says that two spellings are the same value
//! (case, accents, kinds of quotes and spaces); it never equates letters of different scripts, so an attacker's
//! look-alike of a known name does not pass for it. [`fold`] goes further and maps look-alike letters and
//! punctuation away: it finds that two texts *look* the same, and must not serve to show that a value is known.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Exact comparable form: NFKC, lower case, Latin, Greek and Cyrillic accents dropped, quotes, dashes and spaces
/// unified, invisible characters and outer punctuation dropped. Idempotent.
pub fn normal(text: &str) -> String {
    let composed = match bare(text) {
        Some(bare) => normal_of(bare.chars().map(unify)),
        // Composing again keeps scripts whose marks are letters of their own (Hangul, Indic) in their usual form.
        None => normal_of(decomposed(text)).nfkc().collect(),
    };
    let core = composed.trim_matches(is_outer);
    if core.is_empty() || core.len() == composed.len() {
        composed
    } else {
        core.to_owned()
    }
}

/// The normal form of decomposed characters, not composed again.
fn normal_of(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::with_capacity(chars.size_hint().1.unwrap_or_default());
    let (mut gap, mut escapes) = (false, 0);
    for c in chars {
        if c == '\\' {
            escapes += 1;
            continue;
        }
        // A backslash before a quote is an escape that was not undone (`Mom\'s`).
        let kept = if matches!(c, '\'' | '"') { 0 } else { escapes };
        if std::mem::take(&mut gap) && (kept > 0 || !c.is_whitespace()) {
            out.push(' ');
        }
        out.extend(std::iter::repeat_n('\\', kept));
        escapes = 0;
        if c.is_whitespace() {
            gap = !out.is_empty();
        } else {
            push_lower(&mut out, c);
        }
    }
    if gap && escapes > 0 {
        out.push(' ');
    }
    out.extend(std::iter::repeat_n('\\', escapes));
    out
}

/// Loose comparable form: as [`normal`], and besides every run of punctuation becomes one space, apostrophes
/// vanish, and letters that look like Latin ones are mapped to them. For likeness only. Idempotent.
pub fn fold(text: &str) -> String {
    if let Some(bare) = bare(text) {
        let out = fold_of(bare.chars());
        return if out.is_ascii() {
            out
        } else {
            out.chars().map(latin_twin).collect()
        };
    }
    let accentless = |c: &char| !is_invisible(*c) && !is_accent(*c);
    let out = fold_of(text.nfkd().filter(accentless));
    let latin: String = out.chars().map(latin_twin).collect();
    latin.nfkc().collect()
}

/// The folded form of decomposed characters, without look-alikes mapped and not composed again.
fn fold_of(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::with_capacity(chars.size_hint().1.unwrap_or_default());
    let mut gap = false;
    for c in chars.map(unify) {
        if c == '\'' {
            continue;
        }
        if !c.is_alphanumeric() && !is_combining_mark(c) && !is_sign(c) {
            gap = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push(' ');
        }
        push_lower(&mut out, c);
    }
    out
}

/// The decomposed text without accents and what is invisible, where that needs no look at neighbours: most texts, far
/// cheaper than full normalisation. (The forms come out the same; a test compares them over all such characters.)
fn bare(text: &str) -> Option<Cow<'_, str>> {
    if text.is_ascii() {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() || is_inert(c) {
            out.push(c);
        } else if is_simple(c) {
            let mut push = |d| {
                if !is_accent(d) {
                    out.push(d);
                }
            };
            decompose_compatible(c, &mut push);
        } else if !is_invisible(c) || is_accent(c) {
            return None;
        }
    }
    Some(Cow::Owned(out))
}

/// Characters that normalisation leaves as they are, alone or beside each other: dashes and quotation marks, kana with
/// their voicing marks built in, the common Han characters and their punctuation.
fn is_inert(c: char) -> bool {
    matches!(
        c,
        '\u{2012}'..='\u{2015}' | '\u{2018}'..='\u{201F}' | '\u{20AC}' | '\u{3001}' | '\u{3002}'
            | '\u{300C}'..='\u{300F}' | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}'
            | '\u{4E00}'..='\u{9FEF}'
    )
}

/// Characters that decompose to letters and signs without marks other than accents: Latin, Greek and Cyrillic letters,
/// the signs beside them.
fn is_simple(c: char) -> bool {
    matches!(
        c,
        '\u{00A0}'..='\u{00AC}' | '\u{00AE}'..='\u{00B3}' | '\u{00B5}'..='\u{017F}' | '\u{0386}'..='\u{03CE}'
            | '\u{0400}'..='\u{045F}' | '\u{2026}' | '\u{2122}'
    )
}

/// Folded content words of a text in any language, in order: function words and single letters dropped, runs of
/// CJK characters as overlapping pairs.
pub fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_word(text, &mut |word| out.push(word.to_owned()));
    out
}

/// Calls `visit` with each of the [`words`] of a text.
pub(crate) fn each_word(text: &str, visit: &mut dyn FnMut(&str)) {
    for token in fold(text).split(' ') {
        split_scripts(token, visit);
    }
}

/// Whether a word is a short function word of one of ten European languages (folded form expected).
pub fn is_function_word(word: &str) -> bool {
    word.len() <= 9 && FUNCTION_WORDS.contains(word)
}

/// Whether a word mixes Latin letters with Cyrillic or Greek ones, as look-alike spellings do. Parts joined by
/// punctuation are looked at one by one, and signs that stand in formulas (the micro and ohm signs) do not count.
pub fn mixed_script(word: &str) -> bool {
    if word.is_ascii() {
        return false;
    }
    word.split(|c: char| !c.is_alphabetic() && !is_combining_mark(c))
        .any(|part| {
            let latin = part.chars().any(is_latin);
            latin && part.chars().any(is_cyrillic_or_greek)
        })
}

/// The characters of a text without accents and invisible ones, quotes and dashes unified.
fn decomposed(text: &str) -> impl Iterator<Item = char> + '_ {
    // Before as well as after: an acute accent that serves as an apostrophe would decompose to a space and a mark.
    let visible = |c: &char| !is_invisible(*c) && !is_accent(*c);
    text.chars().map(unify).nfkd().filter(visible).map(unify)
}

fn split_scripts(token: &str, visit: &mut dyn FnMut(&str)) {
    let mut rest = token;
    while let Some(first) = rest.chars().next() {
        let cjk = is_cjk(first);
        let end = rest.find(|c| is_cjk(c) != cjk).unwrap_or(rest.len());
        let (part, tail) = rest.split_at(end);
        rest = tail;
        if cjk {
            pairs(part, visit);
        } else {
            let single_letter = part.len() <= 1 && !part.bytes().all(|b| b.is_ascii_digit());
            if !single_letter && !is_function_word(part) {
                visit(part);
            }
        }
    }
}

/// Each two neighbouring characters of a run; the run itself when it has only one.
fn pairs(run: &str, visit: &mut dyn FnMut(&str)) {
    let ends = run.char_indices().map(|(at, c)| at + c.len_utf8());
    let mut alone = true;
    for ((from, _), to) in run.char_indices().zip(ends.skip(1)) {
        alone = false;
        visit(run.get(from..to).unwrap_or_default());
    }
    if alone {
        visit(run);
    }
}

/// Pushes the lower-case form with ligatures and barred letters spelled out in plain Latin letters.
fn push_lower(out: &mut String, c: char) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    for low in c.to_lowercase().filter(|c| !is_accent(*c)) {
        match low {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ħ' => out.push('h'),
            'ı' => out.push('i'),
            'þ' => out.push_str("th"),
            _ => out.push(low),
        }
    }
}

/// Unifies kinds of quotes and dashes.
fn unify(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{02BC}' | '\u{2032}' | '`'
        | '\u{00B4}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{00AB}' | '\u{00BB}'
        | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => c,
    }
}

/// The Latin letter that a lower-case Cyrillic or Greek letter looks like, or the letter itself.
fn latin_twin(c: char) -> char {
    match c {
        'а' | 'α' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'һ' | 'н' | 'η' => 'h',
        'і' | 'ι' => 'i',
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'м' => 'm',
        'о' | 'ο' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' => 'u',
        'ν' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        _ => c,
    }
}

/// Combining accents of the European scripts. Marks of other scripts are letters of their own and stay.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}')
}

/// Signs that carry meaning beside digits.
fn is_sign(c: char) -> bool {
    matches!(c, '%' | '€' | '$' | '£' | '¥')
}

/// Punctuation that may surround a value without belonging to it.
fn is_outer(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\''
                | '.'
                | ','
                | ';'
                | ':'
                | '!'
                | '?'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | '#'
        )
}

/// Zero-width and bidirectional control characters: they change nothing that a reader sees.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}' | '\u{FEFF}'
    ) || matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E007F}' | '\u{E0100}'..='\u{E01EF}')
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic()
        || (matches!(c, '\u{00C0}'..='\u{024F}' | '\u{1E00}'..='\u{1EFF}' | '\u{FF21}'..='\u{FF5A}')
            && c.is_alphabetic())
}

fn is_cyrillic_or_greek(c: char) -> bool {
    // U+2126 (ohm) and U+00B5 (micro) are signs of their own and lie outside of these blocks.
    matches!(c, '\u{0370}'..='\u{03FF}' | '\u{0400}'..='\u{052F}' | '\u{1F00}'..='\u{1FFF}')
        && c.is_alphabetic()
}

/// Scripts written without spaces between words: Han, kana (Hangul has spaces but agglutinates; pairs serve it too).
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}'
            | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}'
    )
}

static FUNCTION_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    // Articles, pronouns, prepositions, conjunctions, auxiliaries: en, de, fr, es, it, pt, nl, sv, da, no.
    "a an the this that these those i you he she it we they me him her us them my your his its our their \
     and or but if then than as at by for from in into of off on onto out over to up with without about \
     is are was were be been being am do does did has have had will would shall should can could may might \
     must not no so too very there here what which who whom whose when where how why all any each both \
     please also just only dear hi hello \
     der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als auf bei fur von vom \
     zu zum zur mit ohne uber unter ist sind war waren sein wird werden hat haben ich du er sie es wir ihr \
     mich dich uns euch mein dein sein unser nicht kein keine auch nur noch wie was wer wo im am ans ins an aus \
     le la les un une des du de et ou mais si que qui quoi dont ou au aux en dans par pour sur avec sans est \
     sont etait ete etre avoir ai as avons avez ont je tu il elle nous vous ils elles mon ton son notre votre \
     leur ce cet cette ces ne pas plus aussi se \
     el los las uno una unos unas y o u pero al del con sin por para sobre es son era fue ser ha han he yo \
     ella nosotros ellos mi tu su sus lo le les no ya muy tambien como donde \
     gli i uno e ed ma di da dal della delle dei nel nella con su per tra fra che chi non piu anche sono \
     io lui lei noi voi loro mio tuo suo \
     os um uma uns umas ao aos da das do dos na nas nos com sem sob ou mas sao foi eu ele ela eles nao mais \
     het een van voor met zonder op te naar bij uit zijn was waren heeft hebben ik jij hij zij wij jullie \
     niet geen ook nog maar dan dat deze dit \
     och eller men om av till fran med utan pa i ar var vara har hade jag han hon vi ni den det de ett en \
     inte ingen ocksa bara som at og af til fra uden er havde jeg hun ikke ingen ogsa kun vaere"
        .split_ascii_whitespace()
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn normal_unifies_spellings_but_not_scripts() {
        let same = [
            ("  José  García ", "jose garcia"),
            ("“Le Marais”", "le marais"),
            ("#general", "general"),
            ("Straße 5", "strasse 5"),
            ("Mom\\'s Home", "mom's home"),
            ("Smørrebrød", "smorrebrod"),
            ("ＡＢＣ　１２", "abc 12"),
            ("İstanbul", "istanbul"),
            ("—", "-"),
            ("???", "???"),
            ("", ""),
        ];
        for (input, expected) in same {
            assert_eq!(normal(input), expected, "{input:?}");
        }
        assert_ne!(normal("аpple.com"), normal("apple.com"), "Cyrillic а");
        assert_eq!(fold("аpple.com"), fold("apple.com"));
    }

    #[test]
    fn words_are_content() {
        let check = |text: &str, expected: &[&str]| assert_eq!(words(text), expected, "{text:?}");
        check(
            "Please pay the bill to Mrs. Ek",
            &["pay", "bill", "mrs", "ek"],
        );
        check(
            "Zahle die Rechnung für 5 Stühle",
            &["zahle", "rechnung", "5", "stuhle"],
        );
        check("会議は明日abc", &["会議", "議は", "は明", "明日", "abc"]);
        check("...", &[]);
    }

    #[test]
    fn mixed_scripts() {
        for (word, mixed) in [
            ("pаypal", true),
            ("paypal", false),
            ("привет", false),
            ("5µm", false),
            ("α-Tocopherol", false),
            ("Gοοgle", true),
            ("", false),
        ] {
            assert_eq!(mixed_script(word), mixed, "{word}");
        }
    }

    /// Both forms of a text must be what full normalisation makes of it.
    fn check_forms(text: &str) {
        let long: String = normal_of(decomposed(text)).nfkc().collect();
        let core = long.trim_matches(is_outer);
        assert_eq!(
            normal(text),
            if core.is_empty() { &long } else { core },
            "{text:?}"
        );
        let chars = text.nfkd().filter(|c| !is_invisible(*c) && !is_accent(*c));
        let long: String = fold_of(chars).chars().map(latin_twin).nfkc().collect();
        assert_eq!(fold(text), long, "{text:?}");
    }

    #[test]
    fn characters_that_need_no_full_normalisation() {
        let all = (0x80..=0x10FFFF).filter_map(char::from_u32);
        for c in all.filter(|c| bare(c.encode_utf8(&mut [0; 4])).is_some()) {
            check_forms(&format!("{c}"));
            check_forms(&format!("a{c}b {c}{c}' か{c}\u{e0041}{c}"));
        }
    }

    fn plain_text() -> impl Strategy<Value = String> {
        let some = "[ -~]{0,3}|[\u{2012}-\u{2015}\u{2018}-\u{201F}か-ぱア-ヺ会議は明日。、「」à-ÿĀ-žΆ-ώА-я…€\u{200b}\u{ad}\u{feff}\t\n]{1,3}";
        prop::collection::vec(some, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn forms_are_idempotent(text in "\\PC{0,60}") {
            let n = normal(&text);
            prop_assert_eq!(&normal(&n), &n);
            let f = fold(&text);
            prop_assert_eq!(&fold(&f), &f);
            prop_assert_eq!(words(&f), words(&text));
        }

        #[test]
        fn the_short_way_gives_the_same_forms(text in plain_text()) {
            prop_assert!(bare(&text).is_some());
            check_forms(&text);
        }
    }
}
