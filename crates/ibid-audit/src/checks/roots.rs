//! Counts one finding per root cause: checks that only repeat a failure do not count.

use super::finding::Finding;
use super::table::Rule;
use crate::facts::Facts;
use ibid_model::result::CheckStatus::{Fail, Unknown, Warn};

/// A failed or impossible check, and the checks that then only repeat it.
const ROOTS: &[(&str, &[&str])] = &[
    // An unreadable robots.txt has no rules for single agents.
    ("A1", &["A2", "A3"]),
    // Nothing is asked, because the parts are those of an error page.
    (
        "C1",
        &["A5", "B1", "B4", "B6", "C2", "C3", "D1", "D3", "D5", "E1"],
    ),
    // An empty shell has no text, headings and links by its nature; scripts may add them.
    ("C3", &["B6", "C2", "D1", "D3", "D5"]),
    // A page without structured data cannot lack a field in it.
    ("E1", &["E4"]),
    // Without a date there is no age.
    ("F2", &["F3"]),
];

/// Takes findings that repeat another one out of the mean.
pub(super) fn merge(facts: &Facts<'_>, findings: &mut [(&'static Rule, Finding)]) {
    for (root, repeats) in ROOTS {
        let failed = |finding: &Finding| matches!(finding.status, Fail | Unknown);
        if findings
            .iter()
            .any(|(rule, finding)| rule.id == *root && failed(finding))
        {
            leave_out(findings, repeats, |found| format!("see {root}: {found}"));
        }
    }
    if facts.words() < 20 {
        leave_out(findings, &["D3", "D5"], |_| "see C2: there is no text".to_owned());
    }
    // A block that does not parse may hold what the others miss.
    if facts.structured.blocks.iter().any(|block| block.items.is_empty()) {
        leave_out(findings, &["E1", "E4"], |_| {
            "see E2: a JSON-LD block could not be read".to_owned()
        });
    }
}

fn leave_out(findings: &mut [(&'static Rule, Finding)], repeats: &[&str], reason: impl Fn(&str) -> String) {
    for (rule, finding) in findings {
        let is_bad = matches!(finding.status, Fail | Unknown | Warn);
        if is_bad && repeats.contains(&rule.id) {
            *finding = Finding::na(reason(&finding.found));
        }
    }
}
