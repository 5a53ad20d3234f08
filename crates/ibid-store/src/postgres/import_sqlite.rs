//! Copies a SQLite file into an empty PostgreSQL database, for the move from one machine to several.
//!
//! One transaction on either side.
//! The file is locked against writers meanwhile, and the tables against all access,
//! so that the copy is a snapshot of one moment.
//! The transaction is committed only if the books of both are equal.

use super::Postgres;
use super::connection::PgConnection;
use crate::PostgresFault;
use crate::sql::{Query, Value, read_books, values};
use crate::sqlite::Sqlite;
use crate::{PostgresUrl, StoreError};
use rusqlite::Connection;
use rusqlite::types::Value as SqliteValue;
use std::path::Path;

/// Reading a large row may take a while, and the empty database has no other users that the locks would block.
const BEGIN: &str = "START TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = '10min';
    SET LOCAL idle_in_transaction_session_timeout = 0";

/// Every table, those first that others refer to. A test compares them with the schema.
const TABLES: [&str; 62] = [
    "scan",
    "evidence_deletion",
    "payment",
    "receipt",
    "ledger",
    "refund",
    "failed_order",
    "task",
    "account",
    "session",
    "account_link",
    "second_factor",
    "recovery_code",
    "identity",
    "report_brand",
    "account_log",
    "credit",
    "workspace_scan",
    "workspace_tag",
    "service_key",
    "caller_hour",
    "idempotency",
    "workspace_audit",
    "sign_in_count",
    "secret",
    "durable_run",
    "run_step",
    "run_call",
    "run_secret",
    "webhook",
    "webhook_delivery",
    "webhook_attempt",
    "schedule",
    "schedule_run",
    "alert",
    "question_set",
    "question_set_version",
    "organisation",
    "membership",
    "project",
    "project_role",
    "project_market",
    "project_run",
    "run_mentions",
    "cell",
    "project_question",
    "rival",
    "annotation",
    "audit_event",
    "api_key",
    "feed_key",
    "invitation",
    "question_proposal",
    "destination",
    "confirmation_mail",
    "report_snapshot",
    "project_action",
    "own_file",
    "bot_addresses",
    "answer_import",
    "answer_part",
    "answer_count",
];

/// Copies everything of the SQLite file at `from` into the database at `to`, which has to be empty.
/// Returns how many rows each table has. On an error, no row is copied.
///
/// Both schemas are brought up to date first. Later writes to the file do not reach the copy: stop the
/// server before.
///
/// # Errors
/// No such file, a database that is not empty, books that differ afterwards, the fault of either database.
pub fn import_sqlite(from: &Path, to: &PostgresUrl) -> Result<Vec<(&'static str, u64)>, StoreError> {
    if !from.is_file() {
        return Err(PostgresFault::new("the SQLite file to copy does not exist").into());
    }
    let (from, to) = (Sqlite::open(from)?, Postgres::open(to)?);
    to.transact(BEGIN, |target| {
        // The open transaction keeps other processes from writing to the file.
        from.write_connection(|source| {
            refuse_unless_empty(target)?;
            let copied = TABLES
                .iter()
                .map(|name| Ok((*name, Table::read(name, target)?.copy(source, target)?)))
                .collect::<Result<_, StoreError>>()?;
            let (before, after) = (read_books(&mut &*source)?, read_books(target)?);
            if (before.accounts, before.states, before.inferred)
                != (after.accounts, after.states, after.inferred)
            {
                return Err(StoreError::Damaged("copy of the books"));
            }
            Ok(copied)
        })
    })
}

fn refuse_unless_empty(connection: &mut PgConnection) -> Result<(), StoreError> {
    for table in TABLES {
        connection.batch_execute(&format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))?;
        let any: Vec<bool> = connection.column(&format!("SELECT EXISTS (SELECT 1 FROM {table})"))?;
        if any != [false] {
            let why =
                format!("the database is not empty: the table {table} has rows. Name an empty database");
            return Err(PostgresFault::new(why).into());
        }
    }
    Ok(())
}

/// A table as PostgreSQL has it. That of SQLite has the same columns.
struct Table {
    name: &'static str,
    columns: Vec<(String, ColumnType)>,
    /// The column that the database counts up by itself.
    counted: Option<String>,
}

#[derive(Clone, Copy)]
enum ColumnType {
    Id,
    Bytes,
    Text,
    Number,
    Truth,
}

impl Table {
    fn read(name: &'static str, connection: &mut PgConnection) -> Result<Self, StoreError> {
        let found = connection.list::<(String, String, bool)>(
            "SELECT column_name::text, data_type::text, is_identity = 'YES' FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = ?1 ORDER BY ordinal_position",
            values![name],
        )?;
        let mut table = Self {
            name,
            columns: Vec::with_capacity(found.len()),
            counted: None,
        };
        for (name, data_type, is_counted) in found {
            if is_counted {
                table.counted = Some(name.clone());
            }
            table.columns.push((name, ColumnType::of(&data_type)?));
        }
        Ok(table)
    }

