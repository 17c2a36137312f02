//! What the scanners find, as data: each text with the atoms expected in it.

use proptest::prelude::*;

use super::net::{normal_path, normal_url};
use crate::value::{Atom, Index, Kind, atoms, text::normal};
use crate::{NodeId, SpanRef};

fn show(atom: &Atom) -> String {
    let alt = atom
        .alt
        .as_deref()
        .map(|a| format!("|{a}"))
        .unwrap_or_default();
    format!("{:?} {}{alt}", atom.kind, atom.norm)
}

/// The atoms of these kinds in a text, in order.
fn check(kinds: &[Kind], text: &str, expected: &[&str]) {
    let found: Vec<String> = atoms(text)
        .iter()
        .filter(|a| kinds.contains(&a.kind))
        .map(show)
        .collect();
    assert_eq!(found, expected, "in {text:?}");
}

#[test]
fn accounts_and_phones() {
    let check = |text, expected: &[&str]| check(&[Kind::Account, Kind::Phone], text, expected);
    check(
        "to AT61 1904 3002 3457 3201 now",
        &["Account AT611904300234573201"],
    );
    check(
        "AT48 3200 0000 1234 5864   BIC RLNWATWW",
        &["Account AT483200000012345864"],
    );
    check(
        "IBAN: de89.3704.0044.0532.0130.00.",
        &["Account DE89370400440532013000"],
    );
    check(
        "NO62 9044 1183 275, NO38 1503 7722 418",
        &["Account NO6290441183275", "Account NO3815037722418"],
    );
    check(
        "IE64 IRCE 9205 0112 3456 78 2026",
        &["Account IE64IRCE92050112345678"],
    );
    check(
        "US133000000121212121212",
        &["Account US133000000121212121212"],
    );
    check(
        "DE89 3704 0044 0532 0130 00 5000 EUR",
        &["Account DE89370400440532013000"],
    );
    check("sort 20-44-91 03316728", &["Account 20449103316728"]);
    check(
        "11 1020 4027 0000 1802 0331 7745",
        &["Account 11102040270000180203317745"],
    );
    check("4111 1111 1111 1111", &["Account 4111111111111111"]);
    check("call +44 (0)20 7946 0018.", &["Phone +442079460018"]);
    check("+46 8 555 0142", &["Phone +4685550142"]);
    check("+4741233907", &["Phone +4741233907"]);
    check(
        "07700 900103 or 01632 960450",
        &["Phone 07700900103", "Phone 01632960450"],
    );
    check("(555) 123-4567", &["Phone 5551234567"]);
    check("0044 7700 900103", &["Phone +447700900103"]);
    check("+46 8 555 0142 2026-03-10", &["Phone +4685550142"]);
    check("AM-26-00731 and INV-2231", &[]);
    check("12.345.678.901 0.0000001", &[]);
}

#[test]
fn addresses_and_paths() {
    let check = |text, expected: &[&str]| {
        check(
            &[Kind::Email, Kind::Url, Kind::Host, Kind::Path],
            text,
            expected,
        )
    };
    check(
        "Mail J.Weller@Aldermoor-Mutual.com.",
        &[
            "Email j.weller@aldermoor-mutual.com",
            "Host aldermoor-mutual.com",
        ],
    );
    check("a+b@x.co", &["Email a+b@x.co", "Host x.co"]);
    // A mark alone is no top-level domain.
    assert!(
        atoms("May@\u{1df25}.\u{1cf30}")
            .iter()
            .all(|a| !matches!(a.kind, Kind::Email | Kind::Host))
    );
    check(
        "see https://Example.COM:443/a/b/?q=1#top).",
        &["Url example.com/a/b?q=1#top", "Host example.com"],
    );
    check("[t](http://x.com/)", &["Url x.com", "Host x.com"]);
    check(
        "x.com/a, www.informations.com",
        &["Url x.com/a", "Host x.com", "Host www.informations.com"],
    );
    check(
        "http://x.com/a_(b) http://u:p@evil.com/",
        &[
            "Url x.com/a_(b)",
            "Host x.com",
            "Url u:p@evil.com",
            "Host evil.com",
        ],
    );
    check(
        "ftp://x.com/%7euser/%c3",
        &["Url ftp://x.com/~user/%C3", "Host x.com"],
    );
    check(
        "10.0.0.1:8080/x and 192.168.0.1",
        &["Url 10.0.0.1:8080/x", "Host 10.0.0.1", "Host 192.168.0.1"],
    );
    check("the end.Next one e.g. this, i.e. m.osei", &[]);
    check(
        "close/2026-04/westmark.txt report-2.pdf",
        &["Path close/2026-04/westmark.txt", "Path report-2.pdf"],
    );
    check(
        "/etc/passwd ./a/B.txt ~/x C:\\Temp\\a.doc",
        &[
            "Path /etc/passwd",
            "Path a/b.txt",
            "Path ~/x",
            "Path c:/temp/a.doc",
        ],
    );
    check("and/or 24/7 1.5 2.3.1", &[]);
    check(
        "auf müller.de、https://例え.jp/a。",
        &["Host müller.de", "Url 例え.jp/a", "Host 例え.jp"],
    );
    for nothing in [
        "https://@",
        "http://.",
        "https://:443/",
        "HTTP://@/",
        "see https://.:80",
    ] {
        check(nothing, &[]);
    }
}

