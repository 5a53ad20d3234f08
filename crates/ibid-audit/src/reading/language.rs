//! Detects the language of a text, as a BCP 47 tag, if the result is reliable.

use whatlang::Lang;

/// Words below which a guess is not worth making.
const MIN_WORDS: usize = 40;
/// Bytes a guess looks at.
const LOOK: usize = 4_000;

/// Detects a text's language from `words` words, if it is plain.
pub(crate) fn detect(text: &str, words: usize) -> Option<&'static str> {
    if words < MIN_WORDS {
        return None;
    }
    let text = crate::html::cut(text, LOOK);
    whatlang::detect(text)
        .filter(whatlang::Info::is_reliable)
        .and_then(|info| tag(info.lang()))
}

/// Whether a declared tag and a detected one name the same language, or two similar ones.
pub(crate) fn agree(declared: &str, detected: &str) -> bool {
    let family = |tag: &str| {
        let primary = tag.split(['-', '_']).next().unwrap_or("").to_ascii_lowercase();
        match primary.as_str() {
            "nb" | "nn" | "no" | "da" => "nordic".to_owned(),
            "hr" | "sr" | "bs" | "sh" | "me" | "mk" => "yugoslav".to_owned(),
            "id" | "ms" => "malay".to_owned(),
            "cs" | "sk" => "czechoslovak".to_owned(),
            "gl" | "pt" => "galician".to_owned(),
            "fil" | "tl" => "tl".to_owned(),
            "iw" => "he".to_owned(),
            "yue" | "wuu" | "zh" => "zh".to_owned(),
            "ru" | "uk" | "be" => "cyrillic".to_owned(),
            "hi" | "mr" | "ne" => "devanagari".to_owned(),
            _ => primary,
        }
    };
    family(declared) == family(detected)
}

/// Whether a value has the form of a BCP 47 tag.
pub(crate) fn is_tag(value: &str) -> bool {
    let mut parts = value.split('-');
    let primary = parts.next().unwrap_or("");
    (2..=3).contains(&primary.len())
        && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// Returns a language's tag; in the detector its code has three letters.
///
/// Languages whose neighbours it does not know are left out, and Latin, which is mostly filler.
fn tag(lang: Lang) -> Option<&'static str> {
    let mut pairs = TAGS.split('|').filter_map(|pair| pair.split_once(' '));
    pairs.find(|(code, _)| *code == lang.code()).map(|(_, tag)| tag)
}

const TAGS: &str = "epo eo|eng en|rus ru|cmn zh|spa es|por pt|ita it|ben bn|fra fr|deu de|ukr uk|kat ka|ara ar|hin hi|jpn ja|heb he|yid yi|pol pl|amh am|jav jv|\
    kor ko|nob nb|dan da|swe sv|fin fi|tur tr|nld nl|hun hu|ces cs|ell el|bul bg|bel be|mar mr|kan kn|ron ro|slv sl|hrv hr|srp sr|mkd mk|lit lt|\
    lav lv|est et|tam ta|vie vi|urd ur|tha th|guj gu|uzb uz|pan pa|aze az|ind id|tel te|pes fa|mal ml|ori or|mya my|nep ne|sin si|khm km|tuk tk|\
    afr af|slk sk|cat ca|tgl tl|hye hy|cym cy";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_a_form() {
        for (value, valid) in [
            ("en", true),
            ("en-GB", true),
            ("zh-Hans-CN", true),
            ("fil", true),
            ("", false),
            ("e", false),
            ("english", false),
            ("en_US", false),
            ("en-", false),
            ("12", false),
        ] {
            assert_eq!(is_tag(value), valid, "{value}");
        }
    }

    #[test]
    fn plain_texts_are_detected() {
        for (text, expected) in [
            (
                "A heat pump moves heat from a cold place to a warm one, and it does so with the help of electricity. The pump in your garden is not unlike the one in your fridge, but it is larger and it works in reverse for most of the year.",
                Some("en"),
            ),
            (
                "Die Pumpe im Garten ist nicht anders als die im Kühlschrank, nur größer, und sie arbeitet für den größten Teil des Jahres umgekehrt. Mit dem Strom, den sie braucht, bewegt sie die Wärme von der kalten Luft in das Haus und zu den Heizkörpern.",
                Some("de"),
            ),
            ("too short", None),
        ] {
            assert_eq!(detect(text, super::super::words::count(text)), expected, "{text}");
        }
    }

    #[test]
    fn close_languages_agree() {
        for (declared, detected, expected) in [
            ("en-GB", "en", true),
            ("EN", "en", true),
            ("de", "en", false),
            ("no", "nb", true),
            ("zh-TW", "zh", true),
            ("en_US", "en", true),
        ] {
            assert_eq!(agree(declared, detected), expected, "{declared} {detected}");
        }
    }
}
