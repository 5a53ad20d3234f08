//! The radius map: the markets of a scan around their anchor, north up.
//!
//! Distance from the centre is the square root of the distance in kilometres, so that the home ring keeps room for
//! its towns. Colour shows the cited rate, which determines the radius, in steps that differ in lightness, and the
//! rate is printed next to the name. The size of a dot shows the number of its answers. No outline joins the dots:
//! three markets in a ring are too few for one. Behind them are land and water.
//!
//! Two forms: fragments for a page whose policy forbids inline styles ([`radius_maps`], coloured by attributes that
//! the page's style sheet may override), one for telephones and one for wider screens, and a document of its own
//! ([`radius_map_document`]). The map runs no script, loads no file and escapes every name.

mod frame;
mod label;
mod land;
mod legend;
mod plot;
mod xml;

#[cfg(test)]
mod tests;

use frame::{NARROW, WIDE};
use ibid_model::result::{LocationReport, RadiusReport, RadiusScope};
use land::Centre;
use plot::Plot;
use std::fmt::Write as _;
use xml::text;

/// Style rules for the classes of the map, light and dark, as custom properties with a value each.
///
/// A page that shows the fragment puts these rules into its style sheet; without them the map keeps its light
/// colours. The document carries them itself.
pub const RADIUS_MAP_CSS: &str = include_str!("map.css");

/// The attribution that the licences of the place data require.
const CREDIT: &str =
    "Place data: GeoNames (www.geonames.org), CC BY 4.0, modified. Names: Unicode CLDR. Land: Natural Earth.";

/// The parts of a drawing that are not in its numbers.
struct Drawing<'a> {
    /// The name of the place at the centre.
    anchor: &'a str,
    /// The centre; `None` draws no land.
    centre: Option<Centre>,
    /// The path of the page with all answers, which dots lead to; `None` for a drawing without links.
    answers: Option<&'a str>,
}

impl<'a> Drawing<'a> {
    fn of(location: Option<&'a LocationReport>, radius: &RadiusReport, answers: Option<&'a str>) -> Self {
        // The home market lies at the centre; without one the place itself does.
        let markets = radius.rings.iter().flat_map(|ring| &ring.markets);
        let home = markets
            .into_iter()
            .find(|market| market.distance_km.is_some_and(|km| km <= 0.0));
        let home = home.map(|market| (market.lat, market.lon));
        let place = location.and_then(|location| location.resolved.lat.zip(location.resolved.lon));
        Self {
            anchor: location.map_or("", |location| location.resolved.name.as_str()),
            centre: home.or(place).map(|(lat, lon)| Centre { lat, lon }),
            answers,
        }
    }
}

/// Draws the radius map of a result as two SVG elements for a page, for narrow and for wide screens: the disc without title
/// and table, which the page has.
///
/// There is no `style` in them, so they keep to a policy without inline styles; [`RADIUS_MAP_CSS`] gives them dark colours
/// where the page wants them. Dots lead to their answers on the page `answers`.
pub(crate) fn radius_maps(
    location: Option<&LocationReport>,
    radius: &RadiusReport,
    answers: Option<&str>,
) -> [String; 2] {
    let drawing = Drawing::of(location, radius, answers);
    [NARROW, WIDE].map(|frame| {
        let plot = Plot::of(&frame, radius);
        let (top, width) = (frame.top, frame.width);
        let height = frame.bottom() + 12.0 - top;
        let class = if frame == NARROW { " radius-map-narrow" } else { "" };
        // An image has no links for assistive technology, a group has.
        let role = if answers.is_some() { "group" } else { "img" };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"radius-map{class}\" viewBox=\"0 {top} {width} {height:.0}\" \
             role=\"{role}\" font-size=\"13\">"
        );
        head(&mut svg, &title(drawing.anchor, radius), radius, frame.suffix);
        plot.draw(&mut svg, &drawing);
        svg.push_str("</svg>");
        svg
    })
}

/// Draws the radius map of a result as a document of its own, to save as a file: it follows the reader's light or
/// dark preference.
pub fn radius_map_document(location: Option<&LocationReport>, radius: &RadiusReport) -> String {
    let drawing = Drawing::of(location, radius, None);
    let plot = Plot::of(&WIDE, radius);
    let mut body = String::new();
    plot.draw(&mut body, &drawing);
    let bottom = legend::draw(&mut body, WIDE.bottom() + 28.0, radius);
    let (width, height) = (WIDE.width, bottom + 44.0);
    let mut svg = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" class=\"radius-map\" viewBox=\"0 0 {width} {height:.0}\" \
         width=\"{width}\" height=\"{height:.0}\" role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', \
         sans-serif\" font-size=\"13\">"
    );
    let title = title(drawing.anchor, radius);
    head(&mut svg, &title, radius, WIDE.suffix);
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<style>{RADIUS_MAP_CSS}</style>\
         <rect class=\"rm-paper\" width=\"{width}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\
         <text class=\"rm-ink\" x=\"{x}\" y=\"34\" font-size=\"18\" font-weight=\"600\" text-anchor=\"middle\" \
         fill=\"#1b2430\">{}</text>",
        text(&title),
        x = width / 2.0,
    );
    svg.push_str(&body);
    let _ = writeln!(
        svg,
        "<text class=\"rm-faint\" x=\"24\" y=\"{y:.0}\" font-size=\"11\" fill=\"#5b6672\">{}</text></svg>",
        text(CREDIT),
        y = height - 14.0,
    );
    svg
}

/// Writes the parts that are read and not seen, and the pattern of empty rings.
fn head(svg: &mut String, title: &str, radius: &RadiusReport, suffix: &str) {
    let _ = write!(
        svg,
        "<title>{}</title><desc>{}</desc>\
         <defs><pattern id=\"radius-map-hatch{suffix}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><line class=\"rm-hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"8\" \
         stroke=\"#9aa3ad\" stroke-width=\"2\"/></pattern></defs>",
        text(title),
        text(&description(radius))
    );
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
        let cited = ring
            .cited_rate
            .filter(|rate| rate.is_finite())
            .map_or_else(String::new, |rate| format!(", cited in {:.0} %", rate * 100.0));
        format!(
            "Ring {}: {} markets, {} answers{cited}.",
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
