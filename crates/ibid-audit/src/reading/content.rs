//! The elements that hold the article of a page, by text density.
//!
//! Runs of prose give points to the elements around them, the nearest the most.
//! Furniture gives no points.
//! The element with the most points, less its share of links, contains the article.

use super::furniture::{has_word, is_furniture};
use super::measure::{Measures, is_link};
use super::words;
use crate::html::{Document, Kind, NodeId, Step};
use crate::limits::FEW;
use crate::vocabulary::Words;
use html5ever::local_name;

/// Words from which a run can be prose.
pub(super) const RUN_WORDS: u32 = 8;
/// Words in a full paragraph. A page with less prose has no article, and a heading element with more is one.
///
/// At half, a menu is an article; at twice, short notices are none.
pub(crate) const PARAGRAPH_WORDS: u32 = 25;
/// Parts of a run's points for the element that holds it and for those above.
const PARTS: [f32; 3] = [1.0, 0.5, 0.2];
/// Words in a class or an id that name an article's text.
static BODY_WORDS: Words = Words::new("article|body|content|entry|post|story|text");

/// Which parts of the page are its article.
#[derive(Debug)]
pub(super) struct Content {
    /// Elements of the article in document order.
    ///
    /// Empty if the page has no article.
    pub(super) nodes: Vec<NodeId>,
    furniture: Vec<bool>,
}

/// Words of a class or an id that name a paragraph between the title and the text.
static INTRODUCTION_WORDS: Words = Words::new(include_str!("../words/content_introduction_words.txt"));

impl Content {
    /// Adds the paragraphs between the title, at position `title`, and the article.
    pub(super) fn take_introduction(&mut self, document: &Document, measures: &Measures, title: u32) {
        let Some(first) = self.nodes.first().copied() else {
            return;
        };
        let mut found = Vec::new();
        let (mut order, mut furniture) = (0_u32, 0_u32);
        let mut walk = document.walk(document.root());
        // Counts positions like the survey: a hidden element once, without its contents.
        while let Some(step) = walk.next() {
            match step {
                Step::Enter(node) => {
                    order += 1;
                    if node == first || found.len() > FEW {
                        break;
                    }
                    if measures.is_hidden(node) {
                        walk.skip_children(node);
                        continue;
                    }
                    furniture += u32::from(self.is_furniture(node));
                    let is_nested = found.last().is_some_and(|last| is_inside(document, node, *last));
                    if furniture == 0 && order > title && !is_nested && introduces(document, node, measures) {
                        found.push(node);
                    }
                }
                Step::Leave(node) => {
                    furniture -= u32::from(!measures.is_hidden(node) && self.is_furniture(node));
                }
            }
        }
        if found.len() <= FEW {
            self.nodes.splice(0..0, found);
        }
    }

    /// Whether the element is furniture.
    ///
    /// Elements inside furniture are not marked themselves.
    pub(super) fn is_furniture(&self, node: NodeId) -> bool {
        self.furniture[node.index()]
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Points {
    points: f32,
    /// Words in runs of prose.
    prose: u32,
    words: u32,
    link_words: u32,
}

impl Points {
    fn link_share(&self) -> f32 {
        if self.words == 0 {
            return 0.0;
        }
        self.link_words as f32 / self.words as f32
    }
}

/// Finds the article.
pub(super) fn find(document: &Document, measures: &Measures) -> Content {
    let mut scorer = Scorer {
        document,
        measures,
        points: vec![Points::default(); document.len()],
        furniture: vec![false; document.len()],
        run: 0,
        run_links: 0,
        so_far: Points::default(),
    };
    scorer.walk();
    let nodes = scorer.choose();
    Content {
        nodes,
        furniture: scorer.furniture,
    }
}

struct Scorer<'d> {
    document: &'d Document,
    measures: &'d Measures,
    points: Vec<Points>,
    furniture: Vec<bool>,
    run: u32,
    run_links: u32,
    so_far: Points,
}

struct Open {
    node: NodeId,
    before: Points,
    is_block: bool,
}

impl Scorer<'_> {
    fn walk(&mut self) {
        let document = self.document;
        let mut open: Vec<Open> = Vec::new();
        let mut blocks: Vec<NodeId> = Vec::new();
        let (mut links, mut articles) = (0_u32, 0_u32);
        let mut walk = document.walk(document.root());
        while let Some(step) = walk.next() {
            match step {
                Step::Enter(node) => {
                    if self.measures.is_hidden(node) {
                        walk.skip_children(node);
                    } else if let Kind::Text(range) = document.kind(node) {
                        let count = u32::try_from(words::count(document.text(range))).unwrap_or(u32::MAX);
                        self.run += count;
                        self.run_links += if links > 0 { count } else { 0 };
                    } else if is_furniture(document, node, self.measures, articles > 0) {
                        self.furniture[node.index()] = true;
                        walk.skip_children(node);
                    }
                    let is_block = is_block(document, node);
                    if is_block {
                        self.flush(blocks.last().copied());
                        blocks.push(node);
                    }
                    open.push(Open {
                        node,
                        before: self.so_far,
                        is_block,
                    });
                    links += u32::from(is_link(document, node));
                    articles += u32::from(is_article(document, node));
                }
                Step::Leave(node) => {
                    links -= u32::from(is_link(document, node));
                    articles -= u32::from(is_article(document, node));
                    let Some(opened) = open.pop() else { continue };
                    if opened.is_block {
                        self.flush(blocks.last().copied());
                        blocks.pop();
                    }
                    debug_assert_eq!(opened.node, node);
                    let points = &mut self.points[node.index()];
                    points.prose = self.so_far.prose - opened.before.prose;
                    points.words = self.so_far.words - opened.before.words;
                    points.link_words = self.so_far.link_words - opened.before.link_words;
                }
            }
        }
    }

