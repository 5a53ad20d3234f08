//! The reader: from the text of an answer to evidence, a class and a score.
//!
//! [`read`] is a pure function of a [`Target`] and an [`Answer`].
//! It uses no model and fetches no pages.
//! The same input gives the same [`Reading`].
//! It takes time linear in the length of the answer, for hostile answers too.
//!
//! The steps: `text` cleans, `layout` finds blocks and links, `words` finds cues,
//! `brand` finds the target's names, `candidates` finds the names that the answer puts forward,
//! `competitors` identifies them, `stance` binds cues to names, and `judge` draws the conclusion.

mod addresses;
mod answer;
mod brand;
mod candidates;
mod competitors;
mod host;
mod json_answer;
mod judge;
mod kind_of_answer;
mod layout;
mod own_names;
mod page;
mod question;
mod quotes;
mod reading;
mod sentences;
mod sources;
mod stance;
mod text;
mod words;

#[cfg(test)]
mod oracle_tests;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests;

pub(crate) use addresses::{CitedAddress, cited_addresses};
pub use answer::Answer;
pub use brand::Target;
pub(crate) use host::{MediaKind, is_institution, media_kind, owner_label, registrable};
pub use judge::Party;
pub(crate) use question::Question;
pub use reading::{AnswerClass, Flag, LinkKind, NamedCompetitor, Quote, Reading, Stance};

/// Longest answer that is read, in bytes; the rest is ignored.
/// Models write a fraction of it.
pub const LONGEST: usize = 4 << 20;

/// Reads one answer.
#[must_use]
pub fn read(target: &Target, answer: &Answer<'_>) -> Reading {
    let question = Question::of(target, answer.question.unwrap_or_default());
    read_to(target, &question, answer)
}

/// Reads one answer, and lists every name in it with the rule that decided on it.
///
/// ```
/// use ibid_engine::read::{Answer, Target, explain};
///
/// let target = Target::new(&"acmetools.com".parse()?, &[]);
/// let answer = Answer::of_text("1. Acme Tools: sturdy.\n2. Bolt & Sons: cheap.");
/// let (reading, parties) = explain(&target, &answer);
/// assert!(reading.cited());
/// assert!(parties.len() >= 2);
/// # Ok::<(), ibid_model::DomainError>(())
/// ```
#[must_use]
pub fn explain(target: &Target, answer: &Answer<'_>) -> (Reading, Vec<Party>) {
    let question = Question::of(target, answer.question.unwrap_or_default());
    read_text(target, &question, answer, true)
}

/// Reads one answer to a question that was prepared for all of them.
pub(crate) fn read_to(target: &Target, question: &Question<'_>, answer: &Answer<'_>) -> Reading {
    read_text(target, question, answer, false).0
}

fn read_text(
    target: &Target,
    question: &Question<'_>,
    answer: &Answer<'_>,
    explained: bool,
) -> (Reading, Vec<Party>) {
    let text = &answer.text[..answer.text.floor_char_boundary(LONGEST)];
    let answer = Answer { text, ..*answer };
    if let Some(reading) = json_answer::read(target, &answer) {
        return (reading, Vec::new());
    }
    let page = page::Page::of(target, question, &answer);
    let (mut reading, parties) = judge::judge(&page, explained);
    let advertisements = &page.clean.advertisements;
    reading.advertisements = advertisements.len() as u32;
    let names_target = |says: &str| read_to(target, question, &Answer::of_text(says)).cited();
    let mut says = advertisements
        .iter()
        .filter_map(|ad| answer.text.get(ad.says.clone()));
    if says.any(names_target) {
        reading.flags.push(Flag::Sponsored);
        reading.flags.sort_unstable();
    }
    (reading, parties)
}
