//! docs/routers/causes.md shows the causes as the code has them.

use ibid_provider::{CAUSES, ErrorScope};

#[test]
fn the_page_has_the_table_of_causes() {
    let rows = CAUSES.causes.iter().map(|(code, row)| {
        let ends = match row.scope {
            ErrorScope::Question => "question",
            ErrorScope::Model => "model",
            ErrorScope::Key => "key",
        };
        format!("| `{code}` | {ends} | {} | {} |\n", row.sentence, row.remedy)
    });
    let table: String = rows.collect();
    let page = include_str!("../../docs/routers/causes.md");
    let shown = page.split_once("| --- |\n").map(|(_, rows)| rows);
    assert_eq!(
        shown,
        Some(table.as_str()),
        "put these rows into the page:\n{table}"
    );
}
