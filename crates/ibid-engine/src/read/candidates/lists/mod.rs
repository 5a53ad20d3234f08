//! Lists, headings and bold heads.

mod groups;
mod labels;
mod outline;

use groups::{counts_down, groups};
use outline::{Below, Outline, Sort, Tally};

use super::{Candidate, Candidates, Form, head, kinds, prose};
use crate::read::candidates::head::{Named, Strength};
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::words;
use crate::read::words::{Meaning, meaning_as_written};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Finds the candidates of lists.
/// Nested blocks belong to their parent, unless the parent is a category.
pub(super) fn find(page: &Page<'_>) -> Candidates {
    let outline = Outline::of(page);
    let mut walk = Walk {
        page,
        outline: &outline,
        candidates: Found {
            found: Vec::new(),
            reversed: false,
            topics: Vec::new(),
            taken: page.sources.clone(),
        },
        small: OnceCell::new(),
    };
    // An explicit stack: nesting is the answer's, and may be deep.
    let mut open = vec![None];
    while let Some(parent) = open.pop() {
        let mut containers = walk.level(parent);
        containers.reverse();
        open.extend(containers.into_iter().map(Some));
    }
    let mut candidates = walk.candidates;
    candidates.found.sort_by_key(|candidate| candidate.1);
    let found = candidates
        .found
        .into_iter()
        .map(|(candidate, _)| candidate)
        .collect();
    candidates.topics.sort_by_key(|topic| topic.start);
    Candidates {
        found,
        topics: candidates.topics,
        reversed: candidates.reversed,
        columns: false,
        taken: candidates.taken,
    }
}

const fn is_item(sort: Sort) -> bool {
    matches!(sort, Sort::Ordered | Sort::Bullet | Sort::Pictured | Sort::Led)
}

struct Found {
    found: Vec<(Candidate, usize)>,
    reversed: bool,
    topics: Vec<Span>,
    taken: Vec<bool>,
}

struct Walk<'a, 'p> {
    page: &'a Page<'p>,
    outline: &'a Outline,
    candidates: Found,
    /// The words that the answer writes in small letters.
    small: OnceCell<BTreeSet<String>>,
}

impl Walk<'_, '_> {
    /// Takes the groups below a block; returns the blocks to look into.
    fn level(&mut self, parent: Option<usize>) -> Vec<usize> {
        let blocks = &self.page.layout.blocks;
        let children = &self.outline.children[parent.unwrap_or(blocks.len())];
        let mut inside = Vec::new();
        for group in groups(blocks, &self.outline.sorts, children) {
            self.group(&group, &mut inside);
        }
        inside.sort_unstable();
        inside
    }

    fn group(&mut self, group: &[usize], inside: &mut Vec<usize>) {
        let outline = self.outline;
        let Some(sort) = group.first().map(|first| outline.sorts[*first]) else {
            return;
        };
        let labels = self.are_labels(group);
        let (containers, members): (Vec<usize>, Vec<usize>) =
            group.iter().copied().partition(|at| match labels {
                Some(labels) => labels && !self.is_known(*at),
                None => self.is_category(*at),
            });
        inside.extend(&containers);
        let tally = Tally::of(outline, &members);
        let accepted = match sort {
            Sort::Other => false,
            // A lone heading is a title; a lone bold line too.
            Sort::Heading(_) | Sort::Title => {
                tally.are_names()
                    && (tally.strong > 1
                        || tally.strong == 1 && containers.is_empty() && self.is_certain(&members))
            }
            // A bare list of ordinary words lists names if it contains the target's: `United, Delta, American`.
            Sort::Ordered | Sort::Bullet => {
                tally.all > 1 && tally.named == tally.all
                    || tally.are_names() && (tally.all > 1 || tally.strong + tally.set_off > 0)
            }
            Sort::Pictured => tally.are_names() && tally.all > 1,
            // One bold name with a sentence about it is put forward too: `**Acme** makes …`.
            Sort::Led => tally.are_names() && (tally.all > 1 || self.goes_on(&members)),
        };
        let topics = self.are_topics(&members);
        let criteria = self.are_criteria(&members) || self.are_kinds(&members);
        if topics || criteria {
            let heads = members.iter().filter_map(|at| outline.named(*at));
            let heads = heads.filter(|named| !self.page.has_brand(&named.name));
            self.candidates
                .topics
                .extend(heads.map(|named| named.name.clone()));
        }
        // If a list puts no names forward, its heads are no names in its sentences either.
        if !accepted && members.len() > 2 && is_item(sort) {
            let heads = members.iter().filter(|at| !self.is_certain(&[**at]));
            let heads = heads
                .filter_map(|at| outline.named(*at))
                .filter(|named| named.set_off && !self.page.has_brand(&named.name));
            let heads: Vec<Span> = heads.map(|named| named.name.clone()).collect();
            self.candidates.topics.extend(heads);
        }
        let accepted = accepted && !topics && !criteria;
        let own = |at: usize| self.is_certain(&[at]);
        let mut taken = Vec::new();
        for at in members {
            match outline.named(at) {
                Some(named) if accepted || is_item(sort) && sort != Sort::Led && own(at) => {
                    taken.push((at, named.clone()))
                }
                Some(_) | None => inside.push(at),
            }
        }
        let down = sort == Sort::Ordered || matches!(sort, Sort::Heading(_));
        let reversed = down && counts_down(taken.iter().map(|(at, _)| self.page.layout.blocks[*at].number));
        self.candidates.reversed |= reversed;
        let mut places: Vec<usize> = taken
            .iter()
            .map(|(at, _)| self.page.layout.blocks[*at].span.start)
            .collect();
        if reversed {
            places.reverse();
        }
        for ((at, named), place) in taken.into_iter().zip(places) {
            self.take(at, named, place);
        }
    }

