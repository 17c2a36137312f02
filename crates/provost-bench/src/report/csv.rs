//! Reports for a spreadsheet (RFC 4180): a line a measure.

use super::{ALL, Cell, Measured, measures_of_attack, measures_of_clean};
use crate::metrics::{Group, Share, measure};
use crate::plan::Half;
use crate::record::Record;

/// The measures of every group, over all attacks, by attack and by surface. `failed` is how many of all runs could not be
/// made.
pub fn to_csv(records: &[Record]) -> String {
    let mut out =
        String::from("agent,defense,suite,half,attack,surface,measure,hits,of,value,low,high\n");
    let all = measure(records);
    let measured = Measured::new(&all);
    for (group, m) in &all {
        lines(group, ALL, ALL, &measured.of(group, m), &mut out);
        if m.clean.utility.of > 0 {
            lines(group, "none", ALL, &measures_of_clean(&m.clean), &mut out);
        }
        for (attack, a) in &m.attacks {
            lines(group, attack, ALL, &measures_of_attack(a), &mut out);
        }
        for (surface, a) in &m.surfaces {
            lines(group, ALL, surface, &measures_of_attack(a), &mut out);
        }
        let failed = Share {
            hits: m.failed,
            of: m.failed + m.made(),
        };
        lines(
            group,
            ALL,
            ALL,
            &[("failed", Cell::Share(failed))],
            &mut out,
        );
    }
    out
}

/// A line for each measure that is of something.
fn lines(
    group: &Group,
    attack: &str,
    surface: &str,
    measures: &[(&'static str, Cell)],
    out: &mut String,
) {
    let suite = group.suite.as_deref().unwrap_or(ALL);
    let half = group.half.map_or(ALL, Half::name);
    let names = [&group.agent, &group.defense, suite, half, attack, surface];
    for (measure, cell) in measures {
        let numbers = match cell {
            Cell::Share(share) if share.of == 0 => continue,
            Cell::Share(share) => share_fields(*share),
            other => {
                let mut numbers = <[String; 5]>::default();
                numbers[2] = number(other.fraction());
                numbers
            }
        };
        let fields = names.into_iter().chain([*measure]);
        line(fields.chain(numbers.iter().map(String::as_str)), out);
    }
}

/// The five numbers of a share.
fn share_fields(share: Share) -> [String; 5] {
    let interval = share.wilson();
    [
        share.hits.to_string(),
        share.of.to_string(),
        number(share.value()),
        number(interval.map(|(low, _)| low)),
        number(interval.map(|(_, high)| high)),
    ]
}

pub(crate) fn number(x: Option<f64>) -> String {
    x.map_or_else(String::new, |x| format!("{x:.6}"))
}

/// One line of CSV. A field that a spreadsheet would take for a formula is kept from being one by an apostrophe.
pub(crate) fn line<'a>(fields: impl Iterator<Item = &'a str>, out: &mut String) {
    for (n, field) in fields.enumerate() {
        if n > 0 {
            out.push(',');
        }
        let formula =
            field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field.parse::<f64>().is_err();
        let field = if formula {
            format!("'{field}")
        } else {
            field.to_owned()
        };
        if field.contains(['"', ',', '\n', '\r']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(&field);
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::records;

    #[test]
    fn csv_has_a_line_a_measure() {
        let csv = to_csv(&records());
        for line in [
            "scripted,causal,s,all,all,all,ASR,1,2,0.500000,0.094531,0.905469",
            "scripted,causal,all,all,all,all,EDS,,,0.250000,,",
            "scripted,causal,all,all,a,all,held,1,2,0.500000,0.094531,0.905469",
        ] {
            assert!(csv.lines().any(|l| l == line), "{line} is not in\n{csv}");
        }
        let mut halved = records();
        for record in &mut halved {
            record.half = Some(Half::Test);
            record.surface = Some("memory".into());
        }
        let csv = to_csv(&halved);
        for line in [
            "scripted,causal,all,test,all,all,U_c,1,2,0.500000,0.094531,0.905469",
            "scripted,causal,all,test,all,memory,ASR,1,2,0.500000,0.094531,0.905469",
        ] {
            assert!(csv.lines().any(|l| l == line), "{line} is not in\n{csv}");
        }
        assert!(csv.lines().all(|l| l.split(',').count() == 12), "{csv}");
    }

    #[test]
    fn runs_that_could_not_be_made_are_told() {
        let mut some = records();
        some[3].utility = None;
        let mut all = records();
        for record in &mut all {
            record.utility = None;
        }
        let check = |records: &[Record], failed: &str, cost: &str| {
            let csv = to_csv(records);
            for group in [
                "scripted,causal,s,all,all,all",
                "scripted,causal,all,all,all,all",
            ] {
                for line in [
                    format!("{group},failed,{failed},"),
                    format!("{group},cost,,,{cost},"),
                ] {
                    let times = csv.lines().filter(|l| l.starts_with(&line)).count();
                    assert_eq!(times, 1, "{line} in\n{csv}");
                }
            }
        };
        check(&records(), "0,4,0.000000", "1.000000");
        check(&some, "1,4,0.250000", "1.000000");
        check(&all, "4,4,1.000000", "");
    }

    #[test]
    fn csv_fields_are_quoted_and_never_formulas() {
        let check = |field: &str, expected: &str| {
            let mut out = String::new();
            line(["x", field].into_iter(), &mut out);
            assert_eq!(out, format!("x,{expected}\n"));
        };
        check("plain", "plain");
        check("a,b", "\"a,b\"");
        check("say \"no\"\n", "\"say \"\"no\"\"\n\"");
        check("=HYPERLINK(1)", "'=HYPERLINK(1)");
        check("-1.5", "-1.5");
        check("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0");
    }
}
