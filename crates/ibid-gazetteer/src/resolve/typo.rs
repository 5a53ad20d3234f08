//! Corrections and suggestions.
//!
//! A correction spends the caller's money on a guess.
//! It needs a recognised country or region around it, or a city of 100,000.
//! It must be clearly better than the next guess.
//! A name that is already right is never changed.
//! All other guesses are suggestions.

use super::exact::{self, areas, inside};
use super::reading::{Reading, STRONG_TOWN, Target, WELL_KNOWN, score};
use super::text::{Part, parts};
use crate::area::{Area, AreaKind, AreaWeight};
use crate::fuzzy::completions;
use crate::gazetteer::{Gazetteer, Row};
use crate::place::KnownPlace;
use crate::place::NEAR_KM;
use std::collections::BTreeMap;

/// What a typing error costs, in prominence (about a factor of 50 in people).
const ERROR: f64 = 4.0;
/// How far a correction has to lead over the next one, on the same scale.
const CLEAR: f64 = 2.0;
/// Fewest and most letters of a beginning that is completed.
const MIN_BEGINNING: usize = 4;
const MAX_BEGINNING: usize = 12;
/// Most names completed when suggesting.
const COMPLETIONS: usize = 200;
/// Most suggestions.
const SUGGESTIONS: usize = 5;

/// A town that is written nearly like the text.
#[derive(Clone, Copy, Debug)]
struct Guess {
    row: Row,
    errors: u8,
    /// Prominence less the price of the errors.
    value: f64,
}

/// Keeps a search's near misses, so that suggestions need no second search.
#[derive(Default)]
pub(super) struct Guesses {
    by_key: BTreeMap<String, Vec<Guess>>,
}

/// Reads the pieces after a typing error was clearly corrected.
pub(super) fn correct(g: &Gazetteer, parts: &[Part], guesses: &mut Guesses) -> Option<Reading> {
    match parts {
        [] => None,
        [part] => correct_single(g, part, guesses),
        [lead @ .., last] => {
            let tails = areas(g, last);
            let is_right = lead.iter().any(|part| is_known(g, part));
            if tails.is_empty() {
                if is_known(g, last) {
                    return None;
                }
                return near_areas(g, last).iter().find_map(|area| {
                    let found = inside(g, lead, *area);
                    found.or_else(|| {
                        if is_right {
                            None
                        } else {
                            correct_inside(g, lead, &[*area], guesses)
                        }
                    })
                });
            }
            // A known place's name is not a typing error.
            if is_right {
                return None;
            }
            correct_inside(g, lead, &tails, guesses)
        }
    }
}

/// A piece before recognised areas.
fn correct_inside(g: &Gazetteer, lead: &[Part], within: &[Area], guesses: &mut Guesses) -> Option<Reading> {
    let (last, before) = lead.split_last()?;
    if !before.is_empty() {
        let nested: Vec<Area> = areas(g, last)
            .into_iter()
            .filter(|inner| {
                within
                    .iter()
                    .any(|outer| inner.kind > outer.kind && g.is_inside(*inner, *outer))
            })
            .collect();
        if !nested.is_empty() {
            return correct_inside(g, before, &nested, guesses);
        }
    }
    lead.iter()
        .rev()
        .filter(|part| !part.has_number() || lead.len() == 1)
        .take(2)
        .find_map(|part| {
            let inside: Vec<Guess> = guesses
                .of(g, &part.bare)
                .filter(|guess| lies_in_any(g, guess.row, within))
                .collect();
            clear(g, &inside).map(|guess| corrected(g, guess))
        })
}

