//! Tells where names end, in scripts with and without spaces.

use crate::read::text::{Script, is_word, plain, script};
use crate::read::words::{Language, List, Meaning, list, meaning};

/// Letters that Arabic and Hebrew write as one word with the following word.
static BEFORE_ARABIC: List = list("boundary.before-arabic");
static BEFORE_HEBREW: List = list("boundary.before-hebrew");

/// Endings that Korean writes together with the word before them.
static KOREAN: List = list("boundary.korean");

/// Endings of Russian, Ukrainian, Bulgarian and Serbian names, folded.
static CYRILLIC: List = list("boundary.cyrillic");

/// Endings of names in languages with Latin letters and cases; folded.
static LATIN: [(Language, List); 8] = [
    (Language::tagged(&["pl"]), list("endings.pl")),
    (Language::tagged(&["cs"]), list("endings.cs")),
    (Language::tagged(&["fi"]), list("endings.fi")),
    (Language::tagged(&["hu"]), list("endings.hu")),
    (Language::tagged(&["tr"]), list("endings.tr")),
    (Language::tagged(&["ro"]), list("endings.ro")),
    (Language::tagged(&["sv"]), list("endings.sv")),
    (Language::tagged(&["no"]), list("endings.no")),
];

/// Han characters that end the word before a name rather than belong to it.
const BEFORE_HAN: &str = "的是在和与及或有为把对荐选用由等去到从让被给向比像如即就也都还又再先后看试买吃喝玩住找做会能可要想请问说叫称名家店种些这那我你他她它们了过着吧吗呢啊、という推選與為對讓從還過來";

/// Han characters that start a new word after a name of two characters rather than continue it.
const BEHIND_HAN: &str = "的是在和与及或有为把对由等去从让被给向比像如即就也都还又再先后会能可要想不没很最更非较提推荐值适性价服质口官网旗门店家公集品产系专售卖应平评说称叫駅样様這這與為對讓從還過來會還";

/// Whether a name may start at `at`.
pub(super) fn starts(visible: &str, at: usize, name: &str) -> bool {
    let before = visible.get(..at).unwrap_or_default();
    let (Some(c), Some(first)) = (before.chars().next_back(), name.chars().next()) else {
        return true;
    };
    if !is_word(c) {
        // A person's address is not a name; a package's scope is: `@acme/deploy`.
        return c != '@' || name.contains('/') && !before.trim_end_matches('@').ends_with(is_word);
    }
    match (script(c), script(first)) {
        (Script::Arabic, Script::Arabic) => is_glued(before, &BEFORE_ARABIC),
        (Script::Hebrew, Script::Hebrew) => is_glued(before, &BEFORE_HEBREW),
        (Script::Han, Script::Han) => name.chars().take(3).count() >= 3 || BEFORE_HAN.contains(c),
        (Script::Katakana, Script::Katakana) => false,
        (Script::Hiragana, Script::Hiragana) => name.chars().take(4).count() >= 4,
        (one, other) if one == other => one.is_unspaced(),
        // Kana and Han are written next to each other, and so is Latin next to Kana and Han.
        (one, other) => differ(one, other),
    }
}

/// Whether a name may end at `at`.
pub(super) fn ends(visible: &str, at: usize, name: &str, stem: bool, language: Language) -> bool {
    let behind = visible.get(at..).unwrap_or_default();
    let (Some(c), Some(last)) = (behind.chars().next(), name.chars().next_back()) else {
        return !stem;
    };
    if !is_word(c) {
        // Behind a package stands its version: `acme-deploy@2.1`.
        let host = behind
            .strip_prefix('@')
            .filter(|rest| rest.starts_with(char::is_alphabetic));
        let word = host.and_then(|rest| rest.split(char::is_whitespace).next());
        return !stem && !word.is_some_and(|word| word.contains('.'));
    }
    let tail: String = behind.chars().take_while(|c| is_word(*c)).take(6).collect();
    match (script(last), script(c)) {
        (Script::Hangul, Script::Hangul) => KOREAN.has(&tail),
        (Script::Han, Script::Han) => {
            name.chars().take(3).count() >= 3
                || BEHIND_HAN.contains(c)
                || is_product(behind)
                || tail.contains(['店', '馆', '館'])
        }
        (Script::Katakana, Script::Katakana) => false,
        (Script::Cyrillic, Script::Cyrillic) => CYRILLIC.has(&plain(&tail)),
        (Script::Latin, Script::Latin) => is_latin_ending(&plain(&tail), name, stem, language),
        (Script::Greek, Script::Greek) => matches!(&*plain(&tail), "s" | "n" | "i" | "u" | "o"),
        (one, other) if one == other => one.is_unspaced(),
        (one, other) => !stem && differ(one, other),
    }
}

/// Whether the next two characters are a word for goods or services.
fn is_product(behind: &str) -> bool {
    let end = behind.char_indices().nth(2).map_or(behind.len(), |(at, _)| at);
    meaning(&behind[..end]).is(Meaning::TRADE | Meaning::CRITERION)
}

fn differ(one: Script, other: Script) -> bool {
    // Digits continue the word; letters of two alphabets in one word are a disguise.
    one != Script::Common && other != Script::Common && !(one.has_case() && other.has_case())
}

/// Whether the letters of the word before a name are only prefixes written together with it.
fn is_glued(before: &str, clitics: &List) -> bool {
    // Three letters at most: a longer run is another word.
    let run: usize = before
        .chars()
        .rev()
        .take(5)
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum();
    clitics.has(&before[before.len() - run..])
}

fn is_latin_ending(tail: &str, name: &str, stem: bool, language: Language) -> bool {
    let letters = name.chars().filter(|c| is_word(*c)).count();
    if letters < 4 {
        return false;
    }
    // A genitive without an apostrophe.
    // Elsewhere it is a plural, and a plural of a short name is no name.
    let genitive = language.is(const { Language::tagged(&["de", "da", "no", "sv", "nl"]) });
    if !stem && tail == "s" && (genitive || letters >= 8) {
        return true;
    }
    LATIN
        .iter()
        .any(|(of, endings)| language.is(*of) && endings.has(tail))
}
