//! The disc: land, rings, radius, dots, names.

use super::frame::Frame;
use super::label::{Space, place, shortened, width};
use super::xml::text;
use super::{Drawing, land, short};
use crate::pages::town_answers;
use ibid_model::Ring;
use ibid_model::result::{MapPoint, RadiusReport, RadiusScope, RingStatus};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Dots by cited rate, from low to high: class and colour. Cividis: its lightness rises evenly, so that the order is
/// plain to every kind of colour vision and in print.
pub(super) const STEPS: [(&str, &str); 5] = [
    ("rm-s0", "#fee838"),
    ("rm-s1", "#bcae6c"),
    ("rm-s2", "#7d7c78"),
    ("rm-s3", "#434e6c"),
    ("rm-s4", "#00224e"),
];

/// A town to draw.
struct Dot<'a> {
    name: &'a str,
    ring: Ring,
    distance_km: f64,
    /// Citing answers over answers, 0..1; `None` without answers.
    cited: Option<f64>,
    answers: u32,
    x: f64,
    y: f64,
    r: f64,
}

pub(super) struct Plot<'a> {
    frame: &'a Frame,
    radius: &'a RadiusReport,
    /// Distance at the rim.
    rim_km: f64,
    /// Most answers that a market has.
    most: u32,
}

impl<'a> Plot<'a> {
    pub(super) fn of(frame: &'a Frame, radius: &'a RadiusReport) -> Self {
        let points = radius.map.iter().flat_map(|map| &map.points);
        let farthest = points
            .clone()
            .filter(|point| is_drawable(point))
            .map(|point| point.distance_km)
            .fold(0.0, f64::max);
        let edge = radius
            .rings
            .iter()
            .map(|ring| f64::from(ring.to_km))
            .fold(0.0, f64::max);
        let by_distance = radius.scope != Some(RadiusScope::Country);
        let rim_km = if by_distance {
            edge.max(farthest)
        } else {
            farthest * 1.05
        };
        Self {
            frame,
            radius,
            rim_km: if rim_km > 0.0 { rim_km } else { 25.0 },
            most: points.map(|point| point.answers).max().unwrap_or(0),
        }
    }

    /// Returns the distance on the drawing: the square root of the share up to the rim.
    fn radius(&self, km: f64) -> f64 {
        self.frame.reach * (km.max(0.0) / self.rim_km).sqrt().min(1.0)
    }

