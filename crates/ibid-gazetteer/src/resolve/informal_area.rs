//! Readings as an area that no administration governs.

use super::{Anchor, ResolvedPlace, exact, text};
use crate::gazetteer::{Gazetteer, Row};
use crate::place::KnownPlace;
use crate::vernacular::{Vernacular, canonical, lookup};
use ibid_model::result::{PlaceMatch, RadiusScope};
use text::Part;

/// How far a town may lie from the anchor in its vernacular region.
const REGION_KM: f64 = 200.0;

/// "Provence", "Provence, France", "Aix-en-Provence, Provence".
pub(super) fn vernacular(g: &'static Gazetteer, parts: &[Part]) -> Option<ResolvedPlace> {
    match parts {
        [part] => named(g, part),
        [first, second] => {
            if let Some(found) = named(g, first) {
                let around = exact::areas(g, second);
                let row = found.place.index.row?;
                return around.iter().any(|area| g.lies_in(row, *area)).then_some(found);
            }
            in_region(g, first, named(g, second)?)
        }
        _ => None,
    }
}

fn named(g: &'static Gazetteer, part: &Part) -> Option<ResolvedPlace> {
    let around = |name: &str, scope| {
        let row = town(g, name)?;
        Some(resolved(g.place(row), scope, Anchor::Town(row), part))
    };
    match lookup(&part.key)? {
        Vernacular::Region(anchor) => around(anchor, RadiusScope::Region),
        Vernacular::Airport(city) => {
            let mut found = around(city, RadiusScope::City)?;
            found.spelling = found.place.name.to_owned();
            Some(found)
        }
        Vernacular::Area(codes) => {
            let largest = |code| g.anchor(g.country_of_code(code)?);
            let row = codes
                .split(',')
                .filter_map(largest)
                .max_by_key(|row| (g.population(*row), g.id(*row)))?;
            // An area of several languages is asked about in English.
            let place = g.place(row).widened(canonical(&part.key)?, &["en"]);
            Some(resolved(
                place,
                RadiusScope::Country,
                Anchor::Countries(codes, row),
                part,
            ))
        }
    }
}

/// A town in a vernacular region: its own reading, near the anchor of the region.
fn in_region(g: &'static Gazetteer, first: &Part, region: ResolvedPlace) -> Option<ResolvedPlace> {
    if region.scope == RadiusScope::Country {
        return None;
    }
    let centre = region.place.point();
    let (row, _) = super::reading::towns(g, &first.bare, None)
        .into_iter()
        .find(|(row, _)| g.point(*row).distance_km(centre) <= REGION_KM)?;
    Some(resolved(
        g.place(row),
        RadiusScope::City,
        Anchor::Town(row),
        first,
    ))
}

fn town(g: &Gazetteer, anchor: &str) -> Option<Row> {
    exact::read(g, &text::parts(anchor))?.target.town()
}

fn resolved(place: KnownPlace, scope: RadiusScope, anchor: Anchor, part: &Part) -> ResolvedPlace {
    ResolvedPlace {
        place,
        scope,
        alternatives: Vec::new(),
        ambiguous: false,
        matched: match scope {
            RadiusScope::City => PlaceMatch::Exact,
            RadiusScope::Region | RadiusScope::Country => PlaceMatch::Region,
        },
        spelling: part.raw.clone(),
        district: None,
        anchor,
        area: None,
        vernacular: scope != RadiusScope::City,
    }
}
