//! Words of every element, counted once.

use super::{is_left_out, words};
use crate::html::{Document, Kind, NodeId, Step};
use html5ever::local_name;

/// Counts each element in a page.
#[derive(Debug)]
pub(super) struct Measures {
    counts: Vec<Count>,
    page_words: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    words: u32,
    link_words: u32,
    /// `h1` elements with words.
    titles: u32,
    hidden: bool,
}

/// Walks the page once.
pub(super) fn measure(document: &Document) -> Measures {
    let mut counts = vec![Count::default(); document.len()];
    let mut open: Vec<Count> = Vec::new();
    let mut so_far = Count::default();
    let mut links = 0_u32;
    let mut walk = document.walk(document.root());
    while let Some(step) = walk.next() {
        match step {
            Step::Enter(node) => {
                open.push(so_far);
                if is_left_out(document, node) {
                    counts[node.index()].hidden = true;
                    walk.skip_children(node);
                } else if let Kind::Text(range) = document.kind(node) {
                    let count = u32::try_from(words::count(document.text(range))).unwrap_or(u32::MAX);
                    so_far.words = so_far.words.saturating_add(count);
                    if links > 0 {
                        so_far.link_words = so_far.link_words.saturating_add(count);
                    }
                }
                links += u32::from(is_link(document, node));
            }
            Step::Leave(node) => {
                links = links.saturating_sub(u32::from(is_link(document, node)));
                let before = open.pop().unwrap_or_default();
                let words = so_far.words - before.words;
                if document.name(node) == Some(&local_name!("h1")) && words > 0 {
                    so_far.titles += 1;
                }
                let count = &mut counts[node.index()];
                count.words = words;
                count.link_words = so_far.link_words - before.link_words;
                count.titles = so_far.titles - before.titles;
            }
        }
    }
    Measures {
        counts,
        page_words: so_far.words,
    }
}

/// An anchor with an address.
pub(super) fn is_link(document: &Document, node: NodeId) -> bool {
    document.name(node) == Some(&local_name!("a")) && document.attribute(node, &local_name!("href")).is_some()
}

impl Measures {
    /// Visible words of the page.
    pub(super) fn page_words(&self) -> usize {
        self.page_words as usize
    }

    /// Visible words of an element.
    pub(super) fn words(&self, node: NodeId) -> u32 {
        self.counts[node.index()].words
    }

    /// Visible words of an element inside links.
    pub(super) fn link_words(&self, node: NodeId) -> u32 {
        self.counts[node.index()].link_words
    }

    /// Whether the element contains an `h1` with words.
    pub(super) fn has_title(&self, node: NodeId) -> bool {
        self.counts[node.index()].titles > 0
    }

    /// Whether the HTML hides the element.
    pub(super) fn is_hidden(&self, node: NodeId) -> bool {
        self.counts[node.index()].hidden
    }

    /// Returns how many of the page's words are in the element, in percent.
    pub(super) fn share(&self, node: NodeId) -> u32 {
        (u64::from(self.words(node)) * 100)
            .checked_div(u64::from(self.page_words))
            .and_then(|share| u32::try_from(share).ok())
            .unwrap_or(0)
    }
}
