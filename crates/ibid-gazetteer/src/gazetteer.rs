//! The embedded data, read in place.
//!
//! Opening the data checks only the headers, so the first answer is fast.
//! A read beyond the data returns zero or an empty value.
//! With damaged data, look-ups find no place and do not panic.

use crate::area::{Area, AreaKind, AreaWeight};
use crate::fold::fold;
use crate::fuzzy::NameIndex;
use crate::geo::Point;
use crate::language;
use crate::layout::{
    self, NAMES_MAGIC, NAMES_SECTIONS, NameSection, PLACES_MAGIC, PLACES_SECTIONS, Section, Subject,
};
use crate::place::{KnownPlace, PlaceId, PlaceIndex};
use fst::raw::Fst;
use ibid_gazetteer_names::NAMES;
use ibid_gazetteer_places::PLACES;
use std::sync::{LazyLock, OnceLock};

static GAZETTEER: LazyLock<Option<Gazetteer>> = LazyLock::new(|| Gazetteer::open(PLACES, NAMES));

/// The gazetteer, opened at first use.
pub(crate) fn gazetteer() -> Option<&'static Gazetteer> {
    GAZETTEER.as_ref()
}

/// Reads the data's sections in place.
pub(crate) struct Gazetteer {
    sections: [&'static [u8]; PLACES_SECTIONS],
    postings: &'static [u8],
    place_names: Fst<&'static [u8]>,
    area_names: Fst<&'static [u8]>,
    rows: usize,
    regions: usize,
    spellings: OnceLock<NameIndex>,
    area_spellings: OnceLock<NameIndex>,
}

/// A place by its position in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Row(pub(crate) u32);

impl Row {
    /// Where its record begins, in bytes.
    const fn at(self) -> usize {
        self.0 as usize * Section::Places.record()
    }
}

/// A place that a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamedPlace {
    pub(crate) row: Row,
    pub(crate) main: bool,
}

impl Gazetteer {
    fn open(places: &'static [u8], names: &'static [u8]) -> Option<Self> {
        let sections: [_; PLACES_SECTIONS] = sections(places, PLACES_MAGIC)?;
        let names: [_; NAMES_SECTIONS] = self::sections(names, NAMES_MAGIC)?;
        Some(Self {
            place_names: Fst::new(names[NameSection::Places as usize]).ok()?,
            area_names: Fst::new(names[NameSection::Areas as usize]).ok()?,
            postings: names[NameSection::Postings as usize],
            rows: sections[Section::Places as usize].len() / Section::Places.record(),
            regions: sections[Section::Regions as usize].len() / Section::Regions.record(),
            sections,
            spellings: OnceLock::new(),
            area_spellings: OnceLock::new(),
        })
    }

    fn u32(&self, section: Section, at: usize) -> u32 {
        u32_at(self.sections[section as usize], at)
    }

