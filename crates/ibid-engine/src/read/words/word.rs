//! The words of a text with their meanings, each looked up once.

use super::lexicon::{Meaning, meaning};
use crate::read::text::{Folded, Place};

/// A word of a text.
#[derive(Clone, Copy, Debug)]
pub(in crate::read) struct Word {
    pub(in crate::read) place: Place,
    pub(in crate::read) meaning: Meaning,
}

/// The words of a folded text.
pub(in crate::read) fn look_up(folded: &Folded) -> Vec<Word> {
    let words = folded.places.iter().map(|place| Word {
        place: *place,
        meaning: meaning(folded.word(place)),
    });
    words.collect()
}
