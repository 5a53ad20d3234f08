//! Language and region codes that hreflang may hold.

use crate::vocabulary::Words;

/// ISO 639-1.
static LANGUAGES: Words = Words::new(include_str!("../words/codes_languages.txt"));

/// ISO 3166-1 alpha-2.
static REGIONS: Words = Words::new(include_str!("../words/codes_regions.txt"));

/// Says what is wrong with an hreflang value; `None` if nothing is.
pub(super) fn hreflang_problem(code: &str) -> Option<&'static str> {
    let code = code.to_ascii_lowercase();
    if code == "x-default" {
        return None;
    }
    let mut parts = code.split('-');
    let language = parts.next().unwrap_or("");
    if !LANGUAGES.contains(language) {
        return Some(if language.contains('_') {
            "is written with an underscore"
        } else {
            "does not begin with a language code"
        });
    }
    for part in parts {
        let is_script = part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
        if part == "uk" {
            return Some("names no region: the United Kingdom is GB");
        }
        if !is_script && !REGIONS.contains(part) {
            return Some("names no region");
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_judged() {
        for (code, valid) in [
            ("en", true),
            ("en-GB", true),
            ("zh-Hant-TW", true),
            ("x-default", true),
            ("en-UK", false),
            ("en_US", false),
            ("xx", false),
            ("en-EU", false),
            ("", false),
            ("gb", false),
        ] {
            assert_eq!(hreflang_problem(code).is_none(), valid, "{code}");
        }
    }
}
