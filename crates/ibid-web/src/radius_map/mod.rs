//! The radius map: the markets of a scan around their anchor, north up.
//!
//! Distance from the centre is the square root of the distance in kilometres, so that the home ring keeps room for
//! its towns. Colour shows the score, in steps that differ in lightness, and the score is printed beside the name. The
//! size of a dot shows the number of its answers. No outline joins the dots: three markets in a ring are too few for one.
//!
//! Two forms: a fragment for a page whose policy forbids inline styles ([`radius_map`], coloured by attributes that
//! the page's style sheet may override), and a document of its own ([`radius_map_document`]). The map runs no script,
//! loads nothing and escapes every name.

mod label;
mod legend;
mod plot;
mod xml;

#[cfg(test)]
mod tests;

use ibid_model::result::{RadiusReport, RadiusScope};
use plot::Plot;
use std::fmt::Write as _;
use xml::text;

/// Width of the drawing, in its own units.
const WIDTH: f64 = 760.0;

/// Style rules for the classes of the map, light and dark, as custom properties with a value each.
///
/// A page that shows the fragment puts these rules into its style sheet; without them the map keeps its light
/// colours. The document carries them itself.
pub const RADIUS_MAP_CSS: &str = include_str!("map.css");

/// The attribution that the licences of the place data require.
const CREDIT: &str = "Place data: GeoNames (www.geonames.org), CC BY 4.0, modified. Names: Unicode CLDR.";

/// Draws the radius map of a result as an SVG element for a page.
///
/// `anchor` is the name of the place at the centre. There is no `style` in it, so it keeps to a policy without
/// inline styles; [`RADIUS_MAP_CSS`] adds the dark colours.
#[must_use]
pub fn radius_map(anchor: &str, radius: &RadiusReport) -> String {
    draw(anchor, radius, "")
}

/// Draws the radius map of a result as a document of its own, to save as a file: it follows the reader's light or
/// dark preference.
#[must_use]
pub fn radius_map_document(anchor: &str, radius: &RadiusReport) -> String {
    let style = format!("<style>{RADIUS_MAP_CSS}</style>");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n",
        draw(anchor, radius, &style)
    )
}

fn draw(anchor: &str, radius: &RadiusReport, style: &str) -> String {
    let plot = Plot::of(radius);
    let mut body = String::new();
    plot.draw(&mut body, anchor, radius);
    let bottom = legend::draw(&mut body, plot.bottom() + 28.0, radius);
    let height = bottom + 44.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"radius-map\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         width=\"{WIDTH}\" height=\"{height:.0}\" role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', \
         sans-serif\" font-size=\"13\">"
    );
    let title = title(anchor, radius);
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<title>{}</title><desc>{}</desc>{style}",
        text(&title),
        text(&description(radius))
    );
    svg.push_str(
        "<defs><pattern id=\"radius-map-hatch\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><line class=\"rm-hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"8\" \
         stroke=\"#9aa3ad\" stroke-width=\"2\"/></pattern></defs>",
    );
    let _ = write!(
        svg,
        "<rect class=\"rm-paper\" width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"#ffffff\"/>"
    );
    let _ = write!(
        svg,
        "<text class=\"rm-ink\" x=\"{x}\" y=\"34\" font-size=\"18\" font-weight=\"600\" text-anchor=\"middle\" \
         fill=\"#1b2430\">{}</text>",
        text(&title),
        x = WIDTH / 2.0,
    );
    svg.push_str(&body);
    let _ = write!(
        svg,
        "<text class=\"rm-faint\" x=\"24\" y=\"{y:.0}\" font-size=\"11\" fill=\"#5b6672\">{}</text></svg>",
        text(CREDIT),
        y = height - 14.0,
    );
    svg
}

/// Returns the headline: the radius and its precision.
fn title(anchor: &str, radius: &RadiusReport) -> String {
    let anchor = label::shortened(anchor, 28);
    let around = if anchor.is_empty() {
        String::new()
    } else {
        format!(" around {anchor}")
    };
    if radius.scope == Some(RadiusScope::Country) {
        return format!(
            "Citations in {}",
            if anchor.is_empty() { "the country" } else { &anchor }
        );
    }
    let Some(km) = radius.citation_radius_km.filter(|km| km.is_finite()) else {
        return format!("Citation radius{around}: unknown");
    };
    let range = radius
        .radius_range_km
        .filter(|range| range.iter().all(|km| km.is_finite()));
    let range = range.map_or_else(String::new, |[low, high]| {
        format!(" (80 % range {} to {} km)", short(low), short(high))
    });
    let distance = if radius.censored {
        format!("at least {} km", short(km))
    } else if radius.at_most {
        format!("under {} km", short(km))
    } else {
        format!("{} km", short(km))
    };
    format!("Citation radius{around}: {distance}{range}")
}

/// Describes the drawing in words, for readers who cannot see it.
fn description(radius: &RadiusReport) -> String {
    let rings = radius.rings.iter().map(|ring| {
        let score = ring
            .score
            .map_or_else(|| "no score".to_owned(), |score| format!("score {score}"));
        format!(
            "Ring {}: {} markets, {} answers, {score}.",
            ring.ring.get(),
            ring.markets.len(),
            ring.answers
        )
    });
    let rings: Vec<String> = rings.collect();
    if rings.is_empty() {
        "No ring was scanned.".to_owned()
    } else {
        rings.join(" ")
    }
}

/// Formats a number with at most one decimal.
fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0")
        .map_or_else(|| text.clone(), str::to_owned)
}
