//! Formats numbers and dates for readers, with no-break spaces inside a figure.

use ibid_model::result::{LocationReport, Place, PlaceMatch};
use ibid_model::{Interval, Locale, Score};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// No-break space.
const NBSP: char = '\u{a0}';

/// The sign for a missing number.
pub(crate) const DASH: &str = "–";

/// Formats a score as "32": a scan cannot carry a decimal.
pub(crate) fn score(score: Score) -> String {
    format!("{:.0}", score.get())
}

/// Formats a score as "32", or a dash.
pub(crate) fn maybe_score(value: Option<Score>) -> String {
    value.map_or_else(|| DASH.to_owned(), score)
}

/// Formats a number with one decimal, or a dash for a value that is not finite.
pub(crate) fn decimal(value: f64) -> String {
    if value.is_finite() {
        format!("{value:.1}")
    } else {
        DASH.to_owned()
    }
}

/// Formats a score, or a difference of scores without its sign, in whole points.
pub(crate) fn whole(value: f64) -> String {
    if value.is_finite() {
        format!("{value:.0}")
    } else {
        DASH.to_owned()
    }
}

/// Formats a number with one decimal unless it is whole: "2", "2.5".
pub(crate) fn short(value: f64) -> String {
    let text = decimal(value);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Formats a signed number with one decimal and a minus sign: "+12.1", "−3.0".
pub(crate) fn signed(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if !rounded.is_finite() {
        DASH.to_owned()
    } else if rounded < 0.0 {
        format!("−{:.1}", -rounded)
    } else if rounded > 0.0 {
        format!("+{rounded:.1}")
    } else {
        "0.0".to_owned()
    }
}

/// Formats a rate as "32 %".
pub(crate) fn percent(rate: f64) -> String {
    if rate.is_finite() {
        format!("{:.0}{NBSP}%", rate * 100.0)
    } else {
        DASH.to_owned()
    }
}

/// Formats a rate as "32 %", or a dash.
pub(crate) fn maybe_percent(rate: Option<f64>) -> String {
    rate.map_or_else(|| DASH.to_owned(), percent)
}

/// Formats an interval as "16–48".
pub(crate) fn interval(interval: &Interval) -> String {
    format!("{:.0}–{:.0}", interval.low, interval.high)
}

/// Formats an interval of rates as "16–48 %".
pub(crate) fn percent_interval(interval: &Interval) -> String {
    format!("{:.0}–{:.0}{NBSP}%", interval.low * 100.0, interval.high * 100.0)
}

/// Formats a distance as "8.4 km" or "62 km".
pub(crate) fn km(distance: f64) -> String {
    if !distance.is_finite() {
        DASH.to_owned()
    } else if distance < 10.0 {
        format!("{}{NBSP}km", short(distance))
    } else {
        format!("{distance:.0}{NBSP}km")
    }
}

/// Formats a count as "12,345".
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a count with its noun: "1 question", "9 questions".
pub(crate) fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{}{NBSP}{}", count(number), if number == 1 { one } else { many })
}

/// Converts a time of the store, in milliseconds since 1970.
pub fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or_default()
}

/// Formats a date as "21 Nov 2026".
pub(crate) fn date(at: Timestamp) -> String {
    at.strftime("%-d\u{a0}%b\u{a0}%Y").to_string()
}

/// Formats a date as a place writes it.
pub(crate) fn date_in(locale: &Locale, at: Timestamp) -> String {
    locale.date(at.to_zoned(TimeZone::UTC).date())
}

/// Formats a rate as a place writes it: "32%", "32 %".
pub(crate) fn percent_in(locale: &Locale, rate: f64) -> String {
    locale.percent(&whole(rate * 100.0))
}

/// Formats an interval of rates as a place writes it: "16–48%".
pub(crate) fn percent_interval_in(locale: &Locale, interval: &Interval) -> String {
    locale.percent(&format!(
        "{:.0}–{:.0}",
        interval.low * 100.0,
        interval.high * 100.0
    ))
}

