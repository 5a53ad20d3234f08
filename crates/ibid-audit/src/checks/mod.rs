//! The 44 checks: pure functions from [`Facts`] to a finding, in one table.

mod access;
mod authorship;
mod codes;
mod delivery;
mod discovery;
mod finding;
mod quotability;
mod roots;
mod structure;
mod structured_data;
mod stuffing;
mod table;

pub(crate) use access::noindex;
pub(crate) use finding::Finding;
pub(crate) use table::{CATEGORIES, RULES, Rule};

use crate::assistants::concerned;
use crate::facts::Facts;
use ibid_model::result::CheckStatus;

/// Runs every check, in the order of the report.
pub(crate) fn run(facts: &Facts<'_>) -> Vec<(&'static Rule, Finding)> {
    let mut findings: Vec<_> = RULES.iter().map(|rule| (rule, (rule.check)(facts))).collect();
    roots::merge(facts, &mut findings);
    for (rule, finding) in &mut findings {
        finding.status = reported(rule, finding.status);
        let is_asked = rule.kinds.is_empty() || rule.kinds.contains(&facts.kind);
        if !is_asked && finding.status != CheckStatus::Pass {
            *finding = Finding::na(format!("not asked of {}", facts.kind.label()));
        }
        if needs_advice(finding.status) {
            finding.concerned = concerned(rule, facts);
        }
    }
    findings
}

/// Whether a finding of this status comes with advice.
pub(crate) fn needs_advice(status: CheckStatus) -> bool {
    !matches!(status, CheckStatus::Pass | CheckStatus::Na)
}

/// Returns the status in the report.
///
/// A check without weight costs no points, so its finding is information.
fn reported(rule: &Rule, status: CheckStatus) -> CheckStatus {
    match status {
        CheckStatus::Warn | CheckStatus::Fail | CheckStatus::Unknown if rule.weight == 0 => CheckStatus::Info,
        _ => status,
    }
}

/// Whether the page is an empty shell for scripts.
#[cfg(feature = "http")]
pub(crate) fn is_shell(facts: &Facts<'_>) -> bool {
    delivery::is_no_shell(facts).status == CheckStatus::Fail
}

/// Whether an error text, a challenge or another type than HTML was answered.
#[cfg(feature = "http")]
pub(crate) fn is_no_page(facts: &Facts<'_>) -> bool {
    delivery::is_a_page(facts).status == CheckStatus::Fail
}
