//! Readings that need no correction.
//!
//! A text is read from its end.
//! The last piece names a country or a region.
//! The piece before it names a town in it.
//! The pieces further left are an address or a section of the town.

use super::choice::{RIVAL, is_outweighed, of_area, strongest, town_or_area, town_or_region, weight};
use super::reading::{Reading, STRONG_TOWN, Target, WELL_KNOWN, best, towns};
use super::territories;
use super::text::{self, Part, area_variants, says_region, variants};
use super::unspaced::unspaced;
use crate::area::{Area, AreaKind, AreaWeight};
use crate::fold::fold;
use crate::gazetteer::{Gazetteer, Row};
use crate::place::NEAR_KM;

/// Most words in a country's or region's name, for example "Saint Vincent and the Grenadines".
const MAX_AREA_WORDS: usize = 5;
/// How far a town may be from the largest town in the county that people place it in.
const BESIDE_KM: f64 = 60.0;
/// "Marbella, Málaga": the second town places the first one within this distance.
pub(super) const NEIGHBOUR_KM: f64 = 100.0;

/// From this population on a city's districts are better known than its region's villages.
const METROPOLIS: u64 = 1_000_000;

/// Finds how the pieces read best.
pub(super) fn read(g: &Gazetteer, parts: &[Part]) -> Option<Reading> {
    match parts {
        [] => None,
        [part] => single(g, part),
        [first, rest @ ..] => {
            // "Houston, Florida": the region is known and the town is not in it, so no pair of neighbouring towns is tried.
            let contradicted = || parts.last().is_some_and(|last| names_area(g, last));
            // "Frankfurt (Oder)", "Germany, Munich", "Marbella, Málaga", "221B Baker Street, London".
            ending_in_area(g, parts)
                .or_else(|| whole(g, parts))
                .or_else(|| beginning_with_area(g, first, rest))
                .or_else(|| neighbours(g, parts).filter(|_| !contradicted()))
                .or_else(|| in_city_state(g, parts))
        }
    }
}

/// Returns whether a piece primarily means a country or region, and not a town.
pub(super) fn names_area(g: &Gazetteer, part: &Part) -> bool {
    let town = towns(g, &part.bare, None).first().map(|(row, _)| *row);
    areas(g, part).into_iter().any(|area| {
        area.kind != AreaKind::Part
            && area.weight != AreaWeight::Code
            && town.is_none_or(|row| g.lies_in(row, area) || is_outweighed(g, row, area))
    })
}

/// Whether the last piece is the name of a country.
pub(super) fn ends_in_country(g: &Gazetteer, parts: &[Part]) -> bool {
    let named = parts.last().map(|last| areas(g, last)).unwrap_or_default();
    named
        .iter()
        .any(|area| area.kind == AreaKind::Country && area.weight == AreaWeight::Own)
}

/// "Friedrichshain-Kreuzberg, Berlin": the pieces before the city are not places elsewhere.
fn in_city_state(g: &Gazetteer, parts: &[Part]) -> Option<Reading> {
    let (last, lead) = parts.split_last()?;
    let unknown = |part: &Part| part.has_number() || towns(g, &part.bare, None).is_empty();
    let found = lead.iter().all(unknown).then(|| city_state(g, last)).flatten()?;
    Some(found.in_district(district(lead), false))
}

/// The areas a piece names.
pub(super) fn areas(g: &Gazetteer, part: &Part) -> Vec<Area> {
    let mut areas: Vec<Area> = g.areas_named(&part.key).collect();
    if areas.is_empty() && part.bare != part.key {
        areas = g.areas_named(&part.bare).collect();
    }
    if areas.is_empty() {
        // What is left of a longer name is not a code.
        areas = area_variants(&part.bare)
            .iter()
            .flat_map(|key| g.areas_named(key))
            .filter(|area| {
                area.weight != AreaWeight::Code
                    && (area.kind != AreaKind::Country || !says_region(&part.bare))
            })
            .collect();
    }
    areas
}

/// The towns a piece names inside an area, with the way it was written.
pub(super) fn towns_of(g: &Gazetteer, part: &Part, within: Option<Area>) -> Option<Reading> {
    let whole = towns(g, &part.key, within);
    if !whole.is_empty() {
        return Reading::of_towns(whole, &part.raw);
    }
    if part.bare != part.key {
        let bare = towns(g, &part.bare, within);
        if !bare.is_empty() {
            let found = Reading::of_towns(bare, &part.bare_raw)?;
            return Some(found.in_district(text::ordinal(&part.raw).map(str::to_owned), false));
        }
    }
    variants(&part.bare).iter().find_map(|key| {
        let mut towns = towns(g, key, within);
        // Gotham City is not the village of Gotham.
        if within.is_none() && key.split(' ').count() < part.bare.split(' ').count() {
            towns.retain(|(row, _)| g.population(*row) >= WELL_KNOWN);
        }
        Reading::of_towns(towns, &part.bare_raw)
    })
}

