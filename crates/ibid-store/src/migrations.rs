//! The migrations of both databases, in order.
//! The version of a schema is the number of scripts that have run.
//!
//! A change of the schema adds a script to each list. A released script is never edited.
//! The first script is the schema of the first release; databases of earlier development builds are refused.

#[cfg(feature = "sqlite")]
pub(crate) const SQLITE: [&str; 21] = [
    include_str!("../migrations/sqlite/0001_schema.sql"),
    include_str!("../migrations/sqlite/0002_settlements.sql"),
    include_str!("../migrations/sqlite/0003_service_keys.sql"),
    include_str!("../migrations/sqlite/0004_idempotency.sql"),
    include_str!("../migrations/sqlite/0005_orders.sql"),
    include_str!("../migrations/sqlite/0006_workspace_audits.sql"),
    include_str!("../migrations/sqlite/0007_readiness.sql"),
    include_str!("../migrations/sqlite/0008_sign_ins.sql"),
    include_str!("../migrations/sqlite/0009_administration.sql"),
    include_str!("../migrations/sqlite/0010_runs.sql"),
    include_str!("../migrations/sqlite/0011_webhooks.sql"),
    include_str!("../migrations/sqlite/0012_queued_scans.sql"),
    include_str!("../migrations/sqlite/0013_schedules.sql"),
    include_str!("../migrations/sqlite/0014_second_factor.sql"),
    include_str!("../migrations/sqlite/0015_evidence.sql"),
    include_str!("../migrations/sqlite/0016_task_webhooks.sql"),
    include_str!("../migrations/sqlite/0017_report_brand.sql"),
    include_str!("../migrations/sqlite/0018_reported_settlements.sql"),
    include_str!("../migrations/sqlite/0019_looks_again.sql"),
    include_str!("../migrations/sqlite/0020_unpaid_orders.sql"),
    include_str!("../migrations/sqlite/0021_due_webhooks.sql"),
];

#[cfg(feature = "postgres")]
pub(crate) const POSTGRES: [&str; 21] = [
    include_str!("../migrations/postgres/0001_schema.sql"),
    include_str!("../migrations/postgres/0002_settlements.sql"),
    include_str!("../migrations/postgres/0003_service_keys.sql"),
    include_str!("../migrations/postgres/0004_idempotency.sql"),
    include_str!("../migrations/postgres/0005_orders.sql"),
    include_str!("../migrations/postgres/0006_workspace_audits.sql"),
    include_str!("../migrations/postgres/0007_readiness.sql"),
    include_str!("../migrations/postgres/0008_sign_ins.sql"),
    include_str!("../migrations/postgres/0009_administration.sql"),
    include_str!("../migrations/postgres/0010_runs.sql"),
    include_str!("../migrations/postgres/0011_webhooks.sql"),
    include_str!("../migrations/postgres/0012_queued_scans.sql"),
    include_str!("../migrations/postgres/0013_schedules.sql"),
    include_str!("../migrations/postgres/0014_second_factor.sql"),
    include_str!("../migrations/postgres/0015_evidence.sql"),
    include_str!("../migrations/postgres/0016_task_webhooks.sql"),
    include_str!("../migrations/postgres/0017_report_brand.sql"),
    include_str!("../migrations/postgres/0018_reported_settlements.sql"),
    include_str!("../migrations/postgres/0019_looks_again.sql"),
    include_str!("../migrations/postgres/0020_unpaid_orders.sql"),
    include_str!("../migrations/postgres/0021_due_webhooks.sql"),
];
