//! Lists, headings and bold heads.

use super::head::{self, Head, Named, Strength};
use super::{Candidate, Candidates, Form, prose};
use crate::read::layout::{Block, Kind, Span};
use crate::read::page::Page;
use std::cmp::Ordering;

/// Finds the candidates of lists. Nested blocks belong to their parent, unless the parent is a category.
pub(super) fn find(page: &Page<'_>) -> Candidates {
    let outline = Outline::of(page);
    let mut walk = Walk {
        page,
        outline: &outline,
        candidates: Found {
            found: Vec::new(),
            reversed: false,
            taken: page.sources.clone(),
        },
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
    Candidates {
        found,
        reversed: candidates.reversed,
        columns: false,
        taken: candidates.taken,
    }
}

/// What kind of sibling a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Heading(u8),
    /// A bold line of its own.
    Title,
    Ordered,
    Bullet,
    /// A line that starts with a picture.
    Pictured,
    /// A line that starts with a bold or otherwise set-off name.
    Led,
    Other,
}

/// The blocks as a tree with heads.
struct Outline {
    heads: Vec<Head>,
    sorts: Vec<Sort>,
    /// Children of every block in order; the last entry holds those without a parent.
    children: Vec<Vec<usize>>,
    /// Where the blocks below each block end.
    ends: Vec<usize>,
    /// For every block, whether the items directly below it are names of their own.
    names_below: Vec<Below>,
}

/// What the items below a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Below {
    Nothing,
    Names,
    /// Names, each with a description.
    Described,
}

impl Outline {
    fn of(page: &Page<'_>) -> Self {
        let blocks = &page.layout.blocks;
        let heads: Vec<Head> = blocks.iter().map(|block| read_head(page, block)).collect();
        let sorts: Vec<Sort> = blocks
            .iter()
            .zip(&heads)
            .map(|(block, head)| sort(block, head))
            .collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); blocks.len() + 1];
        let mut ends: Vec<usize> = (1..=blocks.len()).collect();
        for (at, block) in blocks.iter().enumerate().filter(|(at, _)| !page.sources[*at]) {
            children[block.parent.unwrap_or(blocks.len())].push(at);
        }
        for at in (0..blocks.len()).rev() {
            if let Some(parent) = blocks[at].parent {
                ends[parent] = ends[parent].max(ends[at]);
            }
        }
        let mut outline = Self {
            heads,
            sorts,
            children,
            ends,
            names_below: vec![Below::Nothing; blocks.len()],
        };
        for at in 0..blocks.len() {
            outline.names_below[at] = outline.below(at);
        }
        outline
    }

    fn named(&self, at: usize) -> Option<&Named> {
        match self.heads.get(at)? {
            Head::Name(named) => Some(named),
            Head::Generic | Head::Sentence => None,
        }
    }

    /// What the items right below a block are, taken by themselves.
    fn below(&self, at: usize) -> Below {
        let items: Vec<usize> = self.children[at]
            .iter()
            .copied()
            .filter(|child| is_item(self.sorts[*child]))
            .collect();
        let tally = Tally::of(self, &items);
        if items.is_empty()
            || !tally.are_names()
            || tally.generic * 3 >= tally.all.max(1) && tally.generic > 0
        {
            return Below::Nothing;
        }
        if tally.strong * 3 >= tally.all * 2 && tally.described * 3 >= tally.all * 2 {
            Below::Described
        } else {
            Below::Names
        }
    }
}

const fn is_item(sort: Sort) -> bool {
    matches!(sort, Sort::Ordered | Sort::Bullet | Sort::Pictured | Sort::Led)
}

fn read_head(page: &Page<'_>, block: &Block) -> Head {
    match block.kind {
        Kind::Row | Kind::HeadRow => Head::Sentence,
        Kind::Heading(_) | Kind::Ordered | Kind::Bullet | Kind::Line => {
            let found = head::read(page, &block.span);
            let listed = matches!(block.kind, Kind::Ordered | Kind::Bullet) || block.symbol;
            match found {
                // An item that is a sentence may still start with a name: `1. Acme is a family firm.`
                Head::Sentence | Head::Generic if listed => {
                    prose::leading(page, &block.span).map_or(found, |name| {
                        let rest = name.end..block.span.end;
                        Head::Name(Named {
                            name,
                            rest,
                            strength: Strength::Weak,
                            set_off: false,
                            label: None,
                        })
                    })
                }
                found => found,
            }
        }
    }
}

fn sort(block: &Block, head: &Head) -> Sort {
    match block.kind {
        Kind::Heading(level) => Sort::Heading(level),
        Kind::Ordered => Sort::Ordered,
        Kind::Bullet => Sort::Bullet,
        Kind::Line if block.quoted => Sort::Other,
        Kind::Line if block.all_bold => Sort::Title,
        Kind::Line if block.symbol => Sort::Pictured,
        Kind::Line => match head {
            Head::Name(named) if named.set_off && !named.rest.is_empty() => Sort::Led,
            Head::Name(_) | Head::Generic | Head::Sentence => Sort::Other,
        },
        Kind::Row | Kind::HeadRow => Sort::Other,
    }
}

/// What the heads of a group are.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    all: usize,
    named: usize,
    strong: usize,
    set_off: usize,
    described: usize,
    generic: usize,
}

