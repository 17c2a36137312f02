//! YAML.

use proptest::prelude::*;

use super::super::{Format, Path, Seg};
use super::{check, check_partition, dense, leaf, said_below};

#[test]
fn each_sentence_of_a_leaf_is_its_own_piece() {
    check(
        "- id: m-1\n  text: A long sentence.\n    Another\n    sentence.\n- id: 'm''2'\n",
        Format::Yaml,
        &[
            "Key [0].id id",
            "Value [0].id m-1",
            "Key [0].text text",
            "Sentence [0].text A long sentence.",
            "Sentence [0].text Another sentence.",
            "Key [1].id id",
            "Value [1].id m'2",
        ],
    );
}

#[test]
fn scalars_of_all_styles_are_folded() {
    check(
        "plain: one\n  two\nsingle: 'a\n\n  b''s'\ndouble: \"c\\\n  \\ d\\te\"\nliteral: |\n  f\n   g\nfolded: >-\n  h\n  i\n",
        Format::Yaml,
        &[
            "Key plain plain",
            "Value plain one two",
            "Key single single",
            "Sentence single a",
            "Sentence single b's",
            "Key double double",
            "Value double c d\te",
            "Key literal literal",
            "Sentence literal f",
            "Sentence literal g",
            "Key folded folded",
            "Value folded h i",
        ],
    );
}

#[test]
fn collections_nest_in_block_and_flow() {
    check(
        "to:\n- a@b.c\n- {name: Ann, tags: [x, 'y z']}\nopen: true # as of today\nmap:\n  k: []\n",
        Format::Yaml,
        &[
            "Key to to",
            "Value to[0] a@b.c",
            "Key to[1].name name",
            "Value to[1].name Ann",
            "Key to[1].tags tags",
            "Value to[1].tags[0] x",
            "Value to[1].tags[1] y z",
            "Key open open",
            "Value open true",
            "Sentence open as of today",
            "Key map map",
            "Key map.k k",
        ],
    );
    check(
        "? a\n: 1\n? b\n: - 2\n",
        Format::Yaml,
        &["Key a a", "Value a 1", "Key b b", "Value b[0] 2"],
    );
    check(
        "a: 1\nb: 2\n---\na: 3\n",
        Format::Yaml,
        &[
            "Key [0].a a",
            "Value [0].a 1",
            "Key [0].b b",
            "Value [0].b 2",
            "Key [1].a a",
            "Value [1].a 3",
        ],
    );
}

#[test]
fn text_with_colons_is_not_yaml() {
    for content in [
        "Hello Ann,\n\nplease note: the office is closed.\n",
        "From: a@b.c\nTo: d@e.f\nHello, this is the body.\n",
        "Do this first. Then: that.\nAnd more: of it.\n",
        "name: a\nname: b\n",
    ] {
        assert_ne!(check_partition(content).format, Format::Yaml, "{content:?}");
    }
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug)]
enum Style {
    Single,
    Double,
    Literal,
}

/// Writes a scalar that stands in a collection at `indent`.
fn write(text: &str, style: Style, indent: usize) -> String {
    let pad = " ".repeat(indent + 2);
    let blockable = text
        .lines()
        .all(|l| !l.starts_with([' ', '\t']) && l.trim_end() == l)
        && !text.is_empty()
        && !text.contains('\r')
        && !text.starts_with('\n')
        && text.chars().all(|c| c == '\n' || !c.is_control());
    match style {
        Style::Literal if blockable => {
            let body: String = text
                .lines()
                .map(|l| {
                    if l.is_empty() {
                        "\n".into()
                    } else {
                        format!("{pad}{l}\n")
                    }
                })
                .collect();
            format!("|-\n{body}")
        }
        // Folding drops white space around line breaks, so it is written only where there is none.
        Style::Single if blockable => {
            let mut out = String::from("'");
            for c in text.chars() {
                match c {
                    '\'' => out += "''",
                    '\n' => out += &format!("\n\n{pad}"),
                    c => out.push(c),
                }
            }
            out + "'\n"
        }
        _ => {
            let mut out = String::from("\"");
            for c in text.chars() {
                match c {
                    '"' => out += "\\\"",
                    '\\' => out += "\\\\",
                    '\n' => out += "\\n\\\n    \\ ",
                    '\t' => out += "\\t",
                    '\r' => out += "\\r",
                    c if c.is_control() => out += &format!("\\U{:08x}", c as u32),
                    c => out.push(c),
                }
            }
            out.replace("\\n\\\n    \\ ", &format!("\\n\\\n{pad}")) + "\"\n"
        }
    }
}

proptest! {
    #[test]
    fn leaves_are_those_written(
        rows in prop::collection::vec(
            (leaf(), leaf(), prop::sample::select(vec![Style::Single, Style::Double, Style::Literal])),
            1..5,
        )
    ) {
        let mut content = String::new();
        for (a, b, style) in &rows {
            content += &format!("- k1: {}", write(a, *style, 2));
            content += &format!("  k2:\n  - {}", write(b, *style, 2));
        }
        let reading = check_partition(&content);
        prop_assert_eq!(reading.format, Format::Yaml, "{}", content);
        for (i, (a, b, _)) in (0..).zip(&rows) {
            let step = |k: &str| vec![Seg::Index(i), Seg::Key(k.into())];
            let path = Path::new(step("k1"));
            prop_assert_eq!(said_below(&content, &reading, &path), format!("k1{}", dense(a)), "{}", content);
            let mut steps = step("k2");
            steps.push(Seg::Index(0));
            prop_assert_eq!(said_below(&content, &reading, &Path::new(steps)), dense(b), "{}", content);
        }
    }
}
