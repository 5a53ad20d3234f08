//! Links to maps: the point or the text in them. No link is followed.

use super::coordinates;
use crate::geo::Point;
use percent_encoding::percent_decode_str;

#[derive(Debug, PartialEq)]
pub(super) enum MapLink {
    /// Where the map is centred.
    Point(Point),
    /// The text that was searched for.
    Search(String),
    /// A link without either, such as a shortened one.
    Empty,
}

/// Reads a link; `None` if the text is not one.
pub(super) fn read(text: &str) -> Option<MapLink> {
    let (_, link) = text.trim().split_once("://")?;
    let point = |text: &str| coordinates::parse(text).map(MapLink::Point);
    // "/@48.8584,2.2945,17z"
    let centre = link.split_once("/@").and_then(|(_, rest)| {
        let numbers: Vec<&str> = rest.split(',').take(2).collect();
        point(&numbers.join(","))
    });
    // "#map=13/50.0755/14.4378"
    let hash = link.split_once("#map=").and_then(|(_, rest)| {
        let numbers: Vec<&str> = rest.split('/').skip(1).take(2).collect();
        point(&numbers.join(","))
    });
    Some(
        centre
            .or(hash)
            .or_else(|| searched(link))
            .unwrap_or(MapLink::Empty),
    )
}

/// Reads the parameter that names the place.
fn searched(link: &str) -> Option<MapLink> {
    let (_, query) = link.split_once('?')?;
    let fields = || query.split(['&', '#']).filter_map(|field| field.split_once('='));
    ["q", "query", "ll", "destination", "daddr"]
        .iter()
        .find_map(|name| {
            let (_, value) = fields().find(|(field, _)| field == name)?;
            let value = value.replace('+', " ");
            let value = percent_decode_str(&value).decode_utf8().ok()?;
            let value = value.trim_start_matches("loc:");
            Some(coordinates::parse(value).map_or_else(|| MapLink::Search(value.to_owned()), MapLink::Point))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_hold_a_point_or_a_text() {
        let point = |lat, lon| Some(MapLink::Point(Point { lat, lon }));
        for (link, expected) in [
            ("https://maps.example/maps/@48.5,2.25,17z", point(48.5, 2.25)),
            (
                "https://maps.example/maps/place/X/@48.5,2.25,17z/data=!3m1",
                point(48.5, 2.25),
            ),
            ("https://maps.example/?q=41.5,-2.25", point(41.5, -2.25)),
            ("https://maps.example/?api=1&query=41.5%2C2.25", point(41.5, 2.25)),
            ("https://maps.example/#map=13/50.5/14.25", point(50.5, 14.25)),
            (
                "https://maps.example/?q=K%C3%B6ln,+Germany",
                Some(MapLink::Search("Köln, Germany".to_owned())),
            ),
            ("https://maps.example/abc", Some(MapLink::Empty)),
            ("https://maps.example/@95,2,1z", Some(MapLink::Empty)),
            ("Paris", None),
        ] {
            assert_eq!(read(link), expected, "{link}");
        }
    }
}
