//! A known city with words that name no place: "Shoreditch, London", "Köln-Ehrenfeld", "Warszawa Mokotów".
//!
//! The city is the place, and the words stay in the questions.
//! Words that are nearly a country, region or town elsewhere are a typing error and not a district.

use super::choice::{RIVAL, is_outweighed};
use super::exact::{NEIGHBOUR_KM, areas, section, splits, towns_of};
use super::reading::{Reading, STRONG_TOWN, Target, WELL_KNOWN};
use super::text::Part;
use super::typo::{Guesses, tolerated, tolerated_in_area};
use super::{PlaceRefusal, text};
use crate::area::{Area, AreaKind, AreaWeight};
use crate::fold::fold;
use crate::gazetteer::{Gazetteer, Row};
use crate::place::NEAR_KM;
use crate::vernacular;
use std::cmp::Reverse;

/// The population from which people place a city in an area by a name that is nearly written.
const KNOWN_AREA: u64 = 5 * STRONG_TOWN;

/// Reads a city and words of no meaning, in any order.
///
/// `None` if no city is named.
pub(super) fn read(
    g: &Gazetteer,
    pieces: &[Part],
    guesses: &mut Guesses,
) -> Option<Result<Reading, PlaceRefusal>> {
    let (last, lead) = pieces.split_last()?;
    let mut ways: Vec<(Vec<Part>, Option<Area>)> = Vec::new();
    if !lead.is_empty() {
        ways.extend(areas(g, last).into_iter().map(|area| (lead.to_vec(), Some(area))));
    }
    for (head, tail) in splits(last) {
        let pieces: Vec<Part> = lead.iter().cloned().chain([head]).collect();
        ways.extend(
            areas(g, &tail)
                .into_iter()
                .map(|area| (pieces.clone(), Some(area))),
        );
    }
    let found = ways
        .iter()
        .find_map(|(pieces, area)| city_in(g, pieces, *area).map(|city| (city, *area)));
    let (found, area) = found.or_else(|| Some((city_in(g, pieces, None)?, None)))?;
    if area.is_none() && has_rival(g, &found) {
        return Some(Err(PlaceRefusal::Namesakes));
    }
    Some(confirm(g, found, area.is_none().then_some(guesses)))
}

/// A reading whose unexplained words may be a district.
///
/// # Errors
/// [`PlaceRefusal::Elsewhere`] if the words are nearly the name of another area or town.
pub(super) fn confirm(
    g: &Gazetteer,
    mut found: Reading,
    guesses: Option<&mut Guesses>,
) -> Result<Reading, PlaceRefusal> {
    let (Target::Town(city), Some(district)) = (found.target, &found.district) else {
        return Ok(found);
    };
    if !vernacular::may_be_name(&fold(&district.words)) {
        return Err(PlaceRefusal::NoPlace);
    }
    let words = text::parts(&district.words);
    let names_area = |word: &&Part| {
        let mut areas = areas(g, word).into_iter();
        district.behind && areas.any(|area| area.kind != AreaKind::Part)
    };
    let sections = words.iter().filter(|word| !names_area(word));
    if let Some(section) = sections.into_iter().find_map(|word| section(g, word, city)) {
        return Ok(section.and_one_more());
    }
    let namesakes: Vec<Row> = namesakes(g, city, &found).collect();
    let meanings: Vec<Meaning> = words
        .iter()
        .map(|word| meaning(g, word, district.behind, city, &namesakes))
        .collect();
    let near_namesake = |town: Row| {
        namesakes.iter().any(|row| {
            g.population(town) > g.population(*row)
                && g.point(town).distance_km(g.point(*row)) <= NEIGHBOUR_KM
        })
    };
    let moved = |guesses: &mut Guesses| {
        words.iter().any(|word| {
            guesses
                .towns(g, &word.bare)
                .any(|town| g.population(town) >= WELL_KNOWN && near_namesake(town))
        })
    };
    if meanings.contains(&Meaning::Elsewhere) || guesses.is_some_and(moved) {
        return Err(PlaceRefusal::Elsewhere);
    }
    if meanings.contains(&Meaning::Here) {
        found.district = None;
    }
    Ok(found)
}

/// What words next to a city mean.
#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    /// An area or a large town that the city is not in.
    Elsewhere,
    /// An area around the city, with a typing error.
    Here,
    /// No meaning.
    Unknown,
}

