//! A text's letters without the characters between them, so that names can be searched in it.

use super::fold::{Folded, Place};

/// The letters and digits of a folded text.
#[derive(Clone, Debug)]
pub(in crate::read) struct Squashed<'a> {
    pub(in crate::read) text: String,
    folded: &'a Folded,
    /// Where each word in the folded text starts.
    starts: Vec<u32>,
}

impl<'a> Squashed<'a> {
    /// Joins the words of a folded text: letters and digits occur only in words.
    pub(in crate::read) fn of(folded: &'a Folded) -> Self {
        let mut text = String::with_capacity(folded.text.len());
        let mut start = |place: &Place| {
            let start = text.len() as u32;
            text.push_str(folded.word(place));
            start
        };
        Self {
            starts: folded.places.iter().map(&mut start).collect(),
            text,
            folded,
        }
    }

    /// Where in the visible text the character starts that a byte in `text` came from; `None` after the end.
    pub(in crate::read) fn origin(&self, at: usize) -> Option<usize> {
        if at >= self.text.len() {
            return None;
        }
        // Some words fold to an empty text: the last word that starts here holds the byte.
        let word = self
            .starts
            .partition_point(|start| *start as usize <= at)
            .checked_sub(1)?;
        let (start, place) = (self.starts.get(word)?, self.folded.places.get(word)?);
        self.folded
            .origin(place.folded_start as usize + at - *start as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{is_word, plain};

    #[test]
    fn letters_fold_to_letters_and_nothing_else_does() {
        for c in '\0'..=char::MAX {
            let folded = plain(c.encode_utf8(&mut [0; 4]));
            assert!(
                folded.chars().all(|part| is_word(part) == is_word(c)),
                "{c:?} folds to {:?}",
                &*folded
            );
        }
    }
}
