//! Statements on a SQLite connection.

use crate::StoreError;
use crate::sql::{Executor, Lock, Row, Value};
use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, ToSql, ffi, params_from_iter};
use std::borrow::Cow;

impl Executor for &Connection {
    fn execute(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let mut statement = self.prepare_cached(sql)?;
        let changed = statement.execute(params_from_iter(values)).map_err(unique)?;
        Ok(changed as u64)
    }

    /// Ignores the lock: a writing transaction has the whole file to itself.
    fn for_each(
        &mut self,
        sql: &'static str,
        _lock: Lock,
        values: &[Value<'_>],
        read: &mut dyn FnMut(Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut statement: CachedStatement<'_> = self.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(values)).map_err(unique)?;
        while let Some(row) = rows.next().map_err(unique)? {
            let values = (0..columns).map(|at| from_sqlite(row.get(at)?));
            read(Row::new(values.collect::<Result<_, StoreError>>()?))?;
        }
        Ok(())
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Bool(truth) => ValueRef::Integer((*truth).into()),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Id(id) => ValueRef::Blob(id),
        }))
    }
}

fn from_sqlite(value: Owned) -> Result<Value<'static>, StoreError> {
    match value {
        Owned::Null => Ok(Value::Null),
        Owned::Integer(number) => Ok(Value::Integer(number)),
        Owned::Text(text) => Ok(Value::Text(Cow::Owned(text))),
        Owned::Blob(bytes) => Ok(Value::Bytes(Cow::Owned(bytes))),
        // No table has a column of this type.
        Owned::Real(_) => Err(StoreError::Damaged("column")),
    }
}

/// Gives the violation of a unique key its own error.
fn unique(error: rusqlite::Error) -> StoreError {
    let taken = error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
        && error.sqlite_error().is_some_and(|error| {
            matches!(
                error.extended_code,
                ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE
            )
        });
    if taken { StoreError::Exists } else { error.into() }
}
