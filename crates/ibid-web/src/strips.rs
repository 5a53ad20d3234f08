//! Counts by day as bars, several under each other on one axis of days.

use crate::chart::Markup;
use crate::figure;
use crate::trend::{Axis, TrendPoint};
use askama::filters::Safe;
use ibid_model::Locale;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use std::fmt::Write as _;

/// In pixels.
const HEIGHT: f64 = 72.0;

/// Days that several strips share.
pub(crate) struct Days {
    first: Date,
    count: f64,
}

impl Days {
    /// From the first day to the last; `None` without a day.
    pub(crate) fn of(days: impl Iterator<Item = Date> + Clone) -> Option<Self> {
        let (first, last) = (days.clone().min()?, days.max()?);
        let count = first.until(last).map_or(0, |span| span.get_days()) + 1;
        Some(Self {
            first,
            count: f64::from(count),
        })
    }

    fn place(&self, day: Date) -> Option<f64> {
        let days = f64::from(self.first.until(day).ok()?.get_days());
        (0.0..self.count)
            .contains(&days)
            .then(|| 100.0 * days / self.count)
    }

    /// The labels under the strips.
    pub(crate) fn labels(&self) -> Markup {
        let midnight = |day: Date| {
            day.to_zoned(TimeZone::UTC)
                .map_or(Timestamp::UNIX_EPOCH, |day| day.timestamp())
        };
        let last = self
            .first
            .checked_add((self.count as i64).days())
            .unwrap_or(self.first);
        let ends = [midnight(self.first), midnight(last)];
        let axis = Axis::of(&[] as &[TrendPoint], &ends);
        let mut svg = String::from(r#"<svg class="strip-days" width="100%" height="36" aria-hidden="true">"#);
        for (x, label, year) in axis.labels(&Locale::default()) {
            let anchor = match x {
                x if x < 5.0 => "start",
                x if x > 95.0 => "end",
                _ => "middle",
            };
            for (text, y) in [(Some(label), 14), (year, 28)] {
                let Some(text) = text else { continue };
                let _ = write!(
                    svg,
                    r#"<text class="scale-text" x="{x:.2}%" y="{y}" text-anchor="{anchor}">{text}</text>"#
                );
            }
        }
        svg.push_str("</svg>");
        Safe(svg)
    }

    /// Bars from zero to the largest value.
    pub(crate) fn bars(&self, values: &[(Date, f64)]) -> Markup {
        let most = values.iter().map(|(_, value)| *value).fold(1.0, f64::max);
        // A gap between bars where they are wide enough to show one.
        let width = 100.0 / self.count * if self.count > 120.0 { 1.0 } else { 0.8 };
        let mut svg = Self::open();
        for (day, value) in values {
            let Some(x) = self.place(*day).filter(|_| *value > 0.0) else {
                continue;
            };
            let height = (value / most * HEIGHT).max(1.0);
            let _ = write!(
                svg,
                r#"<rect class="strip-bar" x="{x:.2}%" y="{:.1}" width="{width:.2}%" height="{height:.1}"/>"#,
                HEIGHT - height
            );
        }
        svg.push_str("</svg>");
        Safe(svg)
    }

    /// Scores from 0 to 100 as dots.
    pub(crate) fn dots(&self, scores: &[(Timestamp, f64)]) -> Markup {
        let mut svg = Self::open();
        for (at, score) in scores {
            let day = at.to_zoned(TimeZone::UTC).date();
            let Some(x) = self.place(day) else { continue };
            let _ = write!(
                svg,
                r#"<circle class="trend-mark" cx="{:.2}%" cy="{:.1}" r="3.5"/>"#,
                x + 50.0 / self.count,
                HEIGHT - score.clamp(0.0, 100.0) / 100.0 * HEIGHT
            );
        }
        svg.push_str("</svg>");
        Safe(svg)
    }

    fn open() -> String {
        format!(
            r#"<svg class="strip" width="100%" height="{HEIGHT:.0}" aria-hidden="true"><line class="scale-tick" x1="0" x2="100%" y1="{HEIGHT:.0}" y2="{HEIGHT:.0}"/>"#
        )
    }
}

/// "1,204 in 31 days, at most 90 on one".
pub(crate) fn in_words(values: &[(Date, f64)]) -> String {
    let sum: f64 = values.iter().map(|(_, value)| value).sum();
    let most = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let days = figure::plural(values.len() as u64, "day", "days");
    format!("{} in {days}, at most {} on one", number(sum), number(most))
}

/// A count, as it is written in tables.
pub(crate) fn number(value: f64) -> String {
    figure::count(value.round().clamp(0.0, 9e15) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn two_days_are_labelled_by_their_own_dates() {
        let days = Days::of([date(2026, 8, 1), date(2026, 8, 2)].into_iter()).unwrap();
        let labels = days.labels().0;
        assert!(
            labels.contains("1\u{a0}Aug") && labels.contains("2\u{a0}Aug"),
            "{labels}"
        );
    }

    #[test]
    fn bars_are_where_their_days_are() {
        let values = [(date(2026, 8, 1), 5.0), (date(2026, 8, 4), 10.0)];
        let days = Days::of(values.iter().map(|(day, _)| *day)).unwrap();
        let drawn = days.bars(&values).0;
        assert!(
            drawn.contains(r#"x="0.00%" y="36.0""#) && drawn.contains(r#"x="75.00%" y="0.0""#),
            "{drawn}"
        );
        assert_eq!(in_words(&values), "15 in 2\u{a0}days, at most 10 on one");
        assert!(days.bars(&[(date(2026, 9, 1), 5.0)]).0.matches("rect").count() == 0);
        assert!(Days::of(std::iter::empty()).is_none());
        let dots = days.dots(&[("2026-08-02T09:00:00Z".parse().unwrap(), 50.0)]).0;
        assert!(dots.contains(r#"cx="37.50%" cy="36.0""#), "{dots}");
    }
}