#[test]
fn amounts_and_numbers() {
    let check = |text, expected: &[&str]| check(&[Kind::Amount, Kind::Number], text, expected);
    check("€1,234.50", &["Amount 1234.5 EUR"]);
    check("1.234,50 EUR", &["Amount 1234.5 EUR"]);
    check("41 902,00 kr", &["Amount 41902 kr"]);
    check("USD 20 and 30", &["Amount 20 USD", "Number 30"]);
    check("¥300", &["Amount 300 ¥"]);
    check("14580.0", &["Amount 14580"]);
    check("98.7", &["Amount 98.7"]);
    check("1.234 1,234", &["Amount 1.234|1234", "Number 1234|1.234"]);
    check("1.100 kr", &["Amount 1100 kr|1.1 kr"]);
    check("US$ 1'234'567.80", &["Amount 1234567.8 USD"]);
    check(
        "-2300.00 - 5, -€7",
        &["Amount -2300", "Number 5", "Amount -7 EUR"],
    );
    check(
        "USt 20 % 774,36",
        &["Number 20%", "Amount 774.36", "Number 774", "Number 36"],
    );
    check(
        "2.5 million EUR, 3 Mio. €, $2k",
        &["Amount 2500000 EUR", "Amount 3000000 EUR", "Amount 2000 $"],
    );
    check("20 EUR 30 USD", &["Amount 20 EUR", "Amount 30 USD"]);
    check("0.115,9,2000", &["Amount 0.115", "Number 9", "Number 2000"]);
    check("1,2,3", &["Number 1", "Number 2", "Number 3"]);
    check(
        "20kg for twelve, 3rd",
        &["Number 20", "Number 12", "Number 3"],
    );
    check("4 000 km", &["Number 4000", "Number 4"]);
    check("0.00 000", &["Amount 0"]);
    check("PO 3371, 145.00/h", &["Number 3371", "Amount 145"]);
    check("１２３円 ٣٤", &["Number 123", "Number 34"]);
    check("5 USD-accounts", &["Number 5"]);
}

