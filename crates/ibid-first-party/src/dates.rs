//! Dates in cells and in names of files.

use jiff::civil::Date;

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
    /// Two numbers up to 31 and the year.
    Slashed(i8, i8, i16),
}

impl RawDate {
    /// Reads `2026-08-01`, `20260801`, `8/1/2026 12:00:00 AM`, `01.08.2026` and `2026/8/1`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.split([' ', 'T']).next().unwrap_or_default();
        if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return date(text.get(..4)?, text.get(4..6)?, text.get(6..)?).map(Self::Known);
        }
        let mut parts = text.split(['-', '/', '.']);
        let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
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
            Self::Slashed(..) | Self::Known(_) => None,
        }
    }

    /// The date in an order.
    pub(crate) fn in_order(self, order: Order) -> Option<Date> {
        match (self, order) {
            (Self::Known(date), _) => Some(date),
            (Self::Slashed(month, day, year), Order::MonthFirst)
            | (Self::Slashed(day, month, year), Order::DayFirst) => Date::new(year, month, day).ok(),
        }
    }
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// The day of an export in its name: `..._8_5_2026.csv` (the month first, unless it cannot be one), `...-2026-08-31.zip`.
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
