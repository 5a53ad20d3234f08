//! The page as a reader without scripts sees it: the visible text, its blocks, and the elements among them.
//!
//! One walk over the page finds the main part, one over the main part cuts it into blocks. Both leave out
//! what is not shown: scripts, styles, templates, hidden elements, closed dialogs.

mod blocks;
pub(crate) mod language;
mod main_part;
mod visible;
pub(crate) mod words;

pub(crate) use blocks::{Block, BlockKind};
pub(crate) use main_part::{MainKind, MainPart};
pub(crate) use visible::{declarations, is_hidden, is_left_out, is_never_shown, text_of};

use crate::html::{Document, NodeId};

/// A heading anywhere on the page.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    pub(crate) text: String,
    pub(crate) line: u32,
}

/// A link with an address.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) href: String,
    pub(crate) text: String,
    pub(crate) rel: String,
    pub(crate) line: u32,
}

/// A page, read.
#[derive(Debug)]
pub(crate) struct PageReading {
    pub(crate) main: MainPart,
    /// Visible words of the whole page.
    pub(crate) page_words: usize,
    /// Visible words of the main part.
    pub(crate) words: usize,
    /// Words of the main part under `data-nosnippet`.
    pub(crate) nosnippet_words: usize,
    /// The main part's text; blocks are ranges of it.
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    /// Visible headings of the whole page.
    pub(crate) headings: Vec<Heading>,
    /// Links of the whole page.
    pub(crate) links: Vec<Link>,
    /// Links of the main part.
    pub(crate) main_links: Vec<Link>,
    pub(crate) features: Features,
    /// Detected language of the main part.
    pub(crate) language: Option<&'static str>,
}

/// Things counted in the main part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Features {
    /// Lists with three items or more.
    pub(crate) lists: usize,
    /// `th` elements.
    pub(crate) header_cells: usize,
    pub(crate) definition_lists: usize,
    /// `dfn` elements.
    pub(crate) definitions: usize,
    /// `blockquote` and `q` elements with text.
    pub(crate) quotes: usize,
    pub(crate) images: usize,
    pub(crate) images_with_alt: usize,
    /// Line of the first image without an alternative text.
    pub(crate) image_without_alt: Option<u32>,
    /// `time` elements with a machine date, and their lines.
    pub(crate) times: Vec<(String, u32)>,
}

/// Headings, links and times that are kept of one page.
pub(crate) const KEPT: usize = 5_000;

/// Reads a page.
pub(crate) fn read(document: &Document) -> PageReading {
    let survey = main_part::survey(document);
    let cut = blocks::cut_up(document, &survey.main);
    let language = language::detect(&cut.text, cut.words);
    PageReading {
        main: survey.main,
        page_words: survey.words,
        words: cut.words,
        nosnippet_words: cut.nosnippet_words,
        text: cut.text,
        blocks: cut.blocks,
        headings: survey.headings,
        links: survey.links,
        main_links: cut.links,
        features: cut.features,
        language,
    }
}

impl PageReading {
    /// The text of a block.
    pub(crate) fn block_text(&self, block: &Block) -> &str {
        self.text.get(block.range.clone()).unwrap_or("")
    }

    /// Blocks that read as a paragraph: running text outside lists and tables.
    pub(crate) fn paragraphs(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.is_paragraph())
    }
}

/// A link element as a [`Link`].
fn link(document: &Document, node: NodeId, href: &str) -> Link {
    use html5ever::local_name;
    Link {
        href: crate::html::cut(href, 2_048).to_owned(),
        text: text_of(document, node, 200),
        rel: document
            .attribute(node, &local_name!("rel"))
            .unwrap_or("")
            .to_ascii_lowercase(),
        line: document.line(node),
    }
}
