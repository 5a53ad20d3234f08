//! Statements on a PostgreSQL connection.

use super::connection::PgConnection;
use crate::PostgresFault;
use crate::StoreError;
use crate::fault::FaultKind;
use crate::sql::{Executor, Lock, Row, Value};
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Statement};
use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

impl Executor for PgConnection {
    fn execute(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let statement = self.statement(sql, Lock::None)?;
        let changed = self.client()?.execute(&statement, &parameters(values));
        self.watch(changed.map_err(PostgresFault::from)).map_err(unique)
    }

    fn for_each(
        &mut self,
        sql: &'static str,
        lock: Lock,
        values: &[Value<'_>],
        read: &mut dyn FnMut(Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let statement = self.statement(sql, lock)?;
        match stream(self.client()?, &statement, values, read) {
            Err(StoreError::Postgres(fault)) => self.watch(Err(fault)).map_err(unique),
            done => done,
        }
    }
}

fn stream(
    client: &mut Client,
    statement: &Statement,
    values: &[Value<'_>],
    read: &mut dyn FnMut(Row) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let names = statement.columns().iter().map(|column| column.name().to_owned());
    let columns = names.collect::<Arc<[String]>>();
    let mut rows = client.query_raw(statement, values).map_err(PostgresFault::from)?;
    while let Some(row) = rows.next().map_err(PostgresFault::from)? {
        let values = (0..row.len()).map(|at| row.try_get(at).map_err(|_| StoreError::Damaged("column")));
        read(Row::new(Arc::clone(&columns), values.collect::<Result<_, _>>()?))?;
    }
    Ok(())
}

/// Returns the values in the form that the driver takes.
pub(super) fn parameters<'a>(values: &'a [Value<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as _).collect()
}

/// Gives the violation of a unique key its own error.
fn unique(fault: PostgresFault) -> StoreError {
    if fault.kind() == FaultKind::KeyTaken {
        StoreError::Exists
    } else {
        fault.into()
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, kind) {
            (Self::Null, _) => Ok(IsNull::Yes),
            (Self::Integer(number), &Type::INT8) => number.to_sql(kind, out),
            (Self::Bool(truth), &Type::BOOL) => truth.to_sql(kind, out),
            (Self::Text(text), _) if <&str as ToSql>::accepts(kind) => text.as_ref().to_sql(kind, out),
            (Self::Bytes(bytes), &Type::BYTEA) => bytes.as_ref().to_sql(kind, out),
            (Self::Id(id), &Type::UUID) => uuid::Uuid::from_bytes(*id).to_sql(kind, out),
            (Self::Integer(_) | Self::Bool(_) | Self::Text(_) | Self::Bytes(_) | Self::Id(_), other) => {
                Err(format!("a parameter of type {other} got a value of another type").into())
            }
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value<'static> {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        match *kind {
            Type::INT8 => i64::from_sql(kind, raw).map(Self::Integer),
            Type::INT4 => Ok(Self::Integer(i32::from_sql(kind, raw)?.into())),
            Type::BOOL => bool::from_sql(kind, raw).map(Self::Bool),
            Type::BYTEA => Ok(Self::Bytes(Cow::Owned(raw.to_vec()))),
            Type::UUID => Ok(Self::Id(*uuid::Uuid::from_sql(kind, raw)?.as_bytes())),
            _ => Ok(Self::Text(Cow::Owned(String::from_sql(kind, raw)?))),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        matches!(
            *kind,
            Type::INT8 | Type::INT4 | Type::BOOL | Type::BYTEA | Type::UUID
        ) || <String as FromSql>::accepts(kind)
    }
}
