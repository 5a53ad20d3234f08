//! How a single character is compared.
//!
//! Letters lose case and accents.
//! Cyrillic and Greek are written in Latin letters, like the names of their
//! websites, so `ВкусВилл` matches `vkusvill`.
//! Arabic and Hebrew lose their vowel signs, and Japanese its second syllabary.

use super::script::{Script, is_mark, script};
use crate::read::words::{List, list};
use rustc_hash::FxHashMap;
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
    match LETTERS.get(&c) {
        Some(plain) => plain.chars().for_each(emit),
        None => decompose_canonical(c, |part| {
            if !is_mark(part) {
                part.to_lowercase().for_each(&mut emit);
            }
        }),
    }
}

/// Letters that another one stands for, and Latin letters for Greek and Cyrillic ones, as names are commonly written in
/// domains; none for hard and soft signs, combining letters, and rare letters.
static LETTERS: LazyLock<FxHashMap<char, &str>> = LazyLock::new(|| {
    static ROWS: List = list("letters");
    let rows = ROWS.iter().filter_map(|row| row.split_once(' '));
    rows.flat_map(|(plain, others)| others.chars().map(move |c| (c, plain)))
        .collect()
});

fn in_latin(c: char) -> &'static str {
    LETTERS.get(&c).copied().unwrap_or_default()
}

fn arabic(c: char, mut emit: impl FnMut(char)) {
    match LETTERS.get(&c) {
        Some(plain) => plain.chars().for_each(emit),
        // Vowel signs and the stretching dash.
        None if matches!(c, '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{640}') => {}
        None => emit(c),
    }
}
