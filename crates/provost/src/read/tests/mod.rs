//! Laws that hold for every reader, and cases for each of them.

mod html;
mod json;
mod sentences;
mod table;
mod text;
mod yaml;

use proptest::prelude::*;

use super::{Format, Path, Piece, Reading, Role, read, read_up_to};

/// The law of readers: pieces are contiguous, in order, on character boundaries, not empty, and cover everything.
fn check_partition(content: &str) -> Reading {
    check_pieces(content, read(content))
}

fn check_pieces(content: &str, reading: Reading) -> Reading {
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

/// Checks the format and everything but syntax, one piece a line: role, path, text.
#[track_caller]
fn check(content: &str, format: Format, want: &[&str]) {
    let reading = check_partition(content);
    let said = reading.pieces.iter().filter(|p| p.role != Role::Syntax);
    let got: Vec<String> = said
        .map(|p| format!("{:?} {} {}", p.role, p.path, p.text(content)))
        .collect();
    assert_eq!(got, want, "pieces of {content:?}");
    assert_eq!(reading.format, format, "format of {content:?}");
}

/// The pieces at or below a path that say something.
fn below<'r>(reading: &'r Reading, path: &'r Path) -> impl Iterator<Item = &'r Piece> {
    reading
        .pieces
        .iter()
        .filter(move |p| p.path.steps().starts_with(path.steps()))
}

/// All of a text but its white space.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// What the pieces at or below a path say, without white space.
fn said_below(content: &str, reading: &Reading, path: &Path) -> String {
    below(reading, path)
        .map(|p| dense(p.text(content)))
        .collect()
}

/// Strings as leaves have them: words, sentences, lines, quotation marks, several scripts.
fn leaf() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "Pay",
        "EUR",
        "12.50",
        "no.",
        "Mr.",
        "it's",
        "\"so\"",
        "x: y",
        "- z",
        "#1",
        "\\",
        "{",
        "]",
        "é",
        "日本。",
        "end.",
        "Why?",
        "\n",
        "\n\n",
        "\t",
        "<b>",
        "&amp;",
        "|",
        ",",
        ";",
        "https://a.b/c?d=e",
        "00:15",
        "null",
        "  ",
        "[c](d)",
        "1.",
    ]);
    let spaced = prop::collection::vec(word, 0..12).prop_map(|w| w.join(" "));
    prop_oneof![3 => spaced, 1 => "[ -~\n]{0,30}", 1 => "\\PC{0,12}".prop_filter("concealed", |s| super::concealed::ranges(s).is_empty())]
}

#[test]
fn deep_nesting_is_read_without_recursion() {
    for open in [
        "[", "{\"a\":", "- ", "(", "[{'k': ", "<b>", "<ul><li>", "<x>", "> ", "a:\n ", "f(x=",
        "{a: [",
    ] {
        check_partition(&open.repeat(10_000));
    }
    let deep = (0..300)
        .map(|i| format!("{}- a:\n", " ".repeat(i * 2)))
        .collect::<String>();
    check_partition(&deep);
}

#[test]
fn empty_and_blank_contents_hold_nothing() {
    for content in ["", " ", "\n\n", "\u{FEFF}", "{}", "[]", "---", "<p></p>"] {
        let reading = check_partition(content);
        assert!(
            reading.pieces.iter().all(|p| p.role == Role::Syntax
                || p.role == Role::Sentence
                || p.role == Role::Value),
            "{content:?}"
        );
    }
}

/// Up to the bound a content is read as if it ended there; what lies beyond is one concealed piece without words.
fn check_bound(content: &str, limit: usize) {
    let reading = check_pieces(content, read_up_to(content, limit));
    let cut = (0..=limit.min(content.len()))
        .rev()
        .find(|at| content.is_char_boundary(*at));
    let (head, rest) = content.split_at(cut.unwrap_or(0));
    let mut pieces = reading.pieces;
    if !rest.is_empty() {
        let last = pieces.pop().expect("a piece for the rest");
        assert_eq!(last.range, head.len()..content.len());
        assert_eq!((last.role, last.text(content)), (Role::Concealed, ""));
    }
    assert_eq!(pieces, read(head).pieces, "{limit} bytes of {content:?}");
}

