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
#[cfg(feature = "http")]
pub(crate) use discovery::same_site;
pub(crate) use discovery::site;
pub(crate) use finding::Finding;
pub(crate) use table::{CATEGORIES, RULES, Rule};

use crate::facts::Facts;

/// Runs every check, in the order of the report.
pub(crate) fn run(facts: &Facts<'_>) -> Vec<(&'static Rule, Finding)> {
    let mut findings: Vec<_> = RULES.iter().map(|rule| (rule, (rule.check)(facts))).collect();
    roots::merge(facts, &mut findings);
    findings
}
