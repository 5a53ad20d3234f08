//! Countries, regions and their parts.

use super::names::Names;
use super::place::Packing;
use super::string_pool::StringPool;
use super::{PackError, fault, parse, read, small, tiny};
use crate::area::{AreaKind, AreaWeight};
use crate::fold::fold;
use crate::layout;
use std::collections::HashMap;
use std::path::Path;

pub(super) struct Country {
    id: u32,
    most: Most,
    name: u32,
    code: u32,
}

impl Country {
    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.id, self.most.population, self.most.row, self.name, self.code]
            .map(u32::to_le_bytes)
            .concat()
    }
}

pub(super) struct Region {
    country: u16,
    most: Most,
    name: Option<u32>,
    code: u32,
}

impl Region {
    pub(super) const fn has_name(&self) -> bool {
        self.name.is_some()
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::from(self.country.to_le_bytes());
        // Offset 0 is the empty text.
        let name = self.name.unwrap_or(0);
        bytes.extend(
            [self.most.population, self.most.row, name, self.code]
                .map(u32::to_le_bytes)
                .concat(),
        );
        bytes
    }
}

pub(super) struct Part {
    region: u16,
    most: Most,
    name: u32,
}

impl Part {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::from(self.region.to_le_bytes());
        bytes.extend(
            [self.most.population, self.most.row, self.name]
                .map(u32::to_le_bytes)
                .concat(),
        );
        bytes
    }
}

/// How many people an area has, and its most populous place.
struct Most {
    population: u32,
    row: u32,
    weight: u64,
}

impl Most {
    const fn of(population: u32) -> Self {
        Self {
            population,
            row: layout::NO_ROW,
            weight: 0,
        }
    }

    /// Records a place if it is the most populous so far.
    ///
    /// A reliable row has precedence, a section of a town comes last.
    fn see(&mut self, row: usize, place: &Packing) {
        let class: u64 = match place.flags & (layout::MARKET | layout::SECTION) {
            layout::MARKET => 2,
            0 => 1,
            _ => 0,
        };
        let weight = (class << 32) + u64::from(place.population) + 1;
        if weight > self.weight {
            self.weight = weight;
            self.row = u32::try_from(row).unwrap_or(layout::NO_ROW);
        }
    }
}

#[derive(Default)]
pub(super) struct Areas {
    pub(super) countries: Vec<Country>,
    pub(super) regions: Vec<Region>,
    pub(super) parts: Vec<Part>,
    pub(super) country_keys: HashMap<String, u16>,
    pub(super) region_keys: HashMap<String, u16>,
    pub(super) part_keys: HashMap<String, u16>,
}

impl Areas {
    pub(super) fn read(
        tables: &Path,
        aliases: &[[String; 3]],
        texts: &mut StringPool,
        names: &mut Names,
    ) -> Result<Self, PackError> {
        let empty = texts.add("");
        let mut areas = Self::default();
        for (line, row) in read(tables, "countries.tsv")?.iter().enumerate() {
            let [code, id, name, population, own, foreign] = row;
            let index = areas.countries.len();
            areas.country_keys.insert(code.clone(), tiny(index, "countries")?);
            areas.countries.push(Country {
                id: parse(id, "countries.tsv", line)?,
                code: texts.add(code),
                name: texts.add(name),
                most: Most::of(parse(population, "countries.tsv", line)?),
            });
            // Places in no region of the country.
            areas
                .region_keys
                .insert(format!("{code}."), tiny(areas.regions.len(), "regions")?);
            areas.regions.push(Region {
                country: tiny(index, "countries")?,
                most: Most::of(0),
                name: None,
                code: empty,
            });
            let index = small(index, "countries")?;
            add(names, own, (AreaKind::Country, index), AreaWeight::Own);
            add(names, foreign, (AreaKind::Country, index), AreaWeight::Foreign);
            add(names, code, (AreaKind::Country, index), AreaWeight::Code);
        }
        for [key, name, own, foreign, codes] in &read(tables, "regions.tsv")? {
            let mut levels = key.splitn(3, '.');
            let (Some(country), Some(code)) = (levels.next(), levels.next()) else {
                continue;
            };
            let Some(&country_index) = areas.country_keys.get(country) else {
                continue;
            };
            let area = if levels.next().is_none() {
                let index = tiny(areas.regions.len(), "regions")?;
                areas.region_keys.insert(key.clone(), index);
                areas.regions.push(Region {
                    country: country_index,
                    name: Some(texts.add(name)),
                    code: texts.add(code),
                    most: Most::of(0),
                });
                (AreaKind::Region, u32::from(index))
            } else {
                let Some(&region) = areas.region_keys.get(&format!("{country}.{code}")) else {
                    continue;
                };
                let index = tiny(areas.parts.len(), "parts")?;
                areas.part_keys.insert(key.clone(), index);
                areas.parts.push(Part {
                    region,
                    most: Most::of(0),
                    name: texts.add(name),
                });
                (AreaKind::Part, u32::from(index))
            };
            add(names, own, area, AreaWeight::Own);
            add(names, foreign, area, AreaWeight::Foreign);
            add(names, codes, area, AreaWeight::Code);
        }
        for (line, [kind, target, name]) in aliases.iter().enumerate() {
            let known = |keys: &HashMap<String, u16>, kind| Some((kind, u32::from(*keys.get(target)?)));
            let area = match kind.as_str() {
                "country" => known(&areas.country_keys, AreaKind::Country),
                "region" => known(&areas.region_keys, AreaKind::Region),
                _ => continue,
            };
            let area = area.ok_or_else(|| fault("aliases.tsv", line, "no such area"))?;
            add(names, name, area, AreaWeight::Own);
        }
        Ok(areas)
    }

