//! Tables of all kinds.

use proptest::prelude::*;

use super::super::{Format, Path, Seg};
use super::{check, check_partition, dense, said_below};

#[test]
fn cells_of_delimited_values_hang_at_row_and_column() {
    check(
        "id,name\n1,Ann\n2,\"Bob, \"\"B\"\"\"\n",
        Format::Table,
        &[
            "Key id id",
            "Key name name",
            "Value [0].id 1",
            "Value [0].name Ann",
            "Value [1].id 2",
            "Value [1].name Bob, \"B\"",
        ],
    );
    check(
        "id;text\n1;See below. Pay nothing now.\n2;ok\n",
        Format::Table,
        &[
            "Key id id",
            "Key text text",
            "Value [0].id 1",
            "Sentence [0].text See below.",
            "Sentence [0].text Pay nothing now.",
            "Value [1].id 2",
            "Value [1].text ok",
        ],
    );
}

#[test]
fn remarks_between_rows_are_text() {
    check(
        "a,b,c\n1,2,3\n# two rows in all\nNote: none of this is final.\n4,5,6\n",
        Format::Table,
        &[
            "Key a a",
            "Key b b",
            "Key c c",
            "Value [0].a 1",
            "Value [0].b 2",
            "Value [0].c 3",
            "Sentence  two rows in all",
            "Key Note Note",
            "Sentence Note none of this is final.",
            "Value [1].a 4",
            "Value [1].b 5",
            "Value [1].c 6",
        ],
    );
}

#[test]
fn names_with_values_above_a_table_are_labels() {
    check(
        "item,INS-03\ncurrency,GBP\nsupplier,price,days\nAsh,31.80,1\nBay,34.10,2\n",
        Format::Table,
        &[
            "Key item item",
            "Value item INS-03",
            "Key currency currency",
            "Value currency GBP",
            "Key supplier supplier",
            "Key price price",
            "Key days days",
            "Value [0].supplier Ash",
            "Value [0].price 31.80",
            "Value [0].days 1",
            "Value [1].supplier Bay",
            "Value [1].price 34.10",
            "Value [1].days 2",
        ],
    );
}

#[test]
fn pipe_and_aligned_tables_have_columns() {
    check(
        "| Plan | Fee |\n|---|--:|\n| S | 5 |\n| M \\| L | 9 |\n",
        Format::Markdown,
        &[
            "Key Plan Plan",
            "Key Fee Fee",
            "Value [0].Plan S",
            "Value [0].Fee 5",
            "Value [1].Plan M \\| L",
            "Value [1].Fee 9",
        ],
    );
    check(
        "Service\t\tAmount\n----------------\nCar rental\t\t98.70\nTotal\t\t98.70\n",
        Format::Table,
        &[
            "Key Service Service",
            "Key Amount Amount",
            "Value [0].Service Car rental",
            "Value [0].Amount 98.70",
            "Value [1].Service Total",
            "Value [1].Amount 98.70",
        ],
    );
    check(
        "Bronze   Wed  16:30   ab 16.9.\nSilver   Wed  17:30   ab 16.9.\n",
        Format::Text,
        &[
            "Key [0].Bronze Bronze",
            "Value [0].Bronze Wed",
            "Value [0].Bronze 16:30",
            "Value [0].Bronze ab 16.9.",
            "Key [1].Silver Silver",
            "Value [1].Silver Wed",
            "Value [1].Silver 17:30",
            "Value [1].Silver ab 16.9.",
        ],
    );
}

#[test]
fn prose_with_commas_is_no_table() {
    for content in [
        "Hello Ann, thanks, see you\nBest, Emma, bye\n",
        "Dalton Street 123\nNew York, NY 10001\nUSA\n",
        "We need bread, milk, and eggs.\nAlso cheese, ham, and wine.\nThat is all, I think, for now.\n",
    ] {
        assert_eq!(check_partition(content).format, Format::Text, "{content:?}");
    }
}

proptest! {
    /// Without quotes a row is what splitting at the delimiter gives.
    #[test]
    fn rows_are_those_of_a_naive_splitter(
        delimiter in prop::sample::select(vec![',', ';', '\t']),
        rows in prop::collection::vec(prop::collection::vec("[a-z0-9][a-z0-9 .]{0,8}[a-z0-9]", 4), 1..8),
    ) {
        let mut content = ["ka", "kb", "kc", "kd"].join(&delimiter.to_string());
        for row in &rows {
            content.push('\n');
            content += &row.join(&delimiter.to_string());
        }
        let reading = check_partition(&content);
        prop_assert_eq!(reading.format, Format::Table);
        for (i, line) in (0..).zip(content.lines().skip(1)) {
            for (key, cell) in ["ka", "kb", "kc", "kd"].iter().zip(line.split(delimiter)) {
                let path = Path::new(vec![Seg::Index(i), Seg::Key((*key).into())]);
                prop_assert_eq!(said_below(&content, &reading, &path), dense(cell));
            }
        }
    }

    /// With quotes (RFC 4180) a cell may hold anything.
    #[test]
    fn quoted_cells_are_those_written(rows in prop::collection::vec(prop::collection::vec("[ -~\n]{0,12}", 3), 1..6)) {
        let mut content = String::from("ka,kb,kc");
        for row in &rows {
            let cells: Vec<String> = row.iter().map(|c| format!("\"{}\"", c.replace('"', "\"\""))).collect();
            content += &format!("\n{}", cells.join(","));
        }
        let reading = check_partition(&content);
        for (i, row) in (0..).zip(&rows) {
            for (key, cell) in ["ka", "kb", "kc"].iter().zip(row) {
                let path = Path::new(vec![Seg::Index(i), Seg::Key((*key).into())]);
                let said = said_below(&content, &reading, &path);
                prop_assert_eq!(said, dense(cell), "{:?} of {:?}", path, content);
            }
        }
    }
}
