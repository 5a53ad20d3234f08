//! "lat, lon": the alternative for places that the gazetteer does not have.

use crate::geo::Point;

/// Reads a latitude and a longitude.
///
/// Forms: "39.47, -0.38", "39.47° N, 0.38° W", "39°28′12″N 0°22′36″W", "39,47; -0,38".
///
/// Degrees may have minutes and seconds if letters name the hemispheres.
/// Otherwise they are decimal.
pub(super) fn parse(text: &str) -> Option<Point> {
    let text = text.trim();
    let text = text
        .strip_prefix("geo:")
        .map_or(text, |uri| uri.split(['?', ';']).next().unwrap_or(uri));
    let (lat, lon) = halves(text)?;
    let (lat, north) = number(lat, 'N', 'S')?;
    let (lon, east) = number(lon, 'E', 'W')?;
    // Both numbers have letters, or neither has.
    let agree = north == east;
    (agree && lat.abs() <= 90.0 && lon.abs() <= 180.0).then_some(Point { lat, lon })
}

/// Splits the two numbers.
///
/// The separator is the only comma, a semicolon, the letter of the latitude or the only blank.
fn halves(text: &str) -> Option<(&str, &str)> {
    let at_letter = |text: &'_ str| {
        text.find(['N', 'S', 'n', 's'])
            .map(|at| at + 1)
            .filter(|at| *at < text.len())
    };
    let halves = text
        .split_once(';')
        .or_else(|| text.split_once(',').filter(|(_, rest)| !rest.contains(',')))
        .or_else(|| at_letter(text).and_then(|at| text.split_at_checked(at)))
        .or_else(|| text.split_once(char::is_whitespace))?;
    Some((halves.0.trim(), halves.1.trim()))
}

/// A number and whether it had a hemisphere letter.
fn number(text: &str, positive: char, negative: char) -> Option<(f64, bool)> {
    let last = text.chars().next_back()?.to_ascii_uppercase();
    if last != positive && last != negative {
        return Some((decimal(text.trim_end_matches(['°', 'º', ' ']), true)?, false));
    }
    let sign = if last == negative { -1.0 } else { 1.0 };
    Some((sign * sexagesimal(text.get(..text.len() - 1)?)?, true))
}

/// "39.47", "39.47°", "39°28′", "39° 28' 12.5\"".
fn sexagesimal(text: &str) -> Option<f64> {
    let mut value = 0.0;
    let mut unit = 1.0;
    for part in text.trim().split(['°', 'º', '′', '\'', '’', '″', '"', '”']) {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        let number = decimal(part, false)?;
        // Degrees, minutes and seconds are the only units.
        // Minutes and seconds are below 60.
        if unit < 1.0 / 3_600.0 || (unit < 1.0 && number >= 60.0) {
            return None;
        }
        value += number * unit;
        unit /= 60.0;
    }
    (unit < 1.0).then_some(value)
}

fn decimal(text: &str, signed: bool) -> Option<f64> {
    let digits = text.trim().replace(['−', '–'], "-").replace(',', ".");
    let plain = digits.trim_start_matches(['+', '-']);
    let signs = digits.len() - plain.len();
    let is_number = !plain.is_empty()
        && plain.len() <= 20
        && signs <= usize::from(signed)
        && plain.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if is_number { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(f64, f64)>) {
        assert_eq!(
            parse(text).map(|point| (point.lat, point.lon)),
            expected,
            "{text}"
        );
    }

    #[test]
    fn pairs_of_degrees_are_points() {
        check("39.47, -0.38", Some((39.47, -0.38)));
        check(" 39.47 -0.38 ", Some((39.47, -0.38)));
        check("39.47° N, 0.38° W", Some((39.47, -0.38)));
        check("33.9S,151.2E", Some((-33.9, 151.2)));
        check("39,47; -0,38", Some((39.47, -0.38)));
        check("+1,+2", Some((1.0, 2.0)));
        check("geo:52.5,13.4", Some((52.5, 13.4)));
        check("−33.9, 18.4", Some((-33.9, 18.4)));
        check("90, 180", Some((90.0, 180.0)));
        check("39°30′N 0°15′W", Some((39.5, -0.25)));
        check("33°52'30\" S, 151° 15' E", Some((-33.875, 151.25)));
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "",
            "39.47",
            "91, 0",
            "0, 181",
            "39.47, Spain",
            "1, 2, 3",
            "N, E",
            "39.47N, 0.38",
            "-1N, 2E",
            "1e5, 2",
            "--1, 2",
            "nan, nan",
            "39°61′N 0°15′W",
            "39°30′, 0°15′",
            "1°2′3″4N, 1E",
            "Spain N, 2E",
            "28013 Madrid",
            "., .",
        ] {
            check(text, None);
        }
    }
}
