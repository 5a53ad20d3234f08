//! Which language a text is in, as a BCP 47 tag, or nothing when unsure.

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
    let info = whatlang::detect(crate::html::cut(text, LOOK))?;
    info.is_reliable().then(|| tag(info.lang()))
}

/// Whether a declared tag and a detected one name the same language, or two that are hard to tell apart.
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

fn tag(lang: Lang) -> &'static str {
    match lang {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Jav => "jv",
        Lang::Kor => "ko",
        Lang::Nob => "nb",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Kan => "kn",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Tam => "ta",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Tha => "th",
        Lang::Guj => "gu",
        Lang::Uzb => "uz",
        Lang::Pan => "pa",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Tel => "te",
        Lang::Pes => "fa",
        Lang::Mal => "ml",
        Lang::Ori => "or",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Sin => "si",
        Lang::Khm => "km",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Hye => "hy",
        Lang::Cym => "cy",
    }
}

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
