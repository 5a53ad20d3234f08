//! The line of a score over time, with the band of its likely range.

use crate::chart::Markup;
use askama::filters::Safe;
use ibid_model::{Interval, Score};
use jiff::Timestamp;
use std::fmt::Write as _;

/// Width and height of the drawing, in its own units; it stretches with the page.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 180.0;
/// Room for the marks at the edges.
const EDGE: f64 = 10.0;

/// The score of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrendPoint {
    /// The end of the run.
    pub(crate) at: Timestamp,
    /// The score.
    pub(crate) score: Score,
    /// Its likely range.
    pub(crate) interval: Option<Interval>,
}

/// Draws the scores of a series by their time on a scale from 0 to 100. A line ends where `breaks` has a reason.
pub(crate) fn trend(steps: &[TrendPoint], breaks: &[String]) -> Markup {
    let places = places(steps);
    let y = |value: f64| EDGE + (100.0 - value.clamp(0.0, 100.0)) / 100.0 * (HEIGHT - 2.0 * EDGE);
    let mut svg = format!(
        r#"<svg class="trend" aria-hidden="true" viewBox="0 0 {WIDTH:.0} {HEIGHT:.0}" width="100%">"#
    );
    for tick in [0.0, 50.0, 100.0] {
        let _ = write!(
            svg,
            r#"<line class="scale-tick" x1="0" x2="{WIDTH:.0}" y1="{at:.1}" y2="{at:.1}"/>"#,
            at = y(tick)
        );
    }
    let mut from = 0;
    for at in 1..=steps.len() {
        let ends = breaks.get(at).is_none_or(|reason| !reason.is_empty());
        if !ends {
            continue;
        }
        let (part, xs) = (
            steps.get(from..at).unwrap_or_default(),
            places.get(from..at).unwrap_or_default(),
        );
        stretch(&mut svg, part, xs, y);
        if let Some(x) = places.get(at) {
            let _ = write!(
                svg,
                r#"<line class="trend-break" x1="{x:.1}" x2="{x:.1}" y1="0" y2="{HEIGHT:.0}"/>"#
            );
        }
        from = at;
    }
    for (step, x) in steps.iter().zip(&places) {
        let _ = write!(
            svg,
            r#"<circle class="trend-mark" cx="{x:.1}" cy="{:.1}" r="5"/>"#,
            y(step.score.get())
        );
    }
    svg.push_str("</svg>");
    Safe(svg)
}

/// The scans of one stretch: the band, then the line. A lone scan has its range as an upright bar.
fn stretch(svg: &mut String, steps: &[TrendPoint], xs: &[f64], y: impl Fn(f64) -> f64) {
    let range = |step: &TrendPoint| {
        let score = step.score.get();
        step.interval
            .as_ref()
            .map_or((score, score), |range| (range.low, range.high))
    };
    if let ([step], [x]) = (steps, xs) {
        let (low, high) = range(step);
        let (top, bottom) = (y(high), y(low));
        let _ = write!(
            svg,
            r#"<rect class="trend-band" x="{:.1}" y="{top:.1}" width="8" height="{:.1}"/>"#,
            x - 4.0,
            (bottom - top).max(0.0)
        );
        return;
    }
    let path = |points: Vec<(f64, f64)>| {
        let points = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}"));
        points.collect::<Vec<_>>().join("L")
    };
    let upper = steps.iter().zip(xs).map(|(step, x)| (*x, y(range(step).1)));
    let lower = steps.iter().zip(xs).map(|(step, x)| (*x, y(range(step).0)));
    let line = steps.iter().zip(xs).map(|(step, x)| (*x, y(step.score.get())));
    let _ = write!(
        svg,
        r#"<path class="trend-band" d="M{}Z"/><path class="trend-line" d="M{}"/>"#,
        path(upper.chain(lower.rev()).collect()),
        path(line.collect())
    );
}

/// The place of each scan from left to right, by its time.
fn places(steps: &[TrendPoint]) -> Vec<f64> {
    let times: Vec<f64> = steps.iter().map(|step| step.at.as_second() as f64).collect();
    let first = times.iter().copied().fold(f64::INFINITY, f64::min);
    let last = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = (last - first).max(1.0);
    let room = WIDTH - 2.0 * EDGE;
    times
        .iter()
        .map(|time| EDGE + (time - first) / span * room)
        .collect()
}
