//! The land around the centre, from Natural Earth at 1:10 million (public domain).
//!
//! `build-data/land.py` describes the file. The coast is good to about a kilometre: it shows which side the sea is on and
//! does not bear measuring.
//! The data is part of the program: tiles from a map service would make every report send requests to another host.

use super::frame::Frame;
use std::fmt::Write as _;
use std::sync::LazyLock;

static LAND: &[u8] = include_bytes!("../../data/land.bin");

/// Side of a tile in degrees, and tiles in a row; a column has half as many.
const TILE: f64 = 4.0;
const COLUMNS: usize = 90;
/// Coordinates are thousandths of a degree.
const UNIT: f64 = 1_000.0;
/// Beyond this distance no land is drawn: the map would show most of the world.
const FARTHEST_KM: f64 = 2_500.0;
/// Points closer than this in the drawing are one.
const NEAR: f64 = 1.2;
/// A line may bend this much in the drawing before it is drawn as two.
const BEND: f64 = 0.7;
/// Mean radius of the earth in kilometres.
const EARTH_KM: f64 = 6_371.008_8;
const KM_A_DEGREE: f64 = 111.2;

/// Where each tile is in the file: how many polygons it has, and the byte where they begin.
static TILES: LazyLock<Vec<(usize, usize)>> = LazyLock::new(|| {
    let mut file = Numbers { bytes: LAND, at: 0 };
    let counts: Vec<usize> = (0..COLUMNS * COLUMNS / 2).map(|_| file.number()).collect();
    counts
        .into_iter()
        .map(|count| {
            let begin = file.at;
            for _ in 0..count {
                for _ in 0..2 * file.number() {
                    file.number();
                }
            }
            (count, begin)
        })
        .collect()
});

/// Numbers of the file, one after the other. Beyond its end they are zero.
struct Numbers {
    bytes: &'static [u8],
    at: usize,
}

impl Numbers {
    fn number(&mut self) -> usize {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let byte = self.bytes.get(self.at).copied().unwrap_or(0);
            self.at += 1;
            value |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 28 {
                return value;
            }
        }
    }

    fn signed(&mut self) -> i64 {
        let value = i64::try_from(self.number()).unwrap_or(0);
        (value >> 1) ^ -(value & 1)
    }
}

/// A point on earth, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Centre {
    pub(super) lat: f64,
    pub(super) lon: f64,
}

impl Centre {
    /// The distance in kilometres and the bearing in radians of another point.
    fn to(self, lat: f64, lon: f64) -> (f64, f64) {
        let (here, there) = (self.lat.to_radians(), lat.to_radians());
        let turn = (lon - self.lon).to_radians();
        let half =
            ((there - here) / 2.0).sin().powi(2) + here.cos() * there.cos() * (turn / 2.0).sin().powi(2);
        let km = 2.0 * EARTH_KM * half.sqrt().min(1.0).asin();
        let y = turn.sin() * there.cos();
        let x = here.cos() * there.sin() - here.sin() * there.cos() * turn.cos();
        (km, y.atan2(x))
    }
}

/// Draws land as the `d` of a path, with coordinates in half units. `None` if no land can be drawn.
pub(super) fn path(centre: Centre, frame: &Frame, rim_km: f64) -> Option<String> {
    let known = centre.lat.abs() <= 90.0 && centre.lon.abs() <= 180.0;
    if !known || !rim_km.is_finite() || rim_km > FARTHEST_KM {
        return None;
    }
    let view = View {
        centre,
        frame,
        rim_km,
    };
    let mut path = String::new();
    for (row, column) in view.tiles() {
        view.tile(row, column, &mut path);
    }
    Some(path)
}

/// The mapping from the earth to the drawing.
struct View<'a> {
    centre: Centre,
    frame: &'a Frame,
    rim_km: f64,
}

