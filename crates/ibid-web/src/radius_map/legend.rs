//! Explains the map, and lists the figures of its rings.

use super::frame::WIDE;
use super::plot::STEPS;
use super::xml::text;
use ibid_model::Interval;
use ibid_model::result::{RadiusReport, RadiusScope, RingResult, RingStatus};
use std::fmt::Write as _;

/// Height of a line.
const LINE: f64 = 21.0;

/// Draws the legend from `top` down and returns its lower end.
pub(super) fn draw(svg: &mut String, top: f64, radius: &RadiusReport) -> f64 {
    signs(svg, top, radius);
    table(svg, top + LINE * 2.2, radius)
}

fn signs(svg: &mut String, y: f64, radius: &RadiusReport) {
    let mut x = 24.0;
    label(svg, x, y, "Cited");
    x += 46.0;
    for (index, (class, fill)) in STEPS.iter().enumerate() {
        let _ = write!(
            svg,
            "<rect class=\"rm-dot {class}\" x=\"{x:.0}\" y=\"{:.0}\" width=\"30\" height=\"12\" fill=\"{fill}\" \
             stroke=\"#1b2430\" stroke-width=\"0.7\"/>",
            y - 11.0
        );
        label_at(svg, x, y + 14.0, "middle", &(index * 20).to_string());
        x += 30.0;
    }
    label_at(svg, x, y + 14.0, "middle", "100 %");
    x += 22.0;
    dot(svg, x, y - 5.0, 5.0, "");
    dot(svg, x + 18.0, y - 5.0, 9.0, "");
    label(svg, x + 32.0, y, "more answers");
    x += 130.0;
    dot(svg, x, y - 5.0, 6.0, " stroke-dasharray=\"3 2\"");
    label(svg, x + 12.0, y, "no answer");
    x += 92.0;
    if radius.scope == Some(RadiusScope::Country) {
        return;
    }
    let _ = write!(
        svg,
        "<rect class=\"rm-empty rm-edge\" x=\"{x:.0}\" y=\"{:.0}\" width=\"24\" height=\"14\" \
         fill=\"url(#radius-map-hatch)\" stroke=\"#b6bfc9\"/>",
        y - 12.0
    );
    label(svg, x + 30.0, y, "no town");
    x += 92.0;
    let _ = write!(
        svg,
        "<rect class=\"rm-range\" x=\"{x:.0}\" y=\"{:.0}\" width=\"24\" height=\"14\" fill=\"#b5372a\" \
         fill-opacity=\"0.13\"/><path class=\"rm-reach\" d=\"M{mid:.0} {:.0}v14\" stroke=\"#b5372a\" stroke-width=\"2.5\"/>",
        y - 12.0,
        y - 12.0,
        mid = x + 12.0
    );
    label(svg, x + 30.0, y, "citation radius, 80 % range");
}

/// Draws one line for each ring: extent, score and cited rate with their intervals, answers.
fn table(svg: &mut String, top: f64, radius: &RadiusReport) -> f64 {
    let tiers = radius.scope == Some(RadiusScope::Country);
    let columns = [24.0, 190.0, 380.0, 590.0];
    let head = [
        if tiers { "Tier" } else { "Ring" },
        "Cited (95 %)",
        "Score (95 %)",
        "Answers",
    ];
    for (x, name) in columns.into_iter().zip(head) {
        let _ = write!(
            svg,
            "<text class=\"rm-faint\" x=\"{x}\" y=\"{top:.0}\" font-size=\"12\" font-weight=\"600\" fill=\"#5b6672\">{name}</text>"
        );
    }
    let _ = write!(
        svg,
        "<path class=\"rm-edge\" d=\"M24 {:.0}H{}\" stroke=\"#b6bfc9\"/>",
        top + 6.0,
        WIDE.width - 24.0
    );
    let mut y = top + LINE;
    for ring in &radius.rings {
        for (x, cell) in columns.into_iter().zip(cells(ring, tiers)) {
            label(svg, x, y, &cell);
        }
        y += LINE;
    }
    if radius.rings.is_empty() {
        label(svg, 24.0, y, "No ring was scanned.");
        y += LINE;
    }
    y - LINE
}

fn cells(ring: &RingResult, tiers: bool) -> [String; 4] {
    let name = if tiers {
        ring.ring.get().to_string()
    } else {
        format!("{}  ({}–{} km)", ring.ring.get(), ring.from_km, ring.to_km)
    };
    let score = ring.score.map_or_else(
        || "–".to_owned(),
        |score| {
            with(
                &format!("{:.0}", score.get()),
                ring.score_interval.as_ref(),
                |value| format!("{value:.0}"),
            )
        },
    );
    let cited = ring.cited_rate.filter(|rate| rate.is_finite()).map_or_else(
        || "–".to_owned(),
        |rate| {
            with(
                &format!("{} %", percent(rate)),
                ring.cited_rate_interval.as_ref(),
                percent,
            )
        },
    );
    let answers = match ring.status {
        RingStatus::Complete => ring.answers.to_string(),
        RingStatus::Partial => format!("{}, some are missing", ring.answers),
        RingStatus::Empty => "no town in this ring".to_owned(),
        RingStatus::Failed => "none arrived".to_owned(),
    };
    [name, cited, score, answers]
}

fn with(value: &str, interval: Option<&Interval>, write: impl Fn(f64) -> String) -> String {
    let known = interval.filter(|interval| interval.low.is_finite() && interval.high.is_finite());
    known.map_or_else(
        || value.to_owned(),
        |interval| format!("{value}  ({}–{})", write(interval.low), write(interval.high)),
    )
}

fn percent(rate: f64) -> String {
    format!("{:.0}", rate * 100.0)
}

fn label(svg: &mut String, x: f64, y: f64, words: &str) {
    label_at(svg, x, y, "start", words);
}

fn label_at(svg: &mut String, x: f64, y: f64, align: &str, words: &str) {
    let _ = write!(
        svg,
        "<text class=\"rm-ink\" x=\"{x:.0}\" y=\"{y:.0}\" font-size=\"12\" text-anchor=\"{align}\" fill=\"#1b2430\">{}</text>",
        text(words)
    );
}

fn dot(svg: &mut String, x: f64, y: f64, r: f64, dash: &str) {
    let _ = write!(
        svg,
        "<circle class=\"rm-dot rm-none\" cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{r}\" fill=\"#ffffff\" stroke=\"#1b2430\"{dash}/>"
    );
}
