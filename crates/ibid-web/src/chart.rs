//! Small charts inside pages: bars, intervals, differences.
//!
//! Charts are drawn with percentages, so they stretch with the page, and with classes, so the style sheet colours them.
//! They have no style attribute and no script, and contain numbers only.

use crate::figure;
use askama::filters::Safe;
use ibid_model::Interval;
use ibid_model::result::Breakdown;
use std::fmt::Write as _;

/// Markup built by this crate, without a template, from escaped parts.
pub(crate) type Markup = Safe<String>;

/// Formats a share of the width as an SVG percentage: finite, 0..100, at most two decimals.
fn at(value: f64) -> String {
    let value = if value.is_finite() {
        value.clamp(0.0, 100.0)
    } else {
        0.0
    };
    let text = format!("{value:.2}");
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Draws a bar from 0 to `value` on a scale of 100, with the interval as a whisker.
pub(crate) fn bar(value: f64, interval: Option<&Interval>) -> Markup {
    let mut svg = String::from(r#"<svg class="bar" aria-hidden="true" width="100%" height="20">"#);
    svg.push_str(r#"<rect class="bar-track" y="6" width="100%" height="8" rx="2"/>"#);
    let _ = write!(
        svg,
        r#"<rect class="bar-fill" y="6" width="{}" height="8" rx="2"/>"#,
        at(value)
    );
    if let Some(range) = interval {
        whisker(&mut svg, range.low, range.high, 10);
    }
    svg.push_str("</svg>");
    Safe(svg)
}

/// Draws a slim bar for a rate 0..1 in a table cell.
pub(crate) fn rate(rate: f64, interval: Option<&Interval>) -> Markup {
    let scaled = interval.map(|range| Interval {
        low: range.low * 100.0,
        high: range.high * 100.0,
        ..*range
    });
    bar(rate * 100.0, scaled.as_ref())
}

/// Draws the large scale of a headline score: bands, interval and marker.
pub(crate) fn scale(value: f64, interval: Option<&Interval>) -> Markup {
    let ticks = [0_u8, 25, 50, 75, 100].map(|tick| (tick, tick.to_string()));
    let marks = Marks {
        value,
        range: interval.map(ends),
        tick_top: 30,
    };
    ruler(&ticks, &marks)
}

/// Draws two values on a scale of 100: hollow before, filled after.
pub(crate) fn dumbbell(before: Option<f64>, after: Option<f64>) -> Markup {
    let mut svg = String::from(r#"<svg class="bar dumbbell" aria-hidden="true" width="100%" height="20">"#);
    svg.push_str(r#"<line class="dumbbell-track" x1="0" x2="100%" y1="10" y2="10"/>"#);
    if let (Some(before), Some(after)) = (before, after) {
        let _ = write!(
            svg,
            r#"<line class="dumbbell-line" x1="{}" x2="{}" y1="10" y2="10"/>"#,
            at(before),
            at(after)
        );
    }
    if let Some(before) = before {
        let _ = write!(
            svg,
            r#"<circle class="dumbbell-before" cx="{}" cy="10" r="4.5"/>"#,
            at(before)
        );
    }
    if let Some(after) = after {
        let _ = write!(
            svg,
            r#"<circle class="dumbbell-after" cx="{}" cy="10" r="5"/>"#,
            at(after)
        );
    }
    svg.push_str("</svg>");
    Safe(svg)
}

/// Draws a difference around zero on a scale of −`reach`..+`reach`, with its interval.
pub(crate) fn difference(mean: f64, interval: Option<&Interval>, reach: f64) -> Markup {
    let reach = if reach.is_finite() && reach > 0.0 {
        reach
    } else {
        100.0
    };
    let place = |value: f64| 50.0 + value / reach * 50.0;
    let ticks = [
        (0, figure::signed(-reach)),
        (50, "0".to_owned()),
        (100, figure::signed(reach)),
    ];
    let range = interval.map(|interval| {
        let (low, high) = ends(interval);
        (place(low).clamp(0.0, 100.0), place(high).clamp(0.0, 100.0))
    });
    let marks = Marks {
        value: place(mean),
        range,
        tick_top: 12,
    };
    ruler(&ticks, &marks)
}

/// Orders two ends, the lower one first.
fn ends(interval: &Interval) -> (f64, f64) {
    (interval.low.min(interval.high), interval.low.max(interval.high))
}

/// The marks on a ruler, in per cent of its width.
struct Marks {
    value: f64,
    /// Lower and upper end.
    range: Option<(f64, f64)>,
    tick_top: u8,
}

/// Draws a ruler with labels, the first at its left end and the last at its right end.
fn ruler(ticks: &[(u8, String)], marks: &Marks) -> Markup {
    let mut svg = String::from(r#"<svg class="scale" aria-hidden="true" width="100%" height="56">"#);
    svg.push_str(r#"<rect class="bar-track" y="18" width="100%" height="12" rx="2"/>"#);
    if let Some((low, high)) = marks.range {
        let _ = write!(
            svg,
            r#"<rect class="scale-range" x="{}" y="18" width="{}" height="12"/>"#,
            at(low),
            at(high - low)
        );
    }
    for (x, label) in ticks {
        let anchor = match x {
            0 => "start",
            100 => "end",
            _ => "middle",
        };
        let _ = write!(
            svg,
            r#"<line class="scale-tick" x1="{x}%" x2="{x}%" y1="{}" y2="35"/><text class="scale-text" x="{x}%" y="50" text-anchor="{anchor}">{label}</text>"#,
            marks.tick_top
        );
    }
    let x = at(marks.value);
    let _ = write!(
        svg,
        r#"<line class="scale-mark" x1="{x}" x2="{x}" y1="10" y2="36"/>"#
    );
    svg.push_str("</svg>");
    Safe(svg)
}

/// Draws the parts of a score side by side, on a scale up to 100.
pub(crate) fn parts(breakdown: &Breakdown) -> Markup {
    let mut svg = String::from(r#"<svg class="parts" aria-hidden="true" width="100%" height="8">"#);
    svg.push_str(r#"<rect class="bar-track" width="100%" height="8" rx="2"/>"#);
    let mut from = 0.0;
    let parts = [breakdown.base, breakdown.rank, breakdown.link, breakdown.share];
    for (index, part) in parts.into_iter().enumerate() {
        let part = if part.is_finite() { part.max(0.0) } else { 0.0 };
        if part > 0.0 && from < 100.0 {
            let _ = write!(
                svg,
                r#"<rect class="part-{}" x="{}" width="{}" height="8"/>"#,
                index + 1,
                at(from),
                at(part.min(100.0 - from))
            );
        }
        from += part;
    }
    svg.push_str("</svg>");
    Safe(svg)
}

/// Draws a line from low to high with end caps.
fn whisker(svg: &mut String, low: f64, high: f64, y: u32) {
    let (from, to) = (at(low.min(high)), at(low.max(high)));
    let (top, bottom) = (y - 4, y + 4);
    let _ = write!(
        svg,
        r#"<line class="whisker-halo" x1="{from}" x2="{to}" y1="{y}" y2="{y}"/><line class="whisker" x1="{from}" x2="{to}" y1="{y}" y2="{y}"/><line class="whisker" x1="{from}" x2="{from}" y1="{top}" y2="{bottom}"/><line class="whisker" x1="{to}" x2="{to}" y1="{top}" y2="{bottom}"/>"#
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: f64, high: f64) -> Interval {
        Interval {
            low,
            high,
            level: 0.95,
            low_precision: false,
        }
    }

    #[test]
    fn every_number_stays_on_the_scale() {
        for value in [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -5.0,
            0.0,
            33.333_33,
            100.0,
            1e300,
        ] {
            let charts = [
                bar(value, Some(&range(value, -value))),
                rate(value, Some(&range(value, value))),
                scale(value, Some(&range(value, 40.0))),
                dumbbell(Some(value), None),
                difference(value, Some(&range(-value, value)), value),
                parts(&Breakdown {
                    base: value,
                    rank: value,
                    link: 10.0,
                    share: value,
                    cap: None,
                }),
            ];
            for chart in charts {
                assert!(
                    !chart.0.contains("NaN") && !chart.0.contains("inf"),
                    "{}",
                    chart.0
                );
                assert!(!chart.0.contains("=\"-"), "{}", chart.0);
                assert!(!chart.0.contains("style"), "{}", chart.0);
            }
        }
        assert_eq!(at(33.333_33), "33.33%");
        assert_eq!(at(50.0), "50%");
    }
}
