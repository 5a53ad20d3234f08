//! The blocks as a tree with heads.

use super::is_item;
use crate::read::candidates::head::{self, Head, Named, Strength};
use crate::read::candidates::prose;
use crate::read::layout::{Block, Kind};
use crate::read::page::Page;

/// What kind of sibling a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Heading(u8),
    /// A line with only bold text.
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
pub(super) struct Outline {
    pub(super) heads: Vec<Head>,
    pub(super) sorts: Vec<Sort>,
    /// Children of every block in order; the last entry holds those without a parent.
    pub(super) children: Vec<Vec<usize>>,
    /// Where the blocks below each block end.
    pub(super) ends: Vec<usize>,
    /// For every block, whether the items directly below it are separate names.
    pub(super) names_below: Vec<Below>,
}

/// What kind of items are below a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Below {
    Nothing,
    Names,
    /// Names, each with a description.
    Described,
}

impl Outline {
    pub(super) fn of(page: &Page<'_>) -> Self {
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

    pub(super) fn named(&self, at: usize) -> Option<&Named> {
        match self.heads.get(at)? {
            Head::Name(named) => Some(named),
            Head::Generic | Head::Sentence => None,
        }
    }

    /// Tells what kind of items are right below a block, taken by themselves.
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

/// Counts over the heads in a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) all: usize,
    pub(super) named: usize,
    pub(super) strong: usize,
    pub(super) set_off: usize,
    pub(super) described: usize,
    pub(super) generic: usize,
}

impl Tally {
    pub(super) fn of(outline: &Outline, members: &[usize]) -> Self {
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

    /// Whether a group with these heads puts names forward: more names than criteria, some of them certain.
    pub(super) fn are_names(self) -> bool {
        self.named > 0
            && self.generic * 2 <= self.all
            && self.named >= self.generic
            && (self.strong * 3 >= self.named || self.set_off * 2 >= self.all)
    }
}
