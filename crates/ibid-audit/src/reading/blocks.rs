//! The article as a row of blocks: headings, paragraphs, list items, cells.

use super::content::PARAGRAPH_WORDS;
use super::content::{Content, is_block};
use super::furniture::has_word;
use super::measure::{Measures, is_link};
use super::{Features, Link, MainPart, link, words};
use crate::html::{Document, Kind, NodeId, Step};
use crate::limits::{MANY, MOST};
use crate::vocabulary::Words;
use html5ever::local_name;
use std::ops::Range;

/// A run of text between two block boundaries.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The byte range in the text.
    pub(crate) range: Range<usize>,
    pub(crate) words: usize,
    pub(crate) line: u32,
    /// Inside a list, a table or a definition list.
    pub(crate) in_list: bool,
    /// Inside a block of code.
    pub(crate) in_code: bool,
    /// Under a class that names an author, a date or other small print about the text.
    pub(crate) in_byline: bool,
    /// Inside a figure, a caption or a block quotation.
    pub(crate) in_aside: bool,
    /// Words inside links.
    pub(crate) link_words: usize,
}

/// What a block is, by its nearest block element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// h1 to h6.
    Heading(u8),
    /// p.
    Paragraph,
    /// Another block: a list item, a cell, a caption, loose text.
    Other,
}

impl Block {
    /// Whether it reads as running text: outside lists, tables, code, captions and headings.
    pub(crate) fn is_paragraph(&self) -> bool {
        !matches!(self.kind, BlockKind::Heading(_)) && !self.in_list && !self.in_code && !self.in_aside
    }
}

/// The article, cut up.
#[derive(Default)]
pub(super) struct CutUp {
    pub(super) text: String,
    pub(super) blocks: Vec<Block>,
    pub(super) words: usize,
    pub(super) nosnippet_words: usize,
    pub(super) links: Vec<Link>,
    pub(super) features: Features,
}

/// What the elements around the current position add up to.
#[derive(Clone, Copy)]
struct Around {
    node: NodeId,
    kind: BlockKind,
    in_list: bool,
    in_code: bool,
    in_byline: bool,
    in_aside: bool,
    in_link: bool,
    nosnippet: bool,
    is_block: bool,
}

struct Cutter<'d> {
    document: &'d Document,
    out: CutUp,
    start: usize,
    line: Option<u32>,
    links_here: usize,
    nosnippet_here: usize,
}

/// Walks the article once, or the main part if there is no article.
pub(super) fn cut_up(document: &Document, measures: &Measures, content: &Content, main: &MainPart) -> CutUp {
    let mut cutter = Cutter {
        document,
        out: CutUp {
            // One allocation, as in the tree: all text, and two line ends for each element.
            text: String::with_capacity(document.text_bytes() + 2 * document.len()),
            blocks: Vec::with_capacity(document.len().min(MOST)),
            ..CutUp::default()
        },
        start: 0,
        line: None,
        links_here: 0,
        nosnippet_here: 0,
    };
    let roots = match content.nodes.as_slice() {
        [] => std::slice::from_ref(&main.node),
        nodes => nodes,
    };
    for root in roots {
        cutter.part(*root, measures, content);
    }
    cutter.out
}

/// A list, a table or a box that is mostly links.
fn is_link_box(document: &Document, node: NodeId, measures: &Measures) -> bool {
    let is_box = document.name(node).is_some_and(|name| {
        matches!(
            &**name,
            "ul" | "ol" | "dl" | "div" | "section" | "table" | "article"
        )
    });
    let (words, links) = (measures.words(node), measures.link_words(node));
    is_box && words >= 2 && links * 10 >= words * 6 && measures.share(node) <= 40 && !measures.has_title(node)
}

fn enter(document: &Document, node: NodeId, parent: Around, measures: &Measures) -> Around {
    let mut around = Around {
        node,
        is_block: false,
        ..parent
    };
    if document.attribute_named(node, "data-nosnippet").is_some() {
        around.nosnippet = true;
    }
    if let Some(class) = document.attribute(node, &local_name!("class"))
        && class.split_ascii_whitespace().any(names_byline)
    {
        around.in_byline = true;
    }
    around.in_link |= is_link(document, node);
    if measures.words(node) < CAPTION_WORDS && has_word(document, node, &ASIDE_WORDS) {
        around.in_aside = true;
    }
    let Some(name) = document.name(node) else {
        return around;
    };
    if let Some(level) = document.heading_level(node) {
        around.kind = if measures.words(node) < PARAGRAPH_WORDS {
            BlockKind::Heading(level)
        } else {
            BlockKind::Paragraph
        };
        around.is_block = true;
        return around;
    }
    match *name {
        local_name!("p") => around.kind = BlockKind::Paragraph,
        local_name!("ul")
        | local_name!("ol")
        | local_name!("dl")
        | local_name!("table")
        | local_name!("menu") => {
            around.in_list = true;
            around.kind = BlockKind::Other;
        }
        local_name!("pre") => around.in_code = true,
        local_name!("figure")
        | local_name!("figcaption")
        | local_name!("caption")
        | local_name!("blockquote") => {
            around.in_aside = true;
            around.kind = BlockKind::Other;
        }
        local_name!("br") => return around,
        _ if is_block(document, node) => around.kind = BlockKind::Other,
        _ => return around,
    }
    around.is_block = true;
    around
}

