//! Distance and direction on a sphere.

/// Mean radius of the earth in kilometres (IUGG).
pub(crate) const EARTH_KM: f64 = 6371.0088;

/// A point: latitude and longitude in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) lat: f64,
    pub(crate) lon: f64,
}

impl Point {
    /// The great-circle distance in kilometres, by the haversine formula.
    ///
    /// Within 0.5 % of the ellipsoid.
    pub(crate) fn distance_km(self, other: Self) -> f64 {
        let half_lat = (other.lat - self.lat).to_radians() / 2.0;
        let half_lon = (other.lon - self.lon).to_radians() / 2.0;
        let h = half_lat.sin().powi(2)
            + self.lat.to_radians().cos() * other.lat.to_radians().cos() * half_lon.sin().powi(2);
        2.0 * EARTH_KM * h.clamp(0.0, 1.0).sqrt().asin()
    }

    /// Initial bearing towards `other` in degrees clockwise from north, in `0.0..360.0`.
    pub(crate) fn bearing_deg(self, other: Self) -> f64 {
        let (lat, to_lat) = (self.lat.to_radians(), other.lat.to_radians());
        let lon = (other.lon - self.lon).to_radians();
        let east = lon.sin() * to_lat.cos();
        let north = lat.cos() * to_lat.sin() - lat.sin() * to_lat.cos() * lon.cos();
        let bearing = east.atan2(north).to_degrees().rem_euclid(360.0);
        // A tiny negative angle rounds up to 360.
        if bearing >= 360.0 { 0.0 } else { bearing }
    }
}

/// Returns how far in longitude, in degrees, a cap of `km` around a latitude reaches.
///
/// `None` if the cap contains a pole.
pub(crate) fn lon_reach_deg(lat: f64, km: f64) -> Option<f64> {
    let angle = km / EARTH_KM;
    if lat.abs().to_radians() + angle >= std::f64::consts::FRAC_PI_2 {
        return None;
    }
    Some(
        (angle.sin() / lat.to_radians().cos())
            .clamp(0.0, 1.0)
            .asin()
            .to_degrees(),
    )
}

/// The smaller angle between two bearings, 0 to 180 degrees.
pub(crate) fn turn_deg(a: f64, b: f64) -> f64 {
    let turn = a - b;
    // Without a division, because this equals the remainder for nearly every pair of angles.
    let turn = match turn {
        0.0..360.0 => turn,
        -360.0..0.0 => turn + 360.0,
        _ => turn.rem_euclid(360.0),
    };
    turn.min(360.0 - turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(lat: f64, lon: f64) -> Point {
        Point { lat, lon }
    }

    #[test]
    fn known_distances() {
        let madrid = at(40.4165, -3.70256);
        let barcelona = at(41.38879, 2.15899);
        assert!((madrid.distance_km(barcelona) - 505.0).abs() < 2.0);
        assert!((at(0.0, 179.5).distance_km(at(0.0, -179.5)) - 111.2).abs() < 0.1);
        assert!((at(89.0, 0.0).distance_km(at(89.0, 180.0)) - 222.4).abs() < 0.1);
        assert!((at(90.0, 0.0).distance_km(at(-90.0, 77.0)) - 20_015.1).abs() < 0.2);
    }

    #[test]
    fn known_bearings() {
        let home = at(50.0, 10.0);
        for (other, bearing) in [(at(51.0, 10.0), 0.0), (at(49.0, 10.0), 180.0)] {
            assert!((home.bearing_deg(other) - bearing).abs() < 1e-9);
        }
        assert!((at(0.0, 179.5).bearing_deg(at(0.0, -179.5)) - 90.0).abs() < 1e-9);
        assert!((at(0.0, -179.5).bearing_deg(at(0.0, 179.5)) - 270.0).abs() < 1e-9);
        assert!((turn_deg(350.0, 20.0) - 30.0).abs() < 1e-9);
    }

    fn point() -> impl Strategy<Value = Point> {
        (-90.0..=90.0, -180.0..=180.0).prop_map(|(lat, lon)| at(lat, lon))
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_bounded(a in point(), b in point()) {
            prop_assert!((a.distance_km(b) - b.distance_km(a)).abs() < 1e-6);
            prop_assert!((0.0..=20_016.0).contains(&a.distance_km(b)));
            prop_assert!(a.distance_km(a) < 1e-9);
            prop_assert!((0.0..360.0).contains(&a.bearing_deg(b)));
        }

        // Oracle: the chord between unit vectors.
        #[test]
        fn distance_agrees_with_vectors(a in point(), b in point()) {
            let vector = |p: Point| {
                let (lat, lon) = (p.lat.to_radians(), p.lon.to_radians());
                [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
            };
            let chord = vector(a).iter().zip(vector(b)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            let km = 2.0 * EARTH_KM * (chord / 2.0).min(1.0).asin();
            prop_assert!((a.distance_km(b) - km).abs() < 0.01, "{} {km}", a.distance_km(b));
        }

        // Every point of the cap lies within its reach in longitude.
        #[test]
        fn reach_covers_the_cap(a in point(), b in point(), km in 1.0..600.0f64) {
            if a.distance_km(b) <= km && let Some(reach) = lon_reach_deg(a.lat, km) {
                prop_assert!(turn_deg(a.lon, b.lon) <= reach + 1e-6);
            }
        }
    }
}
