//! Templates of a site: pages whose elements are arranged alike.

use crate::html::{self, Document, NodeId};
use crate::vocabulary::Words;
use crate::{Page, charset};
use std::collections::HashSet;
use url::Url;

/// A page's shape is made from so many elements; the rest depends on the text.
const MOST_ELEMENTS: usize = 800;
/// The depth beyond which an element depends more on the text than on the template.
const MOST_DEPTH: usize = 9;

/// How a page's elements are arranged.
///
/// It has pairs of an element and its parent, with their first classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape(HashSet<String>);

impl Shape {
    /// Reads the shape of a page.
    pub(crate) fn of(page: &Page) -> Self {
        let decoded = charset::decode(page);
        let document = html::parse(&decoded.text);
        let elements = document
            .descendants(document.root())
            .filter(|node| is_structure(&document, *node) && depth(&document, *node) <= MOST_DEPTH);
        Self(
            elements
                .take(MOST_ELEMENTS)
                .map(|node| {
                    let above = document.parent(node).map(|parent| label(&document, parent));
                    format!("{}>{}", above.unwrap_or_default(), label(&document, node))
                })
                .collect(),
        )
    }

    fn is_like(&self, other: &Self) -> bool {
        let both = self.0.intersection(&other.0).count();
        let joint = self.0.len() + other.0.len() - both;
        joint == 0 || both * 2 >= joint
    }
}

/// Returns the group of each shape.
///
/// It is the first group whose first member is like the shape, or a new one.
pub(crate) fn groups(shapes: &[Shape]) -> Vec<usize> {
    let mut firsts: Vec<&Shape> = Vec::new();
    shapes
        .iter()
        .map(|shape| {
            let known = firsts.iter().position(|first| first.is_like(shape));
            known.unwrap_or_else(|| {
                firsts.push(shape);
                firsts.len() - 1
            })
        })
        .collect()
}

/// The form that the paths of several pages share: `/blog/*`.
pub(crate) fn label_of(pages: &[&Url]) -> String {
    let paths: Vec<Vec<&str>> = pages.iter().map(|url| segments(url)).collect();
    let Some(first) = paths.first() else {
        return String::new();
    };
    let is_shared = |at: &usize| paths.iter().all(|path| path.get(*at) == first.get(*at));
    let parts: Vec<&str> = if paths.iter().all(|path| path.len() == first.len()) {
        (0..first.len())
            .map(|at| if is_shared(&at) { first[at] } else { "*" })
            .collect()
    } else {
        let shared = (0..first.len()).take_while(is_shared).map(|at| first[at]);
        shared.chain(["…"]).collect()
    };
    format!("/{}", parts.join("/"))
}

/// Splits a path; the front page has one empty part.
pub(crate) fn segments(url: &Url) -> Vec<&str> {
    url.path_segments().map_or_else(|| vec![""], Iterator::collect)
}

/// Elements that contain others.
///
/// Elements of running text depend on the text.
fn is_structure(document: &Document, node: NodeId) -> bool {
    static CONTAINERS: Words =
        Words::new("body|div|main|article|section|aside|nav|header|footer|form|ul|ol|table|figure|h1|dl");
    document.name(node).is_some_and(|name| CONTAINERS.contains(name))
}

fn depth(document: &Document, node: NodeId) -> usize {
    std::iter::successors(document.parent(node), |node| document.parent(*node))
        .take(MOST_DEPTH + 1)
        .count()
}

/// Names an element with its first two classes, without digits, because these number posts.
fn label(document: &Document, node: NodeId) -> String {
    let Some(name) = document.name(node) else {
        return String::new();
    };
    let mut label = name.to_string();
    // On many systems, the classes of <body> differ from page to page.
    if &**name != "body" {
        let classes = document.attribute_named(node, "class").unwrap_or("");
        for class in classes.split_ascii_whitespace().take(2) {
            label.push('.');
            label.extend(class.chars().filter(|c| !c.is_ascii_digit()).take(40));
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(html: &str) -> Shape {
        Shape::of(&Page::from_html(html, None, jiff::Timestamp::UNIX_EPOCH))
    }

    #[test]
    fn pages_of_one_template_share_a_group() {
        let post = |text: &str, id: u32| {
            format!(
                "<body class='postid-{id}'><header class=top><nav><ul class=menu></ul></nav></header><main class=post><article id=p{id}><h1>{text}</h1><p>{text}<p>{text}<div class='share box'></div></article><aside class=more></aside></main><footer></footer>"
            )
        };
        let list = "<body><header class=top><nav><ul class=menu></ul></nav></header><main class=list><section class=grid><div class=card></div><div class=card></div><form class=search></form></section><section class=pager></section></main>";
        let shapes = [
            shape(&post("a", 1)),
            shape(list),
            shape(&post("b c d", 22)),
            shape(&post("", 333)),
        ];
        assert_eq!(groups(&shapes), [0, 1, 0, 0]);
        assert_eq!(groups(&[Shape::default(), Shape::default()]), [0, 0]);
    }

    #[test]
    fn labels_are_what_paths_share() {
        for (paths, expected) in [
            (&["/blog/a", "/blog/b"][..], "/blog/*"),
            (&["/blog/a", "/news/b"], "/*/*"),
            (&["/", "/about"], "/*"),
            (&["/blog/a", "/blog/2026/b"], "/blog/…"),
            (&["/about"], "/about"),
            (&["/"], "/"),
            (&["/a/", "/b/"], "/*/"),
        ] {
            let urls: Vec<Url> = paths
                .iter()
                .map(|path| Url::parse(&format!("https://a.example{path}")).expect("an address"))
                .collect();
            assert_eq!(label_of(&urls.iter().collect::<Vec<_>>()), expected, "{paths:?}");
        }
    }
}
