//! What the drawings of the page share: keys, figures, and names cut to the room that there is.

use std::fmt::Write as _;

use crate::still::escaped;

/// One entry of a key: a sample of what is drawn, 14 by 14, and what it means.
pub(super) fn key(class: Option<&str>, sample: &str, meaning: &str, out: &mut String) {
    let class = class.map_or_else(String::new, |class| format!(" class=\"{class}\""));
    let meaning = escaped(meaning);
    let _ = write!(
        out,
        "<li><svg viewBox=\"0 0 14 14\"{class} aria-hidden=\"true\">{sample}</svg>{meaning}</li>"
    );
}

/// Opens a figure of so many units: its title, what is said beside that, and what it shows, for those who do not see it.
pub(super) fn open_figure(
    title: &str,
    beside: &str,
    shows: &str,
    (width, height): (usize, usize),
    out: &mut String,
) {
    let [title, beside, shows] = [title, beside, shows].map(escaped);
    let _ = write!(
        out,
        "<figure><figcaption>{title} <span>{beside}</span></figcaption><svg width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}, {shows}\">"
    );
}

/// The end of what [`open_figure`] opened.
pub(super) const CLOSE_FIGURE: &str = "</svg></figure>\n";

/// A name, of which there is room for `shown`, at a place given by attributes; it is told whole when pointed at.
pub(super) fn name(whole: &str, shown: &str, place: &str, out: &mut String) {
    let (whole, shown) = (escaped(whole), escaped(shown));
    let _ = write!(out, "<text {place}><title>{whole}</title>{shown}</text>");
}

/// The two ends of a name, of at most so many letters: names often begin alike.
pub(super) fn shortened(name: &str, longest: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= longest {
        return name.to_owned();
    }
    let (start, end) = letters.split_at(letters.len() - longest / 2);
    let start = start.iter().take(longest - longest / 2 - 1);
    start.chain(&['…']).chain(end).collect()
}
