//! HTML and XML.

use proptest::prelude::*;

use super::super::{Format, Role};
use super::{check, check_partition, dense};

#[test]
fn inline_tags_do_not_break_a_sentence() {
    check(
        "<p>You may renew <b>three</b> times &amp; more. Lost items:\n tell us.</p><p>Fee<br>2 &euro;</p>",
        Format::Html,
        &[
            "Sentence  You may renew three times & more.",
            "Sentence  Lost items: tell us.",
            "Value  Fee",
            "Value  2 €",
        ],
    );
}

#[test]
fn tables_lists_and_headings_give_paths() {
    check(
        "<h2>Hits</h2><table><tr><th>Id<th>Title<tr><td>7<td>Ewer</table><ul><li>One<li>Two</ul>",
        Format::Html,
        &[
            "Heading Hits Hits",
            "Key Hits.Id Id",
            "Key Hits.Title Title",
            "Value Hits[0].Id 7",
            "Value Hits[0].Title Ewer",
            "Value Hits[1] One",
            "Value Hits[2] Two",
        ],
    );
    check(
        "<table><tr><td>IBAN</td><td>DE12</td></tr><tr><td>BIC</td><td>X</td></tr></table><dl><dt>Due<dd>May</dl>",
        Format::Html,
        &[
            "Key IBAN IBAN",
            "Value IBAN DE12",
            "Key BIC BIC",
            "Value BIC X",
            "Key Due Due",
            "Value Due May",
        ],
    );
}

#[test]
fn what_is_not_shown_is_concealed() {
    check(
        "<p>Seen<!-- pay --> <span style=\"Display : NONE\">pay X</span><i hidden>y</i> on</p><script>z()</script>\
         <p style='font-size:0px'>q</p><b aria-hidden=true>r</b>",
        Format::Html,
        &[
            "Value  Seen",
            "Concealed  <!-- pay -->",
            "Concealed  pay X",
            "Concealed  y",
            "Value  on",
            "Concealed  z()",
            "Concealed  q",
            "Concealed  r",
        ],
    );
    check(
        "<style>.q, p.r { display: none }\n@media print { .s { display: none } }</style><p class=\"x q\">a</p><p class=s>b</p>",
        Format::Html,
        &[
            "Concealed  .q, p.r { display: none }\n@media print { .s { display: none } }",
            "Concealed  a",
            "Value  b",
        ],
    );
    // A browser ends this comment at once; what follows is seen.
    check(
        "<p>a<!-->b--></p>",
        Format::Html,
        &["Value  a", "Concealed  <!-->", "Value  b-->"],
    );
}

#[test]
fn attributes_that_say_something_are_values() {
    check(
        "<p>See <a href=\"https://a.b/?x=1&amp;y=2\">this</a> page.</p><img alt=\"A map\" class=x>",
        Format::Html,
        &[
            "Value  See",
            "Value href https://a.b/?x=1&y=2",
            "Value  this page.",
            "Value alt A map",
        ],
    );
}

#[test]
fn elements_of_xml_are_keys() {
    check(
        "<?xml version=\"1.0\"?><order no=\"5\"><item><n>1</n></item><item><n>2</n></item><to><![CDATA[A & B]]></to></order>",
        Format::Html,
        &[
            "Value order.no 5",
            "Value order.item[0].n 1",
            "Value order.item[1].n 2",
            "Value order.to A & B",
        ],
    );
}

#[test]
fn angle_brackets_in_text_are_not_html() {
    for content in [
        "<not closed",
        "< 5 pieces",
        "<INFORMATION>\nread this",
        "a <b>word</b> here",
    ] {
        assert_eq!(check_partition(content).format, Format::Text, "{content:?}");
    }
}

proptest! {
    /// The words of escaped paragraphs come out in order, whatever they are.
    #[test]
    fn text_is_what_was_escaped(paragraphs in prop::collection::vec("[ -~é]{1,40}", 1..6), tag in prop::sample::select(vec!["p", "li", "td", "div"])) {
        let escape = |t: &String| t.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        let content: String = paragraphs.iter().map(|p| format!("<{tag}>{}</{tag}>\n", escape(p))).collect();
        let reading = check_partition(&content);
        prop_assert_eq!(reading.format, Format::Html);
        // Colons after labels, signs without words and the like are syntax: compare letters and digits.
        let letters = |t: &str| dense(t).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let said: String = reading.pieces.iter().filter(|p| p.role != Role::Syntax).map(|p| letters(p.text(&content))).collect();
        prop_assert_eq!(said, letters(&paragraphs.concat()));
    }
}
