//! The wire formats, version by version.
//!
//! Reading is lenient where clients differ: members in any order, unknown members, `null` for absent.
//! It is strict where money is concerned.
//! Writing never emits `null`, because some clients refuse it.

pub(crate) mod exact;
pub mod v1;
pub mod v2;

use serde::de::Deserialize;
use serde_json::Value;

/// A member of an object, `null` counting as absent.
pub(crate) fn member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

/// A member that parses from text.
pub(crate) fn parsed<T: std::str::FromStr>(object: &Value, name: &str) -> Option<T> {
    member(object, name)?.as_str()?.parse().ok()
}

/// A whole number that is not negative.
/// Clients with floating point throughout write `1.0` for `1`.
pub(crate) fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        // Whole and below 2^53, which is twice 1 / EPSILON, so the cast is exact.
        let is_exact = number.fract() == 0.0 && (0.0..2.0).contains(&(number * f64::EPSILON));
        is_exact.then_some(number as u64)
    })
}

/// Reads a typed value and drops the error, because hostile input must not be quoted.
pub(crate) fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Option<T> {
    serde_json::from_str(text).ok()
}