#[test]
fn dates_and_times() {
    let check = |text, expected: &[&str]| check(&[Kind::Date, Kind::Time], text, expected);
    for date in [
        "2026-02-24",
        "24 Feb 2026",
        "February 24th, 2026",
        "24.02.2026",
        "2/24/2026",
        "24. Februar 2026",
        "24-Feb-2026",
        "24 de febrero de 2026",
        "24 février 2026",
        "20260224",
        "Feb. 24, 2026",
        "2026年2月24日",
        "24.2.26",
        "24th of February 2026",
        "2026/02/24",
        "24 feb. '26",
        "２０２６-０２-２４",
    ] {
        check(date, &["Date 2026-02-24"]);
    }
    check("04/05/2026", &["Date 2026-05-04|2026-04-05"]);
    check("21/04", &["Date --04-21"]);
    check(
        "15. Juni, 21 April and 1er mars",
        &["Date --06-15", "Date --04-21", "Date --03-01"],
    );
    check("15.06. bis 30.06.", &["Date --06-15", "Date --06-30"]);
    check(
        "June 2026, 2026-06, 06/2026, in August",
        &["Date 2026-06", "Date 2026-06", "Date 2026-06", "Date --08"],
    );
    check("2026-W26", &["Date 2026-W26"]);
    check(
        "on Friday, Mon, 9 Mar 2026 17:42 +0100",
        &["Date -W-5", "Date -W-1", "Date 2026-03-09", "Time 17:42"],
    );
    check("2026-02-30 31.11.2026 5 may go 20 out of 30", &[]);
    check("2026-12-04T16:00:00Z", &["Date 2026-12-04", "Time 16:00"]);
    check(
        "2026-07-10T17:00:05.25+02:00",
        &["Date 2026-07-10", "Time 17:00:05"],
    );
    check("2021-10-15T18-00-00Z", &["Date 2021-10-15", "Time 18:00"]);
    check("23/04 10:00", &["Date --04-23", "Time 10:00"]);
    check(
        "10h30, 5 pm, 5:30 p.m., 14.30 Uhr, kl. 9.15, 12 AM",
        &[
            "Time 10:30",
            "Time 17:00",
            "Time 17:30",
            "Time 14:30",
            "Time 09:15",
            "Time 00:00",
        ],
    );
    check(
        "5:30 to 10:00-11:30",
        &["Time 05:30|17:30", "Time 10:00", "Time 11:30"],
    );
    check("25:00 10:75 aa:10:20:30:40", &[]);
    check("10時30分", &["Time 10:30"]);
    check("日付は2026年10月3日です", &["Date 2026-10-03"]);
    check("18 h 30, 22 h", &["Time 18:30", "Time 22:00"]);
    check(
        "by the 15th; free: Thu 4, Tuesday 9.",
        &[
            "Date ---15",
            "Date -W-4",
            "Date ---04",
            "Date -W-2",
            "Date ---09",
        ],
    );
    check(
        "Friday 15 June, Friday 10:00, Monday 5 pm",
        &[
            "Date -W-5",
            "Date --06-15",
            "Date -W-5",
            "Time 10:00",
            "Date -W-1",
            "Time 17:00",
        ],
    );
    check("April Johnson", &["Date --04"]);
}

#[test]
fn identifiers() {
    let check = |text, expected: &[&str]| check(&[Kind::Id], text, expected);
    check(
        "AM-26-00731 (4K118), #123 and #general",
        &["Id am-26-00731", "Id 4k118", "Id 123", "Id general"],
    );
    check(
        "4-2290, 2026/0318, hr_agent, event-setup",
        &["Id 4-2290", "Id 2026/0318", "Id hr_agent", "Id event-setup"],
    );
    check(
        "0042 BW-5582/MW-20418",
        &[
            "Id 0042",
            "Id bw-5582/mw-20418",
            "Id bw-5582",
            "Id mw-20418",
        ],
    );
    check("Sobczyk-Lee and/or A/B", &[]);
    check("v1.2.3 m.osei", &["Id v1.2.3", "Id m.osei"]);
}

#[test]
fn names_and_quotes() {
    let check = |text, expected: &[&str]| check(&[Kind::Name, Kind::Quoted], text, expected);
    check("We met Ngozi Oduya there.", &["Name ngozi oduya"]);
    check(
        "Petra is away. Ask Mr. J. van der Berg-Holt!",
        &[
            "Name ask mr. j. van der berg-holt",
            "Name mr. j. van der berg-holt",
        ],
    );
    check("The bill from Grip & Co, please", &["Name grip & co"]);
    check("Madrid", &["Name madrid"]);
    check(
        "Pay Zoë's rent to @Bob_1",
        &["Name pay zoe", "Name zoe", "Name bob_1"],
    );
    check(
        "file it under 'roof' or \"Big Bill\"",
        &["Quoted roof", "Quoted big bill", "Name big bill"],
    );
    check("don't „los“ it's 5' tall", &["Quoted los"]);
    check("ask ACME and iPhone", &["Name acme", "Name iphone"]);
}

/// Whether a lookup of the first text finds the second.
fn meets(query: &str, filed: &str) -> bool {
    let span = SpanRef {
        node: NodeId(0),
        span: 0,
    };
    let mut index = Index::default();
    index.insert(span, &atoms(filed));
    let query = atoms(query);
    assert!(!query.is_empty());
    let whole = query.iter().filter(|a| a.range == query[0].range);
    whole
        .into_iter()
        .any(|atom| index.lookup(atom).next().is_some())
}

