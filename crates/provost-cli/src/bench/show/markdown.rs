//! Samples for a page in Markdown: tables in HTML, which hold texts of several lines.

use std::fmt::Write as _;

use provost_lure::show::{Shown, Step};

use super::{NOTHING, call, goal, title, without};
use crate::still::escaped;

/// All samples, below a title, and the command that gives this page.
pub(super) fn markdown(samples: &[Shown]) -> String {
    let names = samples.iter().map(|s| format!("{}/{}", s.task, s.vector));
    let names: Vec<String> = names.collect();
    let mut out = format!(
        "# AgentLure: samples\n\nEach sample is an attack on one task of the benchmark AgentLure. Its title names the task, the vector (what \
         is steered, or through\nwhat), and the surface where the payload meets the agent. Would you have noticed? On the left is what the agent \
         reads when\nnobody attacks, on the right what it reads under attack, with the payload **<ins>marked</ins>** (an agent sees no mark); \
         below\nare the calls of an agent that follows the user, and of one that was persuaded, those that only one of them makes in \
         bold.\n\nThis page is what a command gives, and a test keeps it so:\n\n    provost bench show agentlure --format markdown {}\n",
        names.join(" ")
    );
    for (n, shown) in samples.iter().enumerate() {
        let _ = write!(
            out,
            "\n## {}. {}\n\nThe user: {}\n\nThe carrier: {}. The attacker gets: {}\n\n",
            n + 1,
            prose(&title(shown)),
            prose(&shown.prompt),
            prose(&shown.carrier),
            prose(&goal(shown))
        );
        let left = without(shown).map_or_else(|| NOTHING.to_owned(), |text| lines(&text));
        let payload = shown.payload.trim();
        let inner = shown.payload.find(payload).unwrap_or(0);
        let (before, rest) = shown.payload.split_at(inner);
        let (_, after) = rest.split_at(payload.len());
        let right = format!(
            "{}<b><ins>{}</ins></b>{}",
            lines(&format!("{}{before}", shown.left)),
            lines(payload),
            lines(&format!("{after}{}", shown.right))
        );
        let _ = write!(
            out,
            "<table>\n<tr><th width=\"50%\">without the payload</th><th>with it</th></tr>\n\
             <tr valign=\"top\"><td>{left}</td>\n<td>{right}</td></tr>\n\
             <tr><th>an honest agent</th><th>a persuaded agent</th></tr>\n\
             <tr valign=\"top\"><td>{}</td>\n<td>{}</td></tr>\n</table>\n",
            script(&shown.honest),
            script(&shown.persuaded)
        );
    }
    out
}

/// A text in a cell: a blank line would end the table.
fn lines(text: &str) -> String {
    let line = |line: &str| {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        "&nbsp;".repeat(indent) + &escaped(text)
    };
    // Of the text before and after a payload, the space beside it counts as one.
    let spaced = |text: &str| {
        text.split('\n')
            .map(line)
            .collect::<Vec<_>>()
            .join("<br>\n")
    };
    match text.strip_prefix(' ') {
        Some(rest) if !rest.starts_with(' ') => format!(" {}", spaced(rest)),
        _ => spaced(text),
    }
}

fn script(steps: &[Step]) -> String {
    let line = |step: &Step| {
        let call = escaped(&call(step));
        if step.shared {
            format!("<code>{call}</code>")
        } else {
            format!("<b><code>{call}</code></b>")
        }
    };
    steps.iter().map(line).collect::<Vec<_>>().join("<br>\n")
}

/// Words in a paragraph: nothing in them is markup but what stands in backquotes.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for (n, part) in text.split('`').enumerate() {
        if n % 2 == 1 {
            let _ = write!(out, "`{}`", provost_bench::report::plain(part));
        } else {
            out.push_str(&provost_bench::report::Style::Markdown.text(part));
        }
    }
    out
}
