//! Which words: the language of a question, and the order of keyword variants in a market.

use super::Located;
use super::phrases::{self, Phrases};
use crate::hash::fnv1a;
use ibid_gazetteer::KnownPlace;
use ibid_model::result::Warning;
use ibid_model::{Language, ScanOrder};

/// The words of the core questions: the caller's language, else the place's, else English.
pub(super) fn core_language(
    order: &ScanOrder,
    located: Option<&Located>,
    warnings: &mut Vec<Warning>,
) -> &'static Phrases {
    let place = located.map(|located| located.resolved().place());
    choose(order.language(), place).unwrap_or_else(|wanted| {
        let message = format!("there are no questions in \"{wanted}\" yet, so they were asked in English");
        warnings.push(Warning::new("language_fallback", message));
        ENGLISH
    })
}

/// The words of a market's questions: the caller's language, else the market's own, else English.
pub(super) fn market_language(order: &ScanOrder, place: &KnownPlace) -> &'static Phrases {
    choose(order.language(), Some(place)).unwrap_or(ENGLISH)
}

const ENGLISH: &Phrases = phrases::LANGUAGES[0];

/// The words of the language asked for, else of the first of the place's languages that there are words in.
/// Otherwise the language that was wanted.
fn choose(language: Option<&Language>, place: Option<&KnownPlace>) -> Result<&'static Phrases, String> {
    let primary = |tag: &str| tag.split('-').next().unwrap_or(tag).to_owned();
    match (language, place) {
        (Some(language), _) => phrases::of(language.primary()).ok_or_else(|| language.primary().to_owned()),
        (None, Some(place)) => {
            let spoken = place
                .languages()
                .iter()
                .find_map(|tag| phrases::of(&primary(tag)));
            spoken.ok_or_else(|| primary(place.language()))
        }
        (None, None) => Ok(ENGLISH),
    }
}

/// The first `count` ways to say a keyword in a market. The plain keyword comes first; the rest stand in an order
/// drawn from keyword and market, so that markets differ and repeated scans do not.
pub(super) fn keywords(phrases: &Phrases, keyword: &str, market: &str, count: usize) -> Vec<String> {
    let mut drawn: Vec<(u64, usize)> = (1..phrases.variants())
        .map(|n| (draw(keyword, market, n as u64), n))
        .collect();
    drawn.sort_unstable();
    let rest = drawn.into_iter().map(|(_, n)| n);
    std::iter::once(0)
        .chain(rest)
        .take(count)
        .map(|n| phrases.variant(keyword, n))
        .collect()
}

fn draw(keyword: &str, market: &str, n: u64) -> u64 {
    fnv1a(
        keyword
            .bytes()
            .chain([0xff])
            .chain(market.bytes())
            .chain([0xff])
            .chain(n.to_le_bytes()),
    )
}
