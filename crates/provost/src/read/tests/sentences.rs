//! Where sentences end.

use proptest::prelude::*;

use super::super::sentence::{self, Breaks};
use super::{dense, leaf};

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let mut got = Vec::new();
    sentence::split(text, Breaks::Soft, |r| got.push(&text[r]));
    assert_eq!(got, want);
}

#[test]
fn sentences_end_at_terminators() {
    check(
        "One. Two! Three? \"Four.\" (Five.) Six",
        &["One.", "Two!", "Three?", "\"Four.\"", "(Five.)", "Six"],
    );
    check("Wait... what? Yes… No.", &["Wait... what?", "Yes…", "No."]);
    check(
        "今日は晴れ。明日は「雨。」たぶん！はい",
        &["今日は晴れ。", "明日は「雨。」", "たぶん！", "はい"],
    );
    check(
        "¿Vienes? ¡Sí! Хорошо. Да. यह ठीक है। हाँ।",
        &["¿Vienes?", "¡Sí!", "Хорошо.", "Да.", "यह ठीक है।", "हाँ।"],
    );
    check("هل تأتي؟ نعم. حسنا", &["هل تأتي؟", "نعم.", "حسنا"]);
}

#[test]
fn what_is_quoted_within_does_not_end_it() {
    for whole in [
        "Mail the text 'How are you?' to the office today.",
        "She said \"Stop!\" and left.",
    ] {
        check(whole, &[whole]);
    }
    check(
        "She said \"Stop!\" Then she left.",
        &["She said \"Stop!\"", "Then she left."],
    );
}

#[test]
fn a_sentence_run_together_with_the_next_ends_all_the_same() {
    check(
        "We meet at noon in the hall.Bring your own cup, please.",
        &[
            "We meet at noon in the hall.",
            "Bring your own cup, please.",
        ],
    );
    for whole in [
        "We call list.Append on the given list of values.",
        "See hall.Bring",
        "Use node.JS in all your scripts.",
        "He lives at www.the.Hall in this town",
    ] {
        check(whole, &[whole]);
    }
}

#[test]
fn full_stops_within_do_not_end_it() {
    for whole in [
        "Invoice No. 5 of Mr. K. Aumann, hull no. DK-7, is due on 24 Feb. 2026 at 10.30 a.m. sharp.",
        "Use e.g. a filter of approx. 0.5 um, i.e. a fine one, vs. none.",
        "Das z.B. gilt bis 15. Juni bzw. bis zum 3. Tag danach.",
        "See v1.2.3 at www.example.org/a.b or mail a.b@c.de today.",
        "Cover is max. EUR 250,000 (Abs. 3 Nr. 2) per transport.",
        "The U.S. branch of Alder Inc. pays St. Olaf's.",
        "12. Juni um 8 Uhr.",
    ] {
        check(whole, &[whole]);
    }
}

#[test]
fn items_of_a_list_on_one_line_are_sentences() {
    check(
        "1. Send the article to Alice 2. Find a channel and post there 3. Stop",
        &[
            "1. Send the article to Alice",
            "2. Find a channel and post there",
            "3. Stop",
        ],
    );
    check(
        "1. Add Bob to room 7. Then stop.",
        &["1. Add Bob to room 7.", "Then stop."],
    );
}

#[test]
fn full_stops_that_look_like_abbreviations_can_end_it() {
    check(
        "It takes 180 ms. Then it stops.",
        &["It takes 180 ms.", "Then it stops."],
    );
    check("Is it so? No. We wait.", &["Is it so?", "No.", "We wait."]);
    check(
        "The room is 12. Please come.",
        &["The room is 12.", "Please come."],
    );
    check(
        "Bring pens, paper etc. They have none.",
        &["Bring pens, paper etc.", "They have none."],
    );
    check(
        "go on then. but keep it rolling",
        &["go on then.", "but keep it rolling"],
    );
}

#[test]
fn line_breaks_end_it_unless_the_line_was_wrapped() {
    check("Total 5\nPaid 3\nOpen 2", &["Total 5", "Paid 3", "Open 2"]);
    check(
        "The rent will be\nincreased soon.",
        &["The rent will be\nincreased soon."],
    );
    check(
        "buy milk\ncall bob\n- and ann",
        &["buy milk", "call bob", "- and ann"],
    );
    check("One\n\ntwo", &["One", "two"]);
    let wrapped = "Whoever wants to take part in the meeting of the board in\nMay has to tell the office of it at the latest by the end of\nApril, and in writing.";
    check(wrapped, &[wrapped]);
    let lists = "Kessler Radio Hire, desk +49 40 555 0161, closed on Saturdays\nPlease do not pass on numbers.";
    check(
        lists,
        &[
            "Kessler Radio Hire, desk +49 40 555 0161, closed on Saturdays",
            "Please do not pass on numbers.",
        ],
    );
}

#[test]
fn prose_is_told_from_values() {
    for value in [
        "DE12 3400",
        "paid",
        "12.50",
        "2026-01-02",
        "Skoda Octavia, YK19 RZD",
        "Mr. Smith",
        "a.b@c.de",
        "v1.2. ok",
    ] {
        assert!(!sentence::is_prose(value), "{value:?}");
    }
    for prose in [
        "Pay it now.",
        "Stop. Wait.",
        "お願いします。",
        "a\nb",
        "all of this has to be paid by tomorrow",
    ] {
        assert!(sentence::is_prose(prose), "{prose:?}");
    }
}

proptest! {
    #[test]
    fn sentences_keep_every_word_in_order(text in leaf()) {
        let mut said = String::new();
        let mut at = 0;
        sentence::split(&text, Breaks::Soft, |r| {
            assert!(r.start >= at && r.end > r.start);
            at = r.end;
            said += &dense(&text[r]);
        });
        prop_assert_eq!(said, dense(&text));
    }
}