/// Several pieces, the last of which ends in a country or region.
fn ending_in_area(g: &Gazetteer, parts: &[Part]) -> Option<Reading> {
    let (last, lead) = parts.split_last()?;
    let tails = without_namesakes(g, areas(g, last));
    if !tails.is_empty() {
        // Chooses the strongest region of a name.
        // A far better known town in a weaker one has precedence.
        let found = best(tails.iter().filter_map(|area| {
            let lift = if area.weight == AreaWeight::Code {
                0.0
            } else {
                weight(g, *area)
            };
            inside(g, lead, *area).map(|reading| reading.lifted(lift))
        }));
        // "Acuaco, Puebla, Mexico": the country, and not its capital.
        let found = match ends_in_country(g, parts) {
            true => found,
            false => found.map(|found| in_metropolis(g, lead, last, found)),
        };
        return found.or_else(|| best(tails.iter().filter_map(|area| beside(g, lead, *area))));
    }
    // "Calle Mayor 1, 28013 Madrid Spain": the area is the end of the last piece.
    best(splits(last).filter_map(|(head, tail)| {
        let mut lead = lead.to_vec();
        lead.push(head);
        best(
            areas(g, &tail)
                .into_iter()
                .filter_map(|area| inside(g, &lead, area)),
        )
    }))
}

/// "Kadıköy, İstanbul": the district in the city, and not the village at the other end of its province.
fn in_metropolis(g: &Gazetteer, lead: &[Part], last: &Part, found: Reading) -> Reading {
    let (Target::Town(village), Some(city)) = (found.target, city_state(g, last)) else {
        return found;
    };
    let Target::Town(row) = city.target else {
        return found;
    };
    let is_far = g.point(row).distance_km(g.point(village)) > NEAR_KM;
    if is_far && g.population(village) < WELL_KNOWN && g.population(row) >= METROPOLIS {
        return city.in_district(district(lead), false);
    }
    found
}

/// "Naples, Ontario": means the province, not the county of its name, which has a Naples.
fn without_namesakes(g: &Gazetteer, mut areas: Vec<Area>) -> Vec<Area> {
    let named = |area: &Area| area.kind != AreaKind::Part && area.weight != AreaWeight::Code;
    let largest = areas
        .iter()
        .filter(|area| named(area))
        .map(|area| g.area_population(*area))
        .max();
    if let Some(largest) = largest {
        areas.retain(|area| area.kind != AreaKind::Part || 8 * g.area_population(*area) >= largest);
    }
    areas
}

/// "Brighton, East Sussex": a town that people place in a county, which does not govern it.
fn beside(g: &Gazetteer, lead: &[Part], county: Area) -> Option<Reading> {
    let centre = g.anchor(county).filter(|_| county.kind == AreaKind::Part)?;
    let part = lead.last()?;
    let mut near = towns(g, &part.bare, None);
    near.retain(|(row, _)| {
        g.region(*row) == g.region(centre) && g.point(*row).distance_km(g.point(centre)) <= BESIDE_KM
    });
    Reading::of_towns(near, &part.bare_raw)
}

/// "Friedrichshain-Kreuzberg, Berlin": a region that is hardly larger than the city of its name.
/// A name before it is in the city.
fn city_state(g: &Gazetteer, part: &Part) -> Option<Reading> {
    let named = towns(g, &part.bare, None);
    let areas = areas(g, part);
    let city = areas
        .iter()
        .copied()
        // Florida in Uruguay is hardly larger than its city, but another region is meant.
        .filter(|area| {
            let is_larger = |other: &Area| {
                other.kind == AreaKind::Region && g.area_population(*other) > g.area_population(*area)
            };
            area.kind == AreaKind::Region && !areas.iter().any(is_larger)
        })
        .find_map(|area| {
            let row = g.anchor(area)?;
            let holds_most = 2 * g.population(row) >= g.area_population(area);
            named
                .first()
                .copied()
                .filter(|(town, _)| *town == row && holds_most)
        })?;
    Reading::of_towns(vec![city], &part.bare_raw)
}

/// "Germany, Munich".
fn beginning_with_area(g: &Gazetteer, first: &Part, rest: &[Part]) -> Option<Reading> {
    let reversed: Vec<Part> = rest.iter().rev().cloned().collect();
    let areas = areas(g, first)
        .into_iter()
        .filter(|area| area.kind != AreaKind::Part);
    best(areas.filter_map(|area| inside(g, &reversed, area)))
}

