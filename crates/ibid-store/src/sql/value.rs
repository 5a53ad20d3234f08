//! Values of parameters and columns, the same for every database.

use crate::StoreError;
use ibid_model::{
    AccountId, ActionId, AlertId, AnnotationId, AnswerImportId, ApiKeyId, BatchId, DeliveryId, FeedKeyId,
    OrganisationId, OwnFileId, PaymentKey, ProjectId, QuestionSetId, ReceiptId, ReportId, RivalId, ScanId,
    ScheduleId, TaskId, WebhookId,
};
use serde::de::value::{Error, SeqDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::sync::Arc;

/// What a statement takes and a row holds.
///
/// Its `Debug` leaves the value out: signed payments and password hashes are among them.
#[derive(Clone, Default)]
pub(crate) enum Value<'a> {
    #[default]
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
pub(crate) struct Row {
    columns: Arc<[String]>,
    values: Vec<Value<'static>>,
}

impl Row {
    pub(crate) const fn new(columns: Arc<[String]>, values: Vec<Value<'static>>) -> Self {
        Self { columns, values }
    }

    /// Reads the row: a struct by its field names, a tuple by column order, and a single column as it is. A field without a column is
    /// a struct itself, for example `firing` of a row that has `schedule` and `due`.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when a column is missing or has another type.
    pub(crate) fn read<T: DeserializeOwned>(mut self) -> Result<T, StoreError> {
        match self.values.len() {
            1 => self.take(0),
            _ => T::deserialize(&mut self).map_err(|_| StoreError::Damaged("column")),
        }
    }

    /// Moves the column at `index` (from 0) out of the row.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when the column is missing or has another type.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, index: usize) -> Result<T, StoreError> {
        let value = self.values.get_mut(index).map(std::mem::take);
        value
            .and_then(|value| T::deserialize(value).ok())
            .ok_or(StoreError::Damaged("column"))
    }

    /// As [`Self::take`], for documents, because serde reads bytes one by one.
    pub(crate) fn bytes(&mut self, index: usize) -> Result<Vec<u8>, StoreError> {
        match self.values.get_mut(index).map(std::mem::take) {
            Some(Value::Bytes(bytes)) => Ok(bytes.into_owned()),
            _ => Err(StoreError::Damaged("column")),
        }
    }
}

impl<'de> Deserializer<'de> for &mut Row {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("a value of no column"))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(SeqDeserializer::new(self.values.drain(..)))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(Fields {
            row: self,
            left: fields.iter(),
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple_struct map enum identifier ignored_any
    }
}

/// Hands out columns in the order in which a struct has its fields.
struct Fields<'a> {
    row: &'a mut Row,
    left: std::slice::Iter<'static, &'static str>,
}

impl<'de> SeqAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let Some(field) = self.left.next() else {
            return Ok(None);
        };
        let column = self.row.columns.iter().position(|column| column == field);
        match column.and_then(|at| self.row.values.get_mut(at)) {
            Some(value) => seed.deserialize(std::mem::take(value)).map(Some),
            None => seed.deserialize(&mut *self.row).map(Some),
        }
    }
}

impl<'de> IntoDeserializer<'de> for Value<'static> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Value<'_> {
    /// Reads a document: a text is JSON, and bytes are a list of them.
    fn document<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Text(text) => serde_json::from_str::<serde_json::Value>(&text)
                .and_then(|document| document.deserialize_any(visitor))
                .map_err(Error::custom),
            Self::Bytes(bytes) => visitor.visit_seq(SeqDeserializer::new(bytes.iter().copied())),
            Self::Id(id) => visitor.visit_seq(SeqDeserializer::new(id.into_iter())),
            Self::Null | Self::Integer(_) | Self::Bool(_) => Err(Error::custom("no document")),
        }
    }
}

impl<'de> Deserializer<'de> for Value<'static> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Integer(number) => visitor.visit_i64(number),
            Self::Bool(truth) => visitor.visit_bool(truth),
            Self::Text(text) => visitor.visit_string(text.into_owned()),
            Self::Bytes(bytes) => visitor.visit_byte_buf(bytes.into_owned()),
            Self::Id(id) => visitor.visit_bytes(&id),
        }
    }

    /// SQLite has no truth values.
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Integer(number) => visitor.visit_bool(number != 0),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Text(word) => visitor.visit_enum(word.into_deserializer()),
            _ => Err(Error::custom("no word")),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.document(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.document(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.document(visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct
        tuple_struct map identifier ignored_any
    }
}

macro_rules! ids {
    ($($id:ty),*) => {$(
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

/// Makes the parameters for a statement, in the order of its placeholders.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::sql::Value::from($value)),*]
    };
}
pub(crate) use values;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::KeyAccess;
    use crate::schedule::ScheduleStart;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Record {
        firing: ScheduleStart,
        access: Option<KeyAccess>,
        names: Vec<String>,
        hash: [u8; 3],
        is_open: bool,
    }

    fn row(columns: &[(&str, Value<'static>)]) -> Row {
        let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        Row::new(names, columns.iter().map(|(_, value)| value.clone()).collect())
    }

    #[test]
    fn a_struct_is_read_by_the_names_of_its_columns() {
        let schedule = ScheduleId::random();
        let columns = [
            ("is_open", Value::from(1_i64)),
            ("due", Value::from(7_i64)),
            ("hash", Value::from(vec![1, 2, 3])),
            ("names", Value::from("[\"a\", \"b\"]")),
            ("access", Value::from("write")),
            ("schedule", Value::Bytes(schedule.as_bytes().to_vec().into())),
        ];
        let expected = Record {
            firing: ScheduleStart { schedule, due: 7 },
            access: Some(KeyAccess::Write),
            names: vec!["a".to_owned(), "b".to_owned()],
            hash: [1, 2, 3],
            is_open: true,
        };
        assert_eq!(row(&columns).read::<Record>().unwrap(), expected);
        // Without its column not even an optional field is read.
        for at in 0..columns.len() {
            let mut left = columns.to_vec();
            left.remove(at);
            assert!(row(&left).read::<Record>().is_err(), "{at}");
        }
        let mut other = columns.to_vec();
        other[4].1 = Value::Null;
        assert_eq!(row(&other).read::<Record>().unwrap().access, None);
        other[4].1 = Value::from("rule");
        assert!(row(&other).read::<Record>().is_err());
    }

    #[test]
    fn a_tuple_is_read_in_order_and_one_column_as_it_is() {
        let pair = [("a", Value::from(5_i64)), ("b", Value::Null)];
        assert_eq!(row(&pair).read::<(u32, Option<String>)>().unwrap(), (5, None));
        assert!(row(&pair).read::<(u32, String)>().is_err());
        assert!(row(&pair).read::<u32>().is_err());
        assert_eq!(row(&pair[..1]).read::<u64>().unwrap(), 5);
        assert_eq!(row(&pair[1..]).read::<Option<i64>>().unwrap(), None);
        assert!(row(&[("a", Value::from(-1_i64))]).read::<u32>().is_err());
        assert!(row(&[]).read::<u32>().is_err());
    }
}
