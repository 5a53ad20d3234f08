//! A text in the form in which names and cues are looked for, with the origin of every byte.

use super::letters::fold_char;
use super::word::WORD;
use std::ops::Range;

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
            text_origins: Origins(Vec::with_capacity(visible.len() / 16)),
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

/// The length of the run of letters and digits at the start of ASCII text, or of other bytes.
fn length(bytes: &[u8], letters: bool) -> usize {
    bytes
        .iter()
        .position(|byte| WORD[usize::from(*byte)] != letters)
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::super::{key, plain, words};
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