    /// Whether the head of a block is the target's name, a known one or linked.
    fn is_known(&self, at: usize) -> bool {
        let known = |named: &Named| self.page.has_brand(&named.name);
        self.is_certain(&[at]) || self.outline.named(at).is_some_and(known)
    }

    /// Whether one of these is certainly a name: the target's, or one with its own website.
    fn is_certain(&self, members: &[usize]) -> bool {
        members
            .iter()
            .filter_map(|at| self.outline.named(*at))
            .any(|named| {
                let name = &named.name;
                self.page
                    .hits_in(name)
                    .iter()
                    .any(|hit| hit.sure && hit.span.start == name.start)
                    || self.page.is_linked(name)
            })
    }

    /// Whether the heads are criteria: the answer is about well-known brands, no head is one,
    /// and a third of the heads contain a word for criteria.
    fn are_criteria(&self, members: &[usize]) -> bool {
        if !self.page.many_brands || members.len() < 2 || self.is_certain(members) {
            return false;
        }
        let page = self.page;
        let heads = || members.iter().filter_map(|at| self.outline.named(*at));
        let generic = |word: &str| meaning_as_written(word).is(Meaning::CRITERION | Meaning::ADVICE);
        let plain = heads().filter(|named| words(page.text(&named.name)).any(generic));
        let unnamed = members.len() - heads().count();
        !heads().any(|named| page.has_brand(&named.name)) && (plain.count() + unnamed) * 3 >= members.len()
    }

    /// Whether two thirds of the heads name services, or what the title above gives prices for.
    fn are_kinds(&self, members: &[usize]) -> bool {
        let page = self.page;
        let known = members.iter().any(|at| self.is_known(*at));
        let Some(first) = members.first().filter(|_| members.len() > 2 && !known) else {
            return false;
        };
        let most = |fits: &dyn Fn(&Named) -> bool| {
            let heads = members.iter().filter_map(|at| self.outline.named(*at));
            heads.filter(|named| fits(named)).count() * 3 >= members.len() * 2
        };
        let title = first.checked_sub(1).and_then(|at| page.layout.blocks.get(at));
        title.is_some_and(|title| kinds::announces(page.text(&title.span)))
            && most(&|named| kinds::is_price(page.text(&named.rest)))
            || most(&|named| kinds::is_kind(page, named, &self.small))
    }

    /// Whether the heads are topics, and the names are in the text below them:
    /// no head is a known name, and most items present one.
    fn are_topics(&self, members: &[usize]) -> bool {
        let named: Vec<(usize, &Named)> = members
            .iter()
            .filter_map(|at| Some((*at, self.outline.named(*at)?)))
            .collect();
        let known = named.iter().filter(|(at, named)| {
            let brand = self.page.brands_in(&named.name).first();
            brand.is_some_and(|brand| !brand.ordinary && brand.span.end <= named.name.end)
                || self.is_certain(&[*at])
                // `**Acme** makes …` is about the name it starts with.
                || self.outline.sorts[*at] == Sort::Led
        });
        let inside = named
            .iter()
            .enumerate()
            .filter(|(place, (at, head))| {
                // The text between this title and the next belongs to it, nested or not.
                let next = named
                    .get(place + 1)
                    .map_or(self.outline.ends[*at], |(next, _)| *next);
                self.presents_names(next, head)
            })
            .count();
        known.count() * 3 < named.len() && named.len() > 1 && inside * 2 >= named.len()
    }

