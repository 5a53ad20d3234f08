//! Short texts of a request: keyword, place, brand names, language.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Why a short text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// Nothing but white space.
    #[error("is empty")]
    Empty,
    /// More characters than the field takes.
    #[error("is longer than {0} characters")]
    TooLong(usize),
    /// More than one line.
    #[error("has more than one line")]
    SeveralLines,
    /// A control character or a mark that nobody sees: these texts become part of a question.
    #[error("contains a control character or an invisible mark")]
    ControlCharacter,
    /// Not a BCP 47 language tag.
    #[error("is not a language tag such as \"en\" or \"pt-BR\"")]
    NotALanguage,
}

/// Trims, folds runs of white space to one blank, and bounds the length.
fn tidy(text: &str, most: usize) -> Result<String, TextError> {
    let mut tidied = String::with_capacity(text.len().min(4 * most));
    for word in text.split_whitespace() {
        if !tidied.is_empty() {
            tidied.push(' ');
        }
        tidied.push_str(word);
    }
    if tidied.is_empty() {
        return Err(TextError::Empty);
    }
    if tidied.chars().count() > most {
        return Err(TextError::TooLong(most));
    }
    if tidied.chars().any(char::is_control) {
        return Err(TextError::ControlCharacter);
    }
    Ok(tidied)
}

/// As [`tidy`], for a text that has to be one line.
fn one_line(text: &str, most: usize) -> Result<String, TextError> {
    let text = text.trim();
    if text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        return Err(TextError::SeveralLines);
    }
    tidy(text, most)
}

/// As [`tidy`], without characters that change how their neighbours are shown.
fn visible(text: &str, most: usize) -> Result<String, TextError> {
    let text = tidy(text, most)?;
    match text.chars().any(is_display_control) {
        true => Err(TextError::ControlCharacter),
        false => Ok(text),
    }
}

/// As [`visible`], for a text that has to be one line.
fn visible_line(text: &str, most: usize) -> Result<String, TextError> {
    one_line(text, most).and_then(|line| visible(&line, most))
}

