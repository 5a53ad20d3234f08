//! Which part of the page is the text.

use super::content::{Content, PARAGRAPH_WORDS};
use super::measure::Measures;
use super::{Byline, Heading, Link, Stamp, link, text_of};
use crate::html::{Document, NodeId, Step};
use crate::limits::{FEW, MANY};
use crate::vocabulary::Words;
use html5ever::local_name;

/// Which part of the page holds the text.
#[derive(Clone, Debug)]
pub(crate) struct MainPart {
    pub(crate) node: NodeId,
    pub(crate) kind: MainKind,
    /// Visible `main` and `role=main` elements.
    pub(crate) mains: usize,
    /// Words in the largest of them.
    pub(crate) words_in_main: usize,
    /// Visible words of the part.
    pub(crate) words: usize,
}

/// The rule that found the main part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MainKind {
    /// The only `main`, if it holds a good part of the words.
    Main,
    /// The largest `article`, likewise.
    Article,
    /// The body without header, navigation, footer and aside.
    Body,
}

/// What one walk over the whole page found.
pub(super) struct Survey {
    pub(super) main: MainPart,
    pub(super) headings: Vec<Heading>,
    pub(super) links: Vec<Link>,
    pub(super) stamps: Vec<Stamp>,
    pub(super) dated: Vec<Stamp>,
    pub(super) bylines: Vec<Byline>,
}

struct Candidate {
    node: NodeId,
    is_main: bool,
    words: usize,
}

#[derive(Clone, Copy)]
struct Around {
    in_furniture: bool,
    in_content: bool,
    order: u32,
}

struct Surveyor<'d> {
    document: &'d Document,
    found: Survey,
    candidates: Vec<Candidate>,
}

/// Walks the page once.
pub(super) fn survey(document: &Document, measures: &Measures, content: &Content) -> Survey {
    let mut surveyor = Surveyor {
        document,
        found: Survey {
            main: choose(document, measures, &[], 0),
            headings: Vec::new(),
            links: Vec::new(),
            stamps: Vec::new(),
            dated: Vec::new(),
            bylines: Vec::new(),
        },
        candidates: Vec::new(),
    };
    let (mut furniture, mut frames, mut in_frames, mut order) = (0_u32, 0_u32, 0_usize, 0_u32);
    let mut inside = 0_u32;
    let mut parts = vec![false; document.len()];
    for node in &content.nodes {
        parts[node.index()] = true;
    }
    let is_part = |node: NodeId| parts[node.index()];
    let mut walk = document.walk(document.root());
    while let Some(step) = walk.next() {
        match step {
            Step::Enter(node) => {
                order += 1;
                if measures.is_hidden(node) {
                    walk.skip_children(node);
                    continue;
                }
                furniture += u32::from(content.is_furniture(node));
                if is_frame(document, node) {
                    if frames == 0 {
                        in_frames += measures.words(node) as usize;
                    }
                    frames += 1;
                }
                inside += u32::from(is_part(node));
                let around = Around {
                    in_furniture: furniture > 0,
                    in_content: inside > 0 || content.nodes.is_empty(),
                    order,
                };
                surveyor.element(node, measures, around);
            }
            Step::Leave(node) => {
                if !measures.is_hidden(node) {
                    inside -= u32::from(is_part(node));
                    furniture -= u32::from(content.is_furniture(node));
                    frames -= u32::from(is_frame(document, node));
                }
            }
        }
    }
    let mut found = surveyor.found;
    found.headings.retain(|heading| !heading.text.is_empty());
    found.main = choose(document, measures, &surveyor.candidates, in_frames);
    found
}

impl Surveyor<'_> {
    fn element(&mut self, node: NodeId, measures: &Measures, around: Around) {
        let document = self.document;
        let Around {
            in_furniture, order, ..
        } = around;
        let Some(name) = document.name(node) else { return };
        let line = document.line(node);
        let is_main = is_main(document, node);
        if (is_main || *name == local_name!("article")) && self.candidates.len() < MANY {
            self.candidates.push(Candidate {
                node,
                is_main,
                words: measures.words(node) as usize,
            });
        }
        if let Some(level) = document.heading_level(node)
            && self.found.headings.len() < MANY
        {
            self.found.headings.push(Heading {
                level,
                text: text_of(document, node, 200),
                line,
                in_furniture: in_furniture || (level > 1 && !around.in_content),
                order,
            });
        }
        match *name {
            local_name!("a") if self.found.links.len() < MANY => {
                if let Some(href) = document.attribute(node, &local_name!("href")) {
                    self.found.links.push(Link {
                        in_furniture,
                        ..link(document, node, href)
                    });
                }
            }
            local_name!("time") if self.found.stamps.len() < MANY => {
                if let Some(value) = document.attribute(node, &local_name!("datetime")) {
                    self.found.stamps.push(Stamp {
                        value: crate::html::cut(value, 60).to_owned(),
                        line,
                        in_furniture,
                        order,
                    });
                }
            }
            _ => {}
        }
        if measures.words(node) <= PARAGRAPH_WORDS
            && self.found.dated.len() < FEW
            && super::furniture::has_word(document, node, &DATE_WORDS)
        {
            // A title says the day in full where the text says it in brief.
            let title = document.attribute_named(node, "title").unwrap_or("");
            self.found.dated.push(Stamp {
                value: format!("{} {}", crate::html::cut(title, 60), text_of(document, node, 160)),
                line,
                in_furniture,
                order,
            });
        }
        if let Some(kind) = byline_kind(document, node)
            && self.found.bylines.len() < 100
            && !is_credit(document, node)
        {
            let declared = document.attribute(node, &local_name!("content"));
            self.found.bylines.push(Byline {
                kind,
                text: match declared.filter(|_| *name == local_name!("meta")) {
                    Some(text) => crate::html::cut(text, 160).to_owned(),
                    None => text_of(document, node, 160),
                },
                line,
                in_furniture,
                order,
            });
        }
    }
}