    fn copy(&self, from: &Connection, to: &mut PgConnection) -> Result<u64, StoreError> {
        let table = self.name;
        let columns: u32 = from.query_row("SELECT count(*) FROM pragma_table_info(?1)", [table], |row| {
            row.get(0)
        })?;
        if columns as usize != self.columns.len() {
            return Err(StoreError::Damaged("schema"));
        }
        let names: Vec<_> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let (names, places) = (names.join(", "), 1..=columns);
        let places: Vec<_> = places.map(|at| format!("${at}")).collect();
        // Rows keep their numbers, because cursors name them.
        let numbers = self.counted.as_ref().map_or("", |_| "OVERRIDING SYSTEM VALUE");
        let insert = to.prepare(&format!(
            "INSERT INTO {table} ({names}) {numbers} VALUES ({})",
            places.join(", ")
        ))?;
        let mut select = from.prepare(&format!("SELECT {names} FROM {table}"))?;
        let mut rows = select.query([])?;
        let mut copied = 0;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(self.columns.len());
            for (at, (_, kind)) in self.columns.iter().enumerate() {
                values.push(kind.convert(row.get(at)?)?);
            }
            copied += to.execute_prepared(&insert, &values)?;
        }
        if let Some(counted) = &self.counted {
            to.batch_execute(&format!(
                "SELECT setval(pg_get_serial_sequence('{table}', '{counted}'), coalesce(max({counted}), 0) + 1, false)
                 FROM {table}"
            ))?;
        }
        Ok(copied)
    }
}

impl ColumnType {
    fn of(data_type: &str) -> Result<Self, StoreError> {
        match data_type {
            "uuid" => Ok(Self::Id),
            "bytea" => Ok(Self::Bytes),
            "text" => Ok(Self::Text),
            "bigint" => Ok(Self::Number),
            "boolean" => Ok(Self::Truth),
            _ => Err(StoreError::Damaged("schema")),
        }
    }

    fn convert(self, value: SqliteValue) -> Result<Value<'static>, StoreError> {
        let odd = || StoreError::Damaged("column");
        Ok(match (self, value) {
            (_, SqliteValue::Null) => Value::Null,
            (Self::Id, SqliteValue::Blob(bytes)) => Value::Id(bytes.try_into().map_err(|_| odd())?),
            (Self::Bytes, SqliteValue::Blob(bytes)) => Value::Bytes(bytes.into()),
            (Self::Text, SqliteValue::Text(text)) => Value::Text(text.into()),
            (Self::Number, SqliteValue::Integer(number)) => Value::Integer(number),
            (Self::Truth, SqliteValue::Integer(truth)) => Value::Bool(truth != 0),
            (Self::Id | Self::Bytes | Self::Text | Self::Number | Self::Truth, _) => return Err(odd()),
        })
    }
}

#[cfg(test)]
#[cfg(feature = "conformance")]
mod tests {
    use super::*;
    use crate::conformance::postgres::empty_schema;
    use crate::sql::Backend;
    use crate::{Store, StoreUrl, conformance, migration_tests};

    fn target() -> PostgresUrl {
        let address = empty_schema().expect("IBID_TEST_POSTGRES names a server");
        match address.parse().unwrap() {
            StoreUrl::Postgres(url) => url,
            other => panic!("{other}"),
        }
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
    fn a_file_of_schema_17_is_copied() {
        let url = target();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ibid.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(migration_tests::SQLITE.dump).unwrap();
        old.execute_batch(migration_tests::OWN_LIST).unwrap();
        import_sqlite(&path, &url).unwrap();
        migration_tests::SQLITE.check(&Store::open(&StoreUrl::Postgres(url.clone())).unwrap());
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
    fn every_row_is_copied_once_and_the_copy_is_usable() {
        let url = target();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ibid.db");
        let before = Store::in_file(&path).unwrap();
        // The suite leaves rows of every kind.
        conformance::run(&before);
        let copied = import_sqlite(&path, &url).unwrap();
        for (table, rows) in &copied {
            let kept = before.sqlite().unwrap().write_connection(|connection| {
                let sql = format!("SELECT count(*) FROM {table}");
                Ok(connection.query_row(&sql, [], |row| row.get::<_, i64>(0))?)
            });
            assert_eq!(kept.unwrap().unsigned_abs(), *rows, "{table}");
            assert!(
                *rows > 0 || ["payment", "failed_order"].contains(table),
                "the suite leaves nothing in {table}"
            );
        }
        let after = Store::open(&StoreUrl::Postgres(url.clone())).unwrap();
        assert_eq!(after.accounts().unwrap(), before.accounts().unwrap());
        assert_eq!(
            after.account_log(None, 500).unwrap(),
            before.account_log(None, 500).unwrap()
        );
        for account in before.accounts().unwrap() {
            assert_eq!(
                after.movements(account.id, None, 100).unwrap(),
                before.movements(account.id, None, 100).unwrap()
            );
        }
        // A second copy would double everything.
        let again = import_sqlite(&path, &url).unwrap_err();
        assert!(matches!(&again, StoreError::Postgres(fault) if fault.to_string().contains("not empty")));
        // The numbers of rows go on where they were.
        let account = before.accounts().unwrap().remove(0);
        after.move_credits(account.id, 5, 1_i64.into()).unwrap();
        let movements = after.movements(account.id, None, 1).unwrap();
        assert_eq!(movements[0].balance, account.credits + 5);
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
    fn a_missing_file_is_not_created() {
        let url = target();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none.db");
        assert!(import_sqlite(&path, &url).is_err() && !path.exists());
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
    fn the_tables_here_are_those_of_the_schema() {
        let url = target();
        let store = Store::open(&StoreUrl::Postgres(url.clone())).unwrap();
        let rows = store.read(|db| {
            db.list(
                "SELECT table_name::text FROM information_schema.tables
                 WHERE table_schema = current_schema() AND table_name NOT IN ('migration', 'readiness')",
                &[],
            )
        });
        let mut found: Vec<String> = rows.unwrap();
        found.sort();
        let mut known = TABLES;
        known.sort_unstable();
        assert_eq!(found, known);
    }
}