impl Tally {
    fn of(outline: &Outline, members: &[usize]) -> Self {
        let mut tally = Self {
            all: members.len(),
            ..Self::default()
        };
        for member in members {
            match &outline.heads[*member] {
                Head::Name(named) => {
                    tally.named += 1;
                    tally.strong += usize::from(named.strength == Strength::Strong);
                    tally.set_off += usize::from(named.set_off);
                    tally.described += usize::from(!named.rest.is_empty());
                }
                Head::Generic => tally.generic += 1,
                Head::Sentence => {}
            }
        }
        tally
    }

    /// Whether a group with these heads puts somebody forward: more names than criteria, and some of them certain.
    fn are_names(self) -> bool {
        self.named > 0
            && self.generic * 2 <= self.all
            && self.named >= self.generic
            && (self.strong * 3 >= self.named || self.set_off * 2 >= self.all)
    }
}

struct Found {
    found: Vec<(Candidate, usize)>,
    reversed: bool,
    taken: Vec<bool>,
}

struct Walk<'a, 'p> {
    page: &'a Page<'p>,
    outline: &'a Outline,
    candidates: Found,
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
        let (containers, members): (Vec<usize>, Vec<usize>) =
            group.iter().copied().partition(|at| self.is_category(*at));
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
            // A bare list of ordinary words is one of names when the target's is among them: `United, Delta, American`.
            Sort::Ordered | Sort::Bullet => {
                let own = tally.all > 1
                    && tally.named == tally.all
                    && members.iter().any(|at| self.is_own_name(*at));
                own || tally.are_names() && (tally.all > 1 || tally.strong + tally.set_off > 0)
            }
            Sort::Pictured => tally.are_names() && tally.all > 1,
            // One bold name with a sentence about it is put forward as well: `**Acme** makes …`.
            Sort::Led => tally.are_names() && (tally.all > 1 || self.goes_on(&members)),
        };
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

    /// Whether somebody among these is certain to be a name: the target, or one with a website of its own.
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
                    || self.page.links_in(name).iter().any(|link| !link.chip)
            })
    }

    /// Whether the one member is certainly a name, and the sentence goes on behind it.
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

    fn is_own_name(&self, at: usize) -> bool {
        self.outline
            .named(at)
            .is_some_and(|named| self.page.target.is_name(self.page.text(&named.name)))
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
        let label = named.label.clone();
        for name in std::iter::once(named.name).chain(more) {
            let candidate = Candidate {
                name,
                unit: unit.clone(),
                form: Form::Item,
                label: label.clone(),
            };
            self.candidates.found.push((candidate, place));
        }
    }
}

/// More names behind a labelled one: `Budget: Acme, Beta and Gamma`.
fn enumerated(page: &Page<'_>, named: &Named) -> Vec<Span> {
    if named.label.is_none() || named.rest.len() > 90 || named.rest.is_empty() {
        return Vec::new();
    }
    let between = page.text(&(named.name.end..named.rest.start));
    if !between.trim_start().starts_with([',', '、', '，', '&']) {
        return Vec::new();
    }
    prose::names(page, &named.rest)
}

/// Siblings that form lists: of one sort, not parted by a paragraph, numbers counting one way.
fn groups(blocks: &[Block], sorts: &[Sort], children: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // The open group of each sort; headings go on across everything.
    let mut open: Vec<(Sort, usize)> = Vec::new();
    for at in children.iter().copied() {
        let sort = sorts[at];
        let block = &blocks[at];
        let found = open
            .iter()
            .find(|(known, _)| *known == sort)
            .map(|(_, group)| *group);
        let goes_on = found
            .and_then(|group| groups.get(group)?.last().copied())
            .is_some_and(|last| match sort {
                Sort::Heading(_) | Sort::Title | Sort::Led => true,
                Sort::Ordered => counts_on(blocks[last].number, block.number),
                Sort::Bullet | Sort::Pictured => true,
                Sort::Other => false,
            });
        match found.filter(|_| goes_on) {
            Some(group) => groups[group].push(at),
            None => {
                open.retain(|(known, _)| *known != sort);
                open.push((sort, groups.len()));
                groups.push(vec![at]);
            }
        }
        // A paragraph ends lists of bullets; numbers and headings tell by themselves where they end.
        if sort == Sort::Other && block.after_blank || matches!(sort, Sort::Heading(_) | Sort::Title) {
            open.retain(|(known, _)| !matches!(known, Sort::Bullet | Sort::Pictured));
        }
        if sort == Sort::Other {
            open.retain(|(known, _)| *known != Sort::Led);
        }
    }
    groups
}

fn counts_on(before: Option<u32>, now: Option<u32>) -> bool {
    match (before, now) {
        // `1. 1. 1.` is how some write numbered lists.
        (Some(before), Some(now)) => now > before || now + 1 == before || now == 1 && before == 1,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Whether the numbers fall by one to 1.
fn counts_down(numbers: impl Iterator<Item = Option<u32>>) -> bool {
    let numbers: Vec<u32> = numbers.flatten().collect();
    let falls = numbers
        .windows(2)
        .all(|pair| pair[0].cmp(&pair[1]) == Ordering::Greater);
    numbers.len() >= 2 && falls && numbers.last() == Some(&1)
}