    /// Finds a place's region, or its country's nameless one.
    pub(super) fn region(&self, country: &str, code: &str) -> Option<u16> {
        let key = format!("{country}.{code}");
        self.region_keys
            .get(&key)
            .or_else(|| self.region_keys.get(&format!("{country}.")))
            .copied()
    }

    pub(super) fn part(&self, country: &str, code: &str, part: &str) -> Option<u16> {
        self.part_keys.get(&format!("{country}.{code}.{part}")).copied()
    }

    /// Numbers a place's smallest area: regions first, then parts.
    pub(super) fn area(&self, region: u16, part: Option<u16>) -> Result<u16, PackError> {
        part.map_or(Ok(region), |part| {
            tiny(self.regions.len() + usize::from(part), "areas")
        })
    }

    /// Sums the people of regions and parts.
    ///
    /// Also finds the most populous place of every area.
    pub(super) fn count(&mut self, places: &[Packing]) {
        for (row, place) in places.iter().enumerate() {
            let Some(region) = self.regions.get_mut(usize::from(place.region)) else {
                continue;
            };
            // A section's people are counted with its town.
            let people = if place.flags & layout::SECTION == 0 {
                place.population
            } else {
                0
            };
            region.most.population = region.most.population.saturating_add(people);
            region.most.see(row, place);
            if let Some(part) = place.part.and_then(|part| self.parts.get_mut(usize::from(part))) {
                part.most.population = part.most.population.saturating_add(people);
                part.most.see(row, place);
            }
            if let Some(country) = self.countries.get_mut(usize::from(region.country)) {
                country.most.see(row, place);
            }
        }
    }
}

fn add(names: &mut Names, list: &str, (kind, index): (AreaKind, u32), weight: AreaWeight) {
    for name in list.split('|') {
        for key in keys(name) {
            names.add_area(key, kind, index, weight);
        }
    }
}

/// A name, and the same name without a word for the kind of area.
fn keys(name: &str) -> Vec<String> {
    const KINDS: [&str; 12] = [
        "county",
        "province",
        "prefecture",
        "region",
        "oblast",
        "department",
        "district",
        "governorate",
        "voivodeship",
        "state",
        "parish",
        "municipality",
    ];
    let whole = fold(name);
    let mut all = Vec::new();
    if let Some((rest, last)) = whole.rsplit_once(' ')
        && KINDS.contains(&last)
    {
        all.push(rest.to_owned());
    }
    // 東京都 is also written 東京, 경기도 also 경기.
    for suffix in [
        "省",
        "市",
        "都",
        "府",
        "県",
        "縣",
        "州",
        "도",
        "특별시",
        "광역시",
        "시",
    ] {
        if let Some(rest) = whole.strip_suffix(suffix)
            && rest.chars().count() >= 2
        {
            all.push(rest.to_owned());
        }
    }
    all.push(whole);
    all
}
