//! Time in the unit of the store: milliseconds since 1970.

use jiff::Timestamp;
use std::time::Duration;

/// The current time.
pub(crate) fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// The length of a span.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
