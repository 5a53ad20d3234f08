//! The disc: rings, radius, dots, names.

use super::label::{Space, place, shortened, width};
use super::xml::text;
use super::{WIDTH, short};
use ibid_model::Score;
use ibid_model::result::{MapPoint, RadiusReport, RadiusScope, RingStatus};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// The centre and the reach of the disc.
const CENTRE_X: f64 = WIDTH / 2.0;
const CENTRE_Y: f64 = 372.0;
const REACH: f64 = 300.0;
/// Radius of the smallest and of the largest dot.
const DOT: (f64, f64) = (5.0, 13.0);
/// Longest name written beside a dot.
const NAME: usize = 26;

/// Dots by score, from low to high: class and colour. Cividis: its lightness rises evenly, so that the order is
/// plain to every kind of colour vision and in print.
pub(super) const STEPS: [(&str, &str); 5] = [
    ("rm-s0", "#fee838"),
    ("rm-s1", "#bcae6c"),
    ("rm-s2", "#7d7c78"),
    ("rm-s3", "#434e6c"),
    ("rm-s4", "#00224e"),
];

/// The scale of a map.
pub(super) struct Plot {
    /// Distance at the rim.
    rim_km: f64,
    /// Highest number of answers of one market.
    most: u32,
}

impl Plot {
    pub(super) fn of(radius: &RadiusReport) -> Self {
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
            rim_km: if rim_km > 0.0 { rim_km } else { 25.0 },
            most: points.map(|point| point.answers).max().unwrap_or(0),
        }
    }

    /// Returns the lower end of the disc.
    pub(super) const fn bottom(&self) -> f64 {
        CENTRE_Y + REACH
    }

    /// Returns the distance on the drawing: the square root of the share of the rim.
    fn radius(&self, km: f64) -> f64 {
        REACH * (km.max(0.0) / self.rim_km).sqrt().min(1.0)
    }

    fn at(&self, point: &MapPoint) -> (f64, f64) {
        let angle = point.bearing_deg / 360.0 * TAU;
        let r = self.radius(point.distance_km);
        (CENTRE_X + r * angle.sin(), CENTRE_Y - r * angle.cos())
    }

    fn dot(&self, answers: u32) -> f64 {
        if self.most == 0 {
            return DOT.0;
        }
        // The area of a dot, not its width, represents the number of answers.
        DOT.0 + (DOT.1 - DOT.0) * (f64::from(answers) / f64::from(self.most)).sqrt()
    }

    pub(super) fn draw(&self, svg: &mut String, anchor: &str, radius: &RadiusReport) {
        let mut taken = Vec::new();
        if radius.scope == Some(RadiusScope::Country) {
            self.circles(svg, &mut taken);
        } else {
            self.rings(svg, radius, &mut taken);
            self.reach(svg, radius);
        }
        north(svg);
        self.points(svg, anchor, radius, taken);
    }

    fn rings(&self, svg: &mut String, radius: &RadiusReport, taken: &mut Vec<Space>) {
        for (index, ring) in radius.rings.iter().enumerate() {
            let (inner, outer) = (
                self.radius(f64::from(ring.from_km)),
                self.radius(f64::from(ring.to_km)),
            );
            let (class, fill) = match ring.status {
                RingStatus::Empty => ("rm-empty", "url(#radius-map-hatch)"),
                RingStatus::Complete | RingStatus::Partial | RingStatus::Failed if index % 2 == 0 => {
                    ("rm-land", "#f1f4f7")
                }
                RingStatus::Complete | RingStatus::Partial | RingStatus::Failed => ("rm-land-2", "#e6ebf0"),
            };
            let _ = write!(
                svg,
                "<path class=\"{class}\" fill=\"{fill}\" fill-rule=\"evenodd\" d=\"{}{}\"/>",
                circle(outer),
                circle(inner)
            );
        }
        for ring in &radius.rings {
            for km in [ring.from_km, ring.to_km].into_iter().filter(|km| *km > 0) {
                self.edge(svg, f64::from(km));
            }
        }
        for ring in &radius.rings {
            self.edge_label(svg, f64::from(ring.to_km), taken);
        }
    }

    /// Draws circles of distance, where rings are not distances.
    fn circles(&self, svg: &mut String, taken: &mut Vec<Space>) {
        let _ = write!(
            svg,
            "<path class=\"rm-land\" fill=\"#f1f4f7\" d=\"{}\"/>",
            circle(REACH)
        );
        for part in [0.1, 0.4] {
            let km = round_km(self.rim_km * part);
            self.edge(svg, km);
            self.edge_label(svg, km, taken);
        }
    }

    fn edge(&self, svg: &mut String, km: f64) {
        let _ = write!(
            svg,
            "<circle class=\"rm-edge\" cx=\"{CENTRE_X}\" cy=\"{CENTRE_Y}\" r=\"{:.1}\" fill=\"none\" stroke=\"#b6bfc9\"/>",
            self.radius(km)
        );
    }

    fn edge_label(&self, svg: &mut String, km: f64, taken: &mut Vec<Space>) {
        let y = CENTRE_Y - self.radius(km);
        taken.push(Space {
            left: CENTRE_X - 24.0,
            top: y - 7.0,
            right: CENTRE_X + 24.0,
            bottom: y + 7.0,
        });
        let _ = write!(
            svg,
            "<text class=\"rm-faint rm-halo\" x=\"{CENTRE_X}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\" \
             fill=\"#5b6672\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">{} km</text>",
            y + 4.0,
            short(km)
        );
    }

    /// Draws the citation radius with its band of uncertainty.
    fn reach(&self, svg: &mut String, radius: &RadiusReport) {
        if let Some([low, high]) = radius
            .radius_range_km
            .filter(|range| range.iter().all(|km| km.is_finite()))
        {
            let _ = write!(
                svg,
                "<path class=\"rm-range\" fill=\"#b5372a\" fill-opacity=\"0.13\" fill-rule=\"evenodd\" d=\"{}{}\"/>",
                circle(self.radius(high)),
                circle(self.radius(low))
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
                "<circle class=\"rm-reach\" cx=\"{CENTRE_X}\" cy=\"{CENTRE_Y}\" r=\"{:.1}\" fill=\"none\" \
                 stroke=\"#b5372a\" stroke-width=\"2.5\"{dash}/>",
                self.radius(km)
            );
        }
    }

    fn points(&self, svg: &mut String, anchor: &str, radius: &RadiusReport, mut taken: Vec<Space>) {
        let points: Vec<&MapPoint> = radius
            .map
            .iter()
            .flat_map(|map| &map.points)
            .filter(|point| is_drawable(point))
            .collect();
        taken.extend(points.iter().map(|point| {
            let (x, y) = self.at(point);
            Space::of_dot(x, y, self.dot(point.answers))
        }));
        if !points.iter().any(|point| point.distance_km <= 0.0) {
            self.cross(svg, anchor, &mut taken);
        }
        // Small dots are drawn last, so that no large dot covers them.
        let mut order = points;
        order.sort_by_key(|point| std::cmp::Reverse(point.answers));
        for point in &order {
            self.mark(svg, point);
        }
        for point in &order {
            let (x, y) = self.at(point);
            self.name(svg, (x, y), self.dot(point.answers), &caption(point), &mut taken);
        }
    }

    fn mark(&self, svg: &mut String, point: &MapPoint) {
        let (x, y) = self.at(point);
        let r = self.dot(point.answers);
        let (class, fill, dash) = match point.score {
            Some(score) => {
                let (class, fill) = step(score);
                (class, fill, "")
            }
            None => ("rm-none", "#ffffff", " stroke-dasharray=\"3 2\""),
        };
        let tip = format!(
            "{}: {}, {} km, {} answers",
            point.name,
            point
                .score
                .map_or_else(|| "no score".to_owned(), |score| format!("score {score}")),
            short(point.distance_km),
            point.answers
        );
        let _ = write!(
            svg,
            "<circle class=\"rm-dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"{fill}\" \
             stroke=\"#1b2430\"{dash}><title>{}</title></circle>",
            text(&tip)
        );
    }

    /// Draws the centre where it is not a market.
    fn cross(&self, svg: &mut String, anchor: &str, taken: &mut Vec<Space>) {
        let _ = write!(
            svg,
            "<path class=\"rm-dot\" d=\"M{x} {top}V{bottom}M{left} {y}H{right}\" stroke=\"#1b2430\" stroke-width=\"1.5\"/>",
            x = CENTRE_X,
            y = CENTRE_Y,
            top = CENTRE_Y - 6.0,
            bottom = CENTRE_Y + 6.0,
            left = CENTRE_X - 6.0,
            right = CENTRE_X + 6.0,
        );
        taken.push(Space::of_dot(CENTRE_X, CENTRE_Y, 6.0));
        self.name(svg, (CENTRE_X, CENTRE_Y), 6.0, &shortened(anchor, NAME), taken);
    }

    fn name(&self, svg: &mut String, (x, y): (f64, f64), r: f64, caption: &str, taken: &mut Vec<Space>) {
        if caption.is_empty() {
            return;
        }
        let page = Space {
            left: 6.0,
            top: 44.0,
            right: WIDTH - 6.0,
            bottom: self.bottom() + 16.0,
        };
        let spot = place(x, y, r, width(caption), page, taken);
        taken.push(spot.space);
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
}

