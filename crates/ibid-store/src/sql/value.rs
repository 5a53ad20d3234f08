//! Values of parameters and columns, the same for every database.

use crate::StoreError;
use crate::answer_import::AnswerStratum;
use crate::project::{ActionStatus, AnnotationKind, KeyAccess, OrganisationRole, ProjectRole, RivalState};
use crate::purchase::PaymentState;
use crate::webhook::{DeliveryState, WebhookDisabled, WebhookKind};
use crate::workspace::{AccountAction, AuditKind, MovementKind, Role};
use ibid_model::{
    AccountId, ActionId, AlertId, AnnotationId, AnswerImportId, ApiKeyId, BatchId, DeliveryId, FeedKeyId,
    OrganisationId, OwnFileId, PaymentKey, ProjectId, QuestionSetId, ReceiptId, ReportId, RivalId, RunState,
    ScanId, ScheduleId, TaskId, WebhookId,
};
use std::borrow::Cow;

/// A parameter of a statement, or a column of a row.
///
/// Its `Debug` leaves the value out: signed payments and password hashes are among them.
#[derive(Clone)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Bool(bool),
    Text(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
    /// A UUID. SQLite keeps it as 16 bytes.
    Id([u8; 16]),
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Value(..)")
    }
}

/// One row of a query.
pub(crate) struct Row(Vec<Value<'static>>);

impl Row {
    pub(crate) const fn new(values: Vec<Value<'static>>) -> Self {
        Self(values)
    }

    /// Moves the column at `index` (from 0) out of the row.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when the column is missing or has another type.
    pub(crate) fn take<T: FromValue>(&mut self, index: usize) -> Result<T, StoreError> {
        self.0
            .get_mut(index)
            .and_then(|value| T::from_value(std::mem::replace(value, Value::Null)))
            .ok_or(StoreError::Damaged("column"))
    }
}

/// A type that a column is read as.
pub(crate) trait FromValue: Sized {
    /// Returns `None` for a value of another type or out of range.
    fn from_value(value: Value<'static>) -> Option<Self>;
}

impl FromValue for i64 {
    fn from_value(value: Value<'static>) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(number),
            Value::Null | Value::Bool(_) | Value::Text(_) | Value::Bytes(_) | Value::Id(_) => None,
        }
    }
}

impl FromValue for u32 {
    fn from_value(value: Value<'static>) -> Option<Self> {
        i64::from_value(value)?.try_into().ok()
    }
}

impl FromValue for u64 {
    fn from_value(value: Value<'static>) -> Option<Self> {
        i64::from_value(value)?.try_into().ok()
    }
}

impl FromValue for bool {
    fn from_value(value: Value<'static>) -> Option<Self> {
        match value {
            Value::Bool(truth) => Some(truth),
            Value::Integer(number) => Some(number != 0),
            Value::Null | Value::Text(_) | Value::Bytes(_) | Value::Id(_) => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value<'static>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.into_owned()),
            Value::Null | Value::Integer(_) | Value::Bool(_) | Value::Bytes(_) | Value::Id(_) => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: Value<'static>) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(bytes.into_owned()),
            Value::Null | Value::Integer(_) | Value::Bool(_) | Value::Text(_) | Value::Id(_) => None,
        }
    }
}

impl FromValue for [u8; 16] {
    fn from_value(value: Value<'static>) -> Option<Self> {
        match value {
            Value::Id(id) => Some(id),
            Value::Bytes(bytes) => bytes.as_ref().try_into().ok(),
            Value::Null | Value::Integer(_) | Value::Bool(_) | Value::Text(_) => None,
        }
    }
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl FromValue for $word {
            fn from_value(value: Value<'static>) -> Option<Self> {
                String::from_value(value)?.parse().ok()
            }
        }
    )*};
}

words!(
    PaymentKey,
    AccountAction,
    ActionStatus,
    AnnotationKind,
    AnswerStratum,
    AuditKind,
    DeliveryState,
    KeyAccess,
    MovementKind,
    OrganisationRole,
    PaymentState,
    ProjectRole,
    RivalState,
    Role,
    RunState,
    WebhookDisabled,
    WebhookKind
);

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value<'static>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value
            @ (Value::Integer(_) | Value::Bool(_) | Value::Text(_) | Value::Bytes(_) | Value::Id(_)) => {
                T::from_value(value).map(Some)
            }
        }
    }
}

macro_rules! ids {
    ($($id:ty),*) => {$(
        impl FromValue for $id {
            fn from_value(value: Value<'static>) -> Option<Self> {
                <[u8; 16]>::from_value(value).map(Self::from_bytes)
            }
        }

        impl From<$id> for Value<'_> {
            fn from(id: $id) -> Self {
                Self::Id(*id.as_bytes())
            }
        }
    )*};
}

ids!(
    AccountId,
    ActionId,
    AlertId,
    AnnotationId,
    AnswerImportId,
    ApiKeyId,
    BatchId,
    DeliveryId,
    FeedKeyId,
    OrganisationId,
    OwnFileId,
    ProjectId,
    QuestionSetId,
    ReceiptId,
    ReportId,
    RivalId,
    ScanId,
    ScheduleId,
    TaskId,
    WebhookId
);

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<&PaymentKey> for Value<'_> {
    fn from(key: &PaymentKey) -> Self {
        key.to_string().into()
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Value<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(Cow::Owned(bytes))
    }
}

impl<'a> From<&'a [u8; 32]> for Value<'a> {
    fn from(bytes: &'a [u8; 32]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The parameters of a statement, in the order of its placeholders.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::sql::Value::from($value)),*]
    };
}
pub(crate) use values;
