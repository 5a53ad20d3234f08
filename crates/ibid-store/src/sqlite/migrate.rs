//! Migrations: each script runs once, in order, in a transaction of its own.

use crate::StoreError;
use crate::migrations::SQLITE as SCRIPTS;
use rusqlite::{Connection, TransactionBehavior, params};

/// Brings the schema up to date.
///
/// # Errors
/// [`StoreError::DevelopmentSchema`], [`StoreError::NewerSchema`], or the fault of the database.
pub(super) fn run(connection: &mut Connection) -> Result<(), StoreError> {
    let known = i64::try_from(SCRIPTS.len()).unwrap_or(i64::MAX);
    let mut migrated = false;
    for (version, script) in (1_i64..).zip(SCRIPTS) {
        // The version is read inside the transaction: two processes may start at once.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Builds from before the first release had this table.
        let development = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'schema_version')";
        if transaction.query_row(development, [], |row| row.get(0))? {
            return Err(StoreError::DevelopmentSchema);
        }
        transaction.execute_batch(
            "CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT",
        )?;
        let found: i64 =
            transaction.query_row("SELECT coalesce(max(version), 0) FROM migration", [], |row| {
                row.get(0)
            })?;
        if found > known {
            return Err(StoreError::NewerSchema { found, known });
        }
        if found < version {
            transaction.execute_batch(script)?;
            transaction.execute(
                "INSERT INTO migration VALUES (?1, datetime('now'))",
                params![version],
            )?;
            migrated = true;
        }
        transaction.commit()?;
    }
    if migrated {
        tracing::info!(version = known, "store.schema.migrated");
    }
    Ok(())
}
