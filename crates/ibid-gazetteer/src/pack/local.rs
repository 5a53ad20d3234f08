//! Names in the languages of the questions.

use super::area::Areas;
use super::place::Packing;
use super::string_pool::StringPool;
use super::{PackError, fault, parse, read, small};
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
    for (line, [kind, key, language, name]) in read(tables, "local.tsv")?.iter().enumerate() {
        let area = |keys: &HashMap<String, u16>, subject| Some((usize::from(*keys.get(key)?), subject));
        let subject = match kind.as_str() {
            "place" => {
                let id: u32 = parse(key, "local.tsv", line)?;
                rows.get(&id).map(|row| (*row, Subject::Place))
            }
            "region" => area(&areas.region_keys, Subject::Region),
            "part" => area(&areas.part_keys, Subject::Part),
            "country" => area(&areas.country_keys, Subject::Country),
            _ => None,
        };
        let language = LANGUAGES.iter().position(|tag| tag == language);
        let (Some((index, kind)), Some(language)) = (subject, language) else {
            return Err(fault("local.tsv", line, "no such place, area or language"));
        };
        let subject = small(index, "places")? << SUBJECT_SHIFT | kind as u32;
        records.push([subject, small(language, "languages")?, texts.add(name)]);
    }
    records.sort_unstable();
    records.dedup_by_key(|[subject, language, _]| (*subject, *language));
    Ok(records)
}
