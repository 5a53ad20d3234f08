//! The bounds of names, in scripts with and without spaces.

use crate::read::text::{Script, is_word, plain, script};
use crate::read::words::{Language, meaning};

/// Letters that Arabic and Hebrew write as one word with the following word.
const BEFORE_ARABIC: [&str; 22] = [
    "و", "ف", "ب", "ك", "ل", "ال", "وال", "بال", "كال", "فال", "لل", "ول", "وب", "ولل", "وبال", "س", "أ",
    "فب", "فل", "وك", "عال", "لال",
];
const BEFORE_HEBREW: [&str; 24] = [
    "ה", "ו", "ב", "ל", "מ", "ש", "כ", "וה", "שה", "מה", "בה", "לה", "וב", "ול", "ומ", "וש", "כש", "שב",
    "של", "שמ", "וכ", "מש", "לכ", "שכ",
];

/// Endings that Korean writes together with the word before them.
const KOREAN: [&str; 58] = [
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "도",
    "만",
    "와",
    "과",
    "로",
    "으로",
    "에서",
    "에게",
    "부터",
    "까지",
    "보다",
    "처럼",
    "이나",
    "나",
    "이나마",
    "라도",
    "이라도",
    "이며",
    "며",
    "이고",
    "고",
    "입니다",
    "이에요",
    "예요",
    "이다",
    "라는",
    "이라는",
    "라고",
    "이라고",
    "란",
    "이란",
    "에는",
    "에도",
    "에서는",
    "에서도",
    "와는",
    "과는",
    "와의",
    "과의",
    "로는",
    "으로는",
    "이랑",
    "랑",
    "하고",
    "께서",
    "마다",
    "조차",
    "밖에",
    "인데",
    "측은",
];

/// Endings of Russian, Ukrainian, Bulgarian and Serbian names, folded.
const CYRILLIC: [&str; 30] = [
    "a", "u", "e", "i", "y", "o", "om", "em", "oy", "ey", "yu", "ya", "am", "ami", "ah", "ov", "ev", "im",
    "ym", "ih", "yh", "ogo", "omu", "oyu", "yam", "yami", "yah", "yey", "eyu", "oi",
];

/// Endings of names in languages with Latin letters and cases; folded.
const LATIN: [(Language, &[&str]); 8] = [
    (
        Language::tagged(&["pl"]),
        &[
            "a", "u", "em", "ie", "owi", "y", "i", "om", "ami", "ach", "ow", "e", "iem", "ze", "zie", "cie",
            "a", "ka", "ke", "ki", "ce",
        ],
    ),
    (
        Language::tagged(&["cs"]),
        &[
            "a", "u", "em", "e", "y", "i", "ou", "ovi", "um", "ech", "ich", "ach", "am", "emi", "ami", "ho",
        ],
    ),
    (
        Language::tagged(&["fi"]),
        &[
            "n", "in", "on", "an", "en", "lla", "lta", "lle", "ssa", "sta", "lle", "ssa", "a", "ta", "issa",
            "illa", "ista", "ille", "ilta", "iin", "ia", "ksi",
        ],
    ),
    (
        Language::tagged(&["hu"]),
        &[
            "t", "at", "et", "ot", "nak", "nek", "ban", "ben", "bol", "rol", "tol", "nal", "nel", "hoz",
            "hez", "val", "vel", "ra", "re", "ba", "be", "e", "n", "on", "en",
        ],
    ),
    (
        Language::tagged(&["tr"]),
        &[
            "i", "u", "a", "e", "yi", "yu", "ya", "ye", "in", "un", "nin", "nun", "da", "de", "ta", "te",
            "dan", "den", "tan", "ten", "la", "le", "yla", "yle",
        ],
    ),
    (
        Language::tagged(&["ro"]),
        &["ul", "ului", "a", "ei", "le", "lor", "i", "u", "uri"],
    ),
    (Language::tagged(&["sv"]), &["s", "en", "et", "n", "ens"]),
    (Language::tagged(&["no"]), &["s", "en", "et", "n", "ens"]),
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
        // An address of a person is not a name.
        return c != '@';
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
        return !stem && !behind.starts_with("@");
    }
    let tail: String = behind.chars().take_while(|c| is_word(*c)).take(6).collect();
    match (script(last), script(c)) {
        (Script::Hangul, Script::Hangul) => is_particle(&tail),
        (Script::Han, Script::Han) => {
            name.chars().take(3).count() >= 3 || BEHIND_HAN.contains(c) || is_product(behind)
        }
        (Script::Katakana, Script::Katakana) => false,
        (Script::Cyrillic, Script::Cyrillic) => CYRILLIC.contains(&&*plain(&tail)),
        (Script::Latin, Script::Latin) => is_latin_ending(&plain(&tail), name, stem, language),
        (Script::Greek, Script::Greek) => matches!(&*plain(&tail), "s" | "n" | "i" | "u" | "o"),
        (one, other) if one == other => one.is_unspaced(),
        (one, other) => !stem && differ(one, other),
    }
}

/// Whether the next two characters are a word for goods or services.
fn is_product(behind: &str) -> bool {
    let end = behind.char_indices().nth(2).map_or(behind.len(), |(at, _)| at);
    let meaning = meaning(&behind[..end]);
    meaning.is_trade() || meaning.is_criterion()
}

fn differ(one: Script, other: Script) -> bool {
    // Digits continue the word; letters of two alphabets in one word are a disguise.
    one != Script::Common && other != Script::Common && !(one.has_case() && other.has_case())
}

/// Whether the letters of the word before a name are only prefixes written together with it.
fn is_glued(before: &str, clitics: &[&str]) -> bool {
    // Three letters at most: a longer run is another word.
    let run: usize = before
        .chars()
        .rev()
        .take(5)
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum();
    clitics.contains(&&before[before.len() - run..])
}

fn is_particle(tail: &str) -> bool {
    KOREAN.contains(&tail)
}

/// Whether a folded text is an ending of names in a language.
pub(super) fn is_ending(ending: &str, language: Language) -> bool {
    let cyrillic = language.is(const { Language::tagged(&["ru", "uk"]) });
    cyrillic && CYRILLIC.contains(&ending)
        || LATIN
            .iter()
            .any(|(of, endings)| language.is(*of) && endings.contains(&ending))
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
        .any(|(of, endings)| language.is(*of) && endings.contains(&tail))
}
