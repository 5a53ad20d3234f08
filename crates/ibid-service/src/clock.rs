//! Time in the unit of the store: milliseconds since 1970.

use jiff::Timestamp;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::time::Duration;

pub(crate) fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// A time of the store on the wire.
pub(crate) fn at(millis: i64) -> String {
    ibid_model::time::text(Timestamp::from_millisecond(millis).unwrap_or_default())
}

/// Returns a span in milliseconds.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// A month in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Month {
    pub(crate) first_day: Date,
    pub(crate) from: i64,
    /// When the next one begins.
    pub(crate) until: i64,
}

/// Returns the month that a time is in, or so many months before it; `None` beyond the calendar.
pub(crate) fn month_of(at: i64, back: u8) -> Option<Month> {
    let at = Timestamp::from_millisecond(at).ok()?;
    let first_of_this = at.to_zoned(TimeZone::UTC).date().first_of_month();
    let first_day = first_of_this.checked_sub(i64::from(back).months()).ok()?;
    let begin = |day: Date| Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond());
    Some(Month {
        first_day,
        from: begin(first_day)?,
        until: begin(first_day.checked_add(1.month()).ok()?)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_and_ends_at_midnight_in_utc() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
        let month = month_of(at("2026-03-31T23:59:59Z"), 0).unwrap();
        assert_eq!(
            (month.from, month.until),
            (at("2026-03-01T00:00:00Z"), at("2026-04-01T00:00:00Z"))
        );
        let before = month_of(at("2026-03-31T23:59:59Z"), 1).unwrap();
        assert_eq!(
            (before.from, before.until),
            (at("2026-02-01T00:00:00Z"), month.from)
        );
        assert_eq!(
            month_of(at("2026-01-01T00:00:00Z"), 2)
                .unwrap()
                .first_day
                .to_string(),
            "2025-11-01"
        );
    }
}
