//! The text in which names and cues are searched, with the origin of every byte.

use super::letters::fold_char;
use super::word::WORD;
use std::ops::Range;

/// Visible text in comparable form, byte by byte with its origin.
#[derive(Clone, Debug, Default)]
pub(in crate::read) struct Folded {
    /// Folded text.
    /// White space is one blank, line ends are `\n`, other punctuation stays.
    pub(in crate::read) text: String,
    /// The words, in order.
    pub(in crate::read) places: Vec<Place>,
    origins: Origins,
    /// White space is after the last word.
    spaced: bool,
}

/// The place of a word: bytes of the visible text and of the folded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) struct Place {
    pub(in crate::read) start: u32,
    pub(in crate::read) end: u32,
    pub(in crate::read) folded_start: u32,
    pub(in crate::read) folded_end: u32,
    /// White space is between it and the word before.
    pub(in crate::read) spaced: bool,
}

/// The origins of the characters of a folded text: `(folded, visible, is a run)`, ascending.
/// A run is ASCII, whose bytes advance together.
/// All bytes of a single character came from one place.
#[derive(Clone, Debug, Default)]
struct Origins(Vec<(u32, u32, bool)>);

impl Origins {
    /// A run of ASCII starts, unless the one before continues.
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

    /// A character starts that is not ASCII.
    fn single(&mut self, folded: usize, visible: usize) {
        self.0.push((folded as u32, visible as u32, false));
    }

    /// The start of the character of a folded byte.
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
            places: Vec::with_capacity(visible.len() / 5),
            origins: Origins::default(),
            spaced: true,
        };
        let mut at = 0;
        while let Some(rest) = visible.get(at..).filter(|rest| !rest.is_empty()) {
            let run = rest.bytes().take_while(u8::is_ascii).count();
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

    /// Adds a run of ASCII.
    fn push_ascii(&mut self, at: usize, run: &str) {
        let from = self.text.len();
        self.origins.run(from, at);
        self.text.push_str(run);
        self.text[from..].make_ascii_lowercase();
        let bytes = run.as_bytes();
        let mut end = 0;
        loop {
            let mut start = end;
            while let Some(byte) = bytes.get(start).filter(|byte| !WORD[usize::from(**byte)]) {
                // What `char::is_whitespace` takes for white space.
                self.spaced |= matches!(byte, b' ' | b'\t'..=b'\r');
                start += 1;
            }
            end = start;
            while bytes.get(end).is_some_and(|byte| WORD[usize::from(*byte)]) {
                end += 1;
            }
            if start == end {
                return;
            }
            self.push_place(at + start..at + end, from + start..from + end);
        }
    }

    fn push(&mut self, at: usize, c: char) {
        let before = self.text.len();
        fold_char(c, |folded| self.text.push(folded));
        if self.text.len() > before {
            self.origins.single(before, at);
        }
        if super::is_word(c) {
            self.push_place(at..at + c.len_utf8(), before..self.text.len());
        } else {
            self.spaced |= c.is_whitespace();
        }
    }

    /// Adds a part of a word; extends the last part if it ends where this one starts.
    fn push_place(&mut self, visible: Range<usize>, folded: Range<usize>) {
        match self.places.last_mut() {
            Some(last) if last.end == visible.start as u32 => {
                last.end = visible.end as u32;
                last.folded_end = folded.end as u32;
            }
            Some(_) | None => self.places.push(Place {
                start: visible.start as u32,
                end: visible.end as u32,
                folded_start: folded.start as u32,
                folded_end: folded.end as u32,
                spaced: std::mem::take(&mut self.spaced),
            }),
        }
    }

    /// The folded form of a word.
    pub(in crate::read) fn word(&self, place: &Place) -> &str {
        let range = place.folded_start as usize..place.folded_end as usize;
        self.text.get(range).unwrap_or_default()
    }

    /// The start in the visible text of the character of a byte of `text`; `None` after the end.
    pub(in crate::read) fn origin(&self, at: usize) -> Option<usize> {
        self.origins.of(at).filter(|_| at < self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Squashed, key, plain, words};
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
            let alone = Squashed::of(&folded);
            let squashed: Vec<usize> = (0..alone.text.len()).map(|at| alone.origin(at).unwrap()).collect();
            prop_assert!(origins.is_sorted() && squashed.is_sorted());
            prop_assert!(origins.iter().chain(&squashed).all(|at| text.is_char_boundary(*at)));
            // Character by character, the slow way.
            let (mut slow, mut slow_squashed) = (Vec::new(), Vec::new());
            for (at, c) in text.char_indices() {
                slow.extend(std::iter::repeat_n(at, plain(c.encode_utf8(&mut [0; 4])).len()));
                slow_squashed.extend(std::iter::repeat_n(at, key(c.encode_utf8(&mut [0; 4])).len()));
            }
            prop_assert_eq!((origins, squashed), (slow, slow_squashed));
            prop_assert_eq!(alone.text.as_str(), &*key(&text));
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
