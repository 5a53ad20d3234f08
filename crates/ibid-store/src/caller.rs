//! Callers of the API: their named keys, and the scans that count against their limits.

use crate::purchase::Millis;
use std::fmt;
use std::str::FromStr;

/// Names a service key, such as `nightly-report`: 1 to 64 lower-case letters, digits, `-`, `_` and `.`, so that logs can contain it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyName(String);

/// A text that is no name of a service key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name takes 1 to 64 lower-case letters, digits, '-', '_' and '.'")]
pub struct BadKeyName;

impl KeyName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = BadKeyName;

    fn from_str(text: &str) -> Result<Self, BadKeyName> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
        if (1..=64).contains(&text.len()) && text.chars().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadKeyName)
        }
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A service key as stored. The key itself is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceKeyRecord {
    pub name: KeyName,
    /// The SHA-256 of the key.
    pub hash: [u8; 32],
    /// The time at which it was made.
    pub created_at: Millis,
    /// The time from which it is refused.
    pub revoked_at: Option<Millis>,
}

/// Scans that are queued and count against the limit of their caller. They do not count as under way.
#[derive(Clone, Copy, Debug)]
pub struct OrderCount<'a> {
    pub caller: &'a str,
    /// Scans in a window, if the limit is enforced.
    pub per_hour: Option<u32>,
    pub window: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedOrders {
    /// The orders that were taken: the first ones of the request.
    pub taken: u32,
    /// Scans of the current window, with these.
    pub used: u32,
    /// Time since the window began.
    pub age: Millis,
}