/// Formats a count with its noun as a place writes it: "1,200 questions".
pub(crate) fn plural_in(locale: &Locale, number: u64, one: &str, many: &str) -> String {
    format!(
        "{}{NBSP}{}",
        locale.count(number),
        if number == 1 { one } else { many }
    )
}

/// Formats a time as "21 Nov 2026, 10:03 UTC".
pub(crate) fn date_time(at: Timestamp) -> String {
    at.strftime("%-d\u{a0}%b\u{a0}%Y, %H:%M\u{a0}UTC").to_string()
}

/// Formats a time for the attribute of a `time` element.
pub(crate) fn machine_time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Formats the time between two moments as "48 s" or "2 min 5 s", never negative.
pub(crate) fn duration(from: Timestamp, to: Timestamp) -> String {
    seconds(
        to.duration_since(from)
            .max(SignedDuration::ZERO)
            .as_secs()
            .unsigned_abs(),
    )
}

/// Formats seconds as "48 s" or "2 min 5 s".
pub(crate) fn seconds(total: u64) -> String {
    match (total / 60, total % 60) {
        (0, seconds) => format!("{seconds}{NBSP}s"),
        (minutes, 0) => format!("{minutes}{NBSP}min"),
        (minutes, seconds) => format!("{minutes}{NBSP}min {seconds}{NBSP}s"),
    }
}

/// Formats how the place of a scan was found, how sure that is, and what else the text could mean:
/// "by its name; certain".
pub(crate) fn how_found(location: &LocationReport) -> String {
    let found = match location.resolved.matched {
        PlaceMatch::Exact => "by its name",
        PlaceMatch::Alternate => "by another of its names",
        PlaceMatch::Corrected => "after correcting the text",
        PlaceMatch::Coordinates => "by its coordinates",
        PlaceMatch::Country => "as a country",
        PlaceMatch::Region if location.resolved.lat.is_none() => "as several countries",
        PlaceMatch::Region => "as a region",
    };
    let mut found = found.to_owned();
    if let Some(certainty) = location.certainty {
        found.push_str("; ");
        found.push_str(certainty.as_str());
    }
    if location.ambiguous && !location.alternatives.is_empty() {
        let others: Vec<_> = location.alternatives.iter().map(Place::label).collect();
        found.push_str(": it could also be ");
        found.push_str(&others.join("; "));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        for (figure, text) in [
            (signed(12.06), "+12.1"),
            (signed(-0.04), "0.0"),
            (signed(-3.0), "−3.0"),
            (signed(f64::NAN), "–"),
            (percent(0.666), "67\u{a0}%"),
            (km(8.44), "8.4\u{a0}km"),
            (km(9.0), "9\u{a0}km"),
            (km(61.7), "62\u{a0}km"),
            (km(f64::INFINITY), "–"),
            (count(0), "0"),
            (count(1_234_567), "1,234,567"),
            (count(999), "999"),
            (plural(1, "question", "questions"), "1\u{a0}question"),
            (plural(1200, "question", "questions"), "1,200\u{a0}questions"),
            (seconds(125), "2\u{a0}min 5\u{a0}s"),
            (seconds(60), "1\u{a0}min"),
            (short(2.0), "2"),
            (short(2.5), "2.5"),
        ] {
            assert_eq!(figure, text);
        }
    }

    #[test]
    fn times_are_shown_in_utc() {
        let at: Timestamp = "2026-11-01T09:03:07.9Z".parse().unwrap();
        assert_eq!(date(at), "1\u{a0}Nov\u{a0}2026");
        assert_eq!(date_time(at), "1\u{a0}Nov\u{a0}2026, 09:03\u{a0}UTC");
        assert_eq!(machine_time(at), "2026-11-01T09:03:07Z");
        let later: Timestamp = "2026-11-01T09:04:08Z".parse().unwrap();
        assert_eq!(duration(at, later), "1\u{a0}min");
        assert_eq!(duration(later, at), "0\u{a0}s");
    }
}
