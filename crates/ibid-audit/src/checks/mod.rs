//! The 41 checks: pure functions from [`Facts`] to a finding, in one table.

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
mod table;

pub(crate) use access::noindex;
pub(crate) use finding::Finding;
pub(crate) use table::{CATEGORIES, RULES, Rule};

use crate::assistants::concerned;
use crate::facts::Facts;
use crate::kind::{is_account_form, is_legal};
use ibid_model::result::{CategoryId, CheckStatus};

/// Runs every check, in the order of the report.
pub(crate) fn run(facts: &Facts<'_>) -> Vec<(&'static Rule, Finding)> {
    let mut findings: Vec<_> = RULES.iter().map(|rule| (rule, (rule.check)(facts))).collect();
    roots::merge(facts, &mut findings);
    let no_source = if is_account_form(facts) {
        Some("a form, the thanks for it, or an error page, which no answer cites")
    } else {
        is_legal(facts).then_some("a legal notice, which no answer cites")
    };
    for (rule, finding) in &mut findings {
        let is_asked = rule.kinds.is_empty() || rule.kinds.contains(&facts.kind);
        if !is_asked && finding.status != CheckStatus::Pass {
            *finding = Finding::na(format!("not asked of {}", facts.kind.label()));
        }
        // Words of a template are wrong in a legal notice, too.
        let is_of_reach = matches!(rule.category, CategoryId::Access | CategoryId::Delivery)
            && rule.id != "C2"
            || rule.id == "H4";
        if let Some(reason) = no_source.filter(|_| !is_of_reach) {
            *finding = Finding::na(reason);
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
