//! Days on which what a tool counts changed: `data/breaks.txt`.

use crate::columns::lines;
use crate::row::{Measure, Row, Source};
use jiff::civil::Date;
use serde::Serialize;
use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, IntoDeserializer};
use std::sync::LazyLock;

/// A day on which a measure changed its meaning, or days over which it was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Break {
    #[serde(skip)]
    pub source: Source,
    #[serde(skip)]
    pub measure: Measure,
    pub from: Date,
    /// When values were wrong last; `None` where those before and after are both right, and only no trend.
    pub to: Option<Date>,
    /// What happened, as a clause.
    pub what: &'static str,
    /// A public page that tells it, without its scheme.
    pub told_by: &'static str,
}

static BREAKS: LazyLock<Vec<Break>> = LazyLock::new(|| {
    lines(include_str!("../data/breaks.txt"))
        .filter_map(read)
        .collect()
});

fn read(line: &'static str) -> Option<Break> {
    let mut cells = line.split('\t');
    let mut cell = || cells.next();
    Some(Break {
        source: word(cell()?)?,
        measure: word(cell()?)?,
        from: cell()?.parse().ok()?,
        to: cell()?.parse().ok(),
        what: cell()?,
        told_by: cell()?,
    })
}

fn word<T: Deserialize<'static>>(word: &'static str) -> Option<T> {
    let word: StrDeserializer<'_, serde::de::value::Error> = word.into_deserializer();
    T::deserialize(word).ok()
}

impl Break {
    /// Finds a measure's breaks between two days, the earliest first.
    pub fn within(source: Source, measure: Measure, days: (Date, Date)) -> impl Iterator<Item = Self> {
        let breaks = BREAKS.iter().copied();
        breaks.filter(move |one| {
            let last = one.to.unwrap_or(one.from);
            (one.source, one.measure) == (source, measure) && one.from <= days.1 && days.0 <= last
        })
    }

    /// "7 May 2026: ChatGPT began to link names inside its text."
    pub fn in_words(&self) -> String {
        let day = |day: Date| day.strftime("%-d %B %Y");
        match self.to {
            Some(to) => format!("{} to {}: {}.", day(self.from), day(to), self.what),
            None => format!("{}: {}.", day(self.from), self.what),
        }
    }

    /// Finds the break that makes a row's value wrong. Where only a value's last day is known, that day decides.
    pub fn that_voids(row: &Row) -> Option<Self> {
        let days = (row.period.start(), row.period.end());
        Self::within(row.source, row.measure, days).find(|one| one.to.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Period;
    use jiff::civil::date;

    #[test]
    fn every_line_is_read() {
        let text = include_str!("../data/breaks.txt");
        assert_eq!(BREAKS.len(), lines(text).count());
        assert!(BREAKS.iter().all(|one| one.to.is_none_or(|to| one.from < to)));
    }

    #[test]
    fn impressions_are_void_from_the_first_day_to_the_last() {
        let row = |source, measure, period| Row {
            source,
            period,
            subject: None,
            by: None,
            measure,
            value: 1.0,
            as_of: None,
        };
        let day = |day| Period::Day { day };
        let (first, last) = (date(2025, 5, 13), date(2026, 4, 27));
        let impressions =
            |period| Break::that_voids(&row(Source::SearchConsoleAi, Measure::Impressions, period));
        for (period, is_void) in [
            (day(first.yesterday().unwrap()), false),
            (day(first), true),
            (day(last), true),
            (day(last.tomorrow().unwrap()), false),
            (
                Period::Range {
                    from: last,
                    to: date(2026, 6, 1),
                },
                true,
            ),
            (
                Period::Until {
                    until: date(2026, 6, 1),
                },
                false,
            ),
        ] {
            assert_eq!(impressions(period).is_some(), is_void, "{period:?}");
        }
        let clicks = row(Source::SearchConsole, Measure::Clicks, day(last));
        assert!(Break::that_voids(&clicks).is_none());
        // A break of one day voids nothing.
        let sessions = row(Source::Ga4, Measure::Sessions, day(date(2026, 5, 7)));
        assert!(Break::that_voids(&sessions).is_none());
    }
}