fn correct_single(g: &Gazetteer, part: &Part, guesses: &mut Guesses) -> Option<Reading> {
    // "Barclona Spain".
    let words = exact::splits(part).find_map(|(head, tail)| {
        let within = areas(g, &tail);
        if within.is_empty() || is_known(g, &head) {
            None
        } else {
            correct_inside(g, &[head], &within, guesses)
        }
    });
    if words.is_some() {
        return words;
    }
    let letters = part.bare.chars().count();
    let all: Vec<Guess> = guesses.of(g, &part.bare).collect();
    let town = clear(g, &all)
        .filter(|guess| guess.errors == 1 && letters >= 6 && g.population(guess.row) >= STRONG_TOWN);
    if let Some(guess) = town {
        return Some(corrected(g, guess));
    }
    // A country or region alone: one error in a long name, and no town with a closer spelling.
    let area = *near_areas(g, part).first().filter(|_| letters >= 8)?;
    let written = g.area_spellings().near(&part.bare, 1);
    let one_letter = written
        .iter()
        .any(|hit| g.areas_at(hit.value).any(|near| near == area));
    if !one_letter
        || all
            .iter()
            .any(|guess| guess.errors <= 1 && g.population(guess.row) >= STRONG_TOWN)
    {
        return None;
    }
    Some(Reading::new(
        Target::Area(area),
        0.0,
        g.area_name(area).to_owned(),
    ))
}

/// Whether a piece is exactly the name of a well-known town or an area.
fn is_known(g: &Gazetteer, part: &Part) -> bool {
    let named = |key: &str| {
        g.places_named(key)
            .any(|named| g.population(named.row) >= WELL_KNOWN)
            || g.areas_named(key)
                .any(|area| area.kind != AreaKind::Part && area.weight != AreaWeight::Code)
    };
    !part.has_number() && named(&part.bare)
}

/// How many errors a text this long may have.
pub(super) fn tolerated(key: &str) -> u8 {
    match key.chars().count() {
        0..4 => 0,
        4..8 => 1,
        8.. => 2,
    }
}

/// How many errors a country's or region's name may have.
pub(super) fn tolerated_in_area(key: &str) -> u8 {
    match key.chars().count() {
        0..4 => 0,
        4..9 => 1,
        9.. => 2,
    }
}

impl Guesses {
    /// Towns written nearly like a folded text, best first.
    fn of(&mut self, g: &Gazetteer, key: &str) -> impl Iterator<Item = Guess> + '_ {
        self.within(g, key, tolerated(key))
    }

    /// The same towns, as rows.
    pub(super) fn towns(&mut self, g: &Gazetteer, key: &str) -> impl Iterator<Item = Row> + '_ {
        self.of(g, key).map(|guess| guess.row)
    }

    /// Towns within at most this many errors of a folded text, best first.
    ///
    /// Returns the result of an earlier search for the text, if there is one.
    fn within(&mut self, g: &Gazetteer, key: &str, errors: u8) -> impl Iterator<Item = Guess> + '_ {
        self.by_key
            .entry(key.to_owned())
            .or_insert_with(|| guess(g, key, errors.min(tolerated(key))))
            .iter()
            .copied()
    }
}

fn guess(g: &Gazetteer, key: &str, errors: u8) -> Vec<Guess> {
    let mut best: BTreeMap<Row, Guess> = BTreeMap::new();
    for hit in g.spellings().near(key, errors) {
        for named in g.places_at(hit.value) {
            let value = score(g, named) - ERROR * f64::from(hit.errors);
            let new = Guess {
                row: named.row,
                errors: hit.errors,
                value,
            };
            let guess = best.entry(named.row).or_insert(new);
            if value > guess.value {
                *guess = new;
            }
        }
    }
    let mut all: Vec<Guess> = best.into_values().collect();
    all.sort_by(|a, b| b.value.total_cmp(&a.value));
    all
}

/// The first guess, if it is clearly ahead of all others elsewhere.
fn clear(g: &Gazetteer, guesses: &[Guess]) -> Option<Guess> {
    let (first, rest) = guesses.split_first()?;
    let here = g.point(first.row);
    let second = rest
        .iter()
        .find(|guess| g.point(guess.row).distance_km(here) > NEAR_KM);
    second
        .is_none_or(|second| first.value - second.value >= CLEAR)
        .then_some(*first)
}

fn corrected(g: &Gazetteer, guess: Guess) -> Reading {
    let spelling = g.place(guess.row).name.to_owned();
    Reading::new(Target::Town(guess.row), guess.value, spelling)
}

fn lies_in_any(g: &Gazetteer, row: Row, areas: &[Area]) -> bool {
    areas.iter().any(|area| g.lies_in(row, *area))
}

