//! The waiting time that the headers of a response ask for.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime};

/// Longest wait that is believed: a day.
pub(super) const LONGEST: Duration = Duration::from_secs(86_400);

/// `Retry-After` in seconds or as a date, or `retry-after-ms`.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let exact = text("retry-after-ms").and_then(|ms| seconds(ms).map(|ms| ms / 1_000));
    exact.or_else(|| {
        let value = text(RETRY_AFTER.as_str())?;
        // RFC 9110, 10.2.3: delay-seconds or HTTP-date.
        // A date that has passed means now.
        seconds(value).or_else(|| {
            let date = httpdate::parse_http_date(value).ok()?;
            Some(date.duration_since(now).unwrap_or_default().min(LONGEST))
        })
    })
}

/// Whole or fractional seconds, as some proxies write them.
fn seconds(text: &str) -> Option<Duration> {
    let millis = crate::decimal::scaled(text, 3)?;
    Some(Duration::from_millis(millis).min(LONGEST * 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &'static str, value: &str, expected: Option<Duration>) {
        // 1994-11-06 08:49:37 UTC, the date of the RFC's example.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        assert_eq!(retry_after(&headers, now), expected, "{name}: {value}");
    }

    #[test]
    fn reads_seconds_dates_and_milliseconds() {
        let seconds = |n| Some(Duration::from_secs(n));
        check("retry-after", "7", seconds(7));
        check("retry-after", " 0 ", seconds(0));
        check("retry-after", "1.5", Some(Duration::from_millis(1_500)));
        check("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT", seconds(10));
        check("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT", seconds(0));
        check("retry-after", "Tue, 06 Nov 2294 08:49:07 GMT", Some(LONGEST));
        check("retry-after-ms", "1200", Some(Duration::from_millis(1_200)));
        check("retry-after", "-1", None);
        check("retry-after", "soon", None);
        check("retry-after", "", None);
        check("x-other", "7", None);
    }
}