#[test]
fn spellings_meet() {
    let same = [
        ("516.4", "EUR 516.40"),
        ("20", "20.00"),
        ("20 EUR", "€20"),
        ("20 USD", "$20"),
        ("1234", "1,234"),
        ("1234", "1.234"),
        ("-10", "10"),
        ("0.15", "15 %"),
        ("2026-04-23", "am 23/04"),
        ("21 April", "2026-04-21"),
        ("2026-08", "in August"),
        ("2026-05-04", "04/05/2026"),
        ("2026-04-05", "04/05/2026"),
        ("17:30", "5:30"),
        ("10:00", "10:00:30"),
        ("+447700900103", "07700 900103"),
        ("07700900103", "+44 7700 900103"),
        ("+4741233907", "41 23 39 07"),
        (
            "11102040270000180203317745",
            "PL11 1020 4027 0000 1802 0331 7745",
        ),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("https://x.com/a", "x.com/a/"),
        ("http://www.eve-blog.com", "eve-blog.com"),
        ("3371", "#3371"),
        ("3371", "PO-3371"),
        ("INV-2231", "inv2231"),
        ("ask Oduya", "with Ngozi Oduya"),
        ("JOSÉ", "with José"),
        ("close/westmark.txt", "westmark.txt"),
    ];
    for (a, b) in same {
        assert!(meets(a, b), "{a} finds {b}");
        assert!(meets(b, a), "{b} finds {a}");
    }
    let other = [
        ("2026-04-23", "2025-04-23"),
        ("+447700900103", "+337700900103"),
        ("20 EUR", "20 USD"),
        ("1234.5", "12345"),
        ("x.com/a", "x.com/b"),
        ("аlice@x.com", "bob@y.com"),
        ("with Аlice", "with Alice"),
        ("DE89370400440532013000", "DE89370400440532013001"),
        ("ask Emeka Obi", "ask Emeka Ndu"),
    ];
    for (a, b) in other {
        assert!(!meets(a, b), "{a} does not find {b}");
        assert!(!meets(b, a), "{b} does not find {a}");
    }
}

/// A text put together from pieces that scanners care about.
fn lively() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,4}",
        "[0-9]{1,5}",
        "[A-Z]{1,3}",
        "[a-z]{1,4}",
        "[-.,:/@#'\"+() ]",
        Just(" ".to_owned()),
        prop::sample::select(vec![
            "May", "EUR", "€", "kr", "pm", "Uhr", "://", "www.", "x.com", "DE89", "T", "年", "%",
            "million", "th", "de", "\n", "\u{200b}", "٣",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|v| v.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_scanned(text in lively()) {
        let found = atoms(&text);
        let mut last = (0, usize::MAX);
        for atom in &found {
            let (start, end) = (atom.range.start, atom.range.end);
            prop_assert!(start < end && text.get(start..end).is_some(), "{atom:?}");
            prop_assert!((last.0, usize::MAX - last.1) <= (start, usize::MAX - end) || last.1 == usize::MAX);
            prop_assert!(!atom.norm.is_empty() || atom.kind == Kind::Quoted || atom.kind == Kind::Name, "{atom:?}");
            last = (start, end);
            prop_assert!(!atom.keys().is_empty());
        }
    }

    /// The normal form of a normal form is itself: scanned again, or where the kind shows only in the spelling
    /// (`./x`, `#x`, `file://x`) by the function that made it.
    #[test]
    fn normalisation_is_idempotent(text in prop_oneof![60 => lively(), 1 => Just("20000101".to_owned())]) {
        for atom in atoms(&text) {
            let norm = &*atom.norm;
            let again = match atom.kind {
                Kind::Name | Kind::Quoted => normal(norm),
                Kind::Url => normal_url(norm),
                Kind::Path => normal_path(norm),
                Kind::Id => norm.to_lowercase(),
                Kind::Host => {
                    let again = atoms(&format!("https://{norm}/"));
                    let host = again.iter().find(|a| a.kind == Kind::Host);
                    host.map(|a| a.norm.to_string()).unwrap_or_default()
                }
                // Written out, nine digits and more may read as an account number as well.
                _ => {
                    let again = atoms(norm);
                    let mut whole = again.iter().filter(|a| a.range == (0..norm.len()));
                    // Eight digits read as a number and as a day: each reading is its own again.
                    let like = whole.clone().find(|a| a.kind == atom.kind);
                    let found = like.or_else(|| whole.next());
                    found.map(|a| a.norm.to_string()).unwrap_or_default()
                }
            };
            prop_assert_eq!(again.as_str(), norm, "{:?}", atom);
        }
    }

    /// What is filed is found again under the same spelling.
    #[test]
    fn filed_is_found(text in lively()) {
        let found = atoms(&text);
        let span = SpanRef { node: NodeId(3), span: 7 };
        let mut index = Index::default();
        index.insert(span, &found);
        for atom in &found {
            prop_assert!(index.lookup(atom).any(|hit| hit.span == span));
        }
    }
}
