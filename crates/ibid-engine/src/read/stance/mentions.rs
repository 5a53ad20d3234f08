//! Finds what mentions the target and its competitors.

use super::{Mention, Who};
use crate::read::competitors::FoundCompetitor;
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{is_word, words};
use std::collections::BTreeMap;

/// All mentions: the target at every name and website, competitors where the answer puts them forward and where
/// their names come again.
pub(super) fn mentions(page: &Page<'_>, competitors: &[FoundCompetitor]) -> Vec<Mention> {
    let mut found = Vec::new();
    for (at, competitor) in competitors.iter().enumerate() {
        let who = if competitor.is_self {
            Who::Target
        } else {
            Who::Competitor(at)
        };
        found.extend(competitor.places.iter().map(|place| Mention {
            span: place.name.clone(),
            who,
        }));
    }
    found.extend(page.hits.iter().filter(|hit| hit.sure).map(|hit| Mention {
        span: hit.span.clone(),
        who: Who::Target,
    }));
    found.extend(page.links.iter().filter(|link| link.own).map(|link| Mention {
        span: link.span.clone(),
        who: Who::Target,
    }));
    found.extend(again(page, competitors));
    // Of overlapping mentions the one that starts first stays, then the longest: `Tom Ford` before `Ford`.
    // A known name of the target stays.
    found.sort_by(|one, other| {
        one.span
            .start
            .cmp(&other.span.start)
            .then(other.span.end.cmp(&one.span.end))
            .then(one.who.cmp(&other.who))
    });
    let known = |span: &Span| {
        page.hits_in(span)
            .first()
            .is_some_and(|hit| hit.known && hit.span == *span)
    };
    let mut kept: Vec<Mention> = Vec::with_capacity(found.len());
    for mention in found {
        match kept.last_mut() {
            Some(last) if mention.span.start < last.span.end || last.span == mention.span => {
                if mention.who == Who::Target && last.who != Who::Target && known(&mention.span) {
                    *last = mention;
                }
            }
            Some(_) | None => kept.push(mention),
        }
    }
    kept
}

/// The places where the names of competitors come again, word by word.
fn again(page: &Page<'_>, competitors: &[FoundCompetitor]) -> Vec<Mention> {
    let mut by_first: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, competitor) in competitors
        .iter()
        .enumerate()
        .filter(|(_, competitor)| !competitor.is_self)
    {
        if let Some(first) = words(&competitor.name).next() {
            by_first.entry(first).or_default().push(at);
        }
    }
    let mut found = Vec::new();
    if by_first.is_empty() {
        return found;
    }
    let mut starts = [false; 256];
    for first in by_first.keys() {
        starts[usize::from(first.as_bytes().first().copied().unwrap_or_default())] = true;
    }
    let text = page.layout.text.as_str();
    for word in &page.words {
        let (start, end) = (word.place.start as usize, word.place.end as usize);
        if !starts[usize::from(text.as_bytes()[start])] {
            continue;
        }
        if let Some(candidates) = by_first.get(&text[start..end]) {
            let longest = candidates
                .iter()
                .take(8)
                .filter(|competitor| {
                    let name = competitors[**competitor].name.as_str();
                    text[start..]
                        .strip_prefix(name)
                        .is_some_and(|rest| !rest.starts_with(is_word))
                })
                .max_by_key(|competitor| competitors[**competitor].name.len());
            if let Some(competitor) = longest {
                found.push(Mention {
                    span: start..start + competitors[*competitor].name.len(),
                    who: Who::Competitor(*competitor),
                });
            }
        }
    }
    found
}
