//! Text as it came, text as it reads, text as it compares.
//!
//! [`Clean`] is the answer without what no reader sees; [`Folded`] is visible text in the form in which names and
//! cues are looked up. Both remember where every byte came from.

mod clean;
mod fold;
mod html_entity;
mod letters;
mod offsets;
mod plain;
mod script;
mod squashed;
mod tags;
mod word;

pub(super) use clean::Clean;
pub(super) use fold::{Folded, Place};
pub(super) use letters::fold_char;
pub(super) use offsets::Offsets;
pub(super) use plain::{Plain, key, plain};
pub(super) use script::{Script, is_mark, is_word, script};
pub(super) use squashed::Squashed;
pub(super) use word::{elided_words, words};