/// A name that holds a separator itself.
fn whole(g: &Gazetteer, parts: &[Part]) -> Option<Reading> {
    let raw: Vec<&str> = parts.iter().map(|part| part.bare_raw.as_str()).collect();
    let part = Part::of_words(&raw)?;
    Reading::of_towns(towns(g, &part.key, None), &part.raw)
}

/// Reads the pieces inside the area that follows them.
pub(super) fn inside(g: &Gazetteer, lead: &[Part], area: Area) -> Option<Reading> {
    let (last, before) = lead.split_last()?;
    if let Some(territory) = territory(g, last, area) {
        return if before.is_empty() {
            Some(of_area(g, territory, &[], &last.bare_raw).and_one_more())
        } else {
            inside(g, before, territory).map(Reading::and_one_more)
        };
    }
    let within: Vec<Area> = areas(g, last)
        .into_iter()
        .filter(|inner| inner.kind > area.kind && g.is_inside(*inner, area))
        .collect();
    if !before.is_empty() {
        let nested = best(within.iter().filter_map(|inner| inside(g, before, *inner)));
        if nested.is_some() {
            return nested.map(Reading::and_one_more);
        }
    }
    let region = strongest(g, &within);
    let town = town_in(g, lead, area, region.is_some());
    let found = match (town, region) {
        (Some(town), Some(region)) => Some(town_or_region(g, town, region, last)),
        (Some(town), None) => Some(town),
        // "Seattle, Texas, USA" names a town that does not exist there.
        // It is not a spelling of Texas.
        (None, Some(region)) if before.is_empty() || before.iter().all(Part::has_number) => {
            Some(of_area(g, region, &[], &last.bare_raw))
        }
        (None, _) => in_territory(g, lead, area),
    };
    found.map(Reading::and_one_more)
}

/// "Taiwan, China", "Puerto Rico, USA": a territory with a code of its own.
fn territory(g: &Gazetteer, part: &Part, country: Area) -> Option<Area> {
    if country.kind != AreaKind::Country {
        return None;
    }
    let codes = territories::of(g.code_of(country));
    areas(g, part)
        .into_iter()
        .find(|area| area.kind == AreaKind::Country && codes.contains(&g.code_of(*area)))
}

/// "Hong Kong, China": a country instead of its territory with its own code.
fn in_territory(g: &Gazetteer, lead: &[Part], country: Area) -> Option<Reading> {
    if country.kind != AreaKind::Country {
        return None;
    }
    let territories = territories::of(g.code_of(country))
        .iter()
        .flat_map(|code| g.areas_named(&fold(code)));
    let territories =
        territories.filter(|area| area.kind == AreaKind::Country && area.weight == AreaWeight::Code);
    best(territories.filter_map(|territory| town_in(g, lead, territory, false)))
}

/// The last town among the pieces, or a section of it further left.
fn town_in(g: &Gazetteer, lead: &[Part], area: Area, last_is_region: bool) -> Option<Reading> {
    // If the last piece is a region, the pieces before it are not in that region.
    // Only the last piece is tried.
    let choices = if last_is_region {
        lead.len().saturating_sub(1)..lead.len()
    } else {
        0..lead.len()
    };
    for index in choices.rev() {
        let part = lead.get(index)?;
        let Some(town) = towns_of(g, part, Some(area)).or_else(|| words_in(g, part, area)) else {
            continue;
        };
        if last_is_region
            && lead.len() > 1
            && let Target::Town(row) = town.target
            && areas(g, part)
                .iter()
                .any(|inner| g.is_inside(*inner, area) && is_outweighed(g, row, *inner))
        {
            return None;
        }
        let (before, after) = (lead.get(..index)?, lead.get(index + 1..)?);
        let found = section_of(g, before, town);
        return Some(if after.is_empty() {
            found
        } else {
            found.in_district(district(after), true)
        });
    }
    None
}

/// Reads a town's section that is named before it, else the town.
fn section_of(g: &Gazetteer, before: &[Part], town: Reading) -> Reading {
    let Target::Town(row) = town.target else {
        return town;
    };
    let named = before.iter().filter(|part| !part.has_number());
    if let Some(section) = named.into_iter().find_map(|part| section(g, part, row)) {
        return section.and_one_more();
    }
    town.in_district(district(before), false)
}

/// Finds the section in a city that a piece names.
pub(super) fn section(g: &Gazetteer, part: &Part, city: Row) -> Option<Reading> {
    let centre = g.point(city);
    let mut near = towns(g, &part.key, None);
    near.retain(|(row, _)| {
        *row != city && g.country(*row) == g.country(city) && g.point(*row).distance_km(centre) <= NEAR_KM
    });
    Reading::of_towns(near, &part.raw)
}

