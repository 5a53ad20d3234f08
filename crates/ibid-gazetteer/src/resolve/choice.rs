//! A town or the region of its name.

use super::reading::{Reading, STRONG_TOWN, Target};
use super::text::{Part, says_region};
use crate::area::{Area, AreaKind, AreaWeight};
use crate::fold::fold;
use crate::gazetteer::{Gazetteer, Row};
use crate::layout;

/// A town has a rival in a namesake with more than one in this many of its people.
pub(super) const RIVAL: u64 = 3;
/// The population from which two letters mean a town of that abbreviation (LA, NY, KL).
const ABBREVIATED_TOWN: u64 = 500_000;
/// The factor in population from which a name means a region and not a town.
pub(super) const OUTWEIGHS: u64 = 8;
/// The same factor for a well-known town.
///
/// Victoria in British Columbia is well known, Bāli in West Bengal is not.
const OUTWEIGHS_KNOWN: u64 = 40;
/// A town is well known from this prominence on.
const KNOWN: f64 = 18.0;

/// Whether a name means the region and not the town.
pub(crate) fn is_outweighed(g: &Gazetteer, town: Row, region: Area) -> bool {
    outweighs(g, region, town, OUTWEIGHS)
}

/// Picks the strongest among areas with one name.
///
/// The order is by kind of name, then level, then inhabitants.
pub(super) fn strongest(g: &Gazetteer, areas: &[Area]) -> Option<Area> {
    areas.iter().copied().min_by_key(|area| {
        (
            area.weight,
            area.kind,
            std::cmp::Reverse(g.area_population(*area)),
            area.index,
        )
    })
}

/// A town and a region of one name inside the same country.
pub(super) fn town_or_region(g: &Gazetteer, town: Reading, region: Area, part: &Part) -> Reading {
    match town.target {
        Target::Town(row) if is_larger(g, region, row) || says_region(&part.bare) => {
            of_area(g, region, &[(town.target, town.score)], &part.bare_raw)
        }
        Target::Town(_) | Target::Area(_) => town,
    }
}

/// Whether a name means a region rather than a town of the same name.
///
/// People hardly ever name a county without the word for it.
/// Only a hamlet gives way to a county.
fn is_larger(g: &Gazetteer, region: Area, town: Row) -> bool {
    let gives_way = region.kind == AreaKind::Region || g.population(town) < layout::SMALLEST_TOWN;
    gives_way && outweighs(g, region, town, OUTWEIGHS)
}

/// Reads a text that only names a town, an area, or both.
pub(super) fn town_or_area(
    g: &Gazetteer,
    town: Option<Reading>,
    areas: &[Area],
    part: &Part,
) -> Option<Reading> {
    let row = town.as_ref().and_then(|found| found.target.town());
    let is_called = |area: &Area| fold(g.area_name(*area)) == part.bare;
    // Suffolk is not Suffolk County.
    let has_called = areas
        .iter()
        .any(|area| area.kind == AreaKind::Part && is_called(area));
    let areas: Vec<Area> = areas
        .iter()
        .copied()
        .filter(|area| area.kind != AreaKind::Part || !has_called || is_called(area))
        .collect();
    let meant = |area: &Area| match (row, area.kind, area.weight) {
        (None, ..) => true,
        (Some(row), AreaKind::Country, AreaWeight::Own) => {
            // Singapore, Monaco, Hong Kong: the town is the country.
            !(g.lies_in(row, *area) && 2 * g.population(row) >= g.area_population(*area))
        }
        (Some(row), _, AreaWeight::Code) => g.population(row) < ABBREVIATED_TOWN,
        (Some(row), AreaKind::Country, AreaWeight::Foreign) => g.population(row) < STRONG_TOWN,
        // Goa is the state, although Genoa is also called so somewhere.
        (Some(row), AreaKind::Region | AreaKind::Part, AreaWeight::Own)
            if is_called(area) && fold(g.place(row).name) != part.bare =>
        {
            outweighs(g, *area, row, 1)
        }
        (Some(row), AreaKind::Region, AreaWeight::Own) => {
            let known = g.prominence(row) >= KNOWN;
            outweighs(g, *area, row, if known { OUTWEIGHS_KNOWN } else { OUTWEIGHS })
        }
        // Kent is the county, although a city of its name has more than 100,000 people.
        (Some(row), AreaKind::Region | AreaKind::Part, weight) => {
            let is_small = match weight {
                AreaWeight::Own if is_called(area) => g.prominence(row) < KNOWN,
                _ => g.population(row) < STRONG_TOWN,
            };
            is_small && outweighs(g, *area, row, OUTWEIGHS)
        }
    };
    let mut meant: Vec<Area> = areas.iter().copied().filter(meant).collect();
    meant.sort_by_key(|area| {
        // A code means the larger area; a name means a country first.
        let level = if area.weight == AreaWeight::Code {
            AreaKind::Country
        } else {
            area.kind
        };
        (
            area.weight,
            level,
            std::cmp::Reverse(g.area_population(*area)),
            area.index,
        )
    });
    match meant.split_first() {
        None => town.map(|mut town| {
            let elsewhere = areas.iter().filter(|area| {
                let is_larger =
                    |row| area.kind != AreaKind::Part || g.area_population(**area) > g.population(row);
                area.weight == AreaWeight::Own
                    && row.is_some_and(|row| !g.lies_in(row, **area) && is_larger(row))
            });
            town.alternatives
                .extend(elsewhere.map(|area| (Target::Area(*area), weight(g, *area))));
            town
        }),
        Some((area, others)) => {
            let mut alternatives: Vec<(Target, f64)> = others
                .iter()
                .map(|area| (Target::Area(*area), weight(g, *area)))
                .collect();
            if let Some(town) = town {
                alternatives.push((town.target, town.score));
                alternatives.extend(town.alternatives);
            }
            Some(of_area(g, *area, &alternatives, &part.bare_raw))
        }
    }
}

pub(super) fn of_area(g: &Gazetteer, area: Area, alternatives: &[(Target, f64)], spelling: &str) -> Reading {
    let target = city_of(g, area).map_or(Target::Area(area), Target::Town);
    Reading {
        alternatives: alternatives.to_vec(),
        ..Reading::new(target, weight(g, area), spelling.to_owned())
    }
}

/// Finds the city that makes up nearly all of a country with the same name: "Hong Kong SAR", "SGP".
fn city_of(g: &Gazetteer, area: Area) -> Option<Row> {
    let row = g.anchor(area).filter(|_| area.kind == AreaKind::Country)?;
    let alike = fold(g.place(row).name) == fold(g.area_name(area));
    (alike && 2 * g.population(row) >= g.area_population(area)).then_some(row)
}

/// An area on the scale of prominence.
pub(super) fn weight(g: &Gazetteer, area: Area) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "populations are far below 2^52")]
    let people = g.area_population(area).max(1) as f64;
    people.ln()
}

/// Whether a region outweighs a town of the same name.
///
/// The region has `times` as many people.
/// The town is neither in it nor a capital.
/// "California, USA" is not a place in Maryland.
fn outweighs(g: &Gazetteer, region: Area, town: Row, times: u64) -> bool {
    !g.lies_in(town, region)
        && !g.has(town, layout::CAPITAL)
        && g.area_population(region) > times * g.population(town)
}
