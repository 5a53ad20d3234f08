//! The names that an answer puts forward: lists, tables, bold heads, enumerations, single names in prose.

mod asides;
mod head;
mod json;
mod kinds;
mod lists;
mod owners;
mod places;
mod prose;
mod tables;
mod unspaced;

pub(super) use asides::{are_joined, is_joint};
pub(super) use json::read as read_json;
pub(super) use json::{Found as JsonFound, parse as parse_json};
pub(super) use prose::SPEAKS_FOR;

use super::layout::Span;
use super::page::Page;

/// A place where an answer puts a name forward.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) name: Span,
    /// What the product was called before the cut to its brand.
    pub(super) product: Option<Span>,
    /// The text about it: the item with its contents, or the sentence.
    pub(super) unit: Span,
    pub(super) form: Form,
}

impl Candidate {
    /// A name without a product.
    const fn new(name: Span, unit: Span, form: Form) -> Self {
        Self {
            name,
            product: None,
            unit,
            form,
        }
    }
}

/// The form in which a name is put forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An item of a list, a heading, a bold head, a row.
    Item,
    /// A column of a comparison.
    Column,
    /// A name in a sentence.
    Prose,
    /// A name that no rule puts forward.
    Mention,
}

/// The names put forward, and how they were.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    /// In the order of recommendation.
    pub(super) found: Vec<Candidate>,
    /// A list counts down.
    pub(super) reversed: bool,
    /// A table compares its columns.
    pub(super) columns: bool,
    /// Heads that are topics, in document order.
    pub(super) topics: Vec<Span>,
    /// For every block, whether it belongs to a candidate.
    pub(super) taken: Vec<bool>,
}

/// Finds all names in an answer: those that rules put forward, in the order of recommendation, then all others.
pub(super) fn find(page: &Page<'_>) -> Candidates {
    let mut candidates = lists::find(page);
    tables::find(page, &mut candidates);
    let names = prose::all_names(page);
    prose::find(page, &names, &mut candidates);
    owners::settle(page, &mut candidates);
    asides::drop(page, &mut candidates);
    others(page, names, &mut candidates);
    candidates
}

/// Adds the names that no rule puts forward.
fn others(page: &Page<'_>, names: Vec<Vec<Span>>, candidates: &mut Candidates) {
    let mut taken: Vec<Span> = candidates
        .found
        .iter()
        .map(|candidate| candidate.product.as_ref().unwrap_or(&candidate.name).clone())
        .collect();
    taken.sort_by_key(|span| span.start);
    let mut others = Vec::new();
    let sentences = page.sentences.iter().zip(names);
    for (sentence, names) in sentences.filter(|(sentence, _)| !page.sources[sentence.block]) {
        for name in names {
            let next = taken.partition_point(|span| span.end <= name.start);
            if taken.get(next).is_none_or(|span| span.start >= name.end) {
                others.push(Candidate::new(name, sentence.span.clone(), Form::Mention));
            }
        }
    }
    owners::cut(page, &mut others, candidates);
    candidates.found.append(&mut others);
}
