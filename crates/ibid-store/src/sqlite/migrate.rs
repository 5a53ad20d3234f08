//! Migrations: each script runs once, in order, in a transaction of its own.

use crate::StoreError;
use crate::migrations::{FIRST, SQLITE as SCRIPTS, check, latest};
use rusqlite::{Connection, TransactionBehavior, params};

/// Brings the schema up to date.
///
/// # Errors
/// As for [`version`], or the fault of the database.
pub(super) fn run(connection: &mut Connection) -> Result<(), StoreError> {
    let mut migrated = false;
    for (version, script) in (FIRST..).zip(SCRIPTS) {
        // The version is read inside the transaction: two processes may start at once.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if self::version(&transaction)? < version {
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT",
            )?;
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
        tracing::info!(version = latest(&SCRIPTS), "store.schema.migrated");
    }
    Ok(())
}

/// Returns the version of the schema, 0 for a database without one.
pub(super) fn version(connection: &Connection) -> Result<i64, StoreError> {
    let exists = |name: &str| -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)";
        Ok(connection.query_row(sql, [name], |row| row.get(0))?)
    };
    // Builds from before the first release had this table.
    if exists("schema_version")? {
        return Err(StoreError::DevelopmentSchema);
    }
    if !exists("migration")? {
        return Ok(0);
    }
    let sql = "SELECT coalesce(max(version), 0) FROM migration";
    check(connection.query_row(sql, [], |row| row.get(0))?, &SCRIPTS)
}
