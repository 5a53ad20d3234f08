//! The form of a single character in comparisons.
//!
//! Letters lose case and accents.
//! Cyrillic and Greek are written in Latin letters, like the names of their
//! websites, so `ВкусВилл` matches `vkusvill`.
//! Arabic and Hebrew lose their vowel signs, and Japanese its second syllabary.

use super::script::{Script, is_mark, script};
use unicode_normalization::char::decompose_canonical;

/// Folds one character into zero, one or several.
pub(in crate::read) fn fold_char(c: char, mut emit: impl FnMut(char)) {
    if c.is_ascii() {
        return emit(c.to_ascii_lowercase());
    }
    match script(c) {
        Script::Latin => latin(c, emit),
        Script::Cyrillic => cyrillic(c).chars().for_each(emit),
        Script::Greek => greek(c, emit),
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

/// Cyrillic in Latin letters, as Russian, Ukrainian, Bulgarian and Serbian names are commonly written in domains.
fn cyrillic(c: char) -> &'static str {
    match c {
        'а' | 'А' => "a",
        'б' | 'Б' => "b",
        'в' | 'В' => "v",
        'г' | 'Г' | 'ґ' | 'Ґ' => "g",
        'д' | 'Д' => "d",
        'е' | 'Е' | 'ё' | 'Ё' | 'э' | 'Э' | 'є' | 'Є' | 'ѐ' | 'Ѐ' => "e",
        'ж' | 'Ж' => "zh",
        'з' | 'З' => "z",
        'и' | 'И' | 'і' | 'І' | 'ѝ' | 'Ѝ' => "i",
        'й' | 'Й' | 'ы' | 'Ы' => "y",
        'ї' | 'Ї' => "yi",
        'ј' | 'Ј' => "j",
        'к' | 'К' | 'ќ' | 'Ќ' => "k",
        'л' | 'Л' => "l",
        'љ' | 'Љ' => "lj",
        'м' | 'М' => "m",
        'н' | 'Н' => "n",
        'њ' | 'Њ' => "nj",
        'о' | 'О' => "o",
        'п' | 'П' => "p",
        'р' | 'Р' => "r",
        'с' | 'С' | 'ҫ' => "s",
        'т' | 'Т' => "t",
        'ћ' | 'Ћ' | 'ч' | 'Ч' => "ch",
        'у' | 'У' | 'ў' | 'Ў' | 'ү' | 'ұ' => "u",
        'ф' | 'Ф' => "f",
        'х' | 'Х' | 'һ' => "h",
        'ц' | 'Ц' => "ts",
        'ш' | 'Ш' => "sh",
        'щ' | 'Щ' => "sch",
        'ю' | 'Ю' => "yu",
        'я' | 'Я' => "ya",
        'ђ' | 'Ђ' => "dj",
        'џ' | 'Џ' => "dz",
        'қ' | 'Қ' => "q",
        'ғ' | 'Ғ' => "g",
        'ң' | 'Ң' => "n",
        'ө' | 'Ө' => "o",
        'ә' | 'Ә' => "a",
        // Hard and soft signs, combining letters, and rare letters.
        _ => "",
    }
}

fn greek(c: char, mut emit: impl FnMut(char)) {
    decompose_canonical(c, |part| {
        let plain = match part {
            'α' | 'Α' => "a",
            'β' | 'Β' => "v",
            'γ' | 'Γ' => "g",
            'δ' | 'Δ' => "d",
            'ε' | 'Ε' => "e",
            'ζ' | 'Ζ' => "z",
            'η' | 'Η' | 'ι' | 'Ι' | 'υ' | 'Υ' => "i",
            'θ' | 'Θ' => "th",
            'κ' | 'Κ' => "k",
            'λ' | 'Λ' => "l",
            'μ' | 'Μ' => "m",
            'ν' | 'Ν' => "n",
            'ξ' | 'Ξ' => "x",
            'ο' | 'Ο' | 'ω' | 'Ω' => "o",
            'π' | 'Π' => "p",
            'ρ' | 'Ρ' => "r",
            'σ' | 'ς' | 'Σ' => "s",
            'τ' | 'Τ' => "t",
            'φ' | 'Φ' => "f",
            'χ' | 'Χ' => "ch",
            'ψ' | 'Ψ' => "ps",
            _ => "",
        };
        plain.chars().for_each(&mut emit);
    });
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
