//! Addresses in scripts that set no blanks.

use super::exact::towns_of;
use super::reading::{Reading, STRONG_TOWN, towns};
use super::text::Part;
use crate::area::Area;
use crate::gazetteer::Gazetteer;

/// Chinese, Japanese and Korean addresses: from large to small, without blanks.
pub(super) fn unspaced(g: &Gazetteer, key: &str, within: Option<Area>) -> Option<Reading> {
    const MAX_LETTERS: usize = 16;
    if key.is_ascii() || key.chars().count() > MAX_LETTERS || !key.chars().all(is_unspaced) {
        return None;
    }
    let mut best: Option<Reading> = None;
    let mut city: Option<Reading> = None;
    for (cut, _) in key.char_indices().skip(1) {
        let (head, tail) = key.split_at(cut);
        let inner = g
            .areas_named(head)
            .filter(|area| within.is_none_or(|outer| area.kind > outer.kind && g.is_inside(*area, outer)));
        // 北京市朝阳区: a ward that is not known still lies in its city.
        if let Some((row, score)) = towns(g, head, within).first().copied()
            && g.population(row) >= STRONG_TOWN
            && head.chars().count() > 1
        {
            city = Reading::of_towns(vec![(row, score)], head)
                .map(|city| city.in_district(Some(tail.to_owned()), false));
        }
        for area in inner {
            let found = Part::of_words(&[tail])
                .and_then(|part| towns_of(g, &part, Some(area)))
                .or_else(|| unspaced(g, tail, Some(area)));
            best = match (best, found) {
                (Some(best), Some(found)) => Some(best.merge(found)),
                (best, found) => best.or(found),
            };
        }
    }
    best.or(city)
}

const fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}
