//! The target's names in a text.

use super::boundary;
use super::inflected;
use super::name::{Name, Proof};
use crate::read::candidates::is_joint;
use crate::read::text::{Folded, Script, Squashed, fold_char, is_mark, is_word, plain, script};
use crate::read::words::{Language, List, Meaning, list, meaning, meaning_as_written};
use aho_corasick::AhoCorasick;
use std::ops::Range;

/// A place where the text has, or may have, a name of the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::read) struct Hit {
    /// The place in the visible text, without endings.
    pub(in crate::read) span: Range<usize>,
    /// It is certainly the target's name.
    /// Otherwise it is one only in the place of a name.
    pub(in crate::read) sure: bool,
    /// The name identifies its owner even inside a longer one.
    pub(in crate::read) distinct: bool,
    /// The name comes from the caller, or from the target's links or home page.
    pub(in crate::read) known: bool,
    /// A word with a capital follows it, so that it names a product, or another party.
    pub(in crate::read) longer: bool,
    /// The caller listed it as the name of another party.
    pub(super) excluded: bool,
}

/// Finds names; of those that overlap, the longest.
pub(super) fn find(
    automaton: &AhoCorasick,
    names: &[Name],
    visible: &str,
    folded: &Folded,
    language: Language,
) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let squashed = Squashed::of(folded);
    for found in automaton.find_overlapping_iter(squashed.text.as_bytes()) {
        let Some(name) = names.get(found.pattern().as_usize()) else {
            continue;
        };
        let Some(span) = visible_span(visible, &squashed, found.start()..found.end()) else {
            continue;
        };
        let hit = if name.loose {
            inflected::classify_hit(name, visible, span.start, language)
        } else {
            classify_hit(name, visible, span, language)
        };
        let Some(hit) = hit else {
            continue;
        };
        // Matches come in the order of their ends.
        // The longer one stays where two overlap, and the surer where they are equal.
        while let Some(last) = hits.last() {
            if last.span.end <= hit.span.start {
                break;
            }
            let shorter = last.span.len() < hit.span.len()
                || last.span.len() == hit.span.len() && (hit.excluded || !last.sure && hit.sure);
            if !shorter {
                break;
            }
            hits.pop();
        }
        if hits.last().is_none_or(|last| last.span.end <= hit.span.start) {
            hits.push(hit);
        }
    }
    hits.retain(|hit| !hit.excluded);
    hits
}

/// The visible characters that correspond to a range of squashed bytes; `None` if it cuts one in half.
fn visible_span(visible: &str, squashed: &Squashed<'_>, name: Range<usize>) -> Option<Range<usize>> {
    let at = |byte: usize| squashed.origin(byte);
    let start = at(name.start)?;
    let last = at(name.end.checked_sub(1)?)?;
    let cut_before = name.start.checked_sub(1).and_then(at) == Some(start);
    let cut_behind = at(name.end) == Some(last);
    if cut_before || cut_behind {
        return None;
    }
    let mut behind = visible.get(last..)?.chars();
    let mut end = last + behind.next()?.len_utf8();
    // Signs that fold to an empty text belong to the letter before them.
    for c in behind {
        let mut folds = false;
        fold_char(c, |_| folds = true);
        if folds {
            break;
        }
        end += c.len_utf8();
    }
    Some(start..end)
}

fn classify_hit(name: &Name, visible: &str, span: Range<usize>, language: Language) -> Option<Hit> {
    let text = visible.get(span.clone())?;
    if !boundary::starts(visible, span.start, text)
        || !boundary::ends(visible, span.end, text, name.stem, language)
        || !is_one(text, &name.text)
        || is_hyphenated(visible, &span, language)
    {
        return None;
    }
    if name.only_accented && text.is_ascii() || name.only_ampersand && !text.contains(['&', '+']) {
        return None;
    }
    let cased = text
        .chars()
        .all(|c| !is_word(c) || script(c).has_case() || c.is_ascii_digit());
    let joined = text.contains(' ');
    let letters = text.chars().filter(|c| is_word(*c)).count();
    let mut sure = name.proof == Proof::Plain;
    if cased {
        let capital = is_capitalised(text);
        // Separate words that match the name (`the register`) and words in small letters (`boots`) are no names,
        // except for long ones and for those that their owner writes so.
        let small = name.text.chars().all(|c| !c.is_uppercase()) && name.given;
        if joined && !name.text.contains(' ') || ordinary(text) || letters < LONG && !small {
            sure &= capital;
        }
        // At the start of a sentence every word has a capital.
        if letters < LONG && !joined && !name.text.contains(' ') {
            let checked = language.is(Language::EN) || NUMBERS.has(&plain(text));
            sure &= !checked || !opens(visible, &span) || is_subject(visible, &span);
        }
        if name.proof == Proof::Written {
            sure = capital && is_proof(visible, &span, text, language);
            // A short name needs its exact spelling: `H&M`, not `Hm`.
            if letters < 4 {
                sure &= text == name.text || text.chars().all(|c| !c.is_lowercase());
            }
        }
    } else if name.proof == Proof::Written {
        sure = text == name.text;
    }
    let distinct = name.proof == Proof::Plain && (letters >= 10 || !cased || joined) && !ordinary(text);
    let longer = cased && goes_on(visible, &span, language);
    if sure && cased && !distinct {
        let unsure = longer && !name.known && letters < LONG && !joined;
        sure = !unsure && !inside_longer(visible, &span, language);
    }
    Some(Hit {
        span,
        sure,
        distinct,
        known: name.known,
        longer,
        excluded: name.excluded,
    })
}