/// Countries and regions written nearly like a piece, best first.
fn near_areas(g: &Gazetteer, part: &Part) -> Vec<Area> {
    let errors = tolerated_in_area(&part.bare);
    if errors == 0 {
        return Vec::new();
    }
    let mut found: Vec<(u8, Area)> = Vec::new();
    for hit in g.area_spellings().near(&part.bare, errors) {
        let named = g.areas_at(hit.value);
        let wanted = named.filter(|area| area.kind != AreaKind::Part && area.weight == AreaWeight::Own);
        found.extend(wanted.map(|area| (hit.errors, area)));
    }
    found.sort_by_key(|(errors, area)| {
        (
            *errors,
            area.kind,
            std::cmp::Reverse(g.area_population(*area)),
            area.index,
        )
    });
    found.into_iter().map(|(_, area)| area).take(8).collect()
}

/// Up to five suggestions for a text without a known place.
///
/// Each one's label resolves.
pub(super) fn suggest(g: &'static Gazetteer, pieces: &[Part], guesses: &mut Guesses) -> Vec<KnownPlace> {
    let within = match pieces {
        [_, .., last] => areas(g, last),
        _ => Vec::new(),
    };
    let names = if within.is_empty() {
        pieces
    } else {
        pieces.get(..pieces.len() - 1).unwrap_or_default()
    };
    let mut pool: BTreeMap<Row, f64> = BTreeMap::new();
    let known: Vec<Row> = names
        .iter()
        .flat_map(|part| g.places_named(&part.bare))
        .map(|named| named.row)
        .filter(|row| g.population(*row) >= WELL_KNOWN)
        .collect();
    let worded = names
        .iter()
        .filter(|part| !part.has_number() || pieces.len() == 1);
    for (index, part) in worded.take(2).enumerate() {
        for named in g.places_named(&part.bare) {
            pool.entry(named.row).or_insert_with(|| score(g, named));
        }
        // The first name is the likely one.
        // A second search as wide as the first would double what a text costs.
        let errors = if index == 0 { tolerated(&part.bare) } else { 1 };
        for guess in guesses.within(g, &part.bare, errors).take(200) {
            pool.entry(guess.row).or_insert(guess.value);
        }
        complete(g, &part.bare, &mut pool);
    }
    // "Wall Street, New York": the last piece may itself be the town.
    if let [_, .., last] = pieces
        && !exact::names_area(g, last)
    {
        for named in g.places_named(&last.bare) {
            pool.entry(named.row)
                .or_insert_with(|| score(g, named) - 2.0 * ERROR);
        }
    }
    if pool.is_empty()
        && let [part] = pieces
    {
        // Perhaps the beginning is right.
        let letters: Vec<char> = part.bare.chars().take(MAX_BEGINNING).collect();
        for length in (MIN_BEGINNING..letters.len()).rev() {
            let beginning: String = letters.iter().take(length).collect();
            complete(g, &beginning, &mut pool);
            if !pool.is_empty() {
                break;
            }
        }
    }
    // Towns with exactly this name first, then those inside the text's area.
    let class = |row| u8::from(known.contains(&row)) * 2 + u8::from(lies_in_any(g, row, &within));
    let mut pool: Vec<(u8, f64, Row)> = pool
        .into_iter()
        .map(|(row, value)| (class(row), value, row))
        .collect();
    pool.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    let mut suggestions: Vec<KnownPlace> = Vec::new();
    for (_, _, row) in pool.into_iter().take(4 * SUGGESTIONS) {
        if suggestions.len() == SUGGESTIONS {
            break;
        }
        let place = g.place(row);
        let label = place.label();
        let new = !suggestions.iter().any(|other| other.label() == label);
        if new && leads_back(g, &label, row) {
            suggestions.push(place);
        }
    }
    suggestions
}

/// Adds the places whose names begin with a text.
fn complete(g: &Gazetteer, beginning: &str, pool: &mut BTreeMap<Row, f64>) {
    if beginning.chars().count() < MIN_BEGINNING {
        return;
    }
    for value in completions(g.place_names(), beginning, COMPLETIONS) {
        for named in g.places_at(value) {
            pool.entry(named.row).or_insert_with(|| score(g, named) - ERROR);
        }
    }
}

/// Whether a suggestion, sent back, would find the place it came from.
fn leads_back(g: &Gazetteer, label: &str, row: Row) -> bool {
    exact::read(g, &parts(label)).is_some_and(|found| found.target == Target::Town(row))
}