    /// Ends a run of text in `block`.
    fn flush(&mut self, block: Option<NodeId>) {
        let (words, links) = (self.run, self.run_links);
        (self.run, self.run_links) = (0, 0);
        self.so_far.words += words;
        self.so_far.link_words += links;
        let Some(block) = block else { return };
        if words < RUN_WORDS || links * 3 > words || !holds_prose(self.document, block) {
            return;
        }
        self.so_far.prose += words;
        let value = words.min(100) as f32 / 10.0;
        let mut holder = match self.document.name(block) {
            Some(name) if is_paragraph(name) => self.document.parent(block),
            _ => Some(block),
        };
        for part in PARTS {
            let Some(node) = holder else { return };
            self.points[node.index()].points += value * part;
            holder = self.document.parent(node);
        }
    }

    fn choose(&self) -> Vec<NodeId> {
        let document = self.document;
        let all = document.descendants(document.root());
        let best = all
            .filter(|node| self.points[node.index()].points > 0.0)
            .map(|node| (node, self.weighed(node)))
            .reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some((mut node, _)) = best else {
            return Vec::new();
        };
        // A parent with clearly more prose and few links contains the article in several parts.
        let mut above = document.parent(node);
        while let Some(parent) = above {
            let (outer, inner) = (self.points[parent.index()], self.points[node.index()]);
            let is_top = matches!(
                document.name(parent),
                None | Some(&local_name!("html") | &local_name!("body"))
            );
            if is_top || outer.link_share() > 0.4 {
                break;
            }
            let extra = outer.words - inner.words;
            let extra_prose = outer.prose - inner.prose;
            if extra_prose * 4 >= inner.prose && extra_prose * 10 >= extra * 6 {
                node = parent;
            }
            above = document.parent(parent);
        }
        if self.points[node.index()].prose < PARAGRAPH_WORDS {
            return Vec::new();
        }
        vec![node]
    }

    /// Points after links and the names of an element are taken into account.
    fn weighed(&self, node: NodeId) -> f32 {
        let points = self.points[node.index()];
        let document = self.document;
        let mut value = points.points * (1.0 - points.link_share());
        if document
            .attribute(node, &local_name!("itemprop"))
            .is_some_and(|property| property.eq_ignore_ascii_case("articleBody"))
        {
            value *= 1.5;
        } else if is_article(document, node) || has_word(document, node, &BODY_WORDS) {
            value *= 1.2;
        }
        value
    }
}

/// Whether an element is a descendant of another.
///
/// Introductions are shallow.
fn is_inside(document: &Document, node: NodeId, outer: NodeId) -> bool {
    let mut above = document.parent(node);
    for _ in 0..20 {
        match above {
            Some(parent) if parent == outer => return true,
            Some(parent) => above = document.parent(parent),
            None => return false,
        }
    }
    false
}

/// A paragraph of prose outside the article, by its element or by its name.
fn introduces(document: &Document, node: NodeId, measures: &Measures) -> bool {
    let Some(name) = document.name(node) else {
        return false;
    };
    let is_named = || {
        matches!(*name, local_name!("div") | local_name!("h2") | local_name!("h3"))
            && has_word(document, node, &INTRODUCTION_WORDS)
    };
    let (words, links) = (measures.words(node), measures.link_words(node));
    words >= RUN_WORDS && links * 3 <= words && (*name == local_name!("p") || (words < 150 && is_named()))
}

/// Elements whose text is never prose.
fn holds_prose(document: &Document, block: NodeId) -> bool {
    let is_label =
        |name: &html5ever::LocalName| matches!(&**name, "figcaption" | "caption" | "figure" | "th");
    document.heading_level(block).is_none() && !document.name(block).is_some_and(is_label)
}

fn is_paragraph(name: &html5ever::LocalName) -> bool {
    matches!(&**name, "p" | "li" | "td" | "dd" | "dt" | "blockquote" | "pre")
}

fn is_article(document: &Document, node: NodeId) -> bool {
    document
        .name(node)
        .is_some_and(|name| matches!(*name, local_name!("article") | local_name!("main")))
}

/// Elements that end a run of text.
pub(crate) fn is_block(document: &Document, node: NodeId) -> bool {
    static BLOCKS: Words = Words::new(include_str!("../words/content_blocks.txt"));
    document.name(node).is_some_and(|name| BLOCKS.contains(name))
}
