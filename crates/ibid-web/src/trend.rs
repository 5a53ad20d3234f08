//! A score over time, with the band of its likely range, on an axis with dates.
//!
//! Places from left to right are percentages, so that the drawing stretches with the page and its text does not.

use crate::chart::Markup;
use crate::figure;
use askama::filters::Safe;
use ibid_model::{Interval, Locale, Score};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use std::fmt::Write as _;

/// How high the drawing is, where the scale begins and how high it is, in pixels.
const HEIGHT: f64 = 232.0;
const TOP: f64 = 22.0;
const SCALE: f64 = 170.0;
/// Room for the marks of runs at the left and right edges, in per cent.
const EDGE: f64 = 1.0;
/// Days of a trend that is labelled by days; a longer one is labelled by months.
const SHORT_DAYS: i32 = 70;
/// Most labels of the axis: as many as fit on a narrow screen.
const MOST_LABELS: i32 = 6;
/// Two runs so many times the usual distance apart have missing runs between them.
const GAP: f64 = 1.75;
/// Room for the number of a mark, in per cent: two digits on a narrow screen.
const NEAR: f64 = 4.5;

#[derive(Clone, Copy, Debug)]
pub(crate) struct TrendPoint {
    /// When the run ended.
    pub(crate) at: Timestamp,
    pub(crate) score: Score,
    pub(crate) interval: Option<Interval>,
}

/// A score over time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trend<'a> {
    /// The runs, the oldest first.
    pub(crate) points: &'a [TrendPoint],
    /// The runs before which the line ends because they measure something else.
    pub(crate) broken: &'a [bool],
    /// When runs ended without a result.
    pub(crate) missed: &'a [Timestamp],
    /// The average, and the time from which it counts.
    pub(crate) level: Option<(Score, Timestamp)>,
    /// When something happened that has a number.
    pub(crate) marks: &'a [Timestamp],
    /// The way to write dates; without one that of the pages.
    pub(crate) locale: Option<&'a Locale>,
}