/// Words of a class or an id for captions, credits and quotations next to the text.
static ASIDE_WORDS: Words = Words::new(
    "bildtext|caption|credit|credits|foto|image|imagedescription|img|legende|photo|picture|pullquote",
);
/// Words that a caption has at most.
pub(super) const CAPTION_WORDS: u32 = 60;

fn names_byline(class: &str) -> bool {
    static WORDS: Words = Words::new("byline|author|meta|dateline|timestamp|breadcrumb|published|posted");
    class
        .to_ascii_lowercase()
        .split(['-', '_'])
        .any(|part| WORDS.contains(part))
}

impl Cutter<'_> {
    fn part(&mut self, root: NodeId, measures: &Measures, content: &Content) {
        let document = self.document;
        let outside = Around {
            node: root,
            kind: BlockKind::Other,
            in_list: false,
            in_code: false,
            in_byline: false,
            in_aside: false,
            in_link: false,
            nosnippet: false,
            is_block: true,
        };
        let mut stack = vec![outside];
        let mut walk = document.walk(root);
        while let Some(step) = walk.next() {
            let top = stack.last().copied().unwrap_or(outside);
            match step {
                Step::Enter(node) => {
                    if measures.is_hidden(node)
                        || content.is_furniture(node)
                        || (node != root && is_link_box(document, node, measures))
                    {
                        if is_block(document, node) {
                            self.flush(top);
                        }
                        walk.skip_children(node);
                    } else if let Kind::Text(range) = document.kind(node) {
                        self.text(document.text(range), document.line(node), top);
                    } else {
                        let around = enter(document, node, top, measures);
                        if around.is_block {
                            self.flush(top);
                        }
                        self.note(node);
                        stack.push(around);
                    }
                }
                Step::Leave(node) => {
                    if stack.len() > 1 && top.node == node {
                        if top.is_block {
                            self.flush(top);
                        }
                        stack.pop();
                    }
                }
            }
        }
        self.flush(outside);
    }

    fn text(&mut self, text: &str, line: u32, around: Around) {
        if self.line.is_none() && !text.trim().is_empty() {
            self.line = Some(line);
        }
        self.out.text.push_str(text);
        if around.in_link {
            self.links_here += words::count(text);
        }
        if around.nosnippet {
            self.nosnippet_here += words::count(text);
        }
    }

    /// Ends the block that is open, if it holds text.
    fn flush(&mut self, around: Around) {
        let raw = self.out.text.get(self.start..).unwrap_or("");
        let trimmed = raw.trim();
        if !trimmed.is_empty() {
            let from = self.start + (raw.len() - raw.trim_start().len());
            let range = from..from + trimmed.len();
            let count = words::count(trimmed);
            self.out.words += count;
            if self.out.blocks.len() < MOST {
                self.out.blocks.push(Block {
                    kind: around.kind,
                    range,
                    words: count,
                    line: self.line.unwrap_or(0),
                    in_list: around.in_list,
                    in_code: around.in_code,
                    in_byline: around.in_byline,
                    in_aside: around.in_aside,
                    link_words: self.links_here,
                });
            }
        }
        self.links_here = 0;
        self.out.nosnippet_words += self.nosnippet_here;
        self.nosnippet_here = 0;
        self.out.text.push('\n');
        self.start = self.out.text.len();
        self.line = None;
    }

    /// Counts the features of an element.
    fn note(&mut self, node: NodeId) {
        let document = self.document;
        let Some(name) = document.name(node) else { return };
        let features = &mut self.out.features;
        match *name {
            local_name!("br") => self.out.text.push(' '),
            local_name!("ul") | local_name!("ol") => {
                let items = document
                    .children(node)
                    .filter(|child| document.name(*child) == Some(&local_name!("li")))
                    .take(3)
                    .count();
                features.lists += usize::from(items >= 3);
            }
            local_name!("th") => features.header_cells += 1,
            local_name!("dl") => features.definition_lists += 1,
            local_name!("img") => {
                features.images += 1;
                if document.attribute(node, &local_name!("alt")).is_some() {
                    features.images_with_alt += 1;
                } else if features.image_without_alt.is_none() {
                    let source = document.attribute(node, &local_name!("src")).unwrap_or("");
                    let file = source.rsplit('/').next().filter(|_| !source.starts_with("data:"));
                    let file = crate::quote::quote_to(file.unwrap_or("the image"), 60);
                    features.image_without_alt = Some((document.line(node), file));
                }
            }
            local_name!("a") => {
                if let Some(href) = document.attribute(node, &local_name!("href"))
                    && self.out.links.len() < MANY
                {
                    self.out.links.push(link(document, node, href));
                }
            }
            _ => {}
        }
    }
}
