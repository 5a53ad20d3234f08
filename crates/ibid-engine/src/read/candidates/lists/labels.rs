//! Headings that name kinds, in scripts without capitals: the names are the items below them.

use super::Walk;
use super::outline::Sort;
use crate::read::candidates::head;
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{key, words};
use crate::read::words::{Language, List, Meaning, list, meaning};
use std::collections::BTreeMap;

/// Scripts in which a capital cannot tell a name from a kind.
const CASELESS: Language = Language::tagged(&["zh", "ja", "ko", "ar", "he", "hi", "th"]);

impl Walk<'_, '_> {
    /// Whether the headings of one level are labels, from the shape and the words of what is under them.
    /// `None` in scripts with capitals, without items, and where both may be names.
    pub(super) fn are_labels(&self, headings: &[usize]) -> Option<bool> {
        let page = self.page;
        let titled = |at: &usize| matches!(self.outline.sorts[*at], Sort::Heading(_) | Sort::Title);
        if !page.language.is(CASELESS) || !headings.first().is_some_and(titled) {
            return None;
        }
        let sections: Vec<Section> = headings.iter().filter_map(|at| self.section(*at)).collect();
        let items: Vec<String> = sections
            .iter()
            .flat_map(|section| section.heads.iter().cloned())
            .collect();
        let first = sections.first()?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for item in &items {
            *counts.entry(item).or_default() += 1;
        }
        let plain = items
            .iter()
            .filter(|item| counts[item.as_str()] > 1 || is_label(page, item));
        if plain.count() * 3 >= items.len() {
            return Some(false);
        }
        let titles: Vec<&str> = headings.iter().map(|at| page.text(&self.head(*at))).collect();
        let share = |count: usize, of: usize| count as f32 / of.max(1) as f32;
        let named = share(
            items.iter().filter(|item| looks_like_name(item)).count(),
            items.len(),
        );
        let titled = share(
            titles.iter().filter(|title| looks_like_name(title)).count(),
            titles.len(),
        );
        let kinds = share(titles.iter().filter(|title| is_kind(title)).count(), titles.len());
        let nested = sections.iter().filter(|section| section.nested).count() * 2 >= sections.len();
        let numbered = if first.numbered { 0.3 } else { -0.3 };
        let labels = named - titled + kinds + if nested { 0.6 } else { 0.0 } + numbered > 0.0;
        (labels || named == 0.0).then_some(labels)
    }

    /// The top items below a heading: those with the indent and the kind of the first one.
    fn section(&self, heading: usize) -> Option<Section> {
        let (blocks, outline) = (&self.page.layout.blocks, self.outline);
        let inside = heading + 1..outline.ends[heading];
        let item = |at: &usize| super::is_item(outline.sorts[*at]) && outline.sorts[*at] != Sort::Led;
        let first = inside.clone().find(item)?;
        let like = |at: &usize| item(at) && outline.sorts[*at] == outline.sorts[first];
        let top = |at: &usize| like(at) && blocks[*at].indent == blocks[first].indent;
        let heads = inside.clone().filter(top);
        Some(Section {
            heads: heads
                .map(|at| self.page.text(&self.head(at)).to_owned())
                .collect(),
            numbered: blocks[first].number.is_some(),
            nested: inside.clone().any(|at| item(&at) && !top(&at)),
        })
    }

    /// The text of a block before its first mark.
    fn head(&self, at: usize) -> Span {
        let block = &self.page.layout.blocks[at].span;
        let named = self.outline.named(at).map(|named| named.name.clone());
        named
            .or_else(|| head::text(self.page, block))
            .unwrap_or_else(|| block.clone())
    }
}

/// What is below a heading.
struct Section {
    heads: Vec<String>,
    numbered: bool,
    nested: bool,
}

/// Whether the head of an item says what follows it: `地址`, `장점`.
fn is_label(page: &Page<'_>, text: &str) -> bool {
    static ENDINGS: List = list("head.endings");
    static LABELS: List = list("labels.attributes");
    let meaning = meaning(&key(text));
    meaning.is(Meaning::CRITERION | Meaning::LABEL)
        || page.question.holds(text)
        || ENDINGS
            .iter()
            .chain(LABELS.iter())
            .any(|ending| text.ends_with(ending))
}

/// Whether a text ends or starts like a business, or has three Latin letters.
fn looks_like_name(text: &str) -> bool {
    static BUSINESSES: List = list("labels.businesses");
    let latin = text.bytes().filter(u8::is_ascii_alphabetic).take(3).count() == 3;
    let spaced = |part: &&&str| words(text).any(|word| word == **part);
    latin || BUSINESSES.iter().any(|part| text.ends_with(part)) || BUSINESSES.iter().find(spaced).is_some()
}

/// Whether a heading has a word for a kind.
fn is_kind(text: &str) -> bool {
    static KINDS: List = list("labels.kinds");
    KINDS.iter().any(|kind| text.contains(kind))
}
