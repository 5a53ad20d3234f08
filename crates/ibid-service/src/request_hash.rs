//! Recognizes equal requests: one with the same key from its caller gets the scan of the first.

use crate::clock::millis;
use crate::job::CallerId;
use ibid_model::{ScanId, Skill};
use ibid_store::KeyedRequest;
use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Hashes a request: its skill and its body. The order of members makes no difference, nor does `null` for an absent member,
/// nor `3.0` for `3`. All else does, because one payment buys one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHash([u8; 32]);

impl RequestHash {
    pub fn of(skill: Skill, body: &Map<String, Value>) -> Self {
        Self::after(&skill.to_string(), body)
    }

    fn after(prefix: &str, body: &Map<String, Value>) -> Self {
        let mut hash = Sha256::new();
        hash.update(prefix);
        write_object(body, &mut hash);
        Self(hash.finalize().into())
    }

    /// Hashes a request for the queue.
    /// It differs from an equal request with an immediate answer.
    pub fn of_queued(body: &Map<String, Value>) -> Self {
        Self::after("queue", body)
    }

    /// The bytes for the store.
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
            write_text(&written(number), hash);
        }
    }
}

/// The number as text.
/// Some clients write `3.0` for `3`; both are the same request.
fn written(number: &Number) -> String {
    /// Above it, floating point numbers skip whole numbers.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
            (float as i64).to_string()
        }
        Some(_) | None => number.to_string(),
    }
}

/// Writes the length first, so that two texts never look like one.
fn write_text(text: &str, hash: &mut Sha256) {
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(text);
}

/// Time for which a key is remembered.
const KEPT: Duration = Duration::from_secs(24 * 3_600);

/// A request that its caller may repeat.
#[derive(Clone, Debug)]
pub struct RepeatableRequest {
    caller: CallerId,
    key: [u8; 32],
    request: RequestHash,
}

impl RepeatableRequest {
    pub fn new(caller: CallerId, key: &str, request: RequestHash) -> Self {
        Self {
            caller,
            key: Sha256::digest(key.as_bytes()).into(),
            request,
        }
    }

    /// The request as the store keeps it, for the scan that it would begin.
    pub(crate) fn keyed(&self, scan: ScanId, now: i64) -> KeyedRequest<'_> {
        KeyedRequest {
            caller: self.caller.as_str(),
            key: self.key,
            request: *self.request.as_bytes(),
            scan,
            expires: now.saturating_add(millis(KEPT)),
        }
    }
}

/// What a request that its caller may repeat began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started<T, R = ScanId> {
    /// It is the first.
    New(T),
    /// An equal request with the same key began this before.
    Replayed(R),
}

impl<T> Started<T, T> {
    pub fn id(self) -> T {
        match self {
            Self::New(id) | Self::Replayed(id) => id,
        }
    }
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
        check(
            r#"{"a":3,"b":[1,-2,0]}"#,
            r#"{"a":3.0,"b":[1.0,-2.0,-0.0]}"#,
            true,
        );
        check(r#"{"a":3e0}"#, r#"{"a":3}"#, true);
        check(r#"{"a":3.5}"#, r#"{"a":3}"#, false);
        check(r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#, false);
        check(r#"{"a":"3.0"}"#, r#"{"a":"3"}"#, false);
        check(r#"{"a":["b","c"]}"#, r#"{"a":["bc"]}"#, false);
        check(r#"{"a":[["b"],"c"]}"#, r#"{"a":[["b","c"]]}"#, false);
        check(r#"{"a":true}"#, r#"{"a":false}"#, false);
        let empty = Map::new();
        assert_ne!(
            RequestHash::of(Skill::Scan, &empty),
            RequestHash::of(Skill::Radius, &empty)
        );
        assert_ne!(
            RequestHash::of(Skill::Scan, &empty),
            RequestHash::of_queued(&empty)
        );
    }
}
