//! Schema versions: each script runs once, in order, in a transaction of its own.

use crate::StoreError;
use rusqlite::{Connection, TransactionBehavior, params};

/// The scripts; the version of the schema is how many have run. Never edit one that was released.
const SCRIPTS: [&str; 7] = [
    include_str!("../../migrations/sqlite/0001_scans.sql"),
    include_str!("../../migrations/sqlite/0002_payments.sql"),
    include_str!("../../migrations/sqlite/0003_tasks.sql"),
    include_str!("../../migrations/sqlite/0004_workspace.sql"),
    include_str!("../../migrations/sqlite/0005_demo.sql"),
    include_str!("../../migrations/sqlite/0006_task_indices.sql"),
    include_str!("../../migrations/sqlite/0007_task_order.sql"),
];

/// Brings the schema up to date.
pub(super) fn run(connection: &mut Connection) -> Result<(), StoreError> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT",
    )?;
    let known = i64::try_from(SCRIPTS.len()).unwrap_or(i64::MAX);
    for (version, script) in (1_i64..).zip(SCRIPTS) {
        // The version is read inside the transaction: two programs may start at once.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found: i64 = transaction.query_row(
            "SELECT coalesce(max(version), 0) FROM schema_version",
            [],
            |row| row.get(0),
        )?;
        if found > known {
            return Err(StoreError::NewerSchema { found, known });
        }
        if found < version {
            transaction.execute_batch(script)?;
            transaction.execute(
                "INSERT INTO schema_version VALUES (?1, datetime('now'))",
                params![version],
            )?;
            tracing::info!(version, "database schema updated");
        }
        transaction.commit()?;
    }
    Ok(())
}
