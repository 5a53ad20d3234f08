//! Names and words in the form in which they are compared.

use super::letters::fold_char;
use super::word::WORD;
use arrayvec::ArrayString;

/// A folded text.
/// Words are short and folded often, so up to [`SHORT`] bytes need no allocation.
#[derive(Clone, Debug)]
pub(in crate::read) enum Plain {
    Short(ArrayString<SHORT>),
    Long(String),
}

/// Bytes of a text that is folded without an allocation.
const SHORT: usize = 64;

impl Plain {
    /// No text yet.
    pub(in crate::read) const fn new() -> Self {
        Self::Short(ArrayString::new_const())
    }

    /// Adds a character.
    pub(in crate::read) fn push(&mut self, c: char) {
        self.push_str(c.encode_utf8(&mut [0; 4]));
    }

    /// Adds a text.
    pub(in crate::read) fn push_str(&mut self, text: &str) {
        match self {
            Self::Short(short) => {
                if short.try_push_str(text).is_err() {
                    let mut long = String::with_capacity(4 * SHORT + text.len());
                    long.push_str(short);
                    long.push_str(text);
                    *self = Self::Long(long);
                }
            }
            Self::Long(long) => long.push_str(text),
        }
    }

    /// Adds what a character that is not ASCII folds to.
    fn push_folded(&mut self, c: char, letters_only: bool) {
        fold_char(c, |folded| {
            if !letters_only || super::is_word(folded) {
                self.push(folded);
            }
        });
    }

    fn make_ascii_lowercase(&mut self) {
        match self {
            Self::Short(short) => short.make_ascii_lowercase(),
            Self::Long(long) => long.make_ascii_lowercase(),
        }
    }
}

impl std::ops::Deref for Plain {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Short(short) => short,
            Self::Long(long) => long,
        }
    }
}

impl PartialEq for Plain {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<Plain> for String {
    fn from(plain: Plain) -> Self {
        match plain {
            Plain::Short(short) => short.as_str().to_owned(),
            Plain::Long(long) => long,
        }
    }
}

/// Folds a text to its letters and digits, which spellings of one name have in common.
pub(in crate::read) fn key(text: &str) -> Plain {
    folded(text, true)
}

/// The folded text with its spaces and punctuation.
pub(in crate::read) fn plain(text: &str) -> Plain {
    folded(text, false)
}

/// Folds short ASCII text: nearly all names.
fn short(bytes: &[u8], letters_only: bool) -> Plain {
    let mut kept = [0; SHORT];
    let mut length = 0;
    for byte in bytes {
        kept[length] = byte.to_ascii_lowercase();
        length += usize::from(!letters_only || WORD[usize::from(*byte)]);
    }
    let kept = kept.get(..length).and_then(|kept| std::str::from_utf8(kept).ok());
    Plain::Short(ArrayString::from(kept.unwrap_or_default()).unwrap_or_default())
}

fn folded(text: &str, letters_only: bool) -> Plain {
    let bytes = text.as_bytes();
    if bytes.len() <= SHORT && text.is_ascii() {
        return short(bytes, letters_only);
    }
    let mut folded = Plain::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii() {
            let run = bytes[at..]
                .iter()
                .position(|byte| !byte.is_ascii() || letters_only && !WORD[usize::from(*byte)])
                .unwrap_or(bytes.len() - at);
            folded.push_str(&text[at..at + run]);
            // A mark that is left out.
            at += run.max(1);
        } else if let Some(c) = text[at..].chars().next() {
            folded.push_folded(c, letters_only);
            at += c.len_utf8();
        }
    }
    // What is not ASCII has lost its case already.
    folded.make_ascii_lowercase();
    folded
}
