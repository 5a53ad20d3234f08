//! A text in three forms: original, clean and folded.
//!
//! [`Clean`] is the answer without the parts that no reader sees.
//! [`Folded`] is visible text in the form for the search of names and cues.
//! Both record the origin of every byte.

mod clean;
mod fold;
mod html_entity;
mod letters;
mod offsets;
mod plain;
mod script;
mod squashed;
mod tags;
mod unseen;
mod word;

pub(super) use clean::Clean;
pub(super) use fold::{Folded, Place};
pub(super) use letters::fold_char;
pub(super) use offsets::Offsets;
pub(super) use plain::{Plain, key, plain};
pub(super) use script::{Script, is_mark, is_word, script};
pub(super) use squashed::Squashed;
pub(super) use word::{elided_words, words};