/// Joins the words in pieces that do not belong to an address.
fn district(pieces: &[Part]) -> Option<String> {
    let named = pieces.iter().filter(|part| !part.has_number());
    let words: Vec<&str> = named.map(|part| part.raw.as_str()).collect();
    text::district(&words.join(", "))
}

/// "Austin TX" inside the United States; "10 Main Street Springfield" inside Illinois.
fn words_in(g: &Gazetteer, part: &Part, area: Area) -> Option<Reading> {
    let nested = splits(part).filter_map(|(head, tail)| {
        let inner = areas(g, &tail)
            .into_iter()
            .filter(|inner| inner.kind > area.kind && g.is_inside(*inner, area));
        best(inner.filter_map(|inner| towns_of(g, &head, Some(inner)))).map(Reading::and_one_more)
    });
    if let Some(found) = best(nested) {
        return Some(found);
    }
    // With a number in the piece, the words before the town are an address.
    if !part.has_number() {
        return None;
    }
    let words = part.words();
    (1..words.len()).find_map(|from| {
        let rest = Part::of_words(words.get(from..)?)?;
        towns_of(g, &rest, Some(area)).filter(|_| rest.bare.chars().count() > 2)
    })
}

/// The ways to cut an area off the end of a piece, longest area first.
pub(super) fn splits(part: &Part) -> impl Iterator<Item = (Part, Part)> {
    let words = part.words();
    let longest = words.len().saturating_sub(MAX_AREA_WORDS).max(1);
    cuts(&words, longest..words.len()).into_iter()
}

/// Cuts words in two, behind so many of them.
fn cuts(words: &[&str], counts: impl Iterator<Item = usize>) -> Vec<(Part, Part)> {
    let cut = |count| {
        let (head, tail) = words.split_at_checked(count)?;
        Some((Part::of_words(head)?, Part::of_words(tail)?))
    };
    counts.filter_map(cut).collect()
}

/// A text without separators.
fn single(g: &Gazetteer, part: &Part) -> Option<Reading> {
    let areas = areas(g, part);
    let is_town = areas.is_empty() || !says_region(&part.bare);
    let town = is_town.then(|| towns_of(g, part, None)).flatten();
    if let Some(found) = town_or_area(g, town, &areas, part) {
        return Some(found);
    }
    // "Munich Germany", "Austin TX USA", "Spain Madrid", "東京都渋谷区".
    best(splits(part).filter_map(|(head, tail)| {
        best(
            self::areas(g, &tail)
                .into_iter()
                .filter_map(|area| inside(g, std::slice::from_ref(&head), area)),
        )
    }))
    .or_else(|| {
        best(leads(part).filter_map(|(head, tail)| {
            let areas = self::areas(g, &head)
                .into_iter()
                .filter(|area| area.kind != AreaKind::Part);
            best(areas.filter_map(|area| towns_of(g, &tail, Some(area))))
        }))
    })
    .or_else(|| unspaced(g, &part.bare.replace(' ', ""), None))
    // "Brooklyn NYC".
    .or_else(|| splits(part).find_map(|(head, tail)| neighbours(g, &[head, tail])))
}

/// The ways to cut an area off the start of a piece.
fn leads(part: &Part) -> impl Iterator<Item = (Part, Part)> {
    let words = part.words();
    let most = words.len().saturating_sub(1).min(MAX_AREA_WORDS);
    cuts(&words, 1..=most).into_iter()
}

/// "Marbella, Málaga": two towns, the first near the second.
/// "221B Baker Street, London": an address in a city.
fn neighbours(g: &Gazetteer, parts: &[Part]) -> Option<Reading> {
    let [.., first, second] = parts else { return None };
    if names_area(g, second) {
        return None;
    }
    let around = towns_of(g, second, None)?;
    let places: Vec<Row> = around
        .alternatives
        .iter()
        .map(|(target, _)| *target)
        .chain([around.target])
        .filter_map(Target::town)
        .collect();
    // A place near a namesake that few think of is not meant.
    let largest = places.iter().map(|row| g.population(*row)).max()?;
    let places: Vec<Row> = places
        .into_iter()
        .filter(|row| RIVAL * g.population(*row) >= largest)
        .collect();
    let mut near = towns(g, &first.bare, None);
    near.retain(|(row, _)| {
        places.iter().any(|place| {
            place != row
                && g.country(*place) == g.country(*row)
                && g.population(*place) > g.population(*row)
                && g.point(*place).distance_km(g.point(*row)) <= NEIGHBOUR_KM
        })
    });
    Reading::of_towns(near, &first.bare_raw).or_else(|| {
        let row = around.target.town()?;
        (first.has_number() && g.population(row) >= STRONG_TOWN).then_some(around)
    })
}