fn meaning(g: &Gazetteer, word: &Part, behind: bool, city: Row, namesakes: &[Row]) -> Meaning {
    // "Houston, Dallas" is two cities; Palermo is also a part of Buenos Aires.
    let least = if behind {
        STRONG_TOWN
    } else {
        g.population(city) / RIVAL
    };
    if g.places_named(&word.bare)
        .any(|named| named.main && g.population(named.row) >= least)
    {
        return Meaning::Elsewhere;
    }
    let exact = areas(g, word).into_iter().map(|area| (0, area));
    let near = g
        .area_spellings()
        .near(&word.bare, tolerated(&word.bare).saturating_mul(2));
    let near = near.into_iter().flat_map(|hit| {
        g.areas_at(hit.value)
            .filter(|area| area.weight == AreaWeight::Own)
            .map(move |area| (hit.errors, area))
    });
    let mut meaning = Meaning::Unknown;
    for (errors, area) in exact.chain(near).filter(|(_, area)| area.kind != AreaKind::Part) {
        let named = errors == 0 && area.weight != AreaWeight::Foreign;
        let known = named || area.kind == AreaKind::Country || g.area_population(area) >= KNOWN_AREA;
        if g.lies_in(city, area) {
            meaning = Meaning::Here;
        } else if behind && known && errors <= tolerated_in_area(&word.bare)
            || namesakes.iter().any(|row| g.lies_in(*row, area))
        {
            return Meaning::Elsewhere;
        }
    }
    meaning
}

/// The largest city that the pieces name, with the rest of them as its district.
fn city_in(g: &Gazetteer, pieces: &[Part], within: Option<Area>) -> Option<Reading> {
    // A country around it makes a town certain.
    let least = if within.is_some() { WELL_KNOWN } else { STRONG_TOWN };
    match pieces {
        [piece] => {
            let cuts = piece.raw.match_indices([' ', '-']).flat_map(|(at, mark)| {
                let (head, tail) = (&piece.raw[..at], &piece.raw[at + mark.len()..]);
                [(head, tail, mark == " "), (tail, head, false)]
            });
            cuts.filter_map(|(city, rest, behind)| {
                let found = city_of(g, &Part::of_words(&[city])?, within, STRONG_TOWN)?;
                Some(found.in_district(text::district(rest), behind))
            })
            .min_by_key(|found| Reverse(population(g, found)))
        }
        pieces => (0..pieces.len()).rev().find_map(|index| {
            let others = pieces
                .iter()
                .enumerate()
                .filter(|(other, part)| *other != index && !part.has_number());
            let rest: Vec<&str> = others.map(|(_, piece)| piece.raw.as_str()).collect();
            let found = city_of(g, pieces.get(index)?, within, least)?;
            Some(found.in_district(text::district(&rest.join(", ")), index + 1 < pieces.len()))
        }),
    }
}

fn city_of(g: &Gazetteer, city: &Part, within: Option<Area>, least: u64) -> Option<Reading> {
    let found = towns_of(g, city, within)?;
    let row = found.target.town()?;
    let means_area = areas(g, city).into_iter().any(|area| {
        area.kind != AreaKind::Part
            && area.weight != AreaWeight::Code
            && !g.lies_in(row, area)
            && is_outweighed(g, row, area)
    });
    (g.population(row) >= least && !means_area).then_some(found)
}

fn population(g: &Gazetteer, found: &Reading) -> u64 {
    match found.target {
        Target::Town(row) => g.population(row),
        Target::Area(area) => g.area_population(area),
    }
}

/// Finds other towns with the name, away from the city.
fn namesakes<'a>(g: &'a Gazetteer, city: Row, found: &'a Reading) -> impl Iterator<Item = Row> + 'a {
    let here = g.point(city);
    let key = fold(&found.spelling);
    let named = g.places_named(&key).filter(move |named| {
        // Manchester is also an old name of Richmond.
        named.main || fold(g.place(named.row).name).starts_with(&key)
    });
    named
        .map(|named| named.row)
        .filter(move |row| *row != city && g.point(*row).distance_km(here) > NEAR_KM)
}

fn has_rival(g: &Gazetteer, found: &Reading) -> bool {
    found.target.town().is_some_and(|city| {
        namesakes(g, city, found).any(|row| RIVAL * g.population(row) >= g.population(city))
    })
}
