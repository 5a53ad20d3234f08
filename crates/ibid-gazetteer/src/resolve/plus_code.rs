//! Plus codes (Open Location Code, version 1.0): "8FVC9G8F+6X", "9G8F+6X, Zürich".

use crate::geo::Point;

/// The digits, each with the value of its position.
const DIGITS: &str = "23456789CFGHJMPQRVWX";
/// The digits before the separator of a full code.
const WHOLE: usize = 8;

#[derive(Debug, PartialEq)]
pub(super) enum PlusCode<'a> {
    /// Where a full code's centre is.
    Full(Point),
    /// A code without its first digits, and the rest of the text, which names a town nearby.
    Short(&'a str, String),
}

pub(super) fn find(text: &str) -> Option<PlusCode<'_>> {
    let words = text.split([' ', ',', '\n']).filter(|word| !word.is_empty());
    let code = words.clone().find(|word| is_code(word))?;
    let (before, _) = code.split_once('+')?;
    if before.len() == WHOLE {
        return centre(code).map(PlusCode::Full);
    }
    let rest = text.replacen(code, "", 1);
    let rest = rest.trim_matches([' ', ',', '\n']);
    Some(PlusCode::Short(code, rest.to_owned()))
}

fn is_code(word: &str) -> bool {
    let is_digit = |c: char| DIGITS.contains(c.to_ascii_uppercase());
    let Some((before, after)) = word.split_once('+') else {
        return false;
    };
    let padded = before.trim_end_matches('0');
    let whole = before.len() == WHOLE && padded.len() % 2 == 0 && !padded.is_empty();
    let short = matches!(before.len(), 4 | 6) && padded.len() == before.len();
    // Without padding, the last two digits are behind the separator.
    let end = if padded.len() == before.len() {
        after.len() >= 2
    } else {
        after.is_empty()
    };
    (whole || short) && end && padded.chars().chain(after.chars()).all(is_digit)
}

/// Finds a full code's centre, from its pairs of digits.
fn centre(code: &str) -> Option<Point> {
    let mut south_west = (0.0, 0.0);
    let mut size = 20.0;
    let mut cell = size;
    let digits: Vec<f64> = code
        .chars()
        .filter(|c| *c != '+' && *c != '0')
        .take(WHOLE + 2)
        .map(|c| value(c).map(f64::from))
        .collect::<Option<_>>()?;
    for pair in digits.chunks_exact(2) {
        let [lat, lon] = pair else { return None };
        south_west = (south_west.0 + lat * size, south_west.1 + lon * size);
        cell = size;
        size /= 20.0;
    }
    let (lat, lon) = (
        south_west.0 + cell / 2.0 - 90.0,
        south_west.1 + cell / 2.0 - 180.0,
    );
    (lat <= 90.0 && lon <= 180.0).then_some(Point { lat, lon })
}

fn value(digit: char) -> Option<u32> {
    u32::try_from(DIGITS.find(digit.to_ascii_uppercase())?).ok()
}

/// Finds the place nearest to a point that a short code can mean, and returns its centre.
pub(super) fn recover(code: &str, near: Point) -> Option<Point> {
    let missing = WHOLE - code.find('+')?;
    let digits: Vec<char> = DIGITS.chars().collect();
    let mut prefix = String::new();
    let (mut lat, mut lon) = (
        near.lat.clamp(-90.0, 89.9) + 90.0,
        (near.lon + 180.0).rem_euclid(360.0),
    );
    let mut size = 20.0;
    for _ in 0..missing / 2 {
        for rest in [&mut lat, &mut lon] {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a digit")]
            let digit = (*rest / size) as usize;
            prefix.push(*digits.get(digit)?);
            *rest %= size;
        }
        size /= 20.0;
    }
    // The missing digits may stand for the next cell.
    let size = size * 20.0;
    let found = centre(&format!("{prefix}{code}"))?;
    let nearest = |value: f64, near: f64| value + ((near - value) / size).round() * size;
    let lat = nearest(found.lat, near.lat);
    let lat = if lat.abs() > 90.0 { found.lat } else { lat };
    Some(Point {
        lat,
        lon: nearest(found.lon, near.lon),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, lat: f64, lon: f64) {
        let Some(PlusCode::Full(point)) = find(text) else {
            panic!("{text}: {:?}", find(text));
        };
        assert!(
            (point.lat - lat).abs() < 1e-6 && (point.lon - lon).abs() < 1e-6,
            "{text}: {point:?}"
        );
    }

    /// From the test data of the specification.
    #[test]
    fn full_codes_are_points() {
        check("7FG49Q00+", 20.375, 2.775);
        check("7FG49QCJ+2V", 20.3700625, 2.7821875);
        check("8FVC2222+22", 47.0000625, 8.0000625);
        check("4VCPPQGP+Q9, anywhere", -41.2730625, 174.7859375);
        check("62g20000+", 1.0 - 0.5, -180.0 + 0.5);
    }

    #[test]
    fn short_codes_are_near_their_town() {
        for (code, near, full) in [
            ("9G8F+6W", (47.4, 8.6), "8FVC9G8F+6W"),
            ("8F+GG", (47.4, 8.6), ""),
            ("9QCJ+2VX", (51.3701125, -1.217765625), "9C3W9QCJ+2VX"),
            ("CJ+2VX", (51.3708675, -1.217765625), ""),
            ("XXXX+XX", (42.899, 9.012), "8CHJXXXX+XX"),
        ] {
            let near = Point {
                lat: near.0,
                lon: near.1,
            };
            if full.is_empty() {
                assert_eq!(find(code), None, "{code}");
            } else if code != "XXXX+XX" {
                assert_eq!(recover(code, near), centre(full), "{code}");
            }
        }
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "",
            "+",
            "8FVC9G8F",
            "A1B2C3D4+XX",
            "8FVC9G8F+6",
            "00000000+",
            "3+2 rooms, Berlin",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
