//! Names in sentences that recommend or present them.

mod name;
mod tokens;

pub(super) use tokens::leading;

use super::asides::{are_joined, is_aside};
use super::kinds::vouches;
use super::{Candidate, Candidates, Form, head, unspaced};
use crate::read::layout::{Form as LinkForm, Kind, Span};
use crate::read::page::{Page, Sentence};
use crate::read::text::is_word;
use crate::read::words::Kinds;
use tokens::capitalised;

/// Adds the names of sentences that recommend or present them.
pub(super) fn find(page: &Page<'_>, names: &[Vec<Span>], candidates: &mut Candidates) {
    let mut found = Vec::new();
    for (sentence, names) in page.sentences.iter().zip(names) {
        let taken = candidates.taken.get(sentence.block).copied().unwrap_or_default();
        if taken || is_question(page, sentence) || introduces(page, sentence, candidates) {
            continue;
        }
        for name in put_forward(page, sentence, names) {
            let next = candidates.topics.partition_point(|topic| topic.end <= name.start);
            if candidates
                .topics
                .get(next)
                .is_some_and(|topic| topic.start < name.end)
                || vouches(page, &name)
            {
                continue;
            }
            found.push(Candidate::new(name, sentence.span.clone(), Form::Prose));
        }
    }
    if found.is_empty() {
        return;
    }
    candidates.found.append(&mut found);
    // Lists that count down keep their own order; all other names are in the order of the text.
    if !candidates.reversed {
        candidates.found.sort_by_key(|candidate| candidate.name.start);
    }
}

/// Whether a sentence only introduces the list below it.
fn introduces(page: &Page<'_>, sentence: &Sentence, candidates: &Candidates) -> bool {
    let below = candidates.taken.get(sentence.block + 1) == Some(&true);
    below
        && page.text(&sentence.span).trim_end().ends_with(':')
        && !sentence.kinds.has(Kinds::TOP.and(Kinds::VERDICT))
}

/// Whether a sentence asks the reader something.
fn is_question(page: &Page<'_>, sentence: &Sentence) -> bool {
    let text = page.text(&sentence.span).trim_end();
    text.ends_with(['?', '？', '؟']) && !sentence.kinds.has(Kinds::TOP)
}

/// Cues that speak for a name.
pub(in crate::read) const SPEAKS_FOR: Kinds = Kinds::RECOMMEND
    .and(Kinds::TOP)
    .and(Kinds::VERDICT)
    .and(Kinds::POSITIVE)
    .and(Kinds::CORE);

/// The names a sentence speaks for or against.
fn put_forward(page: &Page<'_>, sentence: &Sentence, names: &[Span]) -> Vec<Span> {
    let speaks = sentence.kinds.has(SPEAKS_FOR.and(Kinds::SECOND))
        || sentence.kinds.has(Kinds::VERSUS)
        || sentence.compares;
    let block = &page.layout.blocks[sentence.block];
    let listed = matches!(block.kind, Kind::Ordered | Kind::Bullet);
    if sentence.kinds.has(Kinds::REFUSAL.and(Kinds::INSTRUCTION)) {
        return Vec::new();
    }
    let heading = matches!(block.kind, Kind::Heading(_));
    if !speaks {
        // A bold or linked name in an item is put forward even without a word for it.
        // So is a well-known brand that a sentence presents.
        let mut found = set_off(page, &sentence.span);
        if !listed {
            let prose = !heading && !block.quoted;
            found.truncate(if prose {
                subjects(page, &sentence.span, &found)
            } else {
                0
            });
        }
        if !heading && !block.quoted {
            found.extend(brands(page, &sentence.span));
            found.extend(beside(page, &sentence.span, &found));
        }
        return without_overlaps(page, found);
    }
    names.to_vec()
}

/// How many of these are the subjects that open a sentence together: `**Acme** and **Betamo** do`.
fn subjects(page: &Page<'_>, span: &Span, marked: &[Span]) -> usize {
    let between = |one: usize, other: usize| page.text(&(one..other)).trim_matches([' ', '*']);
    let joined = |pair: &&[Span]| are_joined(page, pair[0].end, pair[1].start);
    let all = 1 + marked.windows(2).take_while(joined).count();
    let ends = marked.first().zip(marked.get(all - 1));
    let opens = ends.is_some_and(|(first, last)| {
        !between(span.start, first.start).contains(is_word)
            && between(last.end, span.end).starts_with(char::is_lowercase)
    });
    if opens && all > 1 { all } else { 0 }
}

