//! The places around a point.

use crate::gazetteer::{Gazetteer, Row};
use crate::geo::{EARTH_KM, Point, lon_reach_deg, turn_deg};
use crate::layout;

/// The `wanted` places within `km` of a point with their distances, from south to north.
///
/// Reads only the band of latitudes that the cap touches.
/// A cap over a pole takes all longitudes.
/// Longitudes are compared as angles, so that the antimeridian needs no special case.
pub(crate) fn around(
    g: &Gazetteer,
    centre: Point,
    km: f64,
    wanted: impl Fn(Row) -> bool,
) -> impl Iterator<Item = (Row, f64)> {
    let reach = (km / EARTH_KM).to_degrees();
    let lon_reach = lon_reach_deg(centre.lat, km);
    // Slightly wider, to keep points at the edge despite rounding.
    // The distance decides.
    let band = g.band(centre.lat - reach - 1e-9, centre.lat + reach + 1e-9);
    band.filter_map(move |row| {
        if !wanted(row) {
            return None;
        }
        let point = g.point(row);
        if lon_reach.is_some_and(|lon_reach| turn_deg(point.lon, centre.lon) > lon_reach + 1e-6) {
            return None;
        }
        Some((row, centre.distance_km(point))).filter(|(_, distance)| *distance <= km)
    })
}

/// The nearest place within `km` that is not a section of another.
pub(crate) fn nearest(g: &Gazetteer, centre: Point, km: f64) -> Option<Row> {
    // The search begins with a narrow band, because most points have a place close by.
    [10.0, 50.0, km].into_iter().find_map(|reach| {
        around(g, centre, reach.min(km), |row| !g.has(row, layout::SECTION))
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
            .map(|(row, _)| row)
    })
}
