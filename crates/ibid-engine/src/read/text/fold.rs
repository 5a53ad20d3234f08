//! The form in which names and cues are compared.
//!
//! Letters lose case and accents; Cyrillic and Greek are written in Latin letters, as their websites' names are, so
//! that `ВкусВилл` meets `vkusvill`; Arabic and Hebrew lose their vowel signs, Japanese its second syllabary.

use super::script::{Script, is_mark, script};
use super::word::WORD;
use arrayvec::ArrayString;
use std::ops::Range;
use std::sync::OnceLock;
use unicode_normalization::char::decompose_canonical;

/// Visible text in comparable form, byte by byte with its origin.
#[derive(Clone, Debug, Default)]
pub(in crate::read) struct Folded {
    /// Folded text. White space is one blank, line ends are `\n`, other punctuation stays.
    pub(in crate::read) text: String,
    /// The letters and digits of `text` alone.
    pub(in crate::read) squashed: String,
    /// The words, in order.
    pub(in crate::read) places: Vec<Place>,
    text_origins: Origins,
    squashed_origins: Origins,
    /// White space stands behind the last word.
    spaced: bool,
}

/// Where a word stands: bytes of the visible text and of the folded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) struct Place {
    pub(in crate::read) start: u32,
    pub(in crate::read) end: u32,
    pub(in crate::read) folded_start: u32,
    pub(in crate::read) folded_end: u32,
    /// White space stands between it and the word before.
    pub(in crate::read) spaced: bool,
}

/// Where the characters of a folded text came from: runs of ASCII, whose bytes advance together, and single
/// characters, all of whose bytes came from one place. `(folded, visible, is a run)`, ascending.
#[derive(Clone, Debug, Default)]
struct Origins(Vec<(u32, u32, bool)>);

impl Origins {
    /// A run of ASCII starts, unless the one before goes on.
    fn run(&mut self, folded: usize, visible: usize) {
        let (folded, visible) = (folded as u32, visible as u32);
        let goes_on = self
            .0
            .last()
            .is_some_and(|(at, from, run)| *run && folded - at == visible - from);
        if !goes_on {
            self.0.push((folded, visible, true));
        }
    }

    fn single(&mut self, folded: usize, visible: usize) {
        self.0.push((folded as u32, visible as u32, false));
    }

    fn of(&self, folded: usize) -> Option<usize> {
        let next = self.0.partition_point(|(at, _, _)| *at as usize <= folded);
        let (at, from, run) = *self.0.get(next.checked_sub(1)?)?;
        Some(from as usize + if run { folded - at as usize } else { 0 })
    }
}

impl Folded {
    /// Folds visible text.
    pub(in crate::read) fn of(visible: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(visible.len() + 16),
            squashed: String::with_capacity(visible.len()),
            places: Vec::with_capacity(visible.len() / 5),
            text_origins: Origins::default(),
            squashed_origins: Origins(Vec::with_capacity(visible.len() / 5)),
            spaced: true,
        };
        let mut at = 0;
        while let Some(rest) = visible.get(at..).filter(|rest| !rest.is_empty()) {
            let run = rest
                .bytes()
                .position(|byte| !byte.is_ascii())
                .unwrap_or(rest.len());
            if run > 0 {
                folded.push_ascii(at, &rest[..run]);
            }
            at += run;
            for c in rest[run..].chars().take_while(|c| !c.is_ascii()) {
                folded.push(at, c);
                at += c.len_utf8();
            }
        }
        folded
    }

    /// Adds a run of ASCII: all at once, but for the letters that are set apart.
    fn push_ascii(&mut self, at: usize, run: &str) {
        let from = self.text.len();
        self.text_origins.run(from, at);
        self.text.push_str(run);
        let lower = &mut self.text[from..];
        lower.make_ascii_lowercase();
        let bytes = run.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let start = end + length(&bytes[end..], false);
            // What `char::is_whitespace` takes for white space.
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
            self.spaced |= bytes[end..start].iter().any(blank);
            end = start + length(&bytes[start..], true);
            if start < end {
                self.squashed_origins.run(self.squashed.len(), at + start);
                self.squashed.push_str(&lower[start..end]);
                push_place(
                    &mut self.places,
                    &mut self.spaced,
                    at + start..at + end,
                    from + start..from + end,
                );
            }
        }
    }

    fn push(&mut self, at: usize, c: char) {
        let before = (self.text.len(), self.squashed.len());
        let (text, squashed) = (&mut self.text, &mut self.squashed);
        fold_char(c, |folded| {
            text.push(folded);
            if super::is_word(folded) {
                squashed.push(folded);
            }
        });
        if self.text.len() > before.0 {
            self.text_origins.single(before.0, at);
        }
        if self.squashed.len() > before.1 {
            self.squashed_origins.single(before.1, at);
        }
        if super::is_word(c) {
            let folded = before.0..self.text.len();
            push_place(&mut self.places, &mut self.spaced, at..at + c.len_utf8(), folded);
        } else {
            self.spaced |= c.is_whitespace();
        }
    }

    /// Where in the visible text the character of a byte of `text` starts; `None` behind the end.
    pub(in crate::read) fn origin(&self, at: usize) -> Option<usize> {
        self.text_origins.of(at).filter(|_| at < self.text.len())
    }

    /// Where in the visible text the character of a byte of `squashed` starts; `None` behind the end.
    pub(in crate::read) fn squashed_origin(&self, at: usize) -> Option<usize> {
        self.squashed_origins.of(at).filter(|_| at < self.squashed.len())
    }
}

