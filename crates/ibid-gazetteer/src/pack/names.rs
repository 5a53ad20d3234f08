//! Names to postings: the two transducers and the lists they point to.

use super::place::Packing;
use super::{PackError, small};
use crate::area::{AreaKind, AreaWeight};
use crate::layout::{AREA_SHIFT, MAIN, ROW_SHIFT, SINGLE};
use std::collections::BTreeMap;

/// All names.
///
/// Places have ids until their rows are known.
#[derive(Default)]
pub(super) struct Names {
    places: BTreeMap<String, BTreeMap<u32, u32>>,
    areas: BTreeMap<String, BTreeMap<(AreaKind, u32), AreaWeight>>,
}

impl Names {
    pub(super) fn add_place(&mut self, key: String, id: u32, main: u32) {
        if !key.is_empty() {
            *self.places.entry(key).or_default().entry(id).or_default() |= main;
        }
    }

    /// A folded name of an area.
    ///
    /// The strongest weight wins.
    pub(super) fn add_area(&mut self, key: String, kind: AreaKind, index: u32, weight: AreaWeight) {
        if !key.is_empty() {
            let known = self
                .areas
                .entry(key)
                .or_default()
                .entry((kind, index))
                .or_insert(weight);
            *known = (*known).min(weight);
        }
    }

    /// Builds the transducer for place names, and counts them.
    ///
    /// Lists start with the most prominent place.
    pub(super) fn places(
        &self,
        places: &[Packing],
        postings: &mut Vec<u32>,
    ) -> Result<(Vec<u8>, usize), PackError> {
        let rows: BTreeMap<u32, usize> = places.iter().enumerate().map(|(row, p)| (p.id, row)).collect();
        let lists = self.places.iter().map(|(key, ids)| {
            let mut found: Vec<(usize, u32)> = ids
                .iter()
                .filter_map(|(id, main)| Some((*rows.get(id)?, *main)))
                .collect();
            found.sort_by_key(|(row, _)| {
                let place = places.get(*row);
                (
                    std::cmp::Reverse(place.map(|p| p.prominence)),
                    place.map(|p| p.id),
                )
            });
            let list = found
                .iter()
                .map(|(row, main)| Ok(small(*row, "places")? << ROW_SHIFT | (main & MAIN)));
            Ok((key, list.collect::<Result<Vec<_>, PackError>>()?))
        });
        build(lists, postings)
    }

    /// Builds the transducer for area names, and counts them.
    pub(super) fn areas(&self, postings: &mut Vec<u32>) -> Result<(Vec<u8>, usize), PackError> {
        let lists = self.areas.iter().map(|(key, found)| {
            let list = found
                .iter()
                .map(|((kind, index), weight)| index << AREA_SHIFT | (*weight as u32) << 2 | *kind as u32);
            Ok((key, list.collect()))
        });
        build(lists, postings)
    }
}

fn build<'a>(
    lists: impl Iterator<Item = Result<(&'a String, Vec<u32>), PackError>>,
    postings: &mut Vec<u32>,
) -> Result<(Vec<u8>, usize), PackError> {
    let mut builder = fst::MapBuilder::memory();
    let mut count = 0;
    // Equal lists are stored once.
    let mut known: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for list in lists {
        let (key, list) = list?;
        let value = match *list.as_slice() {
            [] => continue,
            [posting] => SINGLE | u64::from(posting),
            _ => match known.get(&list) {
                Some(&start) => start,
                None => {
                    let start = u64::from(small(postings.len(), "postings")?);
                    postings.push(small(list.len(), "postings")?);
                    postings.extend(&list);
                    known.insert(list, start);
                    start
                }
            },
        };
        builder.insert(key, value)?;
        count += 1;
    }
    Ok((builder.into_inner()?, count))
}