impl Trend<'_> {
    /// Draws the trend on a scale from 0 to 100.
    pub(crate) fn draw(&self) -> Markup {
        let axis = Axis::of(self.points, self.missed);
        let standard = Locale::default();
        let locale = self.locale.unwrap_or(&standard);
        let mut svg = format!(
            r#"<div class="trend-frame" aria-hidden="true"><p class="trend-scale"><span>100</span><span>50</span><span>0</span></p><svg class="trend" width="100%" height="{HEIGHT:.0}">"#
        );
        for tick in [0.0, 50.0, 100.0] {
            let _ = write!(
                svg,
                r#"<line class="scale-tick" x1="0" x2="100%" y1="{y:.1}" y2="{y:.1}"/>"#,
                y = y(tick)
            );
        }
        for (x, label, year) in axis.labels(locale) {
            let anchor = match x {
                x if x < 5.0 => "start",
                x if x > 95.0 => "end",
                _ => "middle",
            };
            let bottom = TOP + SCALE;
            let _ = write!(
                svg,
                r#"<line class="scale-tick" x1="{x:.2}%" x2="{x:.2}%" y1="{bottom:.0}" y2="{:.0}"/>"#,
                bottom + 5.0
            );
            // The year has a line of its own, so that labels fit side by side on a narrow screen.
            for (text, y) in [(Some(label), bottom + 20.0), (year, bottom + 34.0)] {
                let Some(text) = text else { continue };
                let _ = write!(
                    svg,
                    r#"<text class="scale-text" x="{x:.2}%" y="{y:.0}" text-anchor="{anchor}">{text}</text>"#
                );
            }
        }
        // Lines stretch with the page, in thousandths of its width.
        let _ = write!(
            svg,
            r#"<svg y="{TOP:.0}" width="100%" height="{SCALE:.0}" viewBox="0 0 1000 {SCALE:.0}" preserveAspectRatio="none">"#
        );
        for stretch in self.stretches() {
            draw_stretch(&mut svg, stretch, &axis);
        }
        if let Some((score, since)) = self.level {
            let _ = write!(
                svg,
                r#"<path class="trend-level" d="M{:.1} {y:.1}H{:.1}"/>"#,
                10.0 * axis.place(since),
                1000.0 - 10.0 * EDGE,
                y = y(score.get()) - TOP
            );
        }
        svg.push_str("</svg>");
        self.draw_marks(&mut svg, &axis);
        for point in self.points {
            let range = point.interval.as_ref().map(figure::interval);
            let range = range.map_or_else(String::new, |range| format!(" ({range})"));
            let _ = write!(
                svg,
                r#"<circle class="trend-mark" cx="{:.2}%" cy="{:.1}" r="3.5"><title>{}: {}{range}</title></circle>"#,
                axis.place(point.at),
                y(point.score.get()),
                figure::date_in(locale, point.at),
                figure::score(point.score)
            );
        }
        for at in self.missed.iter().filter(|at| axis.holds(**at)) {
            let _ = write!(
                svg,
                r#"<text class="trend-missed" x="{:.2}%" y="{:.0}" text-anchor="middle">×<title>{}: no result</title></text>"#,
                axis.place(*at),
                TOP + SCALE - 4.0,
                figure::date_in(locale, *at)
            );
        }
        svg.push_str("</svg></div>");
        Safe(svg)
    }

    /// Upright lines with numbers, in the order of the marks.
    fn draw_marks(&self, svg: &mut String, axis: &Axis) {
        let places: Vec<f64> = self.marks.iter().map(|at| axis.place(*at)).collect();
        for (number, (x, beside)) in (1..).zip(places.iter().zip(side_by_side(&places, NEAR, 100.0 - EDGE))) {
            let _ = write!(
                svg,
                r#"<line class="trend-break" x1="{x:.2}%" x2="{x:.2}%" y1="{TOP:.0}" y2="{:.0}"/><text class="trend-number" x="{beside:.2}%" y="19" text-anchor="middle">{number}</text>"#,
                TOP + SCALE
            );
        }
    }

    /// The runs between two gaps. A gap is a run without a result, or a long time, or a run that measures something else.
    fn stretches(&self) -> Vec<&[TrendPoint]> {
        let usual = usual_step(self.points);
        let mut stretches = Vec::new();
        let mut from = 0;
        for (at, pair) in (1..).zip(self.points.windows(2)) {
            let [before, after] = pair else { continue };
            let has_missed = self
                .missed
                .iter()
                .any(|missed| before.at < *missed && *missed < after.at);
            let is_broken = self.broken.get(at).copied().unwrap_or(false);
            if has_missed || is_broken || step(pair) as f64 > GAP * usual {
                stretches.extend(self.points.get(from..at));
                from = at;
            }
        }
        stretches.extend(self.points.get(from..));
        stretches
    }
}

/// The usual seconds between two runs.
fn usual_step(points: &[TrendPoint]) -> f64 {
    let mut steps: Vec<i64> = points.windows(2).map(step).collect();
    steps.sort_unstable();
    steps.get(steps.len() / 2).copied().unwrap_or(0) as f64
}

/// The times without a run, in a sentence; empty where there is none.
pub(crate) fn pauses(points: &[TrendPoint], locale: &Locale) -> String {
    let usual = usual_step(points);
    let day = |point: &TrendPoint| figure::date_in(locale, point.at);
    let pairs = points.iter().zip(points.iter().skip(1)).zip(points.windows(2));
    let long = pairs.filter(|(_, pair)| step(pair) as f64 > GAP * usual);
    let between = long.map(|((before, after), _)| format!("between {} and {}", day(before), day(after)));
    let between = between.collect::<Vec<_>>().join(", ");
    match between.as_str() {
        "" => between,
        found => format!("No run with a result {found}."),
    }
}

/// Places the numbers of marks, in their order: those that are near each other stand side by side, up to `end`.
pub(crate) fn side_by_side(places: &[f64], room: f64, end: f64) -> Vec<f64> {
    let mut free = f64::NEG_INFINITY;
    let mut beside: Vec<f64> = Vec::with_capacity(places.len());
    for place in places {
        beside.push(place.max(free));
        free = place.max(free) + room;
    }
    let mut most = end;
    for place in beside.iter_mut().rev() {
        *place = place.min(most);
        most = *place - room;
    }
    beside
}

/// The seconds between two runs.
fn step(pair: &[TrendPoint]) -> i64 {
    match pair {
        [before, after] => after.at.as_second() - before.at.as_second(),
        _ => 0,
    }
}