/// From so many letters on a single word is rarely another word or the start of another name.
const LONG: usize = 8;

/// Whether a hyphen makes another name of a name: `Acme-Tools`, `Coca-Cola`.
/// Small letters do not (`ex-Acme`), nor do compounds in languages that write them so (`Acme-Filiale`).
fn is_hyphenated(visible: &str, span: &Range<usize>, language: Language) -> bool {
    let other = |word: &str| word.starts_with(char::is_uppercase);
    let behind = visible.get(span.end..).unwrap_or_default();
    let tail = behind.strip_prefix('-').map(first_word).unwrap_or_default();
    const COMPOUNDS: Language = Language::tagged(&["de", "nl", "da", "no", "sv", "fi"]);
    if other(tail) && !language.is(COMPOUNDS) {
        return true;
    }
    let before = visible.get(..span.start).unwrap_or_default();
    before
        .strip_suffix('-')
        .is_some_and(|before| other(last_word(before)))
}

/// Whether a word with a capital continues a name: `Delta` in `Delta Faucet`.
/// Words of the tables do not: `Delta Airlines`, `Delta Berlin`.
/// Nor do words in German, where nouns have capitals.
fn goes_on(visible: &str, span: &Range<usize>, language: Language) -> bool {
    let behind = visible.get(span.end..).unwrap_or_default();
    let Some(word) = behind.strip_prefix(' ').map(first_word) else {
        return false;
    };
    let meaning = meaning_as_written(word);
    word.starts_with(char::is_uppercase)
        && !language.is(Language::DE)
        && !meaning.is_ordinary()
        && !meaning.is(Meaning::LEGAL)
}

/// Whether a name is at the start of its sentence.
fn opens(visible: &str, span: &Range<usize>) -> bool {
    let before = visible.get(..span.start).unwrap_or_default();
    let before = before.trim_end_matches([' ', '"', '\'', '(', '[']);
    before.is_empty() || before.ends_with(['.', '!', '?', '\n'])
}

/// Whether a name at the start of a sentence is its subject: a verb, a mark or another name follows.
fn is_subject(visible: &str, span: &Range<usize>) -> bool {
    static VERBS: List = list("find.verbs");
    let behind = visible.get(span.end..).unwrap_or_default();
    if behind.starts_with("'s") || behind.starts_with([':', '(', '/', '\t', '\n']) {
        return true;
    }
    let rest = behind.trim_start_matches([' ', '(', '-', '–', '—', '"']);
    let marked = behind.len() - rest.len() > 1;
    if let Some(rest) = rest.strip_prefix(", ") {
        return rest.starts_with(char::is_uppercase);
    }
    let word = first_word(rest);
    let verb = word.len() > 1
        && (word.ends_with('s') || word.ends_with("ed"))
        && word.starts_with(char::is_lowercase);
    let verb = verb && !counts(visible.get(span.clone()).unwrap_or_default(), word);
    let joined = rest
        .strip_prefix("& ")
        .is_some_and(|rest| rest.starts_with(char::is_uppercase));
    marked || verb || joined || VERBS.has(word)
}

/// Numbers that are also names.
static NUMBERS: List = list("find.numbers");

/// Whether a number counts the word behind it: `Three networks stand out`, not `Three offers`.
pub(in crate::read) fn counts(number: &str, next: &str) -> bool {
    static VERBS: List = list("prose.followers");
    NUMBERS.has(&plain(number)) && next.starts_with(char::is_lowercase) && !VERBS.has(next)
}

