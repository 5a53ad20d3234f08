//! The names that a cue reaches.

use super::{NEAR_WORDS, Scene};
use crate::read::text::{script, words};
use crate::read::words::{Cue, Language, List, Meaning, list, meaning_as_written};

/// Most words between a name and what its clause states about it.
/// Half of it misses subjects with a relative clause; twice as many reach names in earlier clauses.
const MOST_BETWEEN: usize = 8;

impl Scene<'_, '_> {
    /// The first name after a cue, with at most `words` words between.
    pub(super) fn next(&self, cue: &Cue, words: usize) -> Option<usize> {
        let at = self
            .range
            .clone()
            .find(|at| self.mentions[*at].span.end > cue.span.end)?;
        let start = self.mentions[at].span.start.max(cue.span.end);
        let gap = self.page.text(&(cue.span.end..start));
        let unspaced = gap.len() > 24 && !gap.contains(' ');
        (gap.split_whitespace().count() <= words
            && !unspaced
            && !gap.contains(['.', ';', '。', '，', ':', '\t']))
        .then_some(at)
    }

    /// The text between a name and a cue behind it.
    pub(super) fn gap(&self, at: usize, cue: &Cue) -> &str {
        let end = self.mentions[at].span.end.min(cue.span.start);
        self.page.text(&(end..cue.span.start))
    }

    /// The last name before a cue, with at most `words` words between.
    pub(super) fn previous(&self, cue: &Cue, words: usize) -> Option<usize> {
        let at = self
            .range
            .clone()
            .rev()
            .find(|at| self.mentions[*at].span.start < cue.span.start)?;
        let gap = self.gap(at, cue);
        (words == usize::MAX || gap.split_whitespace().count() <= words).then_some(at)
    }

    /// Finds a cue's subject: the last name before it in its clause, without another name between.
    pub(super) fn subject(&self, cue: &Cue) -> Option<usize> {
        // A pronoun before the cue refers to the name, however far it is: `…, but it has permanently closed`.
        let lead = self.page.text(&(self.sentence.span.start..cue.span.start));
        let refers = lead.rsplit(' ').take(NEAR_WORDS).any(is_pronoun);
        let at = self.previous(cue, if refers { usize::MAX } else { MOST_BETWEEN })?;
        let gap = self.gap(at, cue);
        // What is left of its own name, and German nouns, have capitals too.
        let german = self.page.language.is(Language::DE);
        let mut words = gap
            .split_whitespace()
            .skip_while(|word| word.starts_with(char::is_uppercase));
        let other = !german && words.any(|word| word.starts_with(char::is_uppercase) && !is_pronoun(word));
        let parted = gap.contains([';', '.', '。']) || !self.is_item() && gap.contains([':', '—']);
        (!other && !parted).then_some(at)
    }

    /// The last name before a cue with only small words between.
    pub(super) fn previous_close(&self, cue: &Cue) -> Option<usize> {
        let at = self.previous(cue, NEAR_WORDS + 2)?;
        let gap = self.gap(at, cue);
        (!gap.contains([',', ';', '.', '，', ':', '–', '—'])).then_some(at)
    }

    /// The name before a cue that a pronoun directly after the cue refers to: `avoid it`.
    pub(super) fn pronoun_behind(&self, cue: &Cue) -> Option<usize> {
        let rest = self.page.ahead(&(cue.span.end..self.sentence.span.end));
        let next = words(rest).next().filter(|word| is_pronoun(word));
        next.and_then(|_| self.previous(cue, MOST_BETWEEN).or_else(|| self.near_before()))
    }

    /// Finds the subject where a sentence has no names: the head of its item, or a close name before it.
    /// The sentence must start with the cue, a pronoun or a word for a business.
    pub(super) fn topic(&self, cue: &Cue) -> Option<usize> {
        if !self.range.is_empty() {
            return None;
        }
        let lead = self.page.text(&(self.sentence.span.start..cue.span.start));
        let mut subject = words(lead);
        let first = subject.next();
        let article = first.filter(|word| meaning_as_written(word).is(Meaning::FUNCTION));
        let business = article
            .and(subject.next())
            .is_some_and(|word| meaning_as_written(word).is(Meaning::TRADE));
        let unspaced = !lead.is_ascii() && lead.chars().any(|c| script(c).is_unspaced());
        let speaks = first.is_none_or(is_pronoun) || business || unspaced || words(lead).all(is_small);
        self.near_before().filter(|_| speaks)
    }

    /// The last name before the sentence, in the item it belongs to or in the sentence before it.
    fn near_before(&self) -> Option<usize> {
        let before = self.before?;
        let mention = self.mentions.get(before)?;
        let close = self.page.sentence_at(mention.span.start)? + 1
            >= self.page.sentence_at(self.sentence.span.start)?;
        let mut block = Some(self.sentence.block);
        // Up the tree, because an item's head is its topic, however many sentences are between.
        while let Some(at) = block {
            let span = &self.page.layout.blocks.get(at)?.span;
            if span.contains(&mention.span.start) {
                return Some(before);
            }
            block = self.page.layout.blocks.get(at)?.parent;
        }
        close.then_some(before)
    }
}

/// Whether a word refers back.
fn is_pronoun(word: &str) -> bool {
    static PRONOUNS: List = list("cue-scope.pronouns");
    // No pronoun has more bytes.
    word.len() <= 8 && PRONOUNS.has(word.to_lowercase().as_str())
}

/// Whether a word before a cue belongs to it: `is now permanently closed`.
fn is_small(word: &str) -> bool {
    let meaning = meaning_as_written(word);
    meaning.is(Meaning::FUNCTION | Meaning::TIME)
}