    /// The towns, larger dots first, so that no large dot covers a small one.
    fn dots(&self) -> Vec<Dot<'a>> {
        let points = self.radius.map.iter().flat_map(|map| &map.points);
        let drawable = points.filter(|point| is_drawable(point));
        let mut dots: Vec<Dot<'a>> = drawable
            .map(|point| {
                let angle = point.bearing_deg / 360.0 * TAU;
                let r = self.radius(point.distance_km);
                Dot {
                    name: &point.name,
                    ring: point.ring,
                    distance_km: point.distance_km,
                    cited: self.cited(point),
                    answers: point.answers,
                    x: self.frame.centre_x + r * angle.sin(),
                    y: self.frame.centre_y - r * angle.cos(),
                    r: self.size(point.answers),
                }
            })
            .collect();
        dots.sort_by_key(|dot| std::cmp::Reverse(dot.answers));
        dots
    }

    /// The rate to expect in a town, or its cited rate. Points of older results have neither, their markets do.
    fn cited(&self, point: &MapPoint) -> Option<f64> {
        let of_market = || {
            let ring = self.radius.rings.iter().find(|ring| ring.ring == point.ring)?;
            let market = ring.markets.iter().find(|market| market.name == point.name)?;
            market.cited_rate
        };
        point
            .expected_rate
            .or(point.cited_rate)
            .or_else(of_market)
            .filter(|rate| rate.is_finite())
    }

    fn size(&self, answers: u32) -> f64 {
        let (smallest, largest) = self.frame.dot;
        if self.most == 0 {
            return smallest;
        }
        // A dot's area, not its width, represents the number of answers.
        smallest + (largest - smallest) * (f64::from(answers) / f64::from(self.most)).sqrt()
    }

    pub(super) fn draw(&self, svg: &mut String, drawing: &Drawing<'_>) {
        let mut taken = Vec::new();
        self.ground(svg, drawing);
        if self.radius.scope == Some(RadiusScope::Country) {
            if self.radius.map.is_some() {
                self.circles(svg, &mut taken);
            }
        } else {
            self.rings(svg, &mut taken);
            self.reach(svg);
        }
        self.north(svg);
        self.points(svg, drawing, taken);
    }

    /// Draws water and land, or one ground for both where the centre is unknown.
    fn ground(&self, svg: &mut String, drawing: &Drawing<'_>) {
        let disc = self.circle(self.frame.reach);
        let path = drawing
            .centre
            .and_then(|centre| land::path(centre, self.frame, self.rim_km));
        let Some(path) = path else {
            let _ = write!(svg, "<path class=\"rm-land\" fill=\"#f1efe8\" d=\"{disc}\"/>");
            return;
        };
        let suffix = self.frame.suffix;
        let _ = write!(
            svg,
            "<clipPath id=\"radius-map-disc{suffix}\"><path d=\"{disc}\"/></clipPath>\
             <path class=\"rm-water\" fill=\"#dce8ef\" d=\"{disc}\"/>\
             <g clip-path=\"url(#radius-map-disc{suffix})\"><path class=\"rm-land\" fill=\"#f1efe8\" \
             fill-rule=\"evenodd\" transform=\"scale(.5)\" d=\"{path}\"/></g>"
        );
    }

    fn rings(&self, svg: &mut String, taken: &mut Vec<Space>) {
        let rings = &self.radius.rings;
        for ring in rings.iter().filter(|ring| ring.status == RingStatus::Empty) {
            let (inner, outer) = (
                self.radius(f64::from(ring.from_km)),
                self.radius(f64::from(ring.to_km)),
            );
            let _ = write!(
                svg,
                "<path class=\"rm-empty\" fill=\"url(#radius-map-hatch{})\" fill-rule=\"evenodd\" d=\"{}{}\"/>",
                self.frame.suffix,
                self.circle(outer),
                self.circle(inner)
            );
        }
        for ring in rings {
            for km in [ring.from_km, ring.to_km].into_iter().filter(|km| *km > 0) {
                self.edge(svg, f64::from(km));
            }
        }
        for ring in rings {
            self.edge_label(svg, f64::from(ring.to_km), taken);
        }
    }

    /// Draws circles of distance, where rings are not distances.
    fn circles(&self, svg: &mut String, taken: &mut Vec<Space>) {
        for part in [0.1, 0.4] {
            let km = round_km(self.rim_km * part);
            self.edge(svg, km);
            self.edge_label(svg, km, taken);
        }
    }

    fn edge(&self, svg: &mut String, km: f64) {
        let _ = write!(
            svg,
            "<circle class=\"rm-edge\" cx=\"{}\" cy=\"{}\" r=\"{:.1}\" fill=\"none\" stroke=\"#9aa6b2\"/>",
            self.frame.centre_x,
            self.frame.centre_y,
            self.radius(km)
        );
    }

    fn edge_label(&self, svg: &mut String, km: f64, taken: &mut Vec<Space>) {
        let (x, y) = (self.frame.centre_x, self.frame.centre_y - self.radius(km));
        taken.push(Space {
            left: x - 24.0,
            top: y - 7.0,
            right: x + 24.0,
            bottom: y + 7.0,
        });
        let _ = write!(
            svg,
            "<text class=\"rm-faint rm-halo\" x=\"{x}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\" \
             fill=\"#5b6672\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">{} km</text>",
            y + 4.0,
            short(km)
        );
    }

    /// Draws the citation radius with its band of uncertainty.
    fn reach(&self, svg: &mut String) {
        let radius = self.radius;
        if let Some([low, high]) = radius
            .radius_range_km
            .filter(|range| range.iter().all(|km| km.is_finite()))
        {
            let _ = write!(
                svg,
                "<path class=\"rm-range\" fill=\"#b5372a\" fill-opacity=\"0.13\" fill-rule=\"evenodd\" d=\"{}{}\"/>",
                self.circle(self.radius(high)),
                self.circle(self.radius(low))
            );
        }
        if let Some(km) = radius.citation_radius_km.filter(|km| *km > 0.0 && km.is_finite()) {
            let dash = if radius.censored {
                " stroke-dasharray=\"9 6\""
            } else {
                ""
            };
            let _ = write!(
                svg,
                "<circle class=\"rm-reach\" cx=\"{}\" cy=\"{}\" r=\"{:.1}\" fill=\"none\" \
                 stroke=\"#b5372a\" stroke-width=\"2.5\"{dash}/>",
                self.frame.centre_x,
                self.frame.centre_y,
                self.radius(km)
            );
        }
    }

    fn points(&self, svg: &mut String, drawing: &Drawing<'_>, mut taken: Vec<Space>) {
        let dots = self.dots();
        taken.extend(dots.iter().map(|dot| Space::of_dot(dot.x, dot.y, dot.r)));
        if !dots.iter().any(|dot| dot.distance_km <= 0.0) {
            self.cross(svg, drawing.anchor, &mut taken);
        }
        // Dots come before names, so that no dot covers a name.
        let mut names = String::new();
        for dot in &dots {
            let link = drawing
                .answers
                .map(|answers| town_answers(answers, dot.ring, dot.name));
            let open = link
                .as_ref()
                .map_or_else(String::new, |href| format!("<a href=\"{}\">", text(href)));
            let close = if link.is_some() { "</a>" } else { "" };
            svg.push_str(&open);
            mark(svg, dot);
            svg.push_str(close);
            names.push_str(&open);
            self.name(&mut names, (dot.x, dot.y), dot.r, &self.caption(dot), &mut taken);
            names.push_str(close);
        }
        svg.push_str(&names);
    }

    /// Draws the centre where it is not a market.
    fn cross(&self, svg: &mut String, anchor: &str, taken: &mut Vec<Space>) {
        let (x, y) = (self.frame.centre_x, self.frame.centre_y);
        let _ = write!(
            svg,
            "<path class=\"rm-dot\" d=\"M{x} {top}V{bottom}M{left} {y}H{right}\" stroke=\"#1b2430\" stroke-width=\"1.5\"/>",
            top = y - 6.0,
            bottom = y + 6.0,
            left = x - 6.0,
            right = x + 6.0,
        );
        taken.push(Space::of_dot(x, y, 6.0));
        self.name(svg, (x, y), 6.0, &shortened(anchor, self.frame.name), taken);
    }

    fn name(&self, svg: &mut String, (x, y): (f64, f64), r: f64, caption: &str, taken: &mut Vec<Space>) {
        if caption.is_empty() {
            return;
        }
        let page = Space {
            left: 6.0,
            top: self.frame.top,
            right: self.frame.width - 6.0,
            bottom: self.frame.bottom() + 16.0,
        };
        let spot = place(x, y, r, width(caption), page, taken);
        taken.push(spot.space);
        if spot.far {
            let (to_x, to_y) = spot.space.nearest(x, y);
            let _ = write!(
                svg,
                "<path class=\"rm-edge\" d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\" stroke=\"#5b6672\" stroke-width=\"0.8\"/>"
            );
        }
        let _ = write!(
            svg,
            "<text class=\"rm-ink rm-halo\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"{}\" fill=\"#1b2430\" \
             stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">{}</text>",
            spot.x,
            spot.y,
            spot.align,
            text(caption)
        );
    }

    /// The name and the rate, so that colour is not the only sign of the rate.
    fn caption(&self, dot: &Dot<'_>) -> String {
        let name = shortened(dot.name, self.frame.name);
        match dot.cited {
            Some(rate) => format!("{name} {} %", percent(rate)),
            None => name,
        }
    }

    fn north(&self, svg: &mut String) {
        let (x, top) = (self.frame.centre_x, self.frame.centre_y - self.frame.reach);
        let _ = write!(
            svg,
            "<path class=\"rm-ink\" fill=\"#1b2430\" d=\"M{x} {:.0}l5 9h-10z\"/><text class=\"rm-ink\" x=\"{:.0}\" \
             y=\"{:.0}\" font-size=\"12\" font-weight=\"600\" fill=\"#1b2430\">N</text>",
            top - 17.0,
            x + 9.0,
            top - 8.0
        );
    }

    /// Returns a circle around the centre as a part of a path.
    fn circle(&self, r: f64) -> String {
        format!(
            "M{:.1} {}a{r:.1} {r:.1} 0 1 0 {d:.1} 0a{r:.1} {r:.1} 0 1 0 -{d:.1} 0z",
            self.frame.centre_x - r,
            self.frame.centre_y,
            d = 2.0 * r
        )
    }
}

