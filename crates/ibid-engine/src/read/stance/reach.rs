//! The names that a cue reaches.

use super::{NEAR_WORDS, Scene};
use crate::read::text::words;
use crate::read::words::Cue;

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

    /// The last name before a cue, with at most `words` words between.
    pub(super) fn previous(&self, cue: &Cue, words: usize) -> Option<usize> {
        let at = self
            .range
            .clone()
            .rev()
            .find(|at| self.mentions[*at].span.start < cue.span.start)?;
        let gap = self
            .page
            .text(&(self.mentions[at].span.end.min(cue.span.start)..cue.span.start));
        (words == usize::MAX || gap.split_whitespace().count() <= words).then_some(at)
    }

    /// The last name before a cue with only small words between.
    pub(super) fn previous_close(&self, cue: &Cue) -> Option<usize> {
        let at = self.previous(cue, NEAR_WORDS + 2)?;
        let gap = self
            .page
            .text(&(self.mentions[at].span.end.min(cue.span.start)..cue.span.start));
        (!gap.contains([',', ';', '.', '，', ':', '–', '—'])).then_some(at)
    }

    /// The subject of a sentence without names: the item it belongs to, or a close name before it.
    pub(super) fn topic(&self) -> Option<usize> {
        if !self.range.is_empty() {
            return None;
        }
        let before = self.before?;
        let mention = self.mentions.get(before)?;
        let close = self.page.sentence_at(mention.span.start)? + 1
            >= self.page.sentence_at(self.sentence.span.start)?;
        let mut block = Some(self.sentence.block);
        // Up the tree: the head of the item is its topic, for any number of sentences between.
        while let Some(at) = block {
            let span = &self.page.layout.blocks.get(at)?.span;
            if span.contains(&mention.span.start) {
                return Some(before);
            }
            block = self.page.layout.blocks.get(at)?.parent;
        }
        let text = self.page.text(&self.sentence.span);
        (close && text.split_whitespace().count() <= 16 && self.speaks_of_it()).then_some(before)
    }

    /// Whether a sentence refers back.
    fn speaks_of_it(&self) -> bool {
        const PRONOUNS: [&str; 24] = [
            "it", "its", "they", "them", "this", "that", "he", "she", "es", "sie", "ihn", "dort", "il",
            "elle", "lo", "la", "den", "det", "dem", "het", "ze", "его", "их", "它",
        ];
        let text = self.page.text(&self.sentence.span);
        // No pronoun has more bytes.
        words(text).any(|word| word.len() <= 6 && PRONOUNS.contains(&word.to_lowercase().as_str()))
    }
}
