//! Scripts, as far as word boundaries need them.

use unicode_normalization::char::is_combining_mark;

/// A script, or a group of scripts that share rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::read) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    /// Brahmic scripts that put spaces between words.
    Indic,
    /// Thai, Lao, Khmer, Burmese: no spaces between words.
    SouthEastAsian,
    Hiragana,
    Katakana,
    Han,
    Hangul,
    /// Digits, punctuation and everything else.
    Common,
}

impl Script {
    /// Whether the script writes words without spaces.
    pub(in crate::read) const fn is_unspaced(self) -> bool {
        matches!(
            self,
            Self::SouthEastAsian | Self::Hiragana | Self::Katakana | Self::Han
        )
    }

    /// Whether the script has capital letters.
    pub(in crate::read) const fn has_case(self) -> bool {
        matches!(self, Self::Latin | Self::Greek | Self::Cyrillic)
    }
}

/// Tells which script a character belongs to.
#[inline]
pub(in crate::read) fn script(c: char) -> Script {
    if c.is_ascii() {
        return if c.is_ascii_alphabetic() {
            Script::Latin
        } else {
            Script::Common
        };
    }
    script_of(c)
}

/// Whether a character is part of a word: a letter, a digit, or a mark on one.
#[inline]
pub(in crate::read) fn is_word(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c.is_ascii_alphanumeric(),
        // Most of what is not ASCII: the tables of Unicode take ten times as long.
        '\u{c0}'..='\u{d6}'
        | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{24f}'
        | '\u{400}'..='\u{481}'
        | '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => true,
        '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3002}' => false,
        _ => c.is_alphanumeric() || is_combining_mark(c),
    }
}

/// Whether a character is a mark on the one before it.
#[inline]
pub(in crate::read) fn is_mark(c: char) -> bool {
    !c.is_ascii() && is_combining_mark(c)
}

/// Tells it from the Unicode blocks.
const fn script_of(c: char) -> Script {
    match c as u32 {
        0x41..=0x5a | 0x61..=0x7a | 0xaa | 0xba | 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0x2af => Script::Latin,
        0x1e00..=0x1eff | 0x2c60..=0x2c7f | 0xa720..=0xa7ff => Script::Latin,
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::Greek,
        0x400..=0x52f | 0x1c80..=0x1c8f | 0x2de0..=0x2dff | 0xa640..=0xa69f => Script::Cyrillic,
        0x590..=0x5ff | 0xfb1d..=0xfb4f => Script::Hebrew,
        0x600..=0x6ff | 0x750..=0x77f | 0x8a0..=0x8ff | 0xfb50..=0xfdff | 0xfe70..=0xfefe => Script::Arabic,
        0x900..=0xdff => Script::Indic,
        0xe00..=0xeff | 0x1000..=0x109f | 0x1780..=0x17ff => Script::SouthEastAsian,
        0x3041..=0x309f => Script::Hiragana,
        0x30a0..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9d => Script::Katakana,
        0x3005 | 0x3007 | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x323af => {
            Script::Han
        }
        0x1100..=0x11ff | 0x3130..=0x318f | 0xa960..=0xa97f | 0xac00..=0xd7ff => Script::Hangul,
        _ => Script::Common,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_words_are_those_of_unicode() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_word(c), c.is_alphanumeric() || is_combining_mark(c), "{c:?}");
        }
    }
}
