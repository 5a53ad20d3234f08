//! The words and figures of a report without a layout.

use crate::states;

#[test]
fn the_terminal_and_markdown_say_the_same() {
    let result = states::rich_scan().unwrap();
    insta::assert_snapshot!("terminal", ibid_web::terminal::report(&result));
    insta::assert_snapshot!("markdown", ibid_web::standalone::markdown(&result));
}
