//! The evidence for a name being put forward, weighed by a table that a script learned.

use super::Case;
use super::standing::Standing;
use crate::read::candidates::{Candidate, Form, SPEAKS_FOR};
use crate::read::layout::{Kind, Span};
use crate::read::page::Page;
use crate::read::text::{is_word, words};
use crate::read::words::meaning_as_written;
use ibid_model::result::CompetitorKind;
use std::sync::LazyLock;

/// The number of features.
pub(super) const MOST: usize = 29;

/// The features of one party, in the order of the table.
pub(super) type Features = [(&'static str, f32); MOST];

/// The learned weight of each feature: `tests/real_answers/train.py` writes the table.
static WEIGHTS: LazyLock<Vec<(&'static str, f32)>> = LazyLock::new(|| {
    let lines = include_str!("weights.txt").lines();
    let pairs = lines.filter_map(|line| line.split_once(' '));
    pairs
        .filter_map(|(name, weight)| Some((name, weight.trim().parse().ok()?)))
        .collect()
});

/// The weight of a feature.
pub(super) fn weight(at: usize) -> f32 {
    WEIGHTS.get(at).map_or(0.0, |(_, weight)| *weight)
}

/// The log-odds that a party is put forward.
pub(super) fn score(features: &Features) -> f32 {
    features
        .iter()
        .enumerate()
        .map(|(at, (_, value))| value * weight(at))
        .sum()
}

/// The facts about an answer that its parties share.
pub(super) struct Whole {
    /// Parties that a rule lists, and those with a place in a list.
    listed: usize,
    items: usize,
    bold_names: usize,
    length: f32,
}

impl Case<'_, '_> {
    pub(super) fn whole(&self, standings: &[Standing]) -> Whole {
        let has = |form: Form| {
            let with = |places: &[Candidate]| places.iter().any(|place| place.form == form);
            self.competitors.iter().filter(|one| with(&one.places)).count()
        };
        let bold = |places: &[Candidate]| places.iter().any(|place| is_bold(self.page, &place.name));
        Whole {
            listed: standings.iter().filter(|standing| standing.listed).count(),
            items: has(Form::Item) + has(Form::Column),
            bold_names: self.competitors.iter().filter(|one| bold(&one.places)).count(),
            length: self.page.layout.text.len().max(1) as f32,
        }
    }

    pub(super) fn features(&self, at: usize, ruled: &Standing, count: usize, whole: &Whole) -> Features {
        let page = self.page;
        let competitor = &self.competitors[at];
        let places = &competitor.places;
        let any = |test: &dyn Fn(&Candidate) -> bool| f32::from(u8::from(places.iter().any(test)));
        let flag = |value: bool| f32::from(u8::from(value));
        let praise = any(&|place: &Candidate| {
            let sentence = page
                .sentence_at(place.name.start)
                .and_then(|at| page.sentences.get(at));
            sentence.is_some_and(|sentence| sentence.kinds.has(SPEAKS_FOR))
        });
        let block = |place: &Candidate| {
            let at = page.layout.block_at(place.name.start);
            at.and_then(|at| page.layout.blocks.get(at))
        };
        let row =
            any(&|place| block(place).is_some_and(|block| matches!(block.kind, Kind::Row | Kind::HeadRow)));
        let starts = |place: &Candidate| {
            block(place).is_some_and(|block| {
                let lead = page.layout.text.get(block.span.start..place.name.start);
                lead.is_some_and(|lead| !lead.contains(is_word))
            })
        };
        let first = places
            .iter()
            .map(|place| place.name.start)
            .min()
            .unwrap_or_default();
        let sentence = page.sentence_at(first).unwrap_or_default() as f32;
        let bold = places.iter().any(|place| is_bold(page, &place.name));
        let list = whole.items >= 2;
        // The target's name is certain, whatever its shape.
        let name = if competitor.is_self {
            "Acme"
        } else {
            competitor.name.as_str()
        };
        let meanings = || words(name).map(meaning_as_written);
        let several = words(name).count();
        let generic = |meaning: crate::read::words::Meaning| {
            meaning.is_criterion() || meaning.is_label() || meaning.is_advice() || meaning.is_time()
        };
        let capitals = name.len() <= 5
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let behind = |place: &Candidate| page.layout.text.get(place.name.end..).unwrap_or_default();
        let before = |place: &Candidate| page.before(place.name.start);
        let known = any(&|place| page.brands_in(&place.name).iter().any(|brand| !brand.ordinary));
        let others = whole.listed - usize::from(ruled.listed);
        [
            ("bias", 1.0),
            ("rule", flag(ruled.listed)),
            ("rule-among-many", flag(ruled.listed && others >= 3)),
            ("none-but-others", flag(!ruled.listed && others >= 1)),
            ("none-at-all", flag(!ruled.listed && others == 0)),
            (
                "prose-beside-list",
                flag(
                    list && !places
                        .iter()
                        .any(|place| matches!(place.form, Form::Item | Form::Column)),
                ),
            ),
            ("bold", flag(bold)),
            ("plain-beside-bold", flag(!bold && !list && whole.bold_names >= 3)),
            (
                "bold-starts",
                any(&|place| is_bold(page, &place.name) && starts(place)),
            ),
            ("starts-block", any(&starts)),
            ("in-row", row),
            (
                "link",
                any(&|place| page.links_in(&place.name).iter().any(|link| !link.chip)),
            ),
            (
                "in-brackets",
                flag(
                    places
                        .iter()
                        .all(|place| before(place).ends_with(['(', '（', '['])),
                ),
            ),
            (
                "colon-behind",
                any(&|place| behind(place).trim_start_matches('*').starts_with(':')),
            ),
            ("twice", flag(count >= 2)),
            ("first-sentence", flag(sentence == 0.0)),
            ("position", first as f32 / whole.length),
            ("praise", praise),
            (
                "subject",
                any(&|place| {
                    starts(place)
                        && behind(place)
                            .trim_start_matches([' ', '*', '\'', '"'])
                            .starts_with(char::is_lowercase)
                }),
            ),
            ("one-word", flag(several == 1)),
            ("long-name", flag(several >= 4)),
            ("capitals", flag(capitals)),
            ("digit", flag(name.contains(|c: char| c.is_ascii_digit()))),
            (
                "inner-capital",
                flag(
                    name.chars()
                        .skip(1)
                        .zip(name.chars())
                        .any(|(c, last)| c.is_uppercase() && last.is_lowercase()),
                ),
            ),
            ("generic-word", flag(meanings().any(generic))),
            (
                "asked-word",
                flag(words(name).any(|word| page.question.holds(word))),
            ),
            ("known", known),
            ("directory", flag(competitor.kind != CompetitorKind::Rival)),
            (
                "topic",
                any(&|place| {
                    let topics = &self.candidates.topics;
                    let next = topics.partition_point(|topic| topic.end <= place.name.start);
                    topics.get(next).is_some_and(|topic| topic.start < place.name.end)
                }),
            ),
        ]
    }
}

fn is_bold(page: &Page<'_>, name: &Span) -> bool {
    let bolds = page
        .layout
        .bolds_in(&(name.start.saturating_sub(3)..name.start + 1));
    bolds.iter().any(|bold| bold.end >= name.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_one_weight_for_each_feature_in_their_order() {
        let code = include_str!("features.rs");
        let (_, code) = code.split_once("let others").unwrap();
        let (code, _) = code.split_once("fn is_bold").unwrap();
        let quoted: Vec<&str> = code.split('"').collect();
        let named = quoted.windows(3).filter(|part| {
            part[0].trim_end().ends_with('(') && part[2].starts_with(',') && !part[1].is_empty()
        });
        let features: Vec<&str> = named.map(|part| part[1]).collect();
        let table: Vec<&str> = WEIGHTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(table, features);
        assert_eq!(table.len(), MOST);
    }
}
