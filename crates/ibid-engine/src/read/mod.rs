//! From the text of an answer to evidence, a class and a score.
//!
//! [`read`] is a pure function of a [`Target`] and an [`Answer`]: no model judges, nothing is fetched, the same
//! input gives the same [`Reading`]. It takes time linear in the length of the answer, whatever the answer holds.

mod answer;
mod first;
mod reading;
mod target;

pub use answer::Answer;
pub use first::read;
pub use reading::{AnswerClass, Entity, Flag, LinkKind, Quote, Reading, Stance};
pub use target::Target;
