//! The target's share of the words.

use super::Case;
use crate::read::candidates;
use crate::read::layout::Span;
use crate::read::stance::Who;
use crate::read::text::{is_word, script};

impl Case<'_, '_> {
    /// The target's share of the words about candidates, early words weighing more.
    pub(super) fn share(&self, listed: &[usize], target: Option<usize>) -> f64 {
        let Some(target) = target.filter(|target| listed.contains(target)) else {
            return 0.0;
        };
        let units = self.units();
        let last = units.len().saturating_sub(1).max(1) as f64;
        let (mut own, mut all) = (0.0, 0.0);
        for (place, (span, who)) in units.iter().enumerate() {
            let weight = words(self.page.text(span)) * (-(place as f64) / last).exp();
            let among: Vec<&usize> = who.iter().filter(|at| listed.binary_search(at).is_ok()).collect();
            if among.is_empty() {
                continue;
            }
            all += weight;
            if among.contains(&&target) {
                own += weight / among.len() as f64;
            }
        }
        if all > 0.0 { own / all } else { 0.0 }
    }

    /// Items and sentences in order, with the competitors they are about.
    fn units(&self) -> Vec<(Span, Vec<usize>)> {
        const MOST_NAMED: usize = 12;
        let mut items: Vec<(Span, usize)> = Vec::new();
        for (at, competitor) in self.competitors.iter().enumerate() {
            items.extend(
                competitor
                    .places
                    .iter()
                    .filter(|place| place.form == candidates::Form::Item)
                    .map(|place| (place.unit.clone(), at)),
            );
        }
        items.sort_by_key(|(span, _)| span.start);
        let mut units: Vec<(Span, Vec<usize>)> = Vec::new();
        for (span, at) in items {
            match units.last_mut() {
                Some((last, who)) if last.start == span.start => who.push(at),
                Some(_) | None => units.push((span, vec![at])),
            }
        }
        let covered = |start: usize| {
            let next = units.partition_point(|(span, _)| span.start <= start);
            next.checked_sub(1).is_some_and(|at| units[at].0.end > start)
        };
        let mut prose: Vec<(Span, Vec<usize>)> = Vec::new();
        let target = self.competitors.iter().position(|competitor| competitor.is_self);
        let mut mention = 0;
        for sentence in &self.page.sentences {
            let mut who = Vec::new();
            while let Some(next) = self
                .stances
                .mentions
                .get(mention)
                .filter(|next| next.span.start < sentence.span.end)
            {
                let at = match next.who {
                    Who::Target => target,
                    Who::Competitor(at) => Some(at),
                };
                if let Some(at) = at.filter(|at| who.len() < MOST_NAMED && !who.contains(at)) {
                    who.push(at);
                }
                mention += 1;
            }
            if !covered(sentence.span.start) {
                prose.push((sentence.span.clone(), who));
            }
        }
        units.append(&mut prose);
        units.sort_by_key(|(span, _)| span.start);
        units
    }
}

/// Counts words; two characters in a script without spaces are one.
fn words(text: &str) -> f64 {
    let (mut spaced, mut unspaced) = (0_u32, 0_u32);
    let mut counted = false;
    for c in text.chars() {
        if c.is_whitespace() {
            counted = false;
        } else if c.is_ascii() || !script(c).is_unspaced() {
            spaced += u32::from(!counted && is_word(c));
            counted |= is_word(c);
        } else {
            unspaced += 1;
        }
    }
    f64::from(spaced) + f64::from(unspaced) / 2.0
}