/// Whether a byline is that of a picture.
fn is_credit(document: &Document, node: NodeId) -> bool {
    let mut above = std::iter::successors(document.parent(node), |node| document.parent(*node));
    above.any(|node| document.name(node) == Some(&local_name!("figure")))
}

/// The mark by which an element names an author.
fn byline_kind(document: &Document, node: NodeId) -> Option<&'static str> {
    // A card's `fn` is the name; a comment's or a firm's has another class beside it.
    let class = document.attribute(node, &local_name!("class")).unwrap_or("");
    let has = |token: &str| class.split_ascii_whitespace().any(|one| one == token);
    if has("fn") && (has("url") || has("n")) && !has("org") {
        return Some("hCard");
    }
    if let Some(rel) = document.attribute(node, &local_name!("rel"))
        && document.name(node) == Some(&local_name!("a"))
        && rel
            .split_ascii_whitespace()
            .any(|word| word.eq_ignore_ascii_case("author"))
    {
        return Some("rel=author");
    }
    if document
        .attribute(node, &local_name!("itemprop"))
        .is_some_and(|property| {
            property
                .split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("author"))
        })
    {
        return Some("itemprop author");
    }
    if let Some(href) = document.attribute(node, &local_name!("href"))
        && AUTHOR_FOLDERS.is_in(&href.to_ascii_lowercase())
    {
        return Some("link to an author");
    }
    let is_text = document.name(node).is_some_and(|name| {
        !matches!(
            *name,
            local_name!("body") | local_name!("html") | local_name!("article")
        )
    });
    (is_text && super::furniture::has_word(document, node, &BYLINE_WORDS)).then_some("byline")
}

/// Folders of pages about authors.
static AUTHOR_FOLDERS: Words =
    Words::new("/author/|/authors/|/autor/|/autoren/|/autore/|/auteur/|/auteurs/|/by/");
/// Words in a class or an id that name the line with the date.
static DATE_WORDS: Words = Words::new(include_str!("../words/main_part_date_words.txt"));
static BYLINE_WORDS: Words = Words::new("byline|author|authors|authorname|writer|autor|auteur");

/// Parts of a page outside its text, for pages that do not mark their text.
fn is_frame(document: &Document, node: NodeId) -> bool {
    document.name(node).is_some_and(|name| {
        matches!(
            *name,
            local_name!("header") | local_name!("nav") | local_name!("footer") | local_name!("aside")
        )
    })
}

/// The words outside header, navigation, footer and aside, over those that a marked part must hold.
///
/// At half, an article with many comments is not believed; at twice, a teaser on a short home page is the text.
const LEAST_SHARE: usize = 4;

fn choose(document: &Document, measures: &Measures, candidates: &[Candidate], in_frames: usize) -> MainPart {
    let mains: Vec<_> = candidates.iter().filter(|candidate| candidate.is_main).collect();
    let words_in_main = mains.iter().map(|candidate| candidate.words).max().unwrap_or(0);
    let largest_article = candidates
        .iter()
        .filter(|candidate| !candidate.is_main)
        .reduce(|best, next| if next.words > best.words { next } else { best });
    let whole = body(document).unwrap_or(document.root());
    let all = (measures.words(whole) as usize).saturating_sub(in_frames);
    // A mark around less is a teaser, a banner or the target of a skip link.
    let holds_text = |candidate: &&Candidate| candidate.words * LEAST_SHARE >= all;
    let (node, kind, words) = match (mains.as_slice(), largest_article) {
        ([only], _) if holds_text(only) => (only.node, MainKind::Main, only.words),
        (_, Some(article)) if holds_text(&article) => (article.node, MainKind::Article, article.words),
        _ => (whole, MainKind::Body, all),
    };
    MainPart {
        node,
        kind,
        mains: mains.len(),
        words_in_main,
        words,
    }
}

fn body(document: &Document) -> Option<NodeId> {
    let html = document
        .children(document.root())
        .find(|node| document.name(*node) == Some(&local_name!("html")))?;
    document
        .children(html)
        .find(|node| document.name(*node) == Some(&local_name!("body")))
}

fn is_main(document: &Document, node: NodeId) -> bool {
    document.name(node) == Some(&local_name!("main"))
        || document
            .attribute(node, &local_name!("role"))
            .is_some_and(|role| role.trim().eq_ignore_ascii_case("main"))
}