/// Adds a part of a word, to the last one if nothing stands between them.
fn push_place(places: &mut Vec<Place>, spaced: &mut bool, visible: Range<usize>, folded: Range<usize>) {
    match places.last_mut() {
        Some(last) if last.end == visible.start as u32 => {
            last.end = visible.end as u32;
            last.folded_end = folded.end as u32;
        }
        Some(_) | None => places.push(Place {
            start: visible.start as u32,
            end: visible.end as u32,
            folded_start: folded.start as u32,
            folded_end: folded.end as u32,
            spaced: std::mem::take(spaced),
        }),
    }
}

/// What a character folds to, for nearly every character: few take more bytes.
type Folding = ArrayString<8>;

/// Characters whose foldings are found at once.
const PAGE: usize = 256;

/// What the characters of the basic plane fold to, found page by page when one is needed.
static FOLDINGS: [OnceLock<Option<Box<[Folding; PAGE]>>>; PAGE] = [const { OnceLock::new() }; PAGE];

/// What a character of the basic plane folds to; `None` beyond it, and on the rare page where one takes more bytes.
#[inline]
fn folding(c: char) -> Option<&'static str> {
    let code = c as usize;
    let page = FOLDINGS.get(code / PAGE)?;
    let page = page.get_or_init(|| page_of(code / PAGE * PAGE));
    Some(page.as_ref()?[code % PAGE].as_str())
}

fn page_of(first: usize) -> Option<Box<[Folding; PAGE]>> {
    let mut page = Box::new([Folding::new_const(); PAGE]);
    for (folding, code) in page.iter_mut().zip(first as u32..) {
        let mut fits = true;
        if let Some(c) = char::from_u32(code) {
            fold_alone(c, |folded| fits &= folding.try_push(folded).is_ok());
        }
        if !fits {
            return None;
        }
    }
    Some(page)
}

/// Folds one character into none, one or several.
#[inline]
pub(in crate::read) fn fold_char(c: char, mut emit: impl FnMut(char)) {
    if c.is_ascii() {
        return emit(c.to_ascii_lowercase());
    }
    match folding(c) {
        Some(folded) => folded.chars().for_each(emit),
        None => fold_alone(c, &mut emit),
    }
}

fn fold_alone(c: char, mut emit: impl FnMut(char)) {
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

/// A folded text. Words are short and folded often: up to [`SHORT`] bytes nothing is allocated.
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
        match folding(c) {
            Some(folded) if !letters_only || folded.chars().all(super::is_word) => self.push_str(folded),
            Some(_) | None => fold_char(c, |folded| {
                if !letters_only || super::is_word(folded) {
                    self.push(folded);
                }
            }),
        }
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

/// The folded letters and digits of a text: what two spellings of one name have in common.
pub(in crate::read) fn key(text: &str) -> Plain {
    folded(text, true)
}

/// The folded text with its spaces and punctuation.
pub(in crate::read) fn plain(text: &str) -> Plain {
    folded(text, false)
}

fn folded(text: &str, letters_only: bool) -> Plain {
    let mut folded = Plain::new();
    let bytes = text.as_bytes();
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

/// The length of the run of letters and digits at the start of ASCII text, or of other bytes.
fn length(bytes: &[u8], letters: bool) -> usize {
    bytes
        .iter()
        .position(|byte| WORD[usize::from(*byte)] != letters)
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_name_meet() {
        for (one, other) in [
            ("Søbogaard", "sobogaard"),
            ("Café Müller", "cafe-muller"),
            ("Straße", "STRASSE"),
            ("ВкусВилл", "vkusvill"),
            ("Νίκος", "nikos"),
            ("Dunkin’ Donuts", "dunkindonuts"),
            ("Phở Hùng Cường", "phohungcuong"),
            ("Kebapçı", "KEBAPCI"),
            ("サクラ", "さくら"),
            ("مَكتَبة", "مكتبه"),
        ] {
            assert_eq!(key(one), key(other), "{one} and {other}");
        }
    }

    proptest! {
        #[test]
        fn every_folded_byte_has_an_origin(text in "\\PC{0,60}") {
            let folded = Folded::of(&text);
            let origins: Vec<usize> = (0..folded.text.len()).map(|at| folded.origin(at).unwrap()).collect();
            let squashed: Vec<usize> =
                (0..folded.squashed.len()).map(|at| folded.squashed_origin(at).unwrap()).collect();
            prop_assert!(origins.is_sorted() && squashed.is_sorted());
            prop_assert!(origins.iter().chain(&squashed).all(|at| text.is_char_boundary(*at)));
            // Character by character, the slow way.
            let (mut slow, mut slow_squashed) = (Vec::new(), Vec::new());
            for (at, c) in text.char_indices() {
                slow.extend(std::iter::repeat_n(at, plain(c.encode_utf8(&mut [0; 4])).len()));
                slow_squashed.extend(std::iter::repeat_n(at, key(c.encode_utf8(&mut [0; 4])).len()));
            }
            prop_assert_eq!((origins, squashed), (slow, slow_squashed));
            prop_assert_eq!(folded.squashed.as_str(), &*key(&text));
            prop_assert_eq!(folded.text.as_str(), &*plain(&text));
            let places = folded.places.iter();
            let found: Vec<&str> =
                places.clone().map(|place| &text[place.start as usize..place.end as usize]).collect();
            prop_assert_eq!(&found, &words(&text).collect::<Vec<_>>());
            for (place, word) in places.zip(found) {
                let range = place.folded_start as usize..place.folded_end as usize;
                prop_assert_eq!(&folded.text[range], &*plain(word));
            }
        }
    }
}
