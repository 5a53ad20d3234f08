//! The place that a question asks about, and the names of places around it.

use crate::area::{AreaKind, AreaWeight};
use crate::fold::fold;
use crate::gazetteer::gazetteer;
use crate::geo::Point;
use crate::layout::SMALLEST_TOWN;

/// The place that a question asks about.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    country: usize,
    /// Where a town is; a country or a region has none.
    centre: Option<Point>,
}

impl Surroundings {
    /// The last place that a question names in full, in up to four words with a capital, behind its first word.
    ///
    /// `None` if it names none, as far as the gazetteer knows. Typing errors are not corrected.
    pub fn of_question(question: &str) -> Option<Self> {
        let part = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '.'));
        let words: Vec<&str> = question.split(part).filter(|word| !word.is_empty()).collect();
        let capital = |at: &usize| words[*at].starts_with(char::is_uppercase);
        (1..words.len()).rev().filter(capital).find_map(|last| {
            (last.saturating_sub(3).max(1)..=last)
                .filter(capital)
                .find_map(|first| Self::named(&words[first..=last].join(" ")))
        })
    }

    fn named(text: &str) -> Option<Self> {
        let g = gazetteer()?;
        let key = fold(text);
        let town = g
            .places_named(&key)
            .find(|named| named.main && g.population(named.row) >= SMALLEST_TOWN);
        let area = g
            .areas_named(&key)
            .find(|area| area.weight == AreaWeight::Own && area.kind != AreaKind::Part);
        match (town, area) {
            (Some(town), _) => Some(Self {
                country: g.country(town.row),
                centre: Some(g.point(town.row)),
            }),
            (None, area) => area.map(|area| Self {
                country: g.country_of(area),
                centre: None,
            }),
        }
    }

    /// Whether a text is exactly a town's main name, and the town lies within `km` of the one asked about,
    /// or in the country where the question names no town.
    pub fn holds(&self, text: &str, km: f64) -> bool {
        gazetteer().is_some_and(|g| {
            g.places_named(&fold(text)).any(|named| {
                named.main
                    && g.country(named.row) == self.country
                    && self
                        .centre
                        .is_none_or(|centre| g.point(named.row).distance_km(centre) <= km)
            })
        })
    }
}