    fn u16(&self, section: Section, at: usize) -> u16 {
        self.sections[section as usize]
            .get(at..at + 2)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u16::from_le_bytes)
    }

    fn text(&self, offset: u32) -> &'static str {
        let texts = self.sections[Section::Texts as usize];
        let start = offset as usize;
        let length = texts.get(start).copied().map_or(0, usize::from);
        texts
            .get(start + 1..start + 1 + length)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or("")
    }

    /// All rows, from south to north.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> + use<> {
        (0..u32::try_from(self.rows).unwrap_or(u32::MAX)).map(Row)
    }

    /// The rows between two latitudes, in degrees, both included.
    pub(crate) fn band(&self, south: f64, north: f64) -> impl Iterator<Item = Row> + use<> {
        let start = self.first_row(|lat| lat < south);
        let end = self.first_row(|lat| lat <= north);
        (start..end).map(Row)
    }

    /// The first row whose latitude is not `before`; latitudes ascend.
    fn first_row(&self, before: impl Fn(f64) -> bool) -> u32 {
        let row = first(self.rows, |at| before(degrees(self.u32(Section::Lat, at * 4))));
        u32::try_from(row).unwrap_or(u32::MAX)
    }

    pub(crate) fn point(&self, row: Row) -> Point {
        let at = row.0 as usize * 4;
        Point {
            lat: degrees(self.u32(Section::Lat, at)),
            lon: degrees(self.u32(Section::Lon, at)),
        }
    }

    pub(crate) fn id(&self, row: Row) -> u32 {
        self.u32(Section::Places, row.at())
    }

    pub(crate) fn population(&self, row: Row) -> u64 {
        u64::from(self.u32(Section::Places, row.at() + 4))
    }

    fn rank(&self, row: Row) -> u16 {
        self.u16(Section::Places, row.at() + 14)
    }

    /// Whether a row has any of these layout flags.
    pub(crate) fn has(&self, row: Row, flags: u16) -> bool {
        self.rank(row) & flags != 0
    }

    /// Weighs this place among others with the same name.
    ///
    /// A hamlet has about 7, a world city 28.
    pub(crate) fn prominence(&self, row: Row) -> f64 {
        f64::from(self.rank(row) >> layout::FLAG_BITS) * layout::PROMINENCE_STEP
    }

    /// Finds the smallest area around a place: a region's index, or a part's.
    fn area(&self, row: Row) -> (AreaKind, usize) {
        let area = usize::from(self.u16(Section::Places, row.at() + 12));
        match area.checked_sub(self.regions) {
            None => (AreaKind::Region, area),
            Some(part) => (AreaKind::Part, part),
        }
    }

    /// The first-level region of a place.
    pub(crate) fn region(&self, row: Row) -> usize {
        match self.area(row) {
            (AreaKind::Part, part) => self.region_of_part(part),
            (AreaKind::Region | AreaKind::Country, region) => region,
        }
    }

    fn region_of_part(&self, part: usize) -> usize {
        usize::from(self.u16(Section::Parts, part * Section::Parts.record()))
    }

    fn country_of_region(&self, region: usize) -> usize {
        usize::from(self.u16(Section::Regions, region * Section::Regions.record()))
    }

    pub(crate) fn country(&self, row: Row) -> usize {
        self.country_of_region(self.region(row))
    }

    pub(crate) fn country_of(&self, area: Area) -> usize {
        let index = area.index as usize;
        match area.kind {
            AreaKind::Country => index,
            AreaKind::Region => self.country_of_region(index),
            AreaKind::Part => self.country_of_region(self.region_of_part(index)),
        }
    }

    /// Whether a place lies in an area.
    pub(crate) fn lies_in(&self, row: Row, area: Area) -> bool {
        let index = area.index as usize;
        match area.kind {
            AreaKind::Country => self.country(row) == index,
            AreaKind::Region => self.region(row) == index,
            AreaKind::Part => self.area(row) == (AreaKind::Part, index),
        }
    }

    /// Whether an area lies in another, larger one, or is the same.
    pub(crate) fn is_inside(&self, inner: Area, outer: Area) -> bool {
        match (inner.kind, outer.kind) {
            (a, b) if a == b => inner.index == outer.index,
            (_, AreaKind::Country) => self.country_of(inner) == outer.index as usize,
            (AreaKind::Part, AreaKind::Region) => {
                self.region_of_part(inner.index as usize) == outer.index as usize
            }
            (AreaKind::Country | AreaKind::Region | AreaKind::Part, _) => false,
        }
    }

    /// Where an area's population and its most populous place are stored.
    const fn census(area: Area) -> (Section, usize) {
        let index = area.index as usize;
        match area.kind {
            AreaKind::Country => (Section::Countries, index * Section::Countries.record() + 4),
            AreaKind::Region => (Section::Regions, index * Section::Regions.record() + 2),
            AreaKind::Part => (Section::Parts, index * Section::Parts.record() + 2),
        }
    }

    /// Inhabitants of an area.
    pub(crate) fn area_population(&self, area: Area) -> u64 {
        let (section, at) = Self::census(area);
        u64::from(self.u32(section, at))
    }

    /// Inhabitants of a country.
    pub(crate) fn country_population(&self, country: usize) -> u64 {
        u64::from(self.u32(Section::Countries, country * Section::Countries.record() + 4))
    }

    /// The most populous place of an area, if it holds any.
    pub(crate) fn anchor(&self, area: Area) -> Option<Row> {
        let (section, at) = Self::census(area);
        let row = self.u32(section, at + 4);
        ((row as usize) < self.rows).then_some(Row(row))
    }

    pub(crate) fn area_name(&self, area: Area) -> &'static str {
        let index = area.index as usize;
        match area.kind {
            AreaKind::Country => self.country_name(index),
            AreaKind::Region => self.region_name(index),
            AreaKind::Part => self.text(self.u32(Section::Parts, index * Section::Parts.record() + 10)),
        }
    }

    /// Names an area in a language, where the data has it.
    pub(crate) fn area_in(&self, area: Area, language: &str) -> Option<&'static str> {
        let subject = match area.kind {
            AreaKind::Country => Subject::Country,
            AreaKind::Region => Subject::Region,
            AreaKind::Part => Subject::Part,
        };
        self.local(area.index as usize, subject, language)
    }

    fn region_name(&self, region: usize) -> &'static str {
        self.text(self.u32(Section::Regions, region * Section::Regions.record() + 10))
    }

    fn country_name(&self, country: usize) -> &'static str {
        self.text(self.u32(Section::Countries, country * Section::Countries.record() + 12))
    }

    /// Returns the ISO 3166-1 code for an area's country.
    pub(crate) fn code_of(&self, area: Area) -> &'static str {
        self.country_code(self.country_of(area))
    }

    fn country_code(&self, country: usize) -> &'static str {
        self.text(self.u32(Section::Countries, country * Section::Countries.record() + 16))
    }

    pub(crate) fn place(&self, row: Row) -> KnownPlace {
        let region = self.region(row);
        let country = self.country_of_region(region);
        let admin = self.region_name(region);
        let admin_code = self.text(self.u32(Section::Regions, region * Section::Regions.record() + 14));
        let country_code = self.country_code(country);
        let point = self.point(row);
        KnownPlace {
            id: PlaceId(self.id(row)),
            name: self.text(self.u32(Section::Places, row.at() + 8)),
            admin: Some(admin).filter(|name| !name.is_empty()),
            country: self.country_name(country),
            country_code,
            lat: point.lat,
            lon: point.lon,
            population: self.population(row),
            languages: language::of(country_code, admin_code),
            index: PlaceIndex {
                row: Some(row),
                region: Some(region),
                country,
            },
        }
    }

    /// A country as a place, at the point of its most populous town.
    pub(crate) fn country_place(&self, country: u32, anchor: Row) -> KnownPlace {
        let at = country as usize * Section::Countries.record();
        let name = self.country_name(country as usize);
        let place = self.place(anchor);
        KnownPlace {
            id: PlaceId(self.u32(Section::Countries, at)),
            name,
            admin: None,
            country: name,
            population: u64::from(self.u32(Section::Countries, at + 4)),
            languages: language::of(place.country_code, ""),
            index: PlaceIndex {
                row: None,
                region: None,
                ..place.index
            },
            ..place
        }
    }

    /// Names what `kind` and `index` stand for in a language, where the data has it.
    pub(crate) fn local(&self, index: usize, kind: Subject, language: &str) -> Option<&'static str> {
        let language = layout::LANGUAGES.iter().position(|tag| *tag == language)?;
        let subject = u32::try_from(index).ok()? << layout::SUBJECT_SHIFT | kind as u32;
        let wanted = (subject, u32::try_from(language).ok()?);
        let record = |at: usize| {
            let at = at * Section::Local.record();
            (self.u32(Section::Local, at), self.u32(Section::Local, at + 4))
        };
        let records = self.sections[Section::Local as usize].len() / Section::Local.record();
        let at = first(records, |at| record(at) < wanted);
        let name = || self.text(self.u32(Section::Local, at * Section::Local.record() + 8));
        (at < records && record(at) == wanted).then(name)
    }

    /// Places of a folded name, most prominent first.
    pub(crate) fn places_named(&self, key: &str) -> impl Iterator<Item = NamedPlace> + use<> {
        self.postings(&self.place_names, key).map(named)
    }

    /// Places of a value found in [`Self::place_names`].
    pub(crate) fn places_at(&self, value: u64) -> impl Iterator<Item = NamedPlace> + use<> {
        self.list(value).map(named)
    }

    /// Areas of a folded name.
    pub(crate) fn areas_named(&self, key: &str) -> impl Iterator<Item = Area> + use<> {
        self.postings(&self.area_names, key)
            .filter_map(Area::from_posting)
    }

    /// Areas of a value found in [`Self::area_names`].
    pub(crate) fn areas_at(&self, value: u64) -> impl Iterator<Item = Area> + use<> {
        self.list(value).filter_map(Area::from_posting)
    }

    pub(crate) const fn place_names(&self) -> &Fst<&'static [u8]> {
        &self.place_names
    }

    /// How towns from 1,000 inhabitants on are spelled, so that typing errors can be corrected.
    /// Indexed at first use.
    pub(crate) fn spellings(&self) -> &NameIndex {
        self.spellings.get_or_init(|| {
            NameIndex::new(&self.place_names, |value| {
                self.places_at(value)
                    .any(|named| self.population(named.row) >= layout::SMALLEST_TOWN)
            })
        })
    }

    /// How countries and regions are spelled in English and in their own languages.
    /// Indexed at first use.
    pub(crate) fn area_spellings(&self) -> &NameIndex {
        self.area_spellings.get_or_init(|| {
            NameIndex::new(&self.area_names, |value| {
                self.areas_at(value)
                    .any(|area| area.kind != AreaKind::Part && area.weight == AreaWeight::Own)
            })
        })
    }

    /// Finds a country by its ISO 3166-1 code.
    pub(crate) fn country_of_code(&self, code: &str) -> Option<Area> {
        self.areas_named(&fold(code))
            .find(|area| area.kind == AreaKind::Country && area.weight == AreaWeight::Code)
    }

    fn postings(&self, names: &Fst<&'static [u8]>, key: &str) -> impl Iterator<Item = u32> + use<> {
        names
            .get(key)
            .map(|value| self.list(value.value()))
            .into_iter()
            .flatten()
    }

    fn list(&self, value: u64) -> impl Iterator<Item = u32> + use<> {
        let low = u32::try_from(value & u64::from(u32::MAX)).unwrap_or_default();
        let postings = self.postings;
        let (single, start, length) = if value & layout::SINGLE != 0 {
            (Some(low), 0, 0)
        } else {
            (
                None,
                low as usize + 1,
                u32_at(postings, low as usize * 4) as usize,
            )
        };
        single
            .into_iter()
            .chain((start..start + length).map(move |index| u32_at(postings, index * 4)))
    }
}

/// Finds the sections in a file that starts with `magic`.
fn sections<const N: usize>(file: &'static [u8], magic: [u8; 8]) -> Option<[&'static [u8]; N]> {
    if !file.starts_with(&magic) {
        return None;
    }
    let mut sections: [&'static [u8]; N] = [&[]; N];
    for (index, section) in sections.iter_mut().enumerate() {
        let start = u32_at(file, magic.len() + 8 * index) as usize;
        let length = u32_at(file, magic.len() + 8 * index + 4) as usize;
        *section = file.get(start..start.checked_add(length)?)?;
    }
    Some(sections)
}

const fn named(posting: u32) -> NamedPlace {
    NamedPlace {
        row: Row(posting >> layout::ROW_SHIFT),
        main: posting & layout::MAIN != 0,
    }
}

/// Finds the first position that is not `before`, by bisection: all that are come before it.
fn first(length: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, length);
    while low < high {
        let middle = usize::midpoint(low, high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

fn degrees(stored: u32) -> f64 {
    f64::from(stored.cast_signed()) / 1e5
}
