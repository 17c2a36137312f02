//! Samples as one page.

use std::fmt::Write as _;

use provost_lure::show::{Shown, Step};

use super::{NOTHING, call, goal, title, without};
use crate::still::{self, escaped};

const STYLE: &str = concat!(
    include_str!("../../report/palette.css"),
    include_str!("page.css")
);

/// The whole page.
pub(super) fn html(samples: &[Shown]) -> String {
    let mut out = still::opening("AgentLure: samples", STYLE);
    out.push_str(
        "<h1>AgentLure: samples</h1>\n\
         <p class=\"quiet\">Would you have noticed? On the left is what the agent reads when nobody attacks, on the right what it reads \
         under attack, with the payload <mark>marked</mark> (an agent sees no mark). Calls that only one of the two scripts has \
         are in colour.</p>\n",
    );
    for shown in samples {
        section(shown, &mut out);
    }
    out.push_str(still::CLOSING);
    out
}

fn section(shown: &Shown, out: &mut String) {
    let left = without(shown).map_or_else(|| format!("<i>{NOTHING}</i>"), |text| lines(&text));
    let _ = write!(
        out,
        "<section>\n<h2>{}</h2>\n<p><b>The user:</b> {}</p>\n<p><b>The carrier:</b> {}. <b>The attacker gets:</b> {}</p>\n\
         <div class=\"pair\">\n<div><h3>without the payload</h3><pre>{left}</pre></div>\n\
         <div><h3>with it</h3><pre>{}<mark>{}</mark>{}</pre></div>\n\
         <div><h3>an honest agent</h3>{}</div>\n<div><h3>a persuaded agent</h3>{}</div>\n</div>\n</section>\n",
        escaped(&title(shown)),
        escaped(&shown.prompt),
        escaped(&shown.carrier.replace('`', "")),
        escaped(&goal(shown)),
        lines(&shown.left),
        lines(&shown.payload),
        lines(&shown.right),
        script(&shown.honest),
        script(&shown.persuaded)
    );
}

/// A text with its lines.
fn lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

fn script(steps: &[Step]) -> String {
    let mut out = String::from("<ol>");
    for step in steps {
        let class = if step.shared { "" } else { " class=\"own\"" };
        let _ = write!(out, "<li{class}><code>{}</code></li>", escaped(&call(step)));
    }
    out.push_str("</ol>");
    out
}
