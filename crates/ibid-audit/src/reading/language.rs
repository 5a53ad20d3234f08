//! Detects the language of a text, as a BCP 47 tag, if the result is reliable.

use crate::vocabulary::Words;
use whatlang::Lang;

/// Words below which a guess is not worth making.
const MIN_WORDS: usize = 40;
/// Bytes a guess looks at.
const LOOK: usize = 4_000;

/// The language of a text of `words` words, if it is plain.
pub(crate) fn detect(text: &str, words: usize) -> Option<&'static str> {
    if words < MIN_WORDS {
        return None;
    }
    let text = crate::html::cut(text, LOOK);
    let info = whatlang::detect(text)?;
    if info.is_reliable() {
        return tag(info.lang());
    }
    by_small_words(text)
}

/// The language whose commonest small words make up a fifth of the text.
///
/// They must be twice as many as those of any other language.
/// Names and terms make trigrams unreliable for a short text, which these words settle.
fn by_small_words(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = super::words::spaced(&lower).collect();
    let mut counts: Vec<(usize, &'static str)> = SMALL_WORDS
        .iter()
        .map(|(tag, small)| (words.iter().filter(|word| small.contains(word)).count(), *tag))
        .collect();
    counts.sort_unstable_by(|one, other| other.cmp(one));
    match counts.as_slice() {
        [(most, tag), (next, _), ..] if most * 5 >= words.len() && *most >= next * 2 && *most > 0 => {
            Some(tag)
        }
        _ => None,
    }
}

static SMALL_WORDS: [(&str, Words); 4] = [
    (
        "en",
        Words::new("the|of|and|to|in|is|that|for|with|as|are|this|it|on|you|your|be|from|or|by|we|at"),
    ),
    (
        "de",
        Words::new("der|die|und|das|den|von|zu|mit|ist|des|im|für|auf|nicht|ein|eine|sich|dem|es|sie"),
    ),
    (
        "fr",
        Words::new("le|la|les|des|et|en|un|une|du|que|est|pour|dans|qui|sur|pas"),
    ),
    (
        "es",
        Words::new("el|la|los|las|de|y|en|que|un|una|es|por|con|para|del|se"),
    ),
];

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

/// The tag of a language, whose code has three letters in the detector.
fn tag(lang: Lang) -> Option<&'static str> {
    let mut pairs = TAGS.split('|').filter_map(|pair| pair.split_once(' '));
    pairs.find(|(code, _)| *code == lang.code()).map(|(_, tag)| tag)
}

const TAGS: &str = "epo eo|eng en|rus ru|cmn zh|spa es|por pt|ita it|ben bn|fra fr|deu de|ukr uk|kat ka|ara ar|hin hi|jpn ja|heb he|yid yi|pol pl|amh am|jav jv|\
    kor ko|nob nb|dan da|swe sv|fin fi|tur tr|nld nl|hun hu|ces cs|ell el|bul bg|bel be|mar mr|kan kn|ron ro|slv sl|hrv hr|srp sr|mkd mk|lit lt|\
    lav lv|est et|tam ta|vie vi|urd ur|tha th|guj gu|uzb uz|pan pa|aze az|ind id|tel te|pes fa|mal ml|ori or|mya my|nep ne|sin si|khm km|tuk tk|\
    aka ak|zul zu|sna sn|afr af|lat la|slk sk|cat ca|tgl tl|hye hy|cym cy";

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
        assert_eq!(
            by_small_words("Acme Rev4 is the tool for the shop and the yard of Bremo Ltd"),
            Some("en")
        );
        assert_eq!(by_small_words("alpha beta gamma delta"), None);
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