/// Unknown names that are enumerated with one of these: `Acme and Betamo`.
fn beside(page: &Page<'_>, span: &Span, known: &[Span]) -> Vec<Span> {
    const MOST: usize = 24;
    if known.is_empty() || known.len() > MOST {
        return Vec::new();
    }
    let joined = |first: &Span, last: &Span| are_joined(page, first.end, last.start);
    let mut found = capitalised(page, span);
    found.truncate(4 * MOST);
    found.retain(|name| {
        !is_aside(page, name)
            && known
                .iter()
                .any(|known| (joined(known, name) || joined(name, known)) && !is_aside(page, known))
            && known
                .iter()
                .all(|known| known.end <= name.start || name.end <= known.start)
    });
    found
}

/// Bold names and linked names.
fn set_off(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let bolds = page.layout.bolds_in(span).iter().cloned();
    let links = page
        .links_in(span)
        .iter()
        .filter(|link| !link.chip && !link.span.is_empty())
        .map(|link| link.span.clone());
    let mut found: Vec<Span> = bolds
        .chain(links)
        .filter_map(|span| as_name(page, &span))
        .collect();
    found.sort_by_key(|span| span.start);
    found.dedup_by(|next, first| next.start < first.end);
    found
}

/// A bold or linked passage as a name.
fn as_name(page: &Page<'_>, span: &Span) -> Option<Span> {
    let text = page.text(span);
    let lead = text.len() - text.trim_start_matches(|c: char| !is_word(c)).len();
    let inner = text[lead..].trim_end_matches(|c: char| !is_word(c) && c != ')' && c != '!' && c != '+');
    let name = span.start + lead..span.start + lead + inner.len();
    head::is_name(page, &name, true).map(|_| name)
}

/// The names of every sentence, each found once.
pub(super) fn all_names(page: &Page<'_>) -> Vec<Vec<Span>> {
    let sentences = page.sentences.iter();
    sentences.map(|sentence| names(page, &sentence.span)).collect()
}

/// Every name in a span, in order.
pub(super) fn names(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let mut found = set_off(page, span);
    found.extend(
        page.hits_in(span)
            .iter()
            .filter(|hit| hit.sure && hit.span.end <= span.end)
            .map(|hit| hit.span.clone()),
    );
    found.extend(brands(page, span));
    found.extend(capitalised(page, span));
    found.extend(unspaced::names(page, span));
    without_overlaps(page, found)
}

/// Well-known brands that the text does not use only as words: those of ordinary words must be bold or next to
/// another brand.
fn brands(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let all = page.brands_in(span);
    let beside = |at: usize, other: Option<usize>| {
        let Some(other) = other.and_then(|other| all.get(other)) else {
            return false;
        };
        let (first, last) = if other.span.start < all[at].span.start {
            (other, &all[at])
        } else {
            (&all[at], other)
        };
        are_joined(page, first.span.end, last.span.start)
    };
    let sure = (0..all.len()).filter(|at| {
        let brand = &all[*at];
        brand.span.end <= span.end
            && (!brand.ordinary
                || page.is_bold(&brand.span)
                || beside(*at, at.checked_sub(1))
                || beside(*at, at.checked_add(1)))
    });
    let own = page
        .hits_in(span)
        .iter()
        .filter(|hit| hit.sure && hit.known && hit.span.end <= span.end)
        .map(|hit| hit.span.clone());
    let hosts = page
        .links_in(span)
        .iter()
        .filter(|link| link.form == LinkForm::Host && !link.chip && !page.text(&link.span).contains('/'))
        .map(|link| link.span.clone());
    sure.map(|at| all[at].span.clone())
        .chain(own)
        .chain(hosts)
        .collect()
}

fn without_overlaps(page: &Page<'_>, mut found: Vec<Span>) -> Vec<Span> {
    // Of overlapping names, the one that starts first is kept, then the longest.
    found.sort_by(|one, other| one.start.cmp(&other.start).then(other.end.cmp(&one.end)));
    let mut kept: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        match kept.last_mut() {
            Some(last) if span.start < last.end => {}
            // An address after a name is no second name; its owner is the party that is meant.
            Some(last) if page.is_address_of(last, &span) => {
                if is_target(page, &span) && !is_target(page, last) {
                    *last = span;
                }
            }
            Some(_) | None => kept.push(span),
        }
    }
    kept
}

/// Whether a name, or an address, is that of the target.
fn is_target(page: &Page<'_>, name: &Span) -> bool {
    page.hits_in(name).iter().any(|hit| hit.sure) || page.links_in(name).iter().any(|link| link.own)
}
