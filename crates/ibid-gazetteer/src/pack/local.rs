//! Names in the languages of the questions.

use super::area::Areas;
use super::place::Packing;
use super::string_pool::StringPool;
use super::{PackError, parse, read, small};
use crate::layout::{LANGUAGES, SUBJECT_SHIFT, Subject};
use std::collections::HashMap;
use std::path::Path;

/// Reads the section's records, in order.
pub(super) fn gather(
    tables: &Path,
    places: &[Packing],
    areas: &Areas,
    texts: &mut StringPool,
) -> Result<Vec<[u32; 3]>, PackError> {
    let rows: HashMap<u32, usize> = places
        .iter()
        .enumerate()
        .map(|(row, place)| (place.id, row))
        .collect();
    let mut records = Vec::new();
    for (line, row) in read(tables, "local.tsv", 4)?.iter().enumerate() {
        let [kind, key, language, name] = row.as_slice() else {
            continue;
        };
        let subject = match kind.as_str() {
            "place" => {
                let id: u32 = parse(key, "local.tsv", line)?;
                rows.get(&id).map(|row| (*row, Subject::Place))
            }
            "region" => areas
                .region_keys
                .get(key)
                .map(|index| (usize::from(*index), Subject::Region)),
            "part" => areas
                .part_keys
                .get(key)
                .map(|index| (usize::from(*index), Subject::Part)),
            "country" => areas
                .country_keys
                .get(key)
                .map(|index| (usize::from(*index), Subject::Country)),
            _ => None,
        };
        let language = LANGUAGES.iter().position(|tag| tag == language);
        let (Some((index, kind)), Some(language)) = (subject, language) else {
            return Err(PackError::Line {
                table: "local.tsv",
                line: line + 1,
                what: "no such place, area or language",
            });
        };
        let subject = small(index, "places")? << SUBJECT_SHIFT | kind as u32;
        records.push([subject, small(language, "languages")?, texts.add(name)]);
    }
    records.sort_unstable();
    records.dedup_by_key(|[subject, language, _]| (*subject, *language));
    Ok(records)
}
