//! Names whose every word is in another case: `Kavárnu Mlýnskou` is `kavarnamlynska`.
//!
//! A domain's label does not show where its words end, so the words of the text are compared along the key.
//! Each may lack at most two letters that its base form has, and add a short ending of its language.

use super::boundary;
use super::find::Hit;
use super::name::{Name, Proof};
use crate::read::text::{is_word, key, plain};
use crate::read::words::Language;

/// Letters of a key that the text must contain before a comparison.
pub(super) const START: usize = 4;
/// Shortest key that is compared so.
pub(super) const SHORTEST: usize = 7;
/// Most words of such a name.
const MOST_WORDS: usize = 5;
/// Most letters of the base form replaced by an ending, and fewest letters kept.
const LOST: usize = 2;
const KEPT: usize = 3;

/// Languages that put endings on names.
const LANGUAGES: Language = Language::tagged(&["cs", "pl", "ru", "uk", "fi", "hu", "tr", "ro"]);

/// The name at `start`, if the words there are its words in some case.
pub(super) fn classify_hit(name: &Name, visible: &str, start: usize, language: Language) -> Option<Hit> {
    if !language.is(LANGUAGES) {
        return None;
    }
    let rest = visible.get(start..)?;
    let whole = key(&name.text);
    if !rest.starts_with(char::is_uppercase) || !boundary::starts(visible, start, rest) {
        return None;
    }
    let end = start + matched(rest, &whole, 0)?;
    // An ending after the whole name is found without this search.
    if key(visible.get(start..end)?).starts_with(&*whole) {
        return None;
    }
    Some(Hit {
        span: start..end,
        sure: name.proof == Proof::Plain,
        distinct: false,
        known: name.known,
        longer: false,
        excluded: name.excluded,
    })
}

/// How long the words are that make up a key in some case.
fn matched(text: &str, key: &str, words: usize) -> Option<usize> {
    let lead = text.len() - text.trim_start_matches([' ', '-']).len();
    if words > 0 && lead == 0 || lead > 1 || words >= MOST_WORDS {
        return None;
    }
    let body = text.get(lead..)?;
    let end = lead + body.find(|c: char| !is_word(c)).unwrap_or(body.len());
    let word = plain(text.get(lead..end)?);
    let shared = shared(&word, key);
    // Every smaller number of shared letters gives endings that start alike: `Mlýnská`, `Mlýnské`.
    for kept in (shared.saturating_sub(LOST)..=shared).rev() {
        let (Some(ending), Some(left)) = (word.get(kept..), key.get(kept..)) else {
            continue;
        };
        if kept < KEPT.min(key.len()) && !ending.is_empty() {
            continue;
        }
        // No ending of a case is longer.
        if ending.len() > 2 * LOST {
            continue;
        }
        for next in (0..=left.len().min(LOST)).filter_map(|lost| left.get(lost..)) {
            if next.is_empty() {
                return Some(end);
            }
            if let Some(more) = text.get(end..).and_then(|rest| matched(rest, next, words + 1)) {
                return Some(end + more);
            }
        }
    }
    None
}

/// Bytes that two texts share at their start.
fn shared(one: &str, other: &str) -> usize {
    let bytes = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(one, other)| one == other);
    bytes.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, key: &str, expected: bool) {
        assert_eq!(matched(text, key, 0).is_some(), expected, "{text} and {key}");
    }

    #[test]
    fn cases_of_one_name_meet() {
        check("Kavárnu Mlýnskou.", "kavarnamlynska", true);
        check("Kavárnu Mlýnská,", "kavarnamlynska", true);
        check("Розетці та", "rozetka", true);
        check("Галерее Искусств", "galereyaiskusstv", true);
        check("Ravintolassa Merihelmessä on", "ravintolamerihelmi", true);
        check("Kavárna u Mlýna", "kavarnamlynska", false);
        check("Розетки та світильники", "rozetkaua", false);
        check("Mlýn", "mlynska", false);
    }
}