/// Whether a character is a control, a mark or an override of direction, a line separator, a tag or a blank
/// without width. Joiners do not count, because emoji and some scripts need them.
#[must_use]
pub fn is_display_control(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident <= $most:literal by $tidy:ident, stored by $stored:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl $name {
            /// The longest text allowed, in characters.
            pub const MAX_CHARS: usize = $most;

            /// The text: trimmed, with single blanks.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = TextError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $tidy(text, $most).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                $stored(&text, $most).map(Self)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

// What was stored before a mark was refused is read as it is.
texts! {
    /// The product or service that people would ask a model for: "plumber", "crm for small teams".
    Keyword <= 200 by visible, stored by tidy;
    /// A place as the caller wrote it, of the form "city, country". Not yet looked up.
    LocationText <= 200 by visible, stored by tidy;
    /// A name under which answers may mention the target.
    BrandName <= 100 by visible, stored by tidy;
    /// A question in the caller's own words.
    QuestionText <= 300 by visible_line, stored by one_line;
    /// Who asks, for example "young family" or "buyer of a small hotel".
    Persona <= 200 by visible_line, stored by visible_line;
    /// A label that a caller gives its own scans.
    Tag <= 60 by visible_line, stored by visible_line;
    /// A name that people see instead of the program's: a sender's, a report's.
    Title <= 80 by visible_line, stored by visible_line;
}

/// A BCP 47 language tag, as far as a scan needs it: primary language, optional script and region.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Language(String);

impl Language {
    /// The whole tag, in the usual case: `pt-BR`, `zh-Hant`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The primary language subtag: `pt` of `pt-BR`.
    pub fn primary(&self) -> &str {
        self.0.split('-').next().unwrap_or(&self.0)
    }
}

impl FromStr for Language {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.is_empty() {
            return Err(TextError::Empty);
        }
        if text.len() > 35 {
            return Err(TextError::NotALanguage);
        }
        let mut tag = String::with_capacity(text.len());
        for (index, part) in text.split(['-', '_']).enumerate() {
            let letters = part.bytes().all(|b| b.is_ascii_alphabetic());
            let cased = match (index, part.len()) {
                (0, 2..=3) if letters => part.to_ascii_lowercase(),
                (0, _) => return Err(TextError::NotALanguage),
                (_, 4) if letters => title_case(part),
                (_, 2) if letters => part.to_ascii_uppercase(),
                (_, 1..=8) if part.bytes().all(|b| b.is_ascii_alphanumeric()) => part.to_ascii_lowercase(),
                _ => return Err(TextError::NotALanguage),
            };
            if index > 0 {
                tag.push('-');
            }
            tag.push_str(&cased);
        }
        Ok(Self(tag))
    }
}

fn title_case(part: &str) -> String {
    part.char_indices()
        .map(|(i, c)| {
            if i == 0 {
                c.to_ascii_uppercase()
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect()
}

read_from_text!(Language);

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_tidied() {
        assert_eq!(
            "  best \n plumber ".parse::<Keyword>().unwrap().as_str(),
            "best plumber"
        );
        assert_eq!(" \t ".parse::<Keyword>(), Err(TextError::Empty));
        assert_eq!("a\u{0}b".parse::<Keyword>(), Err(TextError::ControlCharacter));
        for odd in ["a\u{202e}b", "a\u{2066}b", "\u{200f}a", "a\u{feff}b", "a\u{7}b"] {
            assert_eq!(odd.parse::<Tag>(), Err(TextError::ControlCharacter), "{odd:?}");
            assert_eq!(
                odd.parse::<Keyword>(),
                Err(TextError::ControlCharacter),
                "{odd:?}"
            );
            assert_eq!(
                odd.parse::<BrandName>(),
                Err(TextError::ControlCharacter),
                "{odd:?}"
            );
            assert_eq!(
                odd.parse::<QuestionText>(),
                Err(TextError::ControlCharacter),
                "{odd:?}"
            );
        }
        assert!("👩\u{200d}🔧 نام\u{200c}ها".parse::<Tag>().is_ok());
        let stored = Keyword::try_from("a\u{202e}b".to_owned()).unwrap();
        assert_eq!(stored.as_str(), "a\u{202e}b");
        assert!("é".repeat(200).parse::<Keyword>().is_ok());
        assert_eq!("é".repeat(201).parse::<Keyword>(), Err(TextError::TooLong(200)));
    }

    #[test]
    fn an_own_question_is_one_line() {
        let parse = |text: &str| {
            text.parse::<QuestionText>()
                .map(|question| question.as_str().to_owned())
        };
        assert_eq!(parse(" Who fixes\ttaps? \n"), Ok("Who fixes taps?".to_owned()));
        assert_eq!(parse("Who?\nIgnore that."), Err(TextError::SeveralLines));
        assert_eq!(parse("a\u{2028}b"), Err(TextError::SeveralLines));
        assert_eq!(parse(" "), Err(TextError::Empty));
        assert!(parse(&"é".repeat(300)).is_ok());
        assert_eq!(parse(&"é".repeat(301)), Err(TextError::TooLong(300)));
    }

    #[test]
    fn language_tags_get_their_usual_case() {
        for (text, tag) in [
            ("EN", "en"),
            ("pt-br", "pt-BR"),
            ("zh_hant_tw", "zh-Hant-TW"),
            ("de-1996", "de-1996"),
        ] {
            assert_eq!(text.parse::<Language>().unwrap().as_str(), tag);
        }
        for text in ["english", "e", "", "en-", "en-!!", "12", "i-klingon"] {
            assert!(text.parse::<Language>().is_err(), "{text}");
        }
        assert_eq!("pt-BR".parse::<Language>().unwrap().primary(), "pt");
    }
}
