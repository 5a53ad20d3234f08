//! Tests of the map: every kind of report is drawn, and every name is escaped.

use super::*;
use ibid_model::result::{MapPoint, RadiusMap, RadiusStatus, RingResult, RingStatus};
use ibid_model::{Interval, Ring, Score};
use proptest::prelude::*;

fn point(
    ring: u8,
    name: &str,
    distance_km: f64,
    bearing_deg: f64,
    score: Option<f64>,
    answers: u32,
) -> MapPoint {
    MapPoint {
        name: name.to_owned(),
        bearing_deg,
        distance_km,
        score: score.map(Score::new),
        cited_rate: score.map(|score| score / 100.0),
        expected_rate: None,
        answers,
        ring: Ring::new(ring).unwrap(),
    }
}

fn ring(number: u8, score: Option<f64>, answers: u32, status: RingStatus) -> RingResult {
    let ring = Ring::new(number).unwrap();
    RingResult {
        ring,
        from_km: ring.from_km(),
        to_km: ring.to_km(),
        status,
        score: score.map(Score::new),
        score_interval: score.map(|score| Interval::of_scores(score - 9.0, score + 9.0, false)),
        answers,
        cited_rate: score.map(|score| score / 100.0),
        cited_rate_informative: None,
        cited_rate_interval: score
            .map(|score| Interval::of_rates(score / 100.0 - 0.1, score / 100.0 + 0.1, false)),
        markets: Vec::new(),
    }
}

/// A place of this name at Valencia's.
fn at_valencia(name: &str) -> LocationReport {
    serde_json::from_value(serde_json::json!({
        "text": name, "alternatives": [], "ambiguous": false,
        "resolved": {"name": name, "admin": null, "country": "Spain", "countryCode": "ES", "lat": 39.47, "lon": -0.376,
                     "population": 1, "matched": "exact"},
    }))
    .unwrap()
}

/// The document of a map around Valencia.
fn document(radius: &RadiusReport) -> String {
    radius_map_document(Some(&at_valencia("Valencia")), radius)
}

/// Valencia: two rings with answers, an empty one between them and a market without a score.
fn valencia() -> RadiusReport {
    let rings = vec![
        ring(1, Some(62.0), 45, RingStatus::Complete),
        ring(2, None, 0, RingStatus::Empty),
        ring(3, Some(21.0), 31, RingStatus::Partial),
    ];
    RadiusReport {
        status: RadiusStatus::Partial,
        scope: Some(RadiusScope::City),
        map: Some(RadiusMap {
            ring_edges_km: rings.iter().map(|ring| ring.to_km).collect(),
            points: vec![
                point(1, "Valencia", 0.0, 0.0, Some(84.0), 15),
                point(1, "Torrent", 8.4, 241.0, Some(60.0), 15),
                point(1, "Grao de Murviedro", 22.2, 33.0, Some(41.0), 15),
                point(3, "Castelló de la Plana", 63.5, 26.0, Some(30.0), 15),
                point(3, "Gandia", 58.9, 163.0, Some(8.0), 15),
                point(3, "Requena", 61.9, 272.0, None, 0),
            ],
        }),
        rings,
        top_competitors: Vec::new(),
        citation_radius_km: Some(38.0),
        radius_range_km: Some([21.0, 64.0]),
        censored: false,
        at_most: false,
        threshold_pct: 25,
    }
}

/// Parses the drawing as strictly as an XML parser: tags match, attributes are quoted, no stray markup. Returns the
/// names of the elements.
fn elements(svg: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    let mut rest = svg
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .unwrap_or(svg)
        .trim_end();
    while !rest.is_empty() {
        if let Some(tag) = rest.strip_prefix('<') {
            let (tag, after) = tag.split_once('>').expect("a tag ends");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name));
                continue;
            }
            let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(
                name.chars().all(|c| c.is_ascii_lowercase()) || name == "clipPath",
                "{name}"
            );
            assert_eq!(attributes.matches('"').count() % 2, 0, "{tag}");
            for attribute in attributes
                .split('"')
                .step_by(2)
                .filter(|part| !part.trim().is_empty())
            {
                let name = attribute.trim().strip_suffix('=').expect("name and equals sign");
                assert!(!name.starts_with("on") && name != "style", "{tag}");
                assert!(name != "href" || tag.contains("href=\"/answers?ring="), "{tag}");
            }
            all.push(name.to_owned());
            if !closed {
                open.push(name.to_owned());
            }
        } else {
            let (text, _) = rest.split_once('<').unwrap_or((rest, ""));
            assert!(open.last().is_some() && !text.contains('>'), "{text}");
            for entity in text.split('&').skip(1) {
                assert!(
                    ["lt;", "gt;", "amp;", "quot;", "#39;"]
                        .iter()
                        .any(|known| entity.starts_with(known)),
                    "{text}"
                );
            }
            rest = rest.get(text.len()..).unwrap_or_default();
        }
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

