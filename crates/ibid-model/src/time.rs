//! Times in JSON: UTC with milliseconds, always three digits, so that their texts sort as they do.
//!
//! ```
//! use ibid_model::time::text;
//!
//! assert_eq!(text("2026-11-21T11:00:00+01:00".parse()?), "2026-11-21T10:00:00.000Z");
//! # Ok::<(), jiff::Error>(())
//! ```

use jiff::Timestamp;
use serde::Serializer;

/// Returns a time as it is in JSON, such as `2026-11-21T10:00:00.000Z`.
#[must_use]
pub fn text(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Writes a time of a document.
///
/// # Errors
/// The serializer failed.
pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&text(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_whatever_they_were_made_of() {
        for (made_of, expected) in [
            ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000Z"),
            ("2026-11-21T10:00:00.25Z", "2026-11-21T10:00:00.250Z"),
            ("2026-11-21T10:00:00.123456789Z", "2026-11-21T10:00:00.123Z"),
            ("2026-11-21T12:00:00+02:00", "2026-11-21T10:00:00.000Z"),
        ] {
            assert_eq!(text(made_of.parse().unwrap()), expected);
        }
    }
}
