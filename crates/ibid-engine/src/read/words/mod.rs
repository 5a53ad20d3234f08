//! What words mean in thirty languages: tables, and their look-up.
//!
//! The tables are text files next to this module, one language a line.
//! They are folded on first use, like the texts that are looked up in them.

mod brands;
mod cues;
mod language;
mod lexicon;
mod list;
mod word;

pub(super) use brands::{BrandMention, find_brands};
pub(super) use cues::{Cue, Kinds, find as find_cues};
pub(super) use language::{Language, of as language_of};
pub(super) use lexicon::{Meaning, affixes, meaning, meaning_as_written};
pub(super) use list::{List, list};
pub(super) use word::{Word, look_up};
