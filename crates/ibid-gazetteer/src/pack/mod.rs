//! Builds the data files from the merged tables.
//!
//! Requires the feature `pack`.
//! The program does not need it.
//!
//! Packer and reader fold names and lay out numbers with the same code of this crate.

mod area;
mod local;
mod names;
mod place;
mod string_pool;

use crate::layout::{self, NAMES_MAGIC, NAMES_SECTIONS, NameSection, PLACES_MAGIC, PLACES_SECTIONS, Section};
use area::Areas;
use names::Names;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use string_pool::StringPool;

/// The reason why the tables cannot be packed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// A table cannot be read.
    #[error("reading {0}")]
    Read(String, #[source] std::io::Error),
    /// A line of a table has the wrong shape.
    #[error("{table}, line {line}: {what}")]
    Line {
        /// File name of the table.
        table: &'static str,
        /// Line number, from 1.
        line: usize,
        /// The fault.
        what: &'static str,
    },
    /// More of something than the layout can count.
    #[error("too many {0} for the layout")]
    TooMany(&'static str),
    /// The transducer cannot be built.
    #[error("building the name index")]
    Index(#[from] fst::Error),
}

/// The packed files and the counts for the manifest.
#[derive(Debug)]
pub struct Packed {
    /// What `places.bin` holds.
    pub places: Vec<u8>,
    /// What `names.bin` holds.
    pub names: Vec<u8>,
    /// Counts by name, for the manifest.
    pub counts: BTreeMap<&'static str, usize>,
}

/// Packs the tables in `tables` with the aliases and overrides in `hand`.
///
/// # Errors
/// A missing or misshapen table; a count beyond the layout.
pub fn pack(tables: &Path, hand: &Path) -> Result<Packed, PackError> {
    let mut texts = StringPool::default();
    let mut names = Names::default();
    let aliases = read(hand, "aliases.tsv")?;
    let mut areas = Areas::read(tables, &aliases, &mut texts, &mut names)?;
    let places = place::read(tables, hand, &aliases, &areas, &mut texts, &mut names)?;
    areas.count(&places);

    let local = local::gather(tables, &places, &areas, &mut texts)?;

    let mut postings = Vec::new();
    let place_names = names.places(&places, &mut postings)?;
    let area_names = names.areas(&mut postings)?;
    let mut counts = BTreeMap::from([
        ("places", places.len()),
        (
            "markets",
            places
                .iter()
                .filter(|place| place.flags & layout::MARKET != 0)
                .count(),
        ),
        ("countries", areas.countries.len()),
        (
            "regions",
            areas.regions.iter().filter(|region| region.has_name()).count(),
        ),
        ("parts", areas.parts.len()),
        ("placeNames", place_names.1),
        ("areaNames", area_names.1),
        ("localNames", local.len()),
    ]);

    let mut sections: [Vec<u8>; PLACES_SECTIONS] = Default::default();
    sections[Section::Lat as usize] = places.iter().flat_map(|place| place.lat.to_le_bytes()).collect();
    sections[Section::Lon as usize] = places.iter().flat_map(|place| place.lon.to_le_bytes()).collect();
    sections[Section::Places as usize] = places.iter().flat_map(place::Packing::bytes).collect();
    sections[Section::Regions as usize] = areas.regions.iter().flat_map(area::Region::bytes).collect();
    sections[Section::Parts as usize] = areas.parts.iter().flat_map(area::Part::bytes).collect();
    sections[Section::Countries as usize] = areas.countries.iter().flat_map(area::Country::bytes).collect();
    sections[Section::Texts as usize] = texts.bytes();
    sections[Section::Local as usize] = local
        .iter()
        .flatten()
        .flat_map(|part| part.to_le_bytes())
        .collect();
    let mut index: [Vec<u8>; NAMES_SECTIONS] = Default::default();
    index[NameSection::Places as usize] = place_names.0;
    index[NameSection::Areas as usize] = area_names.0;
    index[NameSection::Postings as usize] = postings
        .iter()
        .flat_map(|posting: &u32| posting.to_le_bytes())
        .collect();

    let places = join(PLACES_MAGIC, &sections)?;
    let names = join(NAMES_MAGIC, &index)?;
    counts.insert("bytes", places.len() + names.len());
    Ok(Packed {
        places,
        names,
        counts,
    })
}

fn join(magic: [u8; 8], sections: &[Vec<u8>]) -> Result<Vec<u8>, PackError> {
    let mut file = Vec::from(magic);
    let mut offset = magic.len() + sections.len() * 8;
    for section in sections {
        file.extend(small(offset, "bytes")?.to_le_bytes());
        file.extend(small(section.len(), "bytes")?.to_le_bytes());
        offset += section.len();
    }
    file.extend(sections.iter().flatten());
    Ok(file)
}

fn small(number: usize, what: &'static str) -> Result<u32, PackError> {
    u32::try_from(number).map_err(|_| PackError::TooMany(what))
}

fn tiny(number: usize, what: &'static str) -> Result<u16, PackError> {
    u16::try_from(number).map_err(|_| PackError::TooMany(what))
}

/// Reads a table's fields, line by line, without comments.
fn read<const N: usize>(folder: &Path, table: &'static str) -> Result<Vec<[String; N]>, PackError> {
    let path = folder.join(table);
    let text =
        fs::read_to_string(&path).map_err(|error| PackError::Read(path.display().to_string(), error))?;
    let lines = text.lines().enumerate();
    let rows = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    rows.map(|(index, line)| {
        let row: Vec<String> = line.split('\t').map(str::to_owned).collect();
        row.try_into()
            .map_err(|_| fault(table, index, "wrong number of fields"))
    })
    .collect()
}

/// A fault in a line, which counts from 0 here.
const fn fault(table: &'static str, line: usize, what: &'static str) -> PackError {
    PackError::Line {
        table,
        line: line + 1,
        what,
    }
}

/// Parses a field; `line` counts lines that are not comments.
fn parse<T: std::str::FromStr>(field: &str, table: &'static str, line: usize) -> Result<T, PackError> {
    field.parse().map_err(|_| fault(table, line, "not a number"))
}
