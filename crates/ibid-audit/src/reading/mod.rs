//! The page for a reader without scripts: the visible text, its blocks, and the elements among them.
//!
//! Three walks over the page count its words, find its article and list its headings and links.
//! A walk over the article cuts it into blocks.
//! All leave out invisible parts: scripts, styles, templates, hidden elements, closed dialogs.

mod blocks;
mod content;
mod furniture;
pub(crate) mod language;
mod lead;
mod main_part;
mod measure;
mod visible;
pub(crate) mod words;

pub(crate) use blocks::{Block, BlockKind};
pub(crate) use content::{PARAGRAPH_WORDS, is_block};
pub(crate) use main_part::{MainKind, MainPart};
pub(crate) use visible::{declarations, is_hidden, is_left_out, is_never_shown, text_of, visible_key};

use crate::html::{Document, NodeId};
use crate::limits::ADDRESS_BYTES;

/// A heading anywhere on the page.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    pub(crate) text: String,
    pub(crate) line: u32,
    /// In a menu, a teaser, a sidebar or another part that is not the article.
    pub(crate) in_furniture: bool,
    /// Position on the page.
    pub(crate) order: u32,
}

/// A `time` element with a machine date.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(crate) value: String,
    pub(crate) line: u32,
    pub(crate) in_furniture: bool,
    /// Position on the page.
    pub(crate) order: u32,
}

/// An element that names an author.
#[derive(Clone, Debug)]
pub(crate) struct Byline {
    /// The mark by which it was found.
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) in_furniture: bool,
    /// Position on the page.
    pub(crate) order: u32,
}

/// A link with an address.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) href: String,
    pub(crate) text: String,
    pub(crate) rel: String,
    pub(crate) in_furniture: bool,
}

/// A page, read.
#[derive(Debug)]
pub(crate) struct PageReading {
    pub(crate) main: MainPart,
    /// Visible words of the whole page.
    pub(crate) page_words: usize,
    /// Visible words in the main part, or in the article where it has more.
    pub(crate) words: usize,
    /// Words of the article.
    pub(crate) article_words: usize,
    /// Words of the article under `data-nosnippet`.
    pub(crate) nosnippet_words: usize,
    /// Holds the article, or else the main part.
    ///
    /// Blocks are ranges of it.
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    /// Visible headings of the whole page.
    pub(crate) headings: Vec<Heading>,
    /// Links of the whole page.
    pub(crate) links: Vec<Link>,
    /// Links of the article.
    pub(crate) article_links: Vec<Link>,
    /// `time` elements of the whole page.
    pub(crate) stamps: Vec<Stamp>,
    /// What stands in elements that are called after a date.
    pub(crate) dated: Vec<Stamp>,
    pub(crate) bylines: Vec<Byline>,
    /// Index of the heading that names the page.
    pub(crate) title: Option<usize>,
    /// Index of the block that opens the text.
    pub(crate) lead: Option<usize>,
    pub(crate) features: Features,
    /// Detected language of the article.
    pub(crate) language: Option<&'static str>,
}

/// Things counted in the article.
#[derive(Clone, Debug, Default)]
pub(crate) struct Features {
    /// Lists with three items or more.
    pub(crate) lists: usize,
    /// `th` elements.
    pub(crate) header_cells: usize,
    pub(crate) definition_lists: usize,
    pub(crate) images: usize,
    pub(crate) images_with_alt: usize,
    /// Line and file of the first image without an alternative text.
    pub(crate) image_without_alt: Option<(u32, String)>,
}

/// Reads a page; `title` is that of its head, and `names_site` tells headings that name the site.
pub(crate) fn read(
    document: &Document,
    title: Option<&str>,
    names_site: impl Fn(&str) -> bool,
) -> PageReading {
    let measures = measure::measure(document);
    let mut content = content::find(document, &measures);
    let survey = main_part::survey(document, &measures, &content);
    let heading = lead::title(&survey.headings, title, names_site);
    let order = heading
        .and_then(|index| survey.headings.get(index))
        .map(|heading| heading.order);
    if let Some(order) = order {
        content.take_introduction(document, &measures, order);
    }
    let cut = blocks::cut_up(document, &measures, &content, &survey.main);
    let language = language::detect(&cut.text, cut.words);
    let mut reading = PageReading {
        page_words: measures.page_words(),
        words: survey.main.words.max(cut.words),
        main: survey.main,
        article_words: cut.words,
        nosnippet_words: cut.nosnippet_words,
        text: cut.text,
        blocks: cut.blocks,
        headings: survey.headings,
        links: survey.links,
        article_links: cut.links,
        stamps: survey.stamps,
        dated: survey.dated,
        bylines: survey.bylines,
        title: heading,
        lead: None,
        features: cut.features,
        language,
    };
    reading.lead = lead::find(&reading);
    reading
}

impl PageReading {
    /// The block that opens the text.
    pub(crate) fn lead_block(&self) -> Option<&Block> {
        self.blocks.get(self.lead?)
    }

    /// The stamp next to the heading that names the page.
    ///
    /// Comments, teasers and related articles have dates, too.
    /// Below a title the line with date, name and categories is mostly links, as menus are.
    pub(crate) fn nearest<'s>(&self, stamps: &'s [Stamp]) -> Option<&'s Stamp> {
        let title = self.title.and_then(|index| self.headings.get(index));
        let title = title.map_or(0, |heading| heading.order);
        let of_page = stamps
            .iter()
            .filter(|stamp| !stamp.in_furniture || is_below(title, stamp.order));
        of_page.min_by_key(|stamp| stamp.order.abs_diff(title))
    }

    pub(crate) fn block_text(&self, block: &Block) -> &str {
        self.text.get(block.range.clone()).unwrap_or("")
    }

    /// Blocks that read as a paragraph: running text outside lists and tables.
    pub(crate) fn paragraphs(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.is_paragraph())
    }
}

/// The most elements between a title and the byline below it.
///
/// At half, a picture between them hides the byline; at twice, the byline may be that of a teaser.
const BELOW_TITLE: u32 = 40;

/// Whether a place on the page belongs to the line of date and name below a title.
pub(crate) fn is_below(title: u32, order: u32) -> bool {
    (1..=BELOW_TITLE).contains(&order.saturating_sub(title))
}

/// A link element as a [`Link`].
fn link(document: &Document, node: NodeId, href: &str) -> Link {
    use html5ever::local_name;
    Link {
        href: crate::html::cut(href, ADDRESS_BYTES).to_owned(),
        text: text_of(document, node, 200),
        rel: document
            .attribute(node, &local_name!("rel"))
            .unwrap_or("")
            .to_ascii_lowercase(),
        in_furniture: false,
    }
}
