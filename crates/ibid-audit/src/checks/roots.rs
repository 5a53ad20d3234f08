//! Counts one finding per root cause: checks that only repeat a failure do not count.

use super::finding::Finding;
use super::table::Rule;
use crate::facts::Facts;
use ibid_model::result::CheckStatus;

/// A failed or impossible check, and the checks that then only repeat it.
const ROOTS: &[(&str, &[&str])] = &[
    // An unreadable robots.txt has no rules for single agents.
    ("A1", &["A2", "A3"]),
    // No page was answered: its parts are those of an error page.
    ("C1", &["B4", "C2", "C3", "D1", "D5"]),
    // An empty shell has no text by its nature.
    ("C3", &["C2", "D5"]),
    // A page without structured data cannot lack a field in it.
    ("E1", &["E4"]),
    // Without a date there is no age.
    ("F2", &["F3"]),
];

/// Takes findings that repeat another one out of the mean.
pub(super) fn merge(facts: &Facts<'_>, findings: &mut [(&'static Rule, Finding)]) {
    let is_bad = |status: CheckStatus| {
        matches!(
            status,
            CheckStatus::Fail | CheckStatus::Unknown | CheckStatus::Warn
        )
    };
    for (root, repeats) in ROOTS {
        let failed = findings.iter().any(|(rule, finding)| {
            rule.id == *root && matches!(finding.status, CheckStatus::Fail | CheckStatus::Unknown)
        });
        if failed {
            for (rule, finding) in findings.iter_mut() {
                if repeats.contains(&rule.id) && is_bad(finding.status) {
                    *finding = Finding::na(format!("see {root}: {}", finding.found));
                }
            }
        }
    }
    // A page without text has no paragraphs.
    if facts.words() < 20 {
        for (rule, finding) in findings.iter_mut() {
            if rule.id == "D5" && is_bad(finding.status) {
                *finding = Finding::na("see C2: there is no text");
            }
        }
    }
    // A block that does not parse may hold what the others miss.
    let has_broken = facts.structured.blocks.iter().any(|block| block.items.is_empty());
    if has_broken {
        for (rule, finding) in findings.iter_mut() {
            if matches!(rule.id, "E1" | "E4") && finding.status == CheckStatus::Fail {
                *finding = Finding::na("see E2: a JSON-LD block could not be read");
            }
        }
    }
}