#[test]
fn what_lies_beyond_the_bound_is_one_concealed_piece() {
    for content in [
        "Pay on Monday. Then call Mara.",
        "{\"a\": [1, {\"b\": \"x y\"}]}",
        "- id: 1\n  name: Ek\n- id: 2\n  name: Ås\n",
        "<p>Pay <b>now</b>.</p><ul><li>日本</li></ul>",
        "| a | b |\n|---|---|\n| 1 | é |\n",
        "id,name\n1,Ek\n2,Ås\n",
        "日本。会議は明日。",
    ] {
        for limit in 0..=content.len() + 1 {
            check_bound(content, limit);
        }
    }
    let long = " ".repeat(super::MAX_CONTENT - 1) + "é end";
    let pieces = check_partition(&long).pieces;
    assert_eq!(pieces.last().map(|p| p.text(&long)), Some(""));
}

#[test]
fn what_a_harness_puts_around_a_result_is_syntax() {
    check("<<{'a': 1}>>", Format::Json, &["Key a a", "Value a 1"]);
    check(
        "<<a: 1\nb: 2>>",
        Format::Yaml,
        &["Key a a", "Value a 1", "Key b b", "Value b 2"],
    );
}

#[test]
fn concealed_characters_are_pieces_of_their_own() {
    check(
        "Pay\u{200b} now.",
        Format::Text,
        &["Value  Pay", "Concealed  \u{200b}", "Value  now."],
    );
    check(
        "{\"a\": \"x\u{202e}y\"}",
        Format::Json,
        &["Key a a", "Value a x", "Concealed a \u{202e}", "Value a y"],
    );
    // Tag characters spell ASCII; a joiner within a pictograph, a mark beside Hebrew and a flag are what they seem.
    check(
        "hi\u{e0068}\u{e0069}",
        Format::Text,
        &["Value  hi", "Concealed  hi"],
    );
    for honest in [
        "👩\u{200d}🔬",
        "א\u{200f}!",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "❤\u{fe0f}",
    ] {
        let pieces = check_partition(honest).pieces;
        assert!(
            pieces.iter().all(|p| p.role != Role::Concealed),
            "{honest:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_string_is_partitioned(content in any::<String>()) {
        check_partition(&content);
    }

    #[test]
    fn any_soup_of_syntax_is_partitioned(
        content in prop::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", "(", ")", ":", ": ", ",", "\"", "'", "''", "\\", "\\n", "\\u00e9", "\\ud83d", "\n", "\n\n",
                "\n  ", "- ", "  - ", "a", "key", "1.", "2. ", "(3) ", "a) ", ". ", "! ", "|", ">", "|-\n", "#", " # ", "é",
                "。", "\u{200b}", "\u{e0041}", "🏴", "\t", "\r\n", "---", "\n---\n", "--- 1 ---\n", "? ", "&x ", "!t ", "<", ">",
                "null", "Mr.", "A", " ", "  ", "```", "~~~\n", "| a | b |\n", "|---|\n", "a,b,c\n", "a;b\n", "<!--", "-->", "<p>",
                "</p>", "<td>", "<li>", "<br>", "<span hidden>", "</span>", "<script>", "&amp;", "&#x200b;", "From: ", "To: x\n",
                "https://x.y/z", "](", "[x](y)", "<<", ">>", "[12 May] ", "#3 bob: ", "10:15 ", "**", "*k:* v\n", "：", "\u{FEFF}",
            ]),
            0..60,
        )
    ) {
        check_partition(&content.concat());
    }

    #[test]
    fn any_bound_partitions(content in leaf(), limit in 0_usize..80) {
        check_bound(&content, limit);
    }

    #[test]
    fn leaves_are_partitioned(content in leaf()) {
        let reading = check_partition(&content);
        let said: String = reading.pieces.iter().map(|p| p.text(&content)).collect();
        // What is said differs from the bytes only where a format decodes it.
        if reading.format == Format::Text {
            prop_assert_eq!(said, content);
        }
    }
}