/// Draws the name and the score, so that colour is not the only sign of the score.
fn caption(point: &MapPoint) -> String {
    let name = shortened(&point.name, NAME);
    point
        .score
        .map_or_else(|| name.clone(), |score| format!("{name} {:.0}", score.get()))
}

/// Returns the colour of a score.
fn step(score: Score) -> (&'static str, &'static str) {
    let upper = [20.0, 40.0, 60.0, 80.0];
    let index = upper.iter().filter(|bound| score.get() >= **bound).count();
    STEPS.get(index).copied().unwrap_or(("rm-none", "#ffffff"))
}

fn is_drawable(point: &MapPoint) -> bool {
    point.distance_km.is_finite() && point.distance_km >= 0.0 && point.bearing_deg.is_finite()
}

fn north(svg: &mut String) {
    let top = CENTRE_Y - REACH;
    let _ = write!(
        svg,
        "<path class=\"rm-ink\" fill=\"#1b2430\" d=\"M{CENTRE_X} {:.0}l5 9h-10z\"/><text class=\"rm-ink\" x=\"{:.0}\" \
         y=\"{:.0}\" font-size=\"12\" font-weight=\"600\" fill=\"#1b2430\">N</text>",
        top - 17.0,
        CENTRE_X + 9.0,
        top - 8.0
    );
}

/// Returns a circle around the centre as a part of a path.
fn circle(r: f64) -> String {
    format!(
        "M{:.1} {CENTRE_Y}a{r:.1} {r:.1} 0 1 0 {d:.1} 0a{r:.1} {r:.1} 0 1 0 -{d:.1} 0z",
        CENTRE_X - r,
        d = 2.0 * r
    )
}

fn round_km(km: f64) -> f64 {
    if km < 1.0 {
        return 1.0;
    }
    let unit = 10_f64.powf(km.log10().floor());
    (km / unit).round() * unit
}
