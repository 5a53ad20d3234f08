//! How a single character is compared.
//!
//! Letters lose case and accents.
//! Cyrillic and Greek are written in Latin letters, like the names of their
//! websites, so `ВкусВилл` matches `vkusvill`.
//! Arabic and Hebrew lose their vowel signs, and Japanese its second syllabary.

use super::script::{Script, is_mark, script};
use crate::read::words::{List, list};
use std::sync::LazyLock;
use unicode_normalization::char::decompose_canonical;

/// Folds one character into zero, one or several.
pub(in crate::read) fn fold_char(c: char, mut emit: impl FnMut(char)) {
    if c.is_ascii() {
        return emit(c.to_ascii_lowercase());
    }
    match script(c) {
        Script::Latin => latin(c, emit),
        Script::Cyrillic => in_latin(c).chars().for_each(emit),
        Script::Greek => decompose_canonical(c, |part| in_latin(part).chars().for_each(&mut emit)),
        Script::Arabic => arabic(c, emit),
        Script::Hebrew => {
            if !matches!(c, '\u{591}'..='\u{5c7}') {
                emit(c);
            }
        }
        // One syllabary: the same name is written in either.
        Script::Katakana => match c {
            '\u{30a1}'..='\u{30f6}' => emit(char::from_u32(c as u32 - 0x60).unwrap_or(c)),
            _ => emit(c),
        },
        Script::Hiragana | Script::Han | Script::Hangul | Script::Indic | Script::SouthEastAsian => emit(c),
        Script::Common => {
            if matches!(c, '\u{300}'..='\u{36f}') {
                return;
            }
            match c {
                '\u{2019}' | '\u{2018}' => emit('\''),
                _ => c.to_lowercase().for_each(emit),
            }
        }
    }
}

fn latin(c: char, mut emit: impl FnMut(char)) {
    let plain = match c {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' | 'ǽ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' | 'ǿ' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'þ' | 'Þ' => "th",
        'ł' | 'Ł' => "l",
        'ı' | 'İ' => "i",
        'ħ' | 'Ħ' => "h",
        'ə' | 'Ə' => "e",
        _ => {
            return decompose_canonical(c, |part| {
                if !is_mark(part) {
                    part.to_lowercase().for_each(&mut emit);
                }
            });
        }
    };
    plain.chars().for_each(emit);
}

/// Latin letters for Greek and Cyrillic ones, from U+0370 on, as names are commonly written in domains; none for hard
/// and soft signs, combining letters, and rare letters.
static LATIN: LazyLock<[&str; 0x1c0]> = LazyLock::new(|| {
    static ROWS: List = list("letters");
    let mut letters = [""; 0x1c0];
    for (latin, others) in ROWS.iter().filter_map(|row| row.split_once(' ')) {
        let places = others.chars().map(|c| c as usize - 0x370);
        places.for_each(|place| letters[place] = latin);
    }
    letters
});

fn in_latin(c: char) -> &'static str {
    let place = (c as usize).checked_sub(0x370);
    place
        .and_then(|place| LATIN.get(place))
        .copied()
        .unwrap_or_default()
}

fn arabic(c: char, mut emit: impl FnMut(char)) {
    match c {
        // Vowel signs and the stretching dash.
        '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{640}' => {}
        'أ' | 'إ' | 'آ' | 'ٱ' => emit('ا'),
        'ى' | 'ی' => emit('ي'),
        'ة' => emit('ه'),
        'ؤ' => emit('و'),
        'ئ' => emit('ي'),
        'ک' => emit('ك'),
        '،' => emit(','),
        '؟' => emit('?'),
        '٠'..='٩' => emit(char::from(b'0' + (c as u32 - 0x660) as u8)),
        _ => emit(c),
    }
}
