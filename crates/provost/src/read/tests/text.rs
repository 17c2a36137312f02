//! Plain text and Markdown.

use super::super::{Format, Role};
use super::{check, check_partition};

#[test]
fn lines_and_sentences_are_pieces() {
    check(
        "Dear tenant,\nPlease note that from next month the rent will be \nincreased by 100.00. Thank you!\n\nBest regards,\nYour landlord\n",
        Format::Text,
        &[
            "Sentence  Dear tenant,",
            "Sentence  Please note that from next month the rent will be \nincreased by 100.00.",
            "Sentence  Thank you!",
            "Sentence  Best regards,",
            "Sentence  Your landlord",
        ],
    );
    check("sent to 4", Format::Text, &["Value  sent to 4"]);
}

#[test]
fn labels_give_key_and_value() {
    check(
        "Bill for May\nIBAN: DE12 3400\n**Due:** 5 May\nWindscreen, acoustic ..... 338.00\nLabour     93.00\nNote that this is all: pay it by Friday, please.\n",
        Format::Text,
        &[
            "Sentence  Bill for May",
            "Key IBAN IBAN",
            "Value IBAN DE12 3400",
            "Key Due Due",
            "Value Due 5 May",
            "Key Windscreen, acoustic Windscreen, acoustic",
            "Value Windscreen, acoustic 338.00",
            "Key Labour Labour",
            "Value Labour 93.00",
            "Sentence  Note that this is all: pay it by Friday, please.",
        ],
    );
}

#[test]
fn each_mail_of_a_list_is_an_item() {
    let want = &[
        "Sentence  2 hits, newest first",
        "Key [0].From From",
        "Value [0].From Ann <a@b.c>",
        "Key [0].Subject Subject",
        "Value [0].Subject handover",
        "Sentence [0] Please do this:",
        "Sentence [0][0] Pay the bill of May.",
        "Sentence [0][1] Call Bob at once.",
        "Sentence [0] Best, Ann",
        "Key [1].From From",
        "Value [1].From Bob",
        "Key [1].Subject Subject",
        "Value [1].Subject re: it",
        "Sentence [1] All done here.",
    ];
    check(
        "2 hits, newest first\n\n[1] From: Ann <a@b.c>\nSubject: handover\n\nPlease do this:\n1. Pay the bill of May.\n2. Call Bob at once.\nBest, Ann\n\n\
         [2] From: Bob\nSubject: re: it\nAll done here.\n",
        Format::Text,
        want,
    );
    check(
        "2 hits, newest first\n--- 1 ---\nFrom: Ann <a@b.c>\nSubject: handover\n\nPlease do this:\n1. Pay the bill of May.\n2. Call Bob at once.\nBest, Ann\n\
         --- 2 ---\nFrom: Bob  Subject: re: it\nAll done here.\n",
        Format::Text,
        want,
    );
}

#[test]
fn each_line_of_a_chat_is_an_item() {
    check(
        "#1 customer (10:02): Hello, my line is dead. Please help.\n#2 bot (10:03): Which line?\n",
        Format::Text,
        &[
            "Key [0].customer (10:02) customer (10:02)",
            "Sentence [0].customer (10:02) Hello, my line is dead.",
            "Sentence [0].customer (10:02) Please help.",
            "Key [1].bot (10:03) bot (10:03)",
            "Value [1].bot (10:03) Which line?",
        ],
    );
    check(
        "[08:14] Ann: morning\n[08:15] Bob: hi. late again\n",
        Format::Text,
        &[
            "Key [0].Ann Ann",
            "Value [0].Ann morning",
            "Key [1].Bob Bob",
            "Sentence [1].Bob hi.",
            "Sentence [1].Bob late again",
        ],
    );
}

#[test]
fn headings_and_lists_give_paths() {
    check(
        "# Rules\n\nAll apply.\n\n## Fees\n- Books: 2 EUR\n- Films are free of charge for members.\n  1) Not for guests.\n\n## Hours\n3.1 Open all day.\n3.2 Closed at night.\n",
        Format::Markdown,
        &[
            "Heading Rules Rules",
            "Sentence Rules All apply.",
            "Heading Rules.Fees Fees",
            "Key Rules.Fees[0].Books Books",
            "Value Rules.Fees[0].Books 2 EUR",
            "Sentence Rules.Fees[1] Films are free of charge for members.",
            "Sentence Rules.Fees[1][0] Not for guests.",
            "Heading Rules.Hours Hours",
            "Sentence Rules.Hours[0] Open all day.",
            "Sentence Rules.Hours[1] Closed at night.",
        ],
    );
}

#[test]
fn fences_links_and_comments_are_set_apart() {
    check(
        "See [the page](https://a.b/c \"x\") today, please.\n\n```json\n{\"a\": 1}\n```\n\n<!-- pay\n# X\n-->\nDone and <span style=\"display:none\">pay</span> dusted.\n",
        Format::Markdown,
        &[
            "Sentence  See [the page",
            "Value  https://a.b/c",
            "Sentence  today, please.",
            "Key a a",
            "Value a 1",
            "Concealed  <!-- pay\n# X\n-->",
            "Sentence  Done and",
            "Concealed  <span style=\"display:none\">pay</span>",
            "Sentence  dusted.",
        ],
    );
}

#[test]
fn lines_that_are_records_are_items() {
    check(
        "id: 1, name: Ann, state: open\nid: 2, name: Bob, state: shut\n",
        Format::Text,
        &[
            "Key [0].id id",
            "Value [0].id 1",
            "Key [0].name name",
            "Value [0].name Ann",
            "Key [0].state state",
            "Value [0].state open",
            "Key [1].id id",
            "Value [1].id 2",
            "Key [1].name name",
            "Value [1].name Bob",
            "Key [1].state state",
            "Value [1].state shut",
        ],
    );
}

#[test]
fn numbers_at_line_starts_are_items_only_where_they_count() {
    check(
        "24. Dezember ist frei, sagt Ann.\nWir kommen am\n",
        Format::Text,
        &[
            "Sentence  24. Dezember ist frei, sagt Ann.",
            "Sentence  Wir kommen am",
        ],
    );
}

#[test]
fn paths_tell_record_and_field() {
    let content = "- to: a@b.c\n  note: Call me. Now, please.\n- to: d@e.f\n";
    let reading = check_partition(content);
    let call = reading.pieces.iter().find(|p| p.role == Role::Sentence);
    let path = call.map(|p| (p.path.field().map(str::to_owned), p.path.record().len()));
    assert_eq!(path, Some((Some("note".into()), 1)));
}
