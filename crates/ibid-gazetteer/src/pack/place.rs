//! Reads the gazetteer's rows.

use super::area::Areas;
use super::names::Names;
use super::string_pool::StringPool;
use super::{PackError, fault, parse};
use crate::fold::fold;
use crate::geo::Point;
use crate::layout::{self, core_km};
use std::collections::HashSet;
use std::path::Path;

/// The alternate names that a row without a feature code needs to count as a town.
const TRUSTED_ALTERNATES: usize = 8;

/// A place on its way into the blob.
pub(super) struct Packing {
    pub(super) id: u32,
    pub(super) lat: i32,
    pub(super) lon: i32,
    pub(super) population: u32,
    pub(super) region: u16,
    pub(super) part: Option<u16>,
    pub(super) area: u16,
    pub(super) prominence: u16,
    pub(super) flags: u16,
    name: u32,
    coded: bool,
    alternates: usize,
}

impl Packing {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = [self.id, self.population, self.name]
            .map(u32::to_le_bytes)
            .concat();
        let rank = self.prominence << layout::FLAG_BITS | self.flags;
        bytes.extend([self.area, rank].map(u16::to_le_bytes).concat());
        bytes
    }

    fn point(&self) -> Point {
        Point {
            lat: f64::from(self.lat) / 1e5,
            lon: f64::from(self.lon) / 1e5,
        }
    }
}

/// Reads the places, in the order of their rows: from south to north.
pub(super) fn read(
    tables: &Path,
    hand: &Path,
    aliases: &[[String; 3]],
    areas: &Areas,
    texts: &mut StringPool,
    names: &mut Names,
) -> Result<Vec<Packing>, PackError> {
    let mut barred = HashSet::new();
    let mut unnamed = HashSet::new();
    for (line, [what, id, name]) in super::read(hand, "overrides.tsv")?.iter().enumerate() {
        let id: u32 = parse(id, "overrides.tsv", line)?;
        match what.as_str() {
            "market" => barred.insert(id),
            "name" => unnamed.insert((id, fold(name))),
            _ => return Err(fault("overrides.tsv", line, "neither a market nor a name")),
        };
    }
    let mut places = Vec::new();
    for (line, row) in super::read(tables, "places.tsv")?.iter().enumerate() {
        let [
            id,
            country,
            region,
            part,
            lat,
            lon,
            population,
            feature,
            name,
            alternates,
            others,
        ] = row;
        let Some(region_index) = areas.region(country, region) else {
            continue;
        };
        let id: u32 = parse(id, "places.tsv", line)?;
        let population = parse(population, "places.tsv", line)?;
        let alternates = parse(alternates, "places.tsv", line)?;
        let part = areas.part(country, region, part);
        add_names(names, id, name, others, &unnamed);
        places.push(Packing {
            id,
            lat: hundred_thousandths(parse(lat, "places.tsv", line)?),
            lon: hundred_thousandths(parse(lon, "places.tsv", line)?),
            population,
            region: region_index,
            part,
            area: areas.area(region_index, part)?,
            prominence: prominence(population, alternates, feature),
            flags: flags(population, feature),
            name: texts.add(name),
            coded: !feature.is_empty(),
            alternates,
        });
    }
    let known: HashSet<u32> = places.iter().map(|place| place.id).collect();
    for (line, [kind, target, name]) in aliases.iter().enumerate() {
        if kind == "place" {
            let id = parse(target, "aliases.tsv", line)?;
            if !known.contains(&id) {
                return Err(fault("aliases.tsv", line, "no such place"));
            }
            names.add_place(fold(name), id, layout::MAIN);
        }
    }
    places.sort_by_key(|place| (place.lat, place.lon, place.id));
    let doubtful = doubtful(&places);
    for (row, place) in places.iter_mut().enumerate() {
        if doubtful.contains(&row) || barred.contains(&place.id) {
            place.flags &= !layout::MARKET;
        }
    }
    Ok(places)
}

fn add_names(names: &mut Names, id: u32, name: &str, others: &str, unnamed: &HashSet<(u32, String)>) {
    let main = fold(name);
    for other in others.split('|') {
        let key = fold(other);
        if unnamed.contains(&(id, key.clone())) {
            continue;
        }
        // 大阪市 is also written 大阪, 서울시 also 서울.
        let suffix = ['市', '町', '村', '区', '區', '县', '縣', '镇', '鎮', '시', '군'];
        if let Some(short) = key.strip_suffix(suffix)
            && short.chars().count() >= 2
        {
            names.add_place(short.to_owned(), id, 0);
        }
        names.add_place(key, id, 0);
    }
    names.add_place(main, id, layout::MAIN);
}

#[expect(clippy::cast_possible_truncation, reason = "degrees times 1e5 fit easily")]
fn hundred_thousandths(degrees: f64) -> i32 {
    (degrees * 1e5).round() as i32
}

/// Rates how prominent a place is.
///
/// Depends on its inhabitants, the number of its names and its administrative rank.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 31 in steps of 1/128: 12 bits"
)]
#[expect(clippy::cast_precision_loss, reason = "a count of names")]
fn prominence(population: u32, alternates: usize, feature: &str) -> u16 {
    let seat = match feature {
        "PPLC" => 2.0,
        "PPLA" => 1.0,
        "PPLA2" => 0.5,
        _ => 0.0,
    };
    let value = f64::from(population.max(1)).ln() + 1.5 * (alternates as f64).ln_1p() + seat;
    (value.min(31.0) / layout::PROMINENCE_STEP).round() as u16
}

fn flags(population: u32, feature: &str) -> u16 {
    let mut flags = 0;
    if feature == "PPLX" {
        flags |= layout::SECTION;
    } else if u64::from(population) >= layout::SMALLEST_TOWN {
        flags |= layout::MARKET;
    }
    if matches!(feature, "PPLC" | "PPLA" | "PPLA2") {
        flags |= layout::SEAT;
    }
    if feature == "PPLC" {
        flags |= layout::CAPITAL;
    }
    flags
}

/// Rows without a feature code that are probably districts.
///
/// They have few names, or are inside the core of a larger town.
/// They can be looked up but are not markets.
fn doubtful(places: &[Packing]) -> HashSet<usize> {
    let mut doubtful = HashSet::new();
    for (row, place) in places.iter().enumerate() {
        if place.coded {
            continue;
        }
        // 0.15 degrees of latitude are more than any core.
        let near = places.partition_point(|other| other.lat < place.lat - 15_000);
        let inside = places
            .iter()
            .skip(near)
            .take_while(|other| other.lat <= place.lat + 15_000)
            .any(|other| {
                other.coded
                    && other.population > place.population
                    && other.point().distance_km(place.point()) <= core_km(u64::from(other.population))
            });
        if inside || place.alternates < TRUSTED_ALTERNATES {
            doubtful.insert(row);
        }
    }
    doubtful
}
