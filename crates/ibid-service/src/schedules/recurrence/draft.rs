//! Reading a recurrence: every fault is found.

use super::{Recurrence, Unit, ZONES};
use ibid_model::{FaultCode, Faults, ObjectReader};
use jiff::civil::{Date, Time, Weekday};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};
use serde_json::{Map, Value};

impl Recurrence {
    /// Reads `unit`, `every`, `weekday`, `at`, `timeZone` and `from`.
    /// Without `from` the first slot is on the local day of `now` or after it.
    ///
    /// # Errors
    /// Every fault of the members.
    pub fn read(members: &Map<String, Value>, now: Timestamp) -> Result<Self, Faults> {
        let mut reader = ObjectReader::new(members);
        let unit = required(&mut reader, "unit", "hours, days or weeks", |text| {
            Unit::ALL.into_iter().find(|unit| unit.name() == text)
        });
        let at = required(&mut reader, "at", "a local time such as 09:00", time);
        let zone = required(
            &mut reader,
            "timeZone",
            "the IANA name of a time zone such as Europe/Berlin",
            zone,
        );
        let every = every(&mut reader, unit);
        let weekday = optional(&mut reader, "weekday", "a weekday such as monday", weekday);
        if weekday.is_some() && unit.is_some_and(|unit| unit != Unit::Weeks) {
            reader.fault("/weekday", FaultCode::Invalid, "weekday is for weeks only");
        }
        let from = optional(&mut reader, "from", "a date such as 2026-11-30", date);
        let recurrence = match (unit, at, zone, every) {
            (Some(unit), Some(at), Some(zone), Some(every)) => {
                let from = from.unwrap_or_else(|| zone.to_datetime(now).date());
                Some(Self::new((every, unit), (from, at), weekday, zone))
            }
            _ => None,
        };
        reader.finish(recurrence)
    }
}

fn every(reader: &mut ObjectReader<'_>, unit: Option<Unit>) -> Option<u16> {
    let Some(value) = reader.get("every") else {
        return Some(1);
    };
    let most = unit.map_or(u16::MAX, Unit::most);
    let number = value.as_u64().and_then(|number| u16::try_from(number).ok());
    let number = number.filter(|number| (1..=most).contains(number));
    if number.is_none() {
        let words = match unit {
            Some(unit) => format!("every must be a whole number from 1 to {most} {}", unit.name()),
            None => "every must be a whole number of at least 1".to_owned(),
        };
        reader.fault("/every", FaultCode::OutOfRange, words);
    }
    number
}

fn required<T>(
    reader: &mut ObjectReader<'_>,
    name: &str,
    wanted: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    if reader.get(name).is_none() {
        reader.fault(
            &format!("/{name}"),
            FaultCode::Required,
            format!("{name} is required: {wanted}"),
        );
        return None;
    }
    optional(reader, name, wanted, parse)
}

fn optional<T>(
    reader: &mut ObjectReader<'_>,
    name: &str,
    wanted: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let value = reader.get(name)?;
    let parsed = value.as_str().and_then(parse);
    if parsed.is_none() {
        let code = if value.is_string() {
            FaultCode::Invalid
        } else {
            FaultCode::WrongType
        };
        reader.fault(&format!("/{name}"), code, format!("{name} must be {wanted}"));
    }
    parsed
}

/// A time of the form `09:00`.
fn time(text: &str) -> Option<Time> {
    let (hours, minutes) = text.split_once(':')?;
    let two = |part: &str| -> Option<i8> {
        (part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().ok())?
    };
    Time::new(two(hours)?, two(minutes)?, 0, 0).ok()
}

fn zone(name: &str) -> Option<TimeZone> {
    ZONES.get(name).ok()
}

fn weekday(word: &str) -> Option<Weekday> {
    let is_lower = word.bytes().all(|letter| letter.is_ascii_lowercase());
    strtime::parse("%A", word).ok().filter(|_| is_lower)?.weekday()
}

/// Reads a date from 2000 to 2199, because arithmetic on later ones would reach the end of the calendar.
fn date(text: &str) -> Option<Date> {
    let date: Date = text.parse().ok()?;
    (civil::date(2000, 1, 1)..civil::date(2200, 1, 1))
        .contains(&date)
        .then_some(date)
}