fn y(score: f64) -> f64 {
    TOP + (100.0 - score.clamp(0.0, 100.0)) / 100.0 * SCALE
}

/// Draws one stretch: the band, then the line. A lone run has its range as an upright bar.
fn draw_stretch(svg: &mut String, points: &[TrendPoint], axis: &Axis) {
    let range = |point: &TrendPoint| {
        let score = point.score.get();
        let range = point.interval.as_ref();
        range.map_or((score, score), |range| (range.low, range.high))
    };
    let place = |at: Timestamp, score: f64| format!("{:.1} {:.1}", 10.0 * axis.place(at), y(score) - TOP);
    if let [point] = points {
        let (low, high) = range(point);
        let _ = write!(
            svg,
            r#"<path class="trend-bar" d="M{}L{}"/>"#,
            place(point.at, high),
            place(point.at, low)
        );
        return;
    }
    let upper = points.iter().map(|point| place(point.at, range(point).1));
    let lower = points.iter().map(|point| place(point.at, range(point).0));
    let band: Vec<String> = upper.chain(lower.rev()).collect();
    let line = points.iter().map(|point| place(point.at, point.score.get()));
    let line: Vec<String> = line.collect();
    let _ = write!(
        svg,
        r#"<path class="trend-band" d="M{}Z"/><path class="trend-line" d="M{}"/>"#,
        band.join("L"),
        line.join("L")
    );
}

/// The time from the first run to the last.
pub(crate) struct Axis {
    first: Timestamp,
    last: Timestamp,
}

impl Axis {
    /// From the first run to the last, with or without a result.
    pub(crate) fn of(points: &[TrendPoint], missed: &[Timestamp]) -> Self {
        let times = || points.iter().map(|point| point.at);
        // Without a result the axis begins with the first run, not in 1970.
        let first = times().min().or_else(|| missed.iter().copied().min());
        Self {
            first: first.unwrap_or_default(),
            last: times().chain(missed.iter().copied()).max().unwrap_or_default(),
        }
    }

    fn holds(&self, at: Timestamp) -> bool {
        self.first <= at && at <= self.last
    }

    /// Returns where a time is from the left, in per cent. Times outside are at the edges.
    pub(crate) fn place(&self, at: Timestamp) -> f64 {
        let span = (self.last.as_second() - self.first.as_second()).max(1) as f64;
        let share = (at.as_second() - self.first.as_second()) as f64 / span;
        EDGE + share.clamp(0.0, 1.0) * (100.0 - 2.0 * EDGE)
    }

    /// The labels with their places: the first days of months, with the year where one begins, or single days.
    pub(crate) fn labels(&self, locale: &Locale) -> Vec<(f64, String, Option<String>)> {
        let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
        let (first, last) = (day(self.first), day(self.last));
        let days = first.until(last).map_or(0, |span| span.get_days());
        if days <= SHORT_DAYS {
            let step = ((days + MOST_LABELS - 1) / MOST_LABELS).max(1);
            let dates = first.series(step.days()).take_while(|date| *date <= last);
            let labels = dates.filter_map(|date| Some((self.midnight(date)?, date)));
            return labels
                .map(|(x, date)| (x, locale.short_day(date), None))
                .collect();
        }
        let months = i32::from(last.year() - first.year()) * 12 + i32::from(last.month() - first.month());
        let step = ((months + MOST_LABELS - 1) / MOST_LABELS).max(1);
        let mut year = None;
        let months = first.first_of_month().series(step.months());
        let months = months.skip(1).take_while(|date| *date <= last);
        let labels = months.filter_map(|date| Some((self.midnight(date)?, date)));
        labels
            .map(|(x, date)| {
                let is_new = year.replace(date.year()) != Some(date.year());
                (
                    x,
                    date.strftime("%b").to_string(),
                    is_new.then(|| date.year().to_string()),
                )
            })
            .collect()
    }

