//! Laws that hold for every reader.

use proptest::prelude::*;

use super::{Format, Reading, Role, read};

/// The law of readers: pieces are contiguous, in order, on character boundaries, not empty, and cover everything.
pub(super) fn check_partition(content: &str) -> Reading {
    let reading = read(content);
    let mut at = 0;
    for p in &reading.pieces {
        assert_eq!(p.range.start, at, "gap or overlap in {content:?}");
        assert!(p.range.end > at, "empty piece in {content:?}");
        assert!(
            content.is_char_boundary(p.range.end),
            "split character in {content:?}"
        );
        at = p.range.end;
    }
    assert_eq!(at, content.len(), "tail of {content:?} is missing");
    reading
}

/// Everything but syntax, one piece a line: role, path, text.
pub(super) fn outline(content: &str) -> String {
    let reading = check_partition(content);
    let mut out = String::new();
    for p in reading.pieces.iter().filter(|p| p.role != Role::Syntax) {
        out += &format!("{:?} {} {:?}\n", p.role, p.path, p.text(content));
    }
    out
}

#[track_caller]
fn check(content: &str, format: Format, want: &[&str]) {
    assert_eq!(
        outline(content),
        want.iter().map(|l| format!("{l}\n")).collect::<String>()
    );
    assert_eq!(read(content).format, format);
}

#[test]
fn json_leaves_have_paths_and_decoded_text() {
    check(
        r#"{"a": [1, "x\ty"], "b": {"c": null}}"#,
        Format::Json,
        &[
            r#"Key a "a""#,
            r#"Value a[0] "1""#,
            r#"Value a[1] "x\ty""#,
            r#"Key b "b""#,
            r#"Key b.c "c""#,
            r#"Value b.c "null""#,
        ],
    );
}

#[test]
fn python_literals_are_read_like_json() {
    check(
        r#"{'it': "it's", 'n': (None, 1.5), 'd': datetime.date(2024, 5, 1)}"#,
        Format::Json,
        &[
            r#"Key it "it""#,
            r#"Value it "it's""#,
            r#"Key n "n""#,
            r#"Value n[0] "None""#,
            r#"Value n[1] "1.5""#,
            r#"Key d "d""#,
            r#"Value d "datetime.date(2024, 5, 1)""#,
        ],
    );
}

#[test]
fn each_sentence_of_a_yaml_leaf_is_its_own_piece() {
    check(
        "- id: m-1\n  text: A long sentence.\n    Another\n    sentence.\n- id: 'm''2'\n",
        Format::Yaml,
        &[
            r#"Key [0].id "id""#,
            r#"Value [0].id "m-1""#,
            r#"Key [0].text "text""#,
            r#"Sentence [0].text "A long sentence.""#,
            r#"Sentence [0].text "Another sentence.""#,
            r#"Key [1].id "id""#,
            r#"Value [1].id "m'2""#,
        ],
    );
}

#[test]
fn deep_nesting_is_read_without_recursion() {
    for open in ["[", "{\"a\":", "- ", "(", "[{'k': "] {
        check_partition(&open.repeat(10_000));
    }
}

proptest! {
    #[test]
    fn any_string_is_partitioned(content in any::<String>()) {
        check_partition(&content);
    }

    #[test]
    fn any_syntax_soup_is_partitioned(
        content in proptest::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", "(", ")", ":", ": ", ",", "\"", "'", "''", "\\", "\\n", "\\u00e9", "\n", "\n\n", "\n  ",
                "- ", "  - ", "a", "key", "1.", ". ", "! ", "|", ">", "|-\n", "#", " # ", "é", "。", "\u{200b}", "\u{e0041}",
                "\t", "\r\n", "---", "? ", "&x ", "!t ", "<", ">", "null", "Mr.", "A", " ", "```", "| a | b |", "a,b,c\n",
                "<!--", "-->", "<p>", "</p>", "&amp;", "From: ", "https://x.y/z",
            ]),
            0..60,
        )
    ) {
        check_partition(&content.concat());
    }
}
