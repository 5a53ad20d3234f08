//! A reading of a text, and how it compares with others.

use crate::area::Area;
use crate::gazetteer::{Gazetteer, NamedPlace, Row};

/// A meaning of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Target {
    /// A town or a section of one.
    Town(Row),
    /// A country, a region or a part of one.
    Area(Area),
}

impl Target {
    pub(super) const fn town(self) -> Option<Row> {
        match self {
            Self::Town(row) => Some(row),
            Self::Area(_) => None,
        }
    }
}

/// How a text reads best.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) target: Target,
    /// How many pieces of the text it explains.
    pub(super) explained: usize,
    /// How strong the evidence for it is, on the scale of prominence.
    pub(super) score: f64,
    /// Other readings with their scores, best first.
    pub(super) alternatives: Vec<(Target, f64)>,
    /// The name as it was written.
    pub(super) spelling: String,
    /// Words next to a town that name no place.
    pub(super) district: Option<District>,
}

/// Words next to a town.
#[derive(Clone, Debug)]
pub(super) struct District {
    pub(super) words: String,
    /// Written behind the town, in the place of a region.
    pub(super) behind: bool,
}

/// The population from which a town is known even by a foreign name.
pub(super) const STRONG_TOWN: u64 = 100_000;
/// The population from which a town is known by its name.
pub(super) const WELL_KNOWN: u64 = 15_000;
/// How much a main name counts above an alternate one, in prominence.
///
/// About a factor of 50 in people.
const MAIN_NAME: f64 = 4.0;

/// Towns, by GeoNames id, that are better known than their inhabitants and names suggest:
/// Reading in England.
const PREFERRED: [u32; 1] = [2_639_577];

/// How strongly a name stands for a place, on the scale of prominence.
pub(crate) fn score(g: &Gazetteer, named: NamedPlace) -> f64 {
    let main = if named.main { MAIN_NAME } else { 0.0 };
    let preferred = if PREFERRED.contains(&g.id(named.row)) {
        2.0
    } else {
        0.0
    };
    g.prominence(named.row) + main + preferred
}

impl Reading {
    /// A reading that explains one piece.
    pub(super) const fn new(target: Target, score: f64, spelling: String) -> Self {
        Self {
            target,
            explained: 1,
            score,
            alternatives: Vec::new(),
            spelling,
            district: None,
        }
    }

    /// Takes the best town, with the others as alternatives.
    ///
    /// `None` if there are no towns.
    pub(super) fn of_towns(towns: Vec<(Row, f64)>, spelling: &str) -> Option<Self> {
        let mut towns = towns.into_iter();
        let (row, score) = towns.next()?;
        let others = towns.take(MAX_READINGS);
        Some(Self {
            alternatives: others.map(|(row, score)| (Target::Town(row), score)).collect(),
            ..Self::new(Target::Town(row), score, spelling.to_owned())
        })
    }

    /// The same reading, with the words next to the town.
    pub(super) fn in_district(self, words: Option<String>, behind: bool) -> Self {
        let district = words.map(|words| District { words, behind });
        Self { district, ..self }
    }

    /// The same reading, which explains one piece more.
    pub(super) const fn and_one_more(mut self) -> Self {
        self.explained += 1;
        self
    }

    /// The same reading with more evidence, including its alternatives.
    pub(super) fn lifted(mut self, by: f64) -> Self {
        self.score += by;
        for (_, score) in &mut self.alternatives {
            *score += by;
        }
        self
    }

    /// Picks the better one of two readings.
    ///
    /// It explains more of the text, or else is more prominent.
    /// Keeps the other reading and its alternatives, unless they explain less.
    pub(super) fn merge(self, other: Self) -> Self {
        let better = other
            .explained
            .cmp(&self.explained)
            .then(other.score.total_cmp(&self.score))
            .is_gt();
        let (mut best, rest) = if better { (other, self) } else { (self, other) };
        if best.explained > rest.explained {
            return best;
        }
        best.alternatives.push((rest.target, rest.score));
        best.alternatives.extend(rest.alternatives);
        best.alternatives.sort_by(|a, b| b.1.total_cmp(&a.1));
        best.alternatives.truncate(MAX_READINGS);
        best
    }
}

/// A reading keeps at most so many alternatives.
///
/// Enough for four after the nearby ones are dropped.
const MAX_READINGS: usize = 16;

/// Finds towns by a folded name inside an area, best first.
pub(super) fn towns(g: &Gazetteer, key: &str, within: Option<Area>) -> Vec<(Row, f64)> {
    let mut towns: Vec<(Row, f64)> = g
        .places_named(key)
        .filter(|named| within.is_none_or(|area| g.lies_in(named.row, area)))
        .map(|named| (named.row, score(g, named)))
        .collect();
    // Postings come by prominence; only main names can change that order.
    towns.sort_by(|a, b| b.1.total_cmp(&a.1));
    towns
}

/// Merges many readings into the best.
pub(super) fn best(found: impl Iterator<Item = Reading>) -> Option<Reading> {
    found.reduce(Reading::merge)
}