/// Whether a day is enumerated with a name: `Asana and Monday`.
fn is_enumerated(visible: &str, span: &Range<usize>) -> bool {
    static BEFORE_DAYS: List = list("find.before-days");
    let names = |word: &str| {
        let meaning = meaning_as_written(word);
        word.starts_with(char::is_uppercase)
            && !meaning.is(Meaning::TIME)
            && (!meaning.is_ordinary() || meaning.is(Meaning::COMMON))
    };
    let marks = [' ', '*', '_', '"'];
    let before = visible
        .get(..span.start)
        .unwrap_or_default()
        .trim_end_matches(marks);
    let behind = visible
        .get(span.end..)
        .unwrap_or_default()
        .trim_start_matches(marks);
    let comma = before.ends_with(',');
    let joint = if comma { "," } else { last_word(before) };
    let first = before
        .strip_suffix(joint)
        .unwrap_or_default()
        .trim_end_matches(marks);
    let after = !joint.is_empty() && is_joint(joint) && names(last_word(first));
    let joint = if behind.starts_with(',') {
        ","
    } else {
        first_word(behind)
    };
    let last = behind
        .strip_prefix(joint)
        .unwrap_or_default()
        .trim_start_matches(marks);
    let goes_on = !joint.is_empty() && is_joint(joint) && names(first_word(last));
    let opened = last_word(before);
    after && (!comma || goes_on)
        || goes_on && !comma && !opened.is_empty() && !BEFORE_DAYS.has(&plain(opened))
}

/// The word that starts a text.
fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The word that ends a text.
fn last_word(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_word(*c))
        .last()
        .map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or_default()
}

/// Whether the letters belong together, because their words are in one name and not in two clauses.
/// A mark that the name itself has, such as the full stop of `Dr. Wehrle`, does not separate them.
fn is_one(text: &str, name: &str) -> bool {
    let mut gap = String::new();
    for c in text.chars() {
        if is_word(c) {
            let parts = matches!(gap.as_str(), ". " | ", " | ": " | "; " | "! " | "? ");
            if gap.len() > 3 || parts && !name.contains(gap.as_str()) {
                return false;
            }
            gap.clear();
        } else if " -'’.&+/·・!_•´`".contains(c) {
            gap.push(c);
        } else if !is_mark(c) {
            return false;
        }
    }
    true
}

/// Whether every word that matters in a name has a capital: `Heads Up for Tails`, `iRobot`, `BMW`.
fn is_capitalised(text: &str) -> bool {
    let mut words = text
        .split(|c: char| !is_word(c) && c != '\'')
        .filter(|word| !word.is_empty());
    words.all(|word| {
        word.chars().any(char::is_uppercase)
            || word.starts_with(|c: char| c.is_ascii_digit())
            || meaning_as_written(word).is(Meaning::FUNCTION)
            || word.len() <= 2
    }) && text.chars().any(|c| c.is_uppercase() || c.is_ascii_digit())
}

fn ordinary(text: &str) -> bool {
    plain(text)
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .all(|word| meaning(word).is_ordinary())
}

/// Whether a capital proves that an ordinary word is a name.
/// It is no proof at the start of a sentence, in German, where every noun has one, and on days and months.
fn is_proof(visible: &str, span: &Range<usize>, text: &str, language: Language) -> bool {
    let folded = plain(text);
    let several = text.contains(' ');
    if meaning(&folded).is(Meaning::TIME) && !is_enumerated(visible, span)
        || language.is(Language::DE) && !several && ordinary(text)
    {
        return false;
    }
    if text.chars().filter(|c| c.is_uppercase()).count() >= 2 && text.chars().any(char::is_uppercase) {
        return true;
    }
    let before = visible
        .get(..span.start)
        .unwrap_or_default()
        .trim_end_matches([' ', '"', '\'', '(', '[', '「']);
    before.ends_with(|c: char| is_word(c) || matches!(c, ',' | ';' | '&' | '/')) && !before.ends_with('\n')
}

/// Whether the name is part of a longer one: `Ford` in `Tom Ford`.
fn inside_longer(visible: &str, span: &Range<usize>, language: Language) -> bool {
    let before = visible.get(..span.start).unwrap_or_default();
    let Some(before) = before.strip_suffix(' ') else {
        return false;
    };
    let start = before
        .rfind(|c: char| !is_word(c) && c != '\'' && c != '-')
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let word = &before[start..];
    let capital = word.starts_with(char::is_uppercase)
        && word.chars().next().is_some_and(|c| script(c) != Script::Common);
    // `London-based` describes; it starts no name.
    let describes = word
        .rsplit_once('-')
        .is_some_and(|(_, part)| part.len() > 2 && part.starts_with(char::is_lowercase));
    if !capital || describes || language.is(Language::DE) {
        return false;
    }
    // The capital at the start of a sentence may belong to the sentence.
    let sentence = before[..start].trim_end_matches([' ', '"', '\'', '(']);
    let at_start = sentence.is_empty() || sentence.ends_with(['.', '!', '?', ':', '\n', '。']);
    let meaning = meaning_as_written(word);
    !(at_start || meaning.is_ordinary() || meaning.is(Meaning::OPENER))
}
