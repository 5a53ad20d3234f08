//! Migrations: each script runs once, in order; all missing ones run in one transaction.

use super::connection::PgConnection;
use crate::migrations::{FIRST, POSTGRES as SCRIPTS, check, latest};
use crate::sql::{Executor, Query, values};
use crate::{Inspection, PostgresFault, StoreError};

/// Several processes may start at once: one runs the scripts, the others wait.
/// The number is "ibid" in ASCII.
const BEGIN: &str = "START TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = '10min';
    SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock(1768057188)";

/// Brings the schema up to date.
pub(super) fn run(connection: &mut PgConnection) -> Result<(), StoreError> {
    check_encoding(connection)?;
    // Most starts have no migration to apply, and need no right to change the schema.
    if version(connection)? == latest(&SCRIPTS) {
        return Ok(());
    }
    connection.begin(BEGIN)?;
    connection.finish(|connection| {
        connection.batch_execute(
            "CREATE TABLE IF NOT EXISTS migration
                 (version BIGINT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())",
        )?;
        let found = version(connection)?;
        for (version, script) in (FIRST..).zip(SCRIPTS).filter(|(version, _)| *version > found) {
            connection.batch_execute(script)?;
            connection.execute("INSERT INTO migration (version) VALUES (?1)", values![version])?;
        }
        if found < latest(&SCRIPTS) {
            tracing::info!(version = latest(&SCRIPTS), "store.schema.migrated");
        }
        Ok(())
    })
}

/// Returns the schema's version and the server's time.
pub(super) fn inspect(connection: &mut PgConnection) -> Result<Inspection, StoreError> {
    check_encoding(connection)?;
    let (now, is_replica): (_, bool) = connection.only(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, pg_is_in_recovery()",
        &[],
    )?;
    if is_replica {
        return Err(PostgresFault::new("the server is a read-only replica: name the primary server").into());
    }
    Ok(Inspection::Found {
        version: version(connection)?,
        known: latest(&SCRIPTS),
        now: Some(now),
    })
}

fn check_encoding(connection: &mut PgConnection) -> Result<(), StoreError> {
    let encoding: String = connection.only("SELECT current_setting('server_encoding')", &[])?;
    if encoding != "UTF8" {
        let why = format!("the database has the encoding {encoding}, and must have UTF8");
        return Err(PostgresFault::new(why).into());
    }
    Ok(())
}

/// Returns the version of the schema, 0 for a database without one.
fn version(connection: &mut PgConnection) -> Result<i64, StoreError> {
    // Builds from before the first release had the table schema_version.
    let (is_old, exists): (bool, bool) = connection.only(
        "SELECT to_regclass('schema_version') IS NOT NULL, to_regclass('migration') IS NOT NULL",
        &[],
    )?;
    if is_old {
        return Err(StoreError::DevelopmentSchema);
    }
    if !exists {
        return Ok(0);
    }
    let found = connection.only("SELECT coalesce(max(version), 0) FROM migration", &[])?;
    check(found, &SCRIPTS)
}