fn mark(svg: &mut String, dot: &Dot<'_>) {
    let (class, fill, dash) = match dot.cited {
        Some(rate) => {
            let (class, fill) = step(rate);
            (class, fill, "")
        }
        None => ("rm-none", "#ffffff", " stroke-dasharray=\"3 2\""),
    };
    let cited = match dot.cited {
        Some(rate) => format!("cited in {} % of {} answers", percent(rate), dot.answers),
        None => "no answer".to_owned(),
    };
    let tip = format!("{}: {cited}, {} km", dot.name, short(dot.distance_km));
    let _ = write!(
        svg,
        "<circle class=\"rm-dot {class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"{fill}\" \
         stroke=\"#1b2430\"{dash}><title>{}</title></circle>",
        dot.x,
        dot.y,
        dot.r,
        text(&tip)
    );
}

fn step(rate: f64) -> (&'static str, &'static str) {
    let upper = [0.2, 0.4, 0.6, 0.8];
    let index = upper.iter().filter(|bound| rate >= **bound).count();
    STEPS.get(index).copied().unwrap_or(("rm-none", "#ffffff"))
}

/// A rate in whole per cent.
fn percent(rate: f64) -> String {
    format!("{:.0}", (rate * 100.0).clamp(0.0, 100.0))
}

fn is_drawable(point: &MapPoint) -> bool {
    point.distance_km.is_finite() && point.distance_km >= 0.0 && point.bearing_deg.is_finite()
}

fn round_km(km: f64) -> f64 {
    if km < 1.0 {
        return 1.0;
    }
    let unit = 10_f64.powf(km.log10().floor());
    (km / unit).round() * unit
}
