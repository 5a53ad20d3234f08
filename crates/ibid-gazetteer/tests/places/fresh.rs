//! Texts written down before the rules for districts, areas, plus codes and links were.
//!
//! A line has the text, and the country, latitude and longitude of the place; "-" if it names no single place; "wide" if
//! it names several countries.
//! Of the first 275 lines every second one was set aside until the rules were done.
//! The next 70 were written after that, the others before ordinals of districts were read.

use ibid_gazetteer::resolve;
use ibid_model::result::RadiusScope;

/// A place farther away than this is another one.
const NEAR_KM: f64 = 35.0;

#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Right,
    Refused,
    Wrong,
}

fn outcome(text: &str, expected: &str) -> Outcome {
    match (expected, resolve(text)) {
        ("-", Err(_)) => Outcome::Right,
        ("-", Ok(found)) if found.ambiguous() => Outcome::Right,
        ("wide", Ok(found)) if found.scope() == RadiusScope::Country && found.is_vernacular() => {
            Outcome::Right
        }
        (_, Err(_)) => Outcome::Refused,
        ("-" | "wide", Ok(_)) => Outcome::Wrong,
        (expected, Ok(found)) => {
            let place = found.place();
            let fields: Vec<&str> = expected.split(' ').collect();
            let (lat, lon): (f64, f64) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
            let east = (place.lon() - lon) * lat.to_radians().cos() * 111.2;
            let north = (place.lat() - lat) * 111.2;
            if place.country_code() == fields[0] && east.hypot(north) < NEAR_KM {
                Outcome::Right
            } else {
                Outcome::Wrong
            }
        }
    }
}

#[test]
fn at_least_97_of_100_are_right_and_none_is_wrong() {
    let lines: Vec<(&str, &str)> = include_str!("fresh.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let (first, later) = lines.split_at(275);
    let (later, last) = later.split_at(70);
    let every_second = |from| first.iter().skip(from).step_by(2).collect();
    let groups: [(&str, Vec<&(&str, &str)>); 4] = [
        ("developed with", every_second(0)),
        ("set aside", every_second(1)),
        ("written later", later.iter().collect()),
        ("written last", last.iter().collect()),
    ];
    for (name, lines) in groups {
        let all = |wanted: Outcome| -> Vec<&str> {
            let of = lines
                .iter()
                .filter(|(text, expected)| outcome(text, expected) == wanted);
            of.map(|(text, _)| *text).collect()
        };
        let (refused, wrong) = (all(Outcome::Refused), all(Outcome::Wrong));
        let right = lines.len() - refused.len() - wrong.len();
        println!(
            "{name}: {right} of {}, refused {refused:?}, wrong {wrong:?}",
            lines.len()
        );
        assert!(
            right * 100 >= lines.len() * 97,
            "{name}: {right}, refused {refused:?}"
        );
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    }
}
