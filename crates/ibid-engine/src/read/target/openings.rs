//! A look at a text that tells most of the time that none of the target's names is in it.

use super::name::Name;
use crate::read::text::{Folded, Pairs, Script, is_word, script, wide};

/// The starts of names.
#[derive(Clone, Debug, Default)]
pub(super) struct Openings {
    pairs: Pairs,
    /// For each byte, whether a name starts with it.
    firsts: Box<[bool]>,
    /// A name is so short that it may stand anywhere.
    anywhere: bool,
}

impl Openings {
    /// The starts of names.
    pub(super) fn of(names: &[Name]) -> Self {
        let mut openings = Self {
            pairs: Pairs::default(),
            firsts: Box::from([false; 256]),
            anywhere: false,
        };
        for name in names {
            match *name.key.as_bytes() {
                [first, second, ..] => {
                    openings.pairs.add(first, second);
                    openings.firsts[usize::from(first)] = true;
                }
                [_] | [] => openings.anywhere = true,
            }
        }
        openings
    }

    /// Whether a text that is not folded yet may be a name.
    pub(super) fn may_be(&self, text: &str) -> bool {
        self.anywhere || self.pairs.may_start(text)
    }

    /// Whether a name may stand in a text.
    ///
    /// Names start where words start, as [`super::boundary::starts`] has it, unless the letter before is of a script
    /// without capitals.
    pub(super) fn may_stand_in(&self, visible: &str, folded: &Folded) -> bool {
        let glued = |c: char| {
            let script = script(c);
            is_word(c) && !script.has_case() && script != Script::Common
        };
        let starts = |word: &[u8]| match *word {
            [first, second, ..] => self.pairs.may_hold(first, second),
            [first] => self.firsts.get(usize::from(first)) == Some(&true),
            [] => false,
        };
        let bytes = folded.text.as_bytes();
        self.anywhere
            || folded.places.iter().any(|place| {
                let word = place.folded_start as usize..place.folded_end as usize;
                bytes.get(word).is_some_and(starts)
            })
            || wide(visible).any(glued)
    }
}
