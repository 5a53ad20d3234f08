//! Any bytes as a page: no panic, an end in sight, a report within its bounds, and the same one twice.

#![no_main]

use ibid_audit::{Page, audit};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &[u8]| {
    let mut page = Page::from_html(
        html,
        "https://a.example.com/b?c".parse().ok(),
        jiff::Timestamp::UNIX_EPOCH,
    );
    page.status = Some(200);
    let report = audit(&page);
    assert!(report.score <= report.uncapped_score && report.uncapped_score <= 100);
    assert!(report.top_fixes.len() <= 10);
    for check in &report.checks {
        // What is shown of a page is short and cannot drive a terminal.
        for text in [Some(&check.found), check.location.as_ref(), check.advice.as_ref()]
            .into_iter()
            .flatten()
        {
            assert!(
                text.chars().count() <= 401 && !text.chars().any(char::is_control),
                "{}",
                check.id
            );
        }
    }
    assert_eq!(report, audit(&page));
});
