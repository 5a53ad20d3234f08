//! "lat, lon": the way out for places the gazetteer does not know.

use crate::geo::Point;

/// Reads a latitude and a longitude in decimal degrees: "39.47, -0.38", "39.47° N, 0.38° W", "39,47 -0,38".
///
/// A degree sign, letters for the hemispheres and a leading sign are understood; minutes and seconds are not.
pub(super) fn parse(text: &str) -> Option<Point> {
    let text = text.trim().trim_start_matches("geo:");
    let (lat, lon) = halves(text)?;
    let (lat, north) = number(lat, 'N', 'S')?;
    let (lon, east) = number(lon, 'E', 'W')?;
    // Letters for both or for none.
    let agree = north == east;
    (agree && lat.abs() <= 90.0 && lon.abs() <= 180.0).then_some(Point { lat, lon })
}

/// The two numbers, separated by the only comma, a semicolon or the only blank.
fn halves(text: &str) -> Option<(&str, &str)> {
    let halves = text
        .split_once(';')
        .or_else(|| text.split_once(',').filter(|(_, rest)| !rest.contains(',')))
        .or_else(|| text.split_once(char::is_whitespace))?;
    Some((halves.0.trim(), halves.1.trim()))
}

/// A number and whether it had a hemisphere letter.
fn number(text: &str, positive: char, negative: char) -> Option<(f64, bool)> {
    let last = text.chars().next_back()?.to_ascii_uppercase();
    let (digits, sign, lettered) = if last == positive || last == negative {
        let digits = text.get(..text.len() - 1)?;
        (digits, if last == negative { -1.0 } else { 1.0 }, true)
    } else {
        (text, 1.0, false)
    };
    let digits = digits
        .trim()
        .trim_end_matches(['°', 'º'])
        .trim_end()
        .replace(['−', '–'], "-")
        .replace(',', ".");
    let plain = digits.trim_start_matches(['+', '-']);
    let is_number = !plain.is_empty()
        && plain.len() <= 20
        && digits.len() - plain.len() <= 1
        && plain.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if !is_number || (lettered && plain.len() != digits.len()) {
        return None;
    }
    Some((sign * digits.parse::<f64>().ok()?, lettered))
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
            "28013 Madrid",
            "., .",
        ] {
            check(text, None);
        }
    }
}