impl View<'_> {
    /// The tiles that may touch the disc.
    fn tiles(&self) -> impl Iterator<Item = (usize, usize)> {
        let reach = self.rim_km / KM_A_DEGREE;
        let (south, north) = (self.centre.lat - reach, self.centre.lat + reach);
        // A cap over a pole touches every meridian.
        let widest = south.abs().max(north.abs());
        let half = if widest >= 89.0 {
            180.0
        } else {
            (reach / widest.to_radians().cos()).min(180.0)
        };
        let index = |degrees: f64| (degrees / TILE).floor();
        let rows = index(south.max(-90.0) + 90.0)..=index((north + 90.0).min(179.9));
        let (rows, columns) = (*rows.start() as usize..=*rows.end() as usize, {
            let first = index(self.centre.lon - half + 180.0) as i64;
            let last = index(self.centre.lon + half + 180.0) as i64;
            first..=last.min(first + COLUMNS as i64 - 1)
        });
        rows.flat_map(move |row| {
            columns
                .clone()
                .map(move |column| (row, column.rem_euclid(COLUMNS as i64) as usize))
        })
    }

    fn tile(&self, row: usize, column: usize, path: &mut String) {
        let Some((count, begin)) = TILES.get(row * COLUMNS + column).copied() else {
            return;
        };
        let (west, south) = (column as f64 * TILE - 180.0, row as f64 * TILE - 90.0);
        let mut file = Numbers {
            bytes: LAND,
            at: begin,
        };
        for _ in 0..count {
            let (mut x, mut y) = (0, 0);
            let points: Vec<(f64, f64)> = (0..file.number())
                .map(|_| {
                    x += file.signed();
                    y += file.signed();
                    (south + y as f64 / UNIT, west + x as f64 / UNIT)
                })
                .collect();
            self.polygon(&points, path);
        }
    }

    /// Adds a polygon, unless it lies to one side of the disc.
    fn polygon(&self, points: &[(f64, f64)], path: &mut String) {
        let Some(last) = points.last() else { return };
        let mut drawn: Vec<(f64, f64)> = Vec::with_capacity(points.len());
        let mut from = (*last, self.project(*last));
        for point in points {
            let to = (*point, self.project(*point));
            self.line(from, to, 0, &mut drawn);
            from = to;
        }
        let beside =
            |past: fn((f64, f64), &Frame) -> bool| drawn.iter().all(|point| past(*point, self.frame));
        if beside(|(x, _), frame| x < frame.centre_x - frame.reach)
            || beside(|(x, _), frame| x > frame.centre_x + frame.reach)
            || beside(|(_, y), frame| y < frame.centre_y - frame.reach)
            || beside(|(_, y), frame| y > frame.centre_y + frame.reach)
        {
            return;
        }
        let mut before: Option<(f64, f64)> = None;
        let mut kept = 0;
        for (x, y) in drawn {
            if before.is_some_and(|(bx, by)| (x - bx).hypot(y - by) < NEAR) {
                continue;
            }
            let letter = if before.is_none() { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{letter}{:.0} {:.0}", 2.0 * x, 2.0 * y);
            before = Some((x, y));
            kept += 1;
        }
        if kept > 0 {
            path.push('z');
        }
    }

    /// Adds a line without its first point, in parts where the drawing bends it.
    fn line(&self, from: Ends, to: Ends, depth: u8, drawn: &mut Vec<(f64, f64)>) {
        let ((a, pa), (b, pb)) = (from, to);
        if depth < 9 {
            let middle = (f64::midpoint(a.0, b.0), f64::midpoint(a.1, b.1));
            let bent = self.project(middle);
            let straight = (f64::midpoint(pa.0, pb.0), f64::midpoint(pa.1, pb.1));
            if (bent.0 - straight.0).hypot(bent.1 - straight.1) > BEND {
                self.line(from, (middle, bent), depth + 1, drawn);
                return self.line((middle, bent), to, depth + 1, drawn);
            }
        }
        drawn.push(pb);
    }

    /// Returns where a point on earth lies in the drawing. Beyond the rim it lies outside the disc.
    fn project(&self, (lat, lon): (f64, f64)) -> (f64, f64) {
        let (km, bearing) = self.centre.to(lat, lon);
        let r = self.frame.reach * (km / self.rim_km).sqrt();
        (
            self.frame.centre_x + r * bearing.sin(),
            self.frame.centre_y - r * bearing.cos(),
        )
    }
}

