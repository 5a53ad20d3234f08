//! Which part of the page is the text.

use super::{Heading, KEPT, Link, is_left_out, link, text_of, words};
use crate::html::{Document, Kind, NodeId, Step};
use html5ever::local_name;

/// The part of the page that holds the text.
#[derive(Clone, Debug)]
pub(crate) struct MainPart {
    pub(crate) node: NodeId,
    pub(crate) kind: MainKind,
    /// Visible `main` and `role=main` elements.
    pub(crate) mains: usize,
    /// Words in the largest of them.
    pub(crate) words_in_main: usize,
}

/// The rule that found the main part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MainKind {
    /// The only `main`.
    Main,
    /// The largest `article`.
    Article,
    /// The body without header, navigation, footer and aside.
    Body,
}

/// The findings of one walk over the whole page.
pub(super) struct Survey {
    pub(super) main: MainPart,
    pub(super) words: usize,
    pub(super) headings: Vec<Heading>,
    pub(super) links: Vec<Link>,
}

struct Candidate {
    node: NodeId,
    is_main: bool,
    start: usize,
    words: usize,
}

/// Walks the page once.
pub(super) fn survey(document: &Document) -> Survey {
    let mut words_so_far = 0;
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut headings = Vec::new();
    let mut links = Vec::new();
    let mut walk = document.walk(document.root());
    while let Some(step) = walk.next() {
        match step {
            Step::Enter(node) => {
                if is_left_out(document, node) {
                    walk.skip_children(node);
                    continue;
                }
                if let Kind::Text(range) = document.kind(node) {
                    words_so_far += words::count(document.text(range));
                    continue;
                }
                let is_main = is_main(document, node);
                if (is_main || document.name(node) == Some(&local_name!("article")))
                    && candidates.len() < KEPT
                {
                    open.push(candidates.len());
                    candidates.push(Candidate {
                        node,
                        is_main,
                        start: words_so_far,
                        words: 0,
                    });
                }
                if let Some(level) = document.heading_level(node)
                    && headings.len() < KEPT
                {
                    headings.push(Heading {
                        level,
                        text: text_of(document, node, 200),
                        line: document.line(node),
                    });
                }
                if document.name(node) == Some(&local_name!("a"))
                    && let Some(href) = document.attribute(node, &local_name!("href"))
                    && links.len() < KEPT
                {
                    links.push(link(document, node, href));
                }
            }
            Step::Leave(node) => {
                if let Some(&index) = open.last()
                    && candidates[index].node == node
                {
                    open.pop();
                    candidates[index].words = words_so_far - candidates[index].start;
                }
            }
        }
    }
    headings.retain(|heading| !heading.text.is_empty());
    Survey {
        main: choose(document, &candidates),
        words: words_so_far,
        headings,
        links,
    }
}

fn choose(document: &Document, candidates: &[Candidate]) -> MainPart {
    let mains: Vec<_> = candidates.iter().filter(|candidate| candidate.is_main).collect();
    let words_in_main = mains.iter().map(|candidate| candidate.words).max().unwrap_or(0);
    let largest_article = candidates
        .iter()
        .filter(|candidate| !candidate.is_main)
        .reduce(|best, next| if next.words > best.words { next } else { best });
    let (node, kind) = match (mains.as_slice(), largest_article) {
        ([only], _) => (only.node, MainKind::Main),
        (_, Some(article)) => (article.node, MainKind::Article),
        (_, None) => (body(document).unwrap_or(document.root()), MainKind::Body),
    };
    MainPart {
        node,
        kind,
        mains: mains.len(),
        words_in_main,
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
