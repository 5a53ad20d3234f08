//! The language of a question, and the order of keyword variants in a market.

use super::phrases::{self, Phrases};
use super::{Located, keyword};
use crate::hash::fnv1a;
use ibid_gazetteer::KnownPlace;
use ibid_model::result::Warning;
use ibid_model::{Language, ScanOrder};

/// The words of the core questions.
/// Adds a warning if English replaces a wanted language without words.
pub(super) fn core_language(
    order: &ScanOrder,
    located: Option<&Located>,
    warnings: &mut Vec<Warning>,
) -> &'static Phrases {
    let languages = located.map(|located| located.resolved().languages());
    choose(order, languages).unwrap_or_else(|wanted| {
        let message = format!("there are no questions in \"{wanted}\" yet, so they were asked in English");
        warnings.push(Warning::new("language_fallback", message));
        ENGLISH
    })
}

/// The words of a market's questions, chosen in the same way with the market's own languages.
pub(super) fn market_language(order: &ScanOrder, place: &KnownPlace) -> &'static Phrases {
    choose(order, Some(place.languages())).unwrap_or(ENGLISH)
}

pub(super) const ENGLISH: &Phrases = phrases::LANGUAGES[0];

/// Chooses the words of a scan: those of the caller's language,
/// else of the keyword's language if it is certain and the place has another one,
/// else of the first language of the place that has questions, else English without a place.
/// The error is the wanted language.
fn choose(order: &ScanOrder, languages: Option<&'static [&'static str]>) -> Result<&'static Phrases, String> {
    if let Some(language) = order.language().map(Language::as_str) {
        let primary = || language.split('-').next().unwrap_or(language).to_owned();
        return phrases::of(language).ok_or_else(primary);
    }
    let spoken = keyword::language(order.keyword().as_str()).and_then(phrases::of);
    let Some(languages) = languages else {
        return Ok(spoken.unwrap_or(ENGLISH));
    };
    let local = || languages.iter().copied().find_map(phrases::of);
    let Some(spoken) = spoken else {
        return local().ok_or_else(|| languages.first().copied().unwrap_or_default().to_owned());
    };
    Ok(spoken)
}

/// The first `count` variants of a keyword in a market.
/// The plain keyword comes first.
/// The order of the rest is drawn from keyword and market, so markets differ and repeated scans do not.
pub(super) fn keywords(phrases: &Phrases, keyword: &str, market: &str, count: usize) -> Vec<String> {
    let mut drawn: Vec<(usize, u64, usize)> = (1..phrases.variants())
        .map(|n| (phrases.qualities_of(n), draw(keyword, market, n as u64), n))
        .collect();
    // One quality before two, two before three: few people type more.
    drawn.sort_unstable();
    let rest = drawn.into_iter().map(|(_, _, n)| n);
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
