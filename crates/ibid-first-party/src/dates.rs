//! Dates in cells and in names of files.

use jiff::ToSpan;
use jiff::civil::{Date, ISOWeekDate, Weekday};

/// Whether the month or the day comes first in dates such as 3/4/2026.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    MonthFirst,
    DayFirst,
}

/// A date before its order is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawDate {
    Known(Date),
    /// A week's Monday, which is all that is told.
    Week(Date),
    /// Two numbers up to 31 and the year.
    Slashed(i8, i8, i16),
}

impl RawDate {
    /// Reads `2026-08-01`, `20260801`, `8/1/2026 12:00:00 AM`, `01.08.2026`, `2026/8/1`, `2026年8月1日`, `Aug 1, 2026`, `2026-W31`, and the
    /// days of spreadsheets since 1900.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let named = text.starts_with(|first: char| first.is_ascii_alphabetic()) || text.contains(" 20");
        if named && let Some(date) = with_month_name(text) {
            return Some(Self::Known(date));
        }
        if let Some((year, rest)) = text.split_once('年') {
            let (month, day) = rest.split_once('月')?;
            return date(year, month, day.split('日').next()?).map(Self::Known);
        }
        let joined = text.replace(". ", ".");
        let text = joined.split([' ', 'T']).next().unwrap_or_default();
        if let Some((year, week)) = text.split_once('W') {
            let year: i16 = year.trim_end_matches('-').parse().ok()?;
            let monday = ISOWeekDate::new(year, week.parse().ok()?, Weekday::Monday).ok()?;
            return Some(Self::Week(monday.date()));
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return match text.len() {
                8 => date(text.get(..4)?, text.get(4..6)?, text.get(6..)?).map(Self::Known),
                5 => serial(text.parse().ok()?).map(Self::Known),
                _ => None,
            };
        }
        let mut parts = text.split(['-', '/', '.']);
        let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some_and(|rest| !rest.is_empty()) {
            return None;
        }
        if first.len() == 4 {
            return date(first, second, third).map(Self::Known);
        }
        let year: i16 = third.parse().ok()?;
        let year = if third.len() == 2 { 2_000 + year } else { year };
        let (a, b): (i8, i8) = (first.parse().ok()?, second.parse().ok()?);
        // Dots are written in countries that write the day first.
        if text.contains('.') {
            return Date::new(year, b, a).ok().map(Self::Known);
        }
        let in_range = |part| (1..=31).contains(&part);
        (in_range(a) && in_range(b) && (a <= 12 || b <= 12) && (1..=9_999).contains(&year))
            .then_some(Self::Slashed(a, b, year))
    }

    /// The only order in which it is a date; `None` where both are, or where its order is known.
    pub(crate) fn order(self) -> Option<Order> {
        match self {
            Self::Slashed(a, _, _) if a > 12 => Some(Order::DayFirst),
            Self::Slashed(_, b, _) if b > 12 => Some(Order::MonthFirst),
            Self::Slashed(..) | Self::Known(_) | Self::Week(_) => None,
        }
    }

    pub(crate) fn in_order(self, order: Order) -> Option<Date> {
        match (self, order) {
            (Self::Known(date) | Self::Week(date), _) => Some(date),
            (Self::Slashed(month, day, year), Order::MonthFirst)
            | (Self::Slashed(day, month, year), Order::DayFirst) => Date::new(year, month, day).ok(),
        }
    }
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Reads a spreadsheet's day, counted from the end of 1899, in this century.
fn serial(days: i32) -> Option<Date> {
    let is_of_century = (36_526..=73_050).contains(&days);
    let day = Date::constant(1899, 12, 30).checked_add(days.days()).ok()?;
    is_of_century.then_some(day)
}

/// `Aug 1, 2026`, `1 August 2026`.
fn with_month_name(text: &str) -> Option<Date> {
    let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let mut words = text.split([' ', ',', '-']).filter(|word| !word.is_empty());
    let (first, second, year) = (words.next()?, words.next()?, words.next()?);
    let (name, day) = match first.as_bytes().first()?.is_ascii_digit() {
        true => (second, first),
        false => (first, second),
    };
    let name = name.get(..3)?.to_ascii_lowercase();
    let month = months.iter().position(|month| *month == name)? + 1;
    date(year, &month.to_string(), day)
}

/// Reads when an export was made from its name: `..._8_5_2026.csv` (the month first, unless it cannot be one),
/// `...-2026-08-31.zip`.
pub(crate) fn in_name(name: &str) -> Option<Date> {
    let numbers: Vec<&str> = name
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    let mut found = None;
    for three in numbers.windows(3) {
        let [a, b, c] = three else { continue };
        let dated = if a.len() == 4 {
            date(a, b, c)
        } else if c.len() == 4 {
            date(c, a, b).or_else(|| date(c, b, a))
        } else {
            None
        };
        found = dated.or(found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Order, RawDate, in_name};
    use jiff::civil::date;

    #[test]
    fn dates_of_all_tools() {
        let known = |text| RawDate::parse(text).and_then(|raw| raw.in_order(Order::MonthFirst));
        for text in [
            "2026-08-01",
            "20260801",
            "8/1/2026 12:00:00 AM",
            "01.08.2026",
            "2026/8/1",
            "8/1/26",
            "46235",
            "2026年8月1日",
            "Aug 1, 2026",
            "1 August 2026",
            "2026. 8. 1.",
        ] {
            assert_eq!(known(text), Some(date(2026, 8, 1)), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2026-13-01",
            "40/40/2026",
            "0001",
            "13/14/2026",
            "1/2/3/4",
        ] {
            assert_eq!(known(text), None, "{text}");
        }
        assert_eq!(RawDate::parse("2026-W32"), Some(RawDate::Week(date(2026, 8, 3))));
        assert_eq!(
            RawDate::parse("13/8/2026").and_then(RawDate::order),
            Some(Order::DayFirst)
        );
    }

    #[test]
    fn days_in_names() {
        for (name, day) in [
            (
                "example.com_AIPageStatsReport_8_5_2026.csv",
                Some(date(2026, 8, 5)),
            ),
            (
                "example.com_AIPageStatsReport_30_8_2026 (1).csv",
                Some(date(2026, 8, 30)),
            ),
            (
                "example.com-Performance-on-Search-2026-08-31.zip",
                Some(date(2026, 8, 31)),
            ),
            ("Queries.csv", None),
        ] {
            assert_eq!(in_name(name), day, "{name}");
        }
    }
}
