//! G6: is a word repeated for machines?

use super::finding::Finding;
use crate::facts::Facts;
use crate::limits::{MOST, PROSE_WORDS};
use crate::quote::quote_to;
use crate::reading::words;
use crate::vocabulary::Words;
use std::collections::HashMap;

/// G6: no word is stuffed in.
pub(super) fn stuffing(facts: &Facts<'_>) -> Finding {
    if facts.words() < PROSE_WORDS {
        return Finding::na("the page is short");
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut total = 0_usize;
    for word in words::spaced(&facts.reading.text) {
        total += 1;
        if word.len() < 3 || word.len() > 60 || word.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let word = word.to_lowercase();
        if STOPWORDS.contains(&word) {
            continue;
        }
        if let Some(count) = counts.get_mut(&word) {
            *count += 1;
        } else if counts.len() < MOST {
            counts.insert(word, 1);
        }
    }
    if total < PROSE_WORDS {
        return Finding::na("words are not divided by spaces here");
    }
    // On a tie, the first in the alphabet: the finding must be deterministic.
    let most = counts
        .iter()
        .max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    let Some((word, count)) = most else {
        return Finding::na("no words to count");
    };
    let share = *count as f64 * 100.0 / total as f64;
    let word = quote_to(word, 40);
    let found = format!("“{word}” is {share:.1} % of the words");
    let advice = format!(
        "Take “{word}” out where a pronoun or nothing does as well: it stands {count} times in {total} words."
    );
    if share <= 4.0 {
        Finding::pass(found)
    } else if share <= 6.0 {
        Finding::warn(found).advise(advice)
    } else {
        Finding::fail(found).advise(advice)
    }
}

/// Function words of three letters or more in the languages most pages are written in.
static STOPWORDS: Words = Words::new(
    "the|and|for|are|but|not|you|all|any|can|had|her|was|one|our|out|has|him|his|how|its|may|new|now|old|see|two|who|did|get|she|use|with|that|this|from|they|will|would|there|their|what|about|which|when|make|like|time|just|know|take|into|your|some|could|them|than|then|only|come|over|also|back|after|work|first|well|even|want|because|these|most|been|have|were|said|each|does|should|being|those|where|while|more|other|such|here|very|through|between|both|during|before|under|same|\
    der|die|das|und|ist|von|den|dem|ein|eine|einer|eines|einem|einen|mit|für|auf|als|auch|sich|nicht|bei|aus|wie|oder|nach|werden|wird|sind|zur|zum|durch|über|noch|nur|wenn|kann|sie|wir|ihr|sein|haben|hat|war|dass|einen|mehr|vor|man|im|am|\
    les|des|est|une|dans|pour|que|qui|sur|pas|par|plus|avec|sont|aux|ces|son|ses|elle|ils|nous|vous|leur|mais|cette|comme|été|être|ont|fait|tout|bien|\
    los|las|del|que|con|por|una|para|como|más|sus|está|son|pero|este|esta|entre|cuando|muy|sin|sobre|ser|tiene|también|fue|había|todo|han|\
    che|per|con|una|del|della|dei|delle|sono|non|più|anche|come|alla|nel|questo|questa|gli|nella|essere|hanno|\
    que|com|uma|para|não|dos|das|mais|como|mas|foi|pelo|pela|são|seu|sua|também|\
    het|een|van|voor|met|niet|zijn|aan|ook|als|door|naar|maar|bij|wordt|deze|kan|worden|dat",
);
