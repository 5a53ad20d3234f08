//! When a schedule runs: every so many hours, days or weeks at a local time, for example every Monday at 9 in Berlin.
//!
//! Slots are counted in local time.
//! A local time that daylight saving skips is moved forward by the length of the gap;
//! a repeated one counts the first time (RFC 5545 section 3.3.5).
//! Two slots at the same moment are one slot.
//! Pure: the time comes from the caller, and time zones from the database inside the program.

mod draft;
#[cfg(test)]
mod tests;

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::LazyLock;

/// The time zones of this program, the same on every machine and in every test.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The longest time by which a slot can be before a moment in local time and after it in fact: a zone has skipped a
/// whole day, and clocks go back by up to an hour or two.
const MARGIN: i64 = 27;

/// A unit of recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Unit {
    /// Hours of the clock on the wall.
    Hours,
    /// Days.
    Days,
    /// Weeks.
    Weeks,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 3] = [Self::Hours, Self::Days, Self::Weeks];

    /// The word on the wire.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The most of them between two slots.
    pub const fn most(self) -> u16 {
        match self {
            Self::Hours => 168,
            Self::Days => 90,
            Self::Weeks => 52,
        }
    }

    const fn hours(self) -> i64 {
        match self {
            Self::Hours => 1,
            Self::Days => 24,
            Self::Weeks => 7 * 24,
        }
    }
}

/// The slots of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    every: u16,
    unit: Unit,
    /// The first slot, on the clock on the wall.
    first: DateTime,
    zone: TimeZone,
}

impl Recurrence {
    /// Slots at `at`, from the first day on or after `from`; for weeks from the first `weekday`.
    fn new(
        (every, unit): (u16, Unit),
        (from, at): (Date, Time),
        weekday: Option<Weekday>,
        zone: TimeZone,
    ) -> Self {
        let mut first = from;
        if let Some(weekday) = weekday {
            while first.weekday() != weekday {
                match first.tomorrow() {
                    Ok(next) => first = next,
                    Err(_) => break,
                }
            }
        }
        Self {
            every,
            unit,
            first: first.to_datetime(at),
            zone,
        }
    }

    /// Returns the first slot after a moment, or `None` at the end of the calendar.
    pub fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        let period = self.unit.hours() * i64::from(self.every);
        let local = self.zone.to_datetime(after);
        let passed = local.duration_since(self.first).as_hours() - MARGIN;
        let mut slot = passed.div_euclid(period).max(0);
        let mut best: Option<Timestamp> = None;
        loop {
            let time = SignedDuration::from_hours(slot * period);
            let Ok(wall) = self.first.checked_add(time) else {
                return best;
            };
            // A slot in a skipped day can fall behind later ones, never behind those after its own local time.
            if let Some(best) = best
                && wall >= self.zone.to_datetime(best)
            {
                return Some(best);
            }
            let at = self.zone.to_ambiguous_timestamp(wall).compatible();
            if let Ok(at) = at
                && at > after
            {
                best = Some(best.map_or(at, |best| best.min(at)));
            }
            slot += 1;
        }
    }

    /// Returns the next slots after a moment.
    pub fn next_slots(&self, after: Timestamp, most: usize) -> Vec<Timestamp> {
        std::iter::successors(self.next_after(after), |at| self.next_after(*at))
            .take(most)
            .collect()
    }

    /// The name of the time zone.
    pub fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    /// A moment in local time: `2026-11-30 09:00`.
    pub fn local(&self, at: Timestamp) -> String {
        self.zone.to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The members of the recurrence on the wire and in the store; [`Recurrence::read`] takes them back.
    pub fn members(&self) -> Map<String, Value> {
        let weekday = self.first.strftime("%A").to_string().to_lowercase();
        let weekday = Some(weekday).filter(|_| self.unit == Unit::Weeks);
        let members = [
            ("every", json!(self.every)),
            ("unit", json!(self.unit.name())),
            ("weekday", json!(weekday)),
            ("at", json!(self.first.strftime("%H:%M").to_string())),
            ("timeZone", json!(self.zone_name())),
            ("from", json!(self.first.date().to_string())),
        ];
        members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// The time between two slots, about.
    #[cfg(test)]
    pub(crate) fn period(&self) -> SignedDuration {
        SignedDuration::from_hours(self.unit.hours() * i64::from(self.every))
    }
}

/// `every 2 weeks on Monday at 09:00, Europe/Berlin`
impl fmt::Display for Recurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.every {
            1 => write!(f, "every {}", self.unit.name().trim_end_matches('s'))?,
            every => write!(f, "every {every} {}", self.unit.name())?,
        }
        if self.unit == Unit::Weeks {
            write!(f, " on {}", self.first.strftime("%A"))?;
        }
        let before = if self.unit == Unit::Hours { "from" } else { "at" };
        write!(
            f,
            " {before} {}, {}",
            self.first.strftime("%H:%M"),
            self.zone_name()
        )
    }
}