    /// The place at which a day begins.
    fn midnight(&self, date: Date) -> Option<f64> {
        let at = date.to_zoned(TimeZone::UTC).ok()?.timestamp();
        Some(self.place(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weekly(first: &str, runs: i64) -> Vec<TrendPoint> {
        let first: Timestamp = first.parse().unwrap();
        let point = |week: i64| TrendPoint {
            at: Timestamp::from_second(first.as_second() + week * 604_800).unwrap(),
            score: Score::new(40.0),
            interval: None,
        };
        (0..runs).map(point).collect()
    }

    fn labels(points: &[TrendPoint]) -> Vec<String> {
        let labels = Axis::of(points, &[]).labels(&Locale::default()).into_iter();
        labels
            .map(|(_, label, year)| year.map_or(label.clone(), |year| format!("{label} {year}")))
            .collect()
    }

    #[test]
    fn the_axis_names_days_or_months_and_where_a_year_begins() {
        let half_a_year = weekly("2026-08-31T09:00:00Z", 26);
        assert_eq!(
            labels(&half_a_year),
            ["Sep 2026", "Oct", "Nov", "Dec", "Jan 2027", "Feb"]
        );
        assert_eq!(labels(&weekly("2026-11-02T09:00:00Z", 3)).len(), 5);
        let years = weekly("2024-01-01T09:00:00Z", 200);
        assert!(labels(&years).len() <= 8, "{:?}", labels(&years));
        assert_eq!(labels(&weekly("2026-11-02T09:00:00Z", 1)), ["2\u{a0}Nov"]);
    }

    #[test]
    fn numbers_of_near_marks_never_overlap() {
        let places = [10.0, 10.0, 12.0, 50.0, 98.0, 99.0, 99.0];
        let beside = side_by_side(&places, 4.5, 99.0);
        assert_eq!(beside, [10.0, 14.5, 19.0, 50.0, 90.0, 94.5, 99.0]);
        assert!(side_by_side(&[], 4.5, 99.0).is_empty());
    }

    #[test]
    fn weeks_without_a_run_are_said() {
        let mut points = weekly("2026-06-01T09:00:00Z", 12);
        assert_eq!(pauses(&points, &Locale::default()), "");
        points.remove(4);
        assert_eq!(
            pauses(&points, &Locale::default()),
            "No run with a result between 22\u{a0}Jun\u{a0}2026 and 6\u{a0}Jul\u{a0}2026."
        );
        assert_eq!(pauses(&points[..1], &Locale::default()), "");
    }

    #[test]
    fn the_line_ends_at_runs_without_a_result_and_at_long_gaps() {
        let mut points = weekly("2026-06-01T09:00:00Z", 12);
        let lengths = |trend: &Trend<'_>| -> Vec<usize> {
            trend.stretches().iter().map(|stretch| stretch.len()).collect()
        };
        let whole = Trend {
            points: &points,
            ..Trend::default()
        };
        assert_eq!(lengths(&whole), [12]);
        let missed = [Timestamp::from_second(points[4].at.as_second() + 60).unwrap()];
        let broken: Vec<bool> = (0..12).map(|at| at == 9).collect();
        let parts = Trend {
            missed: &missed,
            broken: &broken,
            ..whole
        };
        assert_eq!(lengths(&parts), [5, 4, 3]);
        let drawn = parts.draw().0;
        assert_eq!(drawn.matches("trend-line").count(), 3);
        assert_eq!(drawn.matches("trend-missed").count(), 1);
        points.drain(5..8);
        let gap = Trend {
            points: &points,
            ..Trend::default()
        };
        assert_eq!(lengths(&gap), [5, 4]);
    }

    #[test]
    fn marks_are_numbered_and_near_ones_do_not_hide_each_other() {
        let points = weekly("2026-06-01T09:00:00Z", 26);
        let marks = [points[4].at, points[4].at, points[20].at];
        let drawn = Trend {
            points: &points,
            marks: &marks,
            ..Trend::default()
        };
        let drawn = drawn.draw().0;
        let places: Vec<f64> = drawn
            .split("trend-number")
            .skip(1)
            .map(|rest| {
                rest.split("x=\"")
                    .nth(1)
                    .unwrap()
                    .split('%')
                    .next()
                    .unwrap()
                    .parse()
                    .unwrap()
            })
            .collect();
        assert_eq!(places.len(), 3);
        assert!(
            places.windows(2).all(|pair| pair[1] - pair[0] >= NEAR - 0.01),
            "{places:?}"
        );
    }
}