    /// Whether the text below a head presents well-known brands or names in bold.
    fn presents_names(&self, end: usize, named: &Named) -> bool {
        let blocks = &self.page.layout.blocks;
        let last = end.checked_sub(1).and_then(|last| blocks.get(last));
        let rest = named.rest.start.max(named.name.end)..last.map_or(named.rest.end, |block| block.span.end);
        let page = self.page;
        let bold = page.layout.bolds_in(&rest).iter().any(|bold| {
            let behind = page.layout.text.get(bold.end..).unwrap_or_default();
            let label = page.text(bold).trim_end().ends_with(':') || behind.starts_with(':');
            !label && behind.starts_with(' ') && head::is_name(page, bold, true) == Some(Strength::Strong)
        });
        let head = words(page.text(&named.name)).next().unwrap_or_default();
        let brand = page.brands_in(&rest).iter().any(|brand| {
            // Its own maker is not another name: `Echo Frames – Acme's Echo Frames`.
            let behind = page.layout.text.get(brand.span.end..).unwrap_or_default();
            let own = behind.trim_start_matches(['\'', 's', ' ', '*']).starts_with(head);
            !brand.ordinary && !own
        });
        bold || brand && page.many_brands && topic_like(page, named)
    }

    /// Whether the only member is certainly a name, and the sentence continues after it.
    fn goes_on(&self, members: &[usize]) -> bool {
        members.iter().all(|at| {
            self.outline.named(*at).is_some_and(|named| {
                let bold = self
                    .page
                    .layout
                    .bolds_in(&(named.name.start..named.name.start + 1));
                named.strength == Strength::Strong
                    && !bold.is_empty()
                    && named.label.is_none()
                    && self.page.text(&named.rest).starts_with(char::is_lowercase)
            })
        })
    }

    /// Whether a block is a category whose items are the names.
    fn is_category(&self, at: usize) -> bool {
        let below = self.outline.names_below[at];
        if below == Below::Nothing {
            return false;
        }
        let block = &self.page.layout.blocks[at];
        match self.outline.named(at) {
            None => true,
            Some(named) => {
                let bare = named.rest.is_empty() || self.page.text(&named.rest).trim().is_empty();
                let numbered = block.number.is_some();
                bare && !numbered && below == Below::Described && !self.is_certain(&[at])
            }
        }
    }

    fn take(&mut self, at: usize, named: Named, place: usize) {
        let blocks = &self.page.layout.blocks;
        let end = self.outline.ends[at];
        let last = end
            .checked_sub(1)
            .and_then(|last| blocks.get(last))
            .map_or(named.name.end, |block| block.span.end);
        for taken in self.candidates.taken.get_mut(at..end).into_iter().flatten() {
            *taken = true;
        }
        let unit: Span = blocks[at].span.start..last;
        let more = enumerated(self.page, &named);
        if self.outline.sorts[at] == Sort::Led {
            self.more_bold(&named, &blocks[at].span, place);
        }
        for name in std::iter::once(named.name).chain(more) {
            let candidate = Candidate::new(name, unit.clone(), Form::Item);
            self.candidates.found.push((candidate, place));
        }
    }

    /// Takes the bold names that a paragraph presents after its first one.
    fn more_bold(&mut self, named: &Named, block: &Span, place: usize) {
        let page = self.page;
        for bold in page.layout.bolds_in(&(named.rest.start..block.end)) {
            let behind = page.layout.text.get(bold.end..).unwrap_or_default();
            let label = page.text(bold).trim_end().ends_with(':') || behind.starts_with(':');
            if bold.start < named.name.end || label || head::is_name(page, bold, true).is_none() {
                continue;
            }
            let unit = page
                .sentence(bold.start)
                .map_or_else(|| bold.clone(), |sentence| sentence.span.clone());
            let candidate = Candidate::new(bold.clone(), unit, Form::Prose);
            // Behind the first name of the paragraph.
            self.candidates
                .found
                .push((candidate, place + (bold.start - block.start)));
        }
    }
}

/// Whether a head may be a topic: it has no word that only a name has.
fn topic_like(page: &Page<'_>, named: &Named) -> bool {
    let text = page.text(&named.name);
    let several = words(text).nth(1).is_some();
    words(text).enumerate().all(|(at, word)| {
        let meaning = meaning_as_written(word);
        at == 0 && several
            || meaning.is_ordinary()
            || page.question.holds(word)
            || word.ends_with('s')
            || word.starts_with(char::is_lowercase)
    }) || text.contains(" & ")
        || text.contains(" and ")
        || text.starts_with("For ")
        || text.starts_with("The ")
}

/// More names after a labelled one: `Budget: Acme, Beta and Gamma`.
fn enumerated(page: &Page<'_>, named: &Named) -> Vec<Span> {
    // `**Acme, Beta and Gamma**` is a head of three.
    let bolds = page
        .layout
        .bolds_in(&(named.name.start.saturating_sub(3)..named.name.start + 1));
    if let Some(bold) = bolds.iter().find(|bold| bold.end > named.name.end + 2)
        && page.text(&(named.name.end..bold.end)).starts_with(',')
    {
        return prose::names(page, &(named.name.end + 1..bold.end));
    }
    if named.label.is_none() || named.rest.len() > 90 || named.rest.is_empty() {
        return Vec::new();
    }
    prose::names(page, &named.rest)
}
