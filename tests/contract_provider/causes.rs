//! docs/ROUTERS.md shows the causes as the code has them.

use ibid_provider::{CAUSES, ErrorScope};

#[test]
fn the_page_has_the_table_of_causes() {
    let rows = CAUSES.iter().map(|row| {
        let ends = match row.scope {
            ErrorScope::Question => "",
            ErrorScope::Model => "model",
            ErrorScope::Key => "key",
        };
        format!(
            "| `{}` | {ends} | {} | {} |\n",
            row.code, row.sentence, row.remedy
        )
    });
    let table: String = rows.collect();
    let expected = format!("| Code | Of | What it says | What to do |\n| --- | --- | --- | --- |\n{table}");
    let page = include_str!("../../docs/ROUTERS.md");
    let (_, rest) = page
        .split_once("<!-- causes -->\n")
        .expect("the page marks the table");
    let (shown, _) = rest
        .split_once("<!-- /causes -->")
        .expect("the page marks its end");
    assert_eq!(
        shown, expected,
        "put this table into docs/ROUTERS.md:\n{expected}"
    );
}
