//! Migrations for both databases, in order.
//! Version 0.1.0 is what the first script makes in an empty database; earlier schemas are refused.
//!
//! A change of the schema adds a script to each list. A released script is never edited.

use crate::StoreError;

/// What the first script makes; each further script makes the next version.
pub(crate) const FIRST: i64 = 17;

#[cfg(feature = "sqlite")]
pub(crate) const SQLITE: [&str; 31] = [
    include_str!("../migrations/sqlite/0017_schema.sql"),
    include_str!("../migrations/sqlite/0018_reported_settlements.sql"),
    include_str!("../migrations/sqlite/0019_looks_again.sql"),
    include_str!("../migrations/sqlite/0020_unpaid_orders.sql"),
    include_str!("../migrations/sqlite/0021_due_webhooks.sql"),
    include_str!("../migrations/sqlite/0022_run_plans.sql"),
    include_str!("../migrations/sqlite/0023_begun_steps.sql"),
    include_str!("../migrations/sqlite/0024_scans_without_leases.sql"),
    include_str!("../migrations/sqlite/0025_question_sets.sql"),
    include_str!("../migrations/sqlite/0026_lists_in_full.sql"),
    include_str!("../migrations/sqlite/0027_runs_have_states.sql"),
    include_str!("../migrations/sqlite/0028_projects.sql"),
    include_str!("../migrations/sqlite/0029_kept_questions.sql"),
    include_str!("../migrations/sqlite/0030_identities.sql"),
    include_str!("../migrations/sqlite/0031_mentions.sql"),
    include_str!("../migrations/sqlite/0032_marks.sql"),
    include_str!("../migrations/sqlite/0033_markets.sql"),
    include_str!("../migrations/sqlite/0034_project_history.sql"),
    include_str!("../migrations/sqlite/0035_destinations.sql"),
    include_str!("../migrations/sqlite/0036_badges.sql"),
    include_str!("../migrations/sqlite/0037_feeds.sql"),
    include_str!("../migrations/sqlite/0038_pinned_runs.sql"),
    include_str!("../migrations/sqlite/0039_reports.sql"),
    include_str!("../migrations/sqlite/0040_organisation_news.sql"),
    include_str!("../migrations/sqlite/0041_actions.sql"),
    include_str!("../migrations/sqlite/0042_own_data.sql"),
    include_str!("../migrations/sqlite/0043_answers_elsewhere.sql"),
    include_str!("../migrations/sqlite/0044_mails.sql"),
    include_str!("../migrations/sqlite/0045_access.sql"),
    include_str!("../migrations/sqlite/0046_settings.sql"),
    include_str!("../migrations/sqlite/0047_sealed.sql"),
];

#[cfg(feature = "postgres")]
pub(crate) const POSTGRES: [&str; 31] = [
    include_str!("../migrations/postgres/0017_schema.sql"),
    include_str!("../migrations/postgres/0018_reported_settlements.sql"),
    include_str!("../migrations/postgres/0019_looks_again.sql"),
    include_str!("../migrations/postgres/0020_unpaid_orders.sql"),
    include_str!("../migrations/postgres/0021_due_webhooks.sql"),
    include_str!("../migrations/postgres/0022_run_plans.sql"),
    include_str!("../migrations/postgres/0023_begun_steps.sql"),
    include_str!("../migrations/postgres/0024_scans_without_leases.sql"),
    include_str!("../migrations/postgres/0025_question_sets.sql"),
    include_str!("../migrations/postgres/0026_lists_in_full.sql"),
    include_str!("../migrations/postgres/0027_runs_have_states.sql"),
    include_str!("../migrations/postgres/0028_projects.sql"),
    include_str!("../migrations/postgres/0029_kept_questions.sql"),
    include_str!("../migrations/postgres/0030_identities.sql"),
    include_str!("../migrations/postgres/0031_mentions.sql"),
    include_str!("../migrations/postgres/0032_marks.sql"),
    include_str!("../migrations/postgres/0033_markets.sql"),
    include_str!("../migrations/postgres/0034_project_history.sql"),
    include_str!("../migrations/postgres/0035_destinations.sql"),
    include_str!("../migrations/postgres/0036_badges.sql"),
    include_str!("../migrations/postgres/0037_feeds.sql"),
    include_str!("../migrations/postgres/0038_pinned_runs.sql"),
    include_str!("../migrations/postgres/0039_reports.sql"),
    include_str!("../migrations/postgres/0040_organisation_news.sql"),
    include_str!("../migrations/postgres/0041_actions.sql"),
    include_str!("../migrations/postgres/0042_own_data.sql"),
    include_str!("../migrations/postgres/0043_answers_elsewhere.sql"),
    include_str!("../migrations/postgres/0044_mails.sql"),
    include_str!("../migrations/postgres/0045_access.sql"),
    include_str!("../migrations/postgres/0046_settings.sql"),
    include_str!("../migrations/postgres/0047_sealed.sql"),
];

/// Returns the version of the schema that the last script makes.
pub(crate) fn latest(scripts: &[&str]) -> i64 {
    (FIRST..)
        .zip(scripts)
        .map(|(version, _)| version)
        .last()
        .unwrap_or(FIRST)
}

/// Returns the version of a database, 0 for one without a schema, if the scripts bring it up to date.
pub(crate) fn check(found: i64, scripts: &[&str]) -> Result<i64, StoreError> {
    let known = latest(scripts);
    if found > known {
        return Err(StoreError::NewerSchema { found, known });
    }
    if found != 0 && found < FIRST {
        return Err(StoreError::OlderSchema { found, oldest: FIRST });
    }
    Ok(found)
}
