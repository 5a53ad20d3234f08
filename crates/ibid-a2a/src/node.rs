//! JSON as it stands in a body, before anything is copied out of it.
//!
//! Most of a call is names and words that are looked at once, so texts are borrowed where they have no escapes, and
//! members stay in a list, as they came. What is kept becomes a [`Value`].

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::fmt;

/// A value.
pub(crate) enum Node<'a> {
    Null,
    Flag(bool),
    Number(Number),
    Text(Cow<'a, str>),
    Array(Vec<Self>),
    Object(Object<'a>),
}

/// Members, in the order of the body.
#[derive(Default)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Node<'a>)>);

impl Node<'_> {
    pub(crate) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether it is this text.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self, Self::Text(own) if own == text)
    }

    fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Flag(flag) => Value::Bool(flag),
            Self::Number(number) => Value::Number(number),
            Self::Text(text) => Value::String(text.into_owned()),
            Self::Array(elements) => elements.into_iter().map(Self::into_value).collect(),
            Self::Object(object) => Value::Object(object.into_map()),
        }
    }
}

impl<'a> Object<'a> {
    /// The member; the last one, if the body has several of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&Node<'a>> {
        self.0.iter().rfind(|(own, _)| own == name).map(|(_, node)| node)
    }

    /// As [`Self::get`], out of the object.
    pub(crate) fn take(&mut self, name: &str) -> Option<Node<'a>> {
        let at = self.0.iter().rposition(|(own, _)| own == name)?;
        Some(self.0.remove(at).1)
    }

    pub(crate) fn into_map(self) -> Map<String, Value> {
        let members = self.0.into_iter();
        members
            .map(|(name, node)| (name.into_owned(), node.into_value()))
            .collect()
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node<'de>, E> {
        Ok(Node::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node<'de>, E> {
        Ok(Number::from_f64(number).map_or(Node::Null, Node::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node<'de>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = access.next_element()? {
            elements.push(element);
        }
        Ok(Node::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node<'de>, A::Error> {
        #[derive(serde::Deserialize)]
        struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
        let mut members = Vec::new();
        while let Some((Name(name), node)) = access.next_entry()? {
            members.push((name, node));
        }
        Ok(Node::Object(Object(members)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Node<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Node::deserialize(deserializer)? {
            Node::Object(object) => Ok(object),
            Node::Null | Node::Flag(_) | Node::Number(_) | Node::Text(_) | Node::Array(_) => {
                Err(serde::de::Error::custom("not an object"))
            }
        }
    }
}

/// As a body would have it.
#[cfg(test)]
impl From<Value> for Object<'static> {
    fn from(value: Value) -> Self {
        let text = value.to_string().leak();
        serde_json::from_str(text).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_last_of_several_members_counts() {
        let text = r#"{"a":1,"b":{"c":[null,true,-1,1.5,"x\u00e9",{}]},"a":2}"#;
        let mut object: Object<'_> = serde_json::from_str(text).unwrap();
        assert!(object.get("x").is_none());
        assert_eq!(object.take("a").unwrap().into_value(), json!(2));
        let object: Object<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(
            Value::Object(object.into_map()),
            serde_json::from_str::<Value>(text).unwrap()
        );
    }

    proptest! {
        #[test]
        fn a_text_is_read_as_serde_json_reads_it(text in r#"[\[\]{}:,"a\\0-9.eE+ -]{0,24}"#) {
            let (own, theirs) = (serde_json::from_str::<Node<'_>>(&text), serde_json::from_str::<Value>(&text));
            prop_assert_eq!(own.ok().map(Node::into_value), theirs.ok());
        }
    }
}