/// A point on earth and its point of the drawing.
type Ends = ((f64, f64), (f64, f64));

#[cfg(test)]
mod tests {
    use super::super::frame::WIDE;
    use super::*;

    /// Whether a point of the drawing is on land, by the even-odd rule.
    fn is_land(path: &str, x: f64, y: f64) -> bool {
        let mut inside = false;
        for polygon in path.split('z') {
            let points: Vec<(f64, f64)> = polygon
                .split(['M', 'L'])
                .filter_map(|point| point.split_once(' '))
                .map(|(x, y)| (x.parse::<f64>().unwrap() / 2.0, y.parse::<f64>().unwrap() / 2.0))
                .collect();
            for (a, b) in points.iter().zip(points.iter().cycle().skip(1)) {
                if (a.1 > y) != (b.1 > y) && x < (b.0 - a.0) * (y - a.1) / (b.1 - a.1) + a.0 {
                    inside = !inside;
                }
            }
        }
        inside
    }

    /// The share of the drawing where land lies in a direction, in degrees clockwise from north, at a distance.
    fn check(lat: f64, lon: f64, rim_km: f64, expected: &[(f64, f64, bool)]) {
        let path = path(Centre { lat, lon }, &WIDE, rim_km).unwrap();
        for (bearing, km, land) in expected {
            let r = WIDE.reach * (km / rim_km).sqrt();
            let (x, y) = (
                WIDE.centre_x + r * bearing.to_radians().sin(),
                WIDE.centre_y - r * bearing.to_radians().cos(),
            );
            assert_eq!(is_land(&path, x, y), *land, "{lat}, {lon}: {km} km to {bearing}");
        }
    }

    #[test]
    fn land_and_sea_lie_where_they_do() {
        // Valencia: the sea is to the east, and Ibiza beyond it.
        check(
            39.47,
            -0.376,
            250.0,
            &[
                (90.0, 40.0, false),
                (270.0, 40.0, true),
                (0.0, 60.0, true),
                (109.0, 165.0, true),
            ],
        );
        // Madrid has no sea for 250 km.
        check(
            40.4165,
            -3.7026,
            250.0,
            &[
                (0.0, 240.0, true),
                (90.0, 240.0, true),
                (180.0, 240.0, true),
                (270.0, 240.0, true),
            ],
        );
        // Suva is near the line where longitudes change their sign.
        check(
            -18.14,
            178.44,
            500.0,
            &[(300.0, 20.0, true), (180.0, 200.0, false), (90.0, 300.0, false)],
        );
        // Longyearbyen, far north.
        check(78.22, 15.65, 500.0, &[(180.0, 400.0, false), (0.0, 60.0, true)]);
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        let at = |lat, lon, km| path(Centre { lat, lon }, &WIDE, km);
        assert_eq!(at(f64::NAN, 0.0, 50.0), None);
        assert_eq!(at(0.0, 0.0, 9_000.0), None);
        assert_eq!(at(0.0, 0.0, f64::INFINITY), None);
        for (lat, lon) in [(90.0, 0.0), (-90.0, 180.0), (0.0, -180.0), (0.0, 180.0)] {
            let path = at(lat, lon, 2_500.0).unwrap();
            assert!(!path.contains("NaN") && !path.contains("inf"));
        }
        // No report becomes large through its land.
        let norway = at(62.47, 6.15, 500.0).unwrap();
        assert!(norway.len() < 150_000, "{}", norway.len());
    }
}
