//! Builds the blob from the merged tables. Behind feature `pack`; the program never needs it.
//!
//! It lives in this crate so that names are folded, and numbers laid out, by the code that reads them back.

mod area;
mod names;
mod place;
mod texts;

use crate::layout::{self, MAGIC, SECTIONS};
use area::Areas;
use names::Names;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use texts::Texts;

/// Why the tables cannot be packed.
#[derive(Debug, thiserror::Error)]
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
        /// What is wrong with it.
        what: &'static str,
    },
    /// More of something than the layout can count.
    #[error("too many {0} for the layout")]
    TooMany(&'static str),
    /// The transducer cannot be built.
    #[error("building the name index")]
    Index(#[from] fst::Error),
}

/// A packed blob and the counts worth recording.
#[derive(Debug)]
pub struct Packed {
    /// The bytes to embed.
    pub blob: Vec<u8>,
    /// Counts by name, for the manifest.
    pub counts: BTreeMap<&'static str, usize>,
}

/// Packs the tables in `tables` with the aliases and overrides in `hand`.
///
/// # Errors
/// A missing or misshapen table; a count beyond the layout.
pub fn pack(tables: &Path, hand: &Path) -> Result<Packed, PackError> {
    let mut texts = Texts::default();
    let mut names = Names::default();
    let aliases = read(hand, "aliases.tsv", 3)?;
    let mut areas = Areas::read(tables, &aliases, &mut texts, &mut names)?;
    let places = place::read(tables, hand, &aliases, &areas, &mut texts, &mut names)?;
    areas.count(&places);

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
    ]);

    let mut sections: [Vec<u8>; SECTIONS] = Default::default();
    sections[layout::LAT] = places.iter().flat_map(|place| place.lat.to_le_bytes()).collect();
    sections[layout::LON] = places.iter().flat_map(|place| place.lon.to_le_bytes()).collect();
    sections[layout::PLACES] = places.iter().flat_map(place::Packing::bytes).collect();
    sections[layout::REGIONS] = areas.regions.iter().flat_map(area::Region::bytes).collect();
    sections[layout::PARTS] = areas.parts.iter().flat_map(area::Part::bytes).collect();
    sections[layout::COUNTRIES] = areas.countries.iter().flat_map(area::Country::bytes).collect();
    sections[layout::TEXTS] = texts.bytes();
    sections[layout::PLACE_NAMES] = place_names.0;
    sections[layout::AREA_NAMES] = area_names.0;
    sections[layout::POSTINGS] = postings
        .iter()
        .flat_map(|posting: &u32| posting.to_le_bytes())
        .collect();

    let blob = join(&sections)?;
    counts.insert("bytes", blob.len());
    Ok(Packed { blob, counts })
}

fn join(sections: &[Vec<u8>; SECTIONS]) -> Result<Vec<u8>, PackError> {
    let mut blob = Vec::from(MAGIC);
    let mut offset = MAGIC.len() + SECTIONS * 8;
    for section in sections {
        blob.extend(small(offset, "bytes")?.to_le_bytes());
        blob.extend(small(section.len(), "bytes")?.to_le_bytes());
        offset += section.len();
    }
    blob.extend(sections.iter().flatten());
    Ok(blob)
}

fn small(number: usize, what: &'static str) -> Result<u32, PackError> {
    u32::try_from(number).map_err(|_| PackError::TooMany(what))
}

fn tiny(number: usize, what: &'static str) -> Result<u16, PackError> {
    u16::try_from(number).map_err(|_| PackError::TooMany(what))
}

/// The fields of a table, line by line, without comments.
fn read(folder: &Path, table: &'static str, fields: usize) -> Result<Vec<Vec<String>>, PackError> {
    let path = folder.join(table);
    let text =
        fs::read_to_string(&path).map_err(|error| PackError::Read(path.display().to_string(), error))?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let row: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if row.len() != fields {
            return Err(PackError::Line {
                table,
                line: index + 1,
                what: "wrong number of fields",
            });
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Parses a field; `line` counts lines that are not comments.
fn parse<T: std::str::FromStr>(field: &str, table: &'static str, line: usize) -> Result<T, PackError> {
    field.parse().map_err(|_| PackError::Line {
        table,
        line: line + 1,
        what: "not a number",
    })
}
