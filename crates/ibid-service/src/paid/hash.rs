//! The hash of a request.

use ibid_model::Skill;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The hash of a request: the skill and the body. The order of members makes no difference, nor does `null` for an
/// absent member. Everything else does, because one payment buys one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHash([u8; 32]);

impl RequestHash {
    /// Hashes a request.
    #[must_use]
    pub fn of(skill: Skill, body: &Map<String, Value>) -> Self {
        let mut hash = Sha256::new();
        hash.update(skill.to_string());
        write_object(body, &mut hash);
        Self(hash.finalize().into())
    }

    /// The bytes for the store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

fn write_object(object: &Map<String, Value>, hash: &mut Sha256) {
    let mut members: Vec<_> = object.iter().filter(|(_, value)| !value.is_null()).collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    hash.update(b"{");
    for (name, value) in members {
        write_text(name, hash);
        write(value, hash);
    }
    hash.update(b"}");
}

fn write(value: &Value, hash: &mut Sha256) {
    match value {
        Value::Object(object) => write_object(object, hash),
        Value::Array(elements) => {
            hash.update(b"[");
            elements.iter().for_each(|element| write(element, hash));
            hash.update(b"]");
        }
        Value::String(text) => write_text(text, hash),
        Value::Null => hash.update(b"n"),
        Value::Bool(bool) => hash.update(if *bool { b"t" } else { b"f" }),
        Value::Number(number) => {
            hash.update(b"#");
            write_text(&number.to_string(), hash);
        }
    }
}

/// Writes the length first, so that two texts never look like one.
fn write_text(text: &str, hash: &mut Sha256) {
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: &str, right: &str, same: bool) {
        let hash = |text| RequestHash::of(Skill::Scan, &serde_json::from_str(text).unwrap());
        assert_eq!(hash(left) == hash(right), same, "{left} {right}");
    }

    #[test]
    fn order_and_null_make_no_difference() {
        check(r#"{"a":1,"b":[2]}"#, r#"{ "b": [2], "a": 1, "c": null }"#, true);
        check(r#"{"a":1}"#, r#"{"a":2}"#, false);
        check(r#"{"a":"1"}"#, r#"{"a":1}"#, false);
        check(r#"{"a":"bc"}"#, r#"{"ab":"c"}"#, false);
        check(r#"{"a":["b","c"]}"#, r#"{"a":["bc"]}"#, false);
        check(r#"{"a":[["b"],"c"]}"#, r#"{"a":[["b","c"]]}"#, false);
        check(r#"{"a":true}"#, r#"{"a":false}"#, false);
        let empty = Map::new();
        assert_ne!(
            RequestHash::of(Skill::Scan, &empty),
            RequestHash::of(Skill::Radius, &empty)
        );
    }
}