fn check(radius: &RadiusReport, parts: &[&str]) {
    let svg = document(radius);
    elements(&svg);
    for fragment in radius_maps(Some(&at_valencia("Valencia")), radius, Some("/answers")) {
        elements(&fragment);
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    for part in parts {
        assert!(svg.contains(part), "{part} is missing from {svg}");
    }
}

#[test]
fn a_report_is_drawn_whole() {
    check(
        &valencia(),
        &[
            "Citation radius around Valencia: 38 km (80 % range 21 to 64 km)",
            "Torrent 60 %",
            "Requena: no answer, 61.9 km",
            "Torrent: cited in 60 % of 15 answers, 8.4 km",
            "rm-water",
            "62  (53–71)",
            "62 %  (52–72)",
            "no town in this ring",
            "31, some are missing",
            "url(#radius-map-hatch)",
            ">25 km<",
            "GeoNames",
        ],
    );
}

#[test]
fn the_fragments_have_links_and_no_style_and_the_document_has_a_style_and_no_link() {
    let fragments = radius_maps(Some(&at_valencia("Valencia")), &valencia(), Some("/answers"));
    for fragment in &fragments {
        let elements = elements(fragment);
        assert!(!elements.contains(&"style".to_owned()));
        // A dot and a name for each town.
        assert_eq!(elements.iter().filter(|name| *name == "a").count(), 12);
        assert!(
            fragment.contains("href=\"/answers?ring=3&amp;market=Gandia\""),
            "{fragment}"
        );
    }
    // Ids of one page differ.
    assert!(fragments[0].contains("radius-map-hatch-narrow\"") && !fragments[1].contains("-narrow"));
    let document = document(&valencia());
    assert!(!elements(&document).contains(&"a".to_owned()));
    assert!(document.contains("prefers-color-scheme: dark") && document.contains("--rm-s4"));
    // Every class that is drawn has its rule.
    for class in document
        .split("class=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
    {
        for class in class.split(' ').filter(|class| *class != "rm-empty") {
            assert!(RADIUS_MAP_CSS.contains(&format!(".{class} {{")), "{class}");
        }
    }
}

#[test]
fn every_outcome_has_its_headline() {
    let with = |change: fn(&mut RadiusReport)| {
        let mut radius = valencia();
        change(&mut radius);
        radius
    };
    check(
        &with(|r| (r.censored, r.citation_radius_km) = (true, Some(100.0))),
        &["at least 100 km", "stroke-dasharray=\"9 6\""],
    );
    check(
        &with(|r| (r.citation_radius_km, r.radius_range_km) = (None, None)),
        &["Valencia: unknown"],
    );
    check(
        &with(|r| (r.citation_radius_km, r.radius_range_km) = (Some(0.0), None)),
        &["Valencia: 0 km"],
    );
    check(&with(|r| r.rings.clear()), &["No ring was scanned."]);
    check(&with(|r| r.map = None), &["Valencia"]);
    check(
        &with(|r| {
            r.scope = Some(RadiusScope::Country);
            r.map
                .as_mut()
                .unwrap()
                .points
                .push(point(1, "Las Palmas", 1738.0, 222.0, Some(5.0), 15));
        }),
        &["Citations in Valencia", ">Tier<", "Las Palmas 5 %"],
    );
}

#[test]
fn names_are_text() {
    let mut radius = valencia();
    let hostile =
        "</text><script>alert(1)</script>\u{202e}&<a href=\"javascript:x\" onload='y'>\u{0}\u{ffff}";
    for point in &mut radius.map.as_mut().unwrap().points {
        point.name = hostile.to_owned();
    }
    let svg = radius_map_document(Some(&at_valencia(hostile)), &radius);
    assert!(elements(&svg).iter().all(|name| name != "script" && name != "a"));
    assert!(svg.contains("&lt;script&gt;"));
    assert!(!svg.contains(['\u{202e}', '\u{0}', '\u{ffff}']));
}

#[test]
fn impossible_numbers_are_left_out() {
    let mut radius = valencia();
    radius.citation_radius_km = Some(f64::NAN);
    radius.radius_range_km = Some([f64::NEG_INFINITY, f64::INFINITY]);
    let points = &mut radius.map.as_mut().unwrap().points;
    points.push(point(1, "Nowhere", f64::NAN, 0.0, None, 1));
    points.push(point(1, "Nowhere", 1.0, f64::INFINITY, None, 1));
    points.push(point(1, "Nowhere", -5.0, 0.0, None, 1));
    let svg = document(&radius);
    assert!(!svg.contains("Nowhere") && !svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn bearings_go_clockwise_from_north() {
    let mut radius = valencia();
    let points = &mut radius.map.as_mut().unwrap().points;
    points.clear();
    points.push(point(3, "East", 100.0, 90.0, Some(1.0), 1));
    points.push(point(1, "South", 25.0, 180.0, Some(1.0), 1));
    let svg = document(&radius);
    // The rim is 300 units from the centre at (380, 372); a quarter of the distance is half of that.
    assert!(svg.contains("cx=\"680.0\" cy=\"372.0\""), "{svg}");
    assert!(svg.contains("cx=\"380.0\" cy=\"522.0\""), "{svg}");
}

proptest! {
    #[test]
    fn nothing_breaks_the_drawing(
        names in proptest::collection::vec("\\PC{0,40}|[<>&\"'/a-z\\x00-\\x1f]{0,40}", 0..15),
        numbers in proptest::collection::vec((any::<f64>(), any::<f64>(), any::<f64>(), any::<u32>()), 15),
        km in any::<Option<f64>>(),
        range in any::<Option<[f64; 2]>>(),
    ) {
        let mut radius = valencia();
        radius.citation_radius_km = km;
        radius.radius_range_km = range;
        radius.map.as_mut().unwrap().points = names
            .iter()
            .zip(&numbers)
            .map(|(name, (distance, bearing, score, answers))| point(1, name, *distance, *bearing, Some(*score), *answers))
            .collect();
        let anchor = at_valencia(names.first().map_or("", String::as_str));
        let drawn = elements(&radius_map_document(Some(&anchor), &radius));
        prop_assert!(drawn.iter().all(|name| name != "script"));
        for fragment in radius_maps(Some(&anchor), &radius, Some("/answers")) {
            prop_assert!(elements(&fragment).iter().all(|name| name != "script"));
        }
    }
}
