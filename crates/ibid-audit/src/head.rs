//! The metadata in the head of a page.

use crate::directives::{self, Directive, Place};
use crate::html::{Document, NodeId, Step, cut};
use crate::limits::{ADDRESS_BYTES, MANY};
use crate::page::Headers;
use crate::quote::quote_to;
use html5ever::local_name;
use url::Url;

/// A meta element with a name or a property.
#[derive(Clone, Debug)]
pub(crate) struct Meta {
    /// Name or property, in lower case.
    pub(crate) name: String,
    pub(crate) content: String,
    pub(crate) line: u32,
}

/// A link element with an address.
#[derive(Clone, Debug)]
pub(crate) struct HeadLink {
    /// Relations, in lower case.
    pub(crate) rel: String,
    pub(crate) href: String,
    pub(crate) hreflang: Option<String>,
    pub(crate) line: u32,
    /// Whether it is in the head.
    ///
    /// Search engines ignore a canonical in the body.
    pub(crate) in_head: bool,
}

impl HeadLink {
    /// Whether the relation is among its relations.
    pub(crate) fn is(&self, relation: &str) -> bool {
        self.rel.split_ascii_whitespace().any(|word| word == relation)
    }
}

/// What a page's head declares.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// The title and its line.
    pub(crate) title: Option<(String, u32)>,
    pub(crate) metas: Vec<Meta>,
    pub(crate) links: Vec<HeadLink>,
    pub(crate) base: Option<String>,
    /// `html lang` as written.
    pub(crate) lang: Option<String>,
    /// Seconds of a meta refresh and its line.
    pub(crate) refresh: Option<(f64, u32)>,
    /// Directives of metas and headers.
    pub(crate) directives: Vec<Directive>,
}

/// Reads head elements anywhere on the page, and the equivalent headers.
pub(crate) fn read(document: &Document, headers: &Headers) -> Head {
    let mut head = Head::default();
    let mut inside = 0_usize;
    for step in document.walk(document.root()) {
        match step {
            Step::Enter(node) => {
                inside += usize::from(document.name(node) == Some(&local_name!("head")));
                head.element(document, node, inside > 0);
            }
            Step::Leave(node) => {
                inside -= usize::from(document.name(node) == Some(&local_name!("head")));
            }
        }
    }
    for value in headers.all("x-robots-tag") {
        directives::read(value, None, Place::Header, &mut head.directives);
    }
    for value in headers.all("link").take(20) {
        head.link_header(value);
    }
    head
}

impl Head {
    /// Finds the first meta element with one of these names and any content.
    pub(crate) fn meta(&self, names: &[&str]) -> Option<&Meta> {
        names.iter().find_map(|name| {
            self.metas
                .iter()
                .find(|meta| meta.name == *name && !meta.content.trim().is_empty())
        })
    }

    /// Returns the site's name, as it declares it for previews.
    pub(crate) fn site_name(&self) -> Option<&str> {
        Some(&self.meta(&["og:site_name"])?.content)
    }

    /// The address that relative ones on the page are resolved against.
    pub(crate) fn base(&self, page: Option<&Url>) -> Option<Url> {
        match (&self.base, page) {
            (Some(base), Some(page)) => page.join(base).ok(),
            (Some(base), None) => Url::parse(base).ok(),
            (None, page) => page.cloned(),
        }
    }

    fn element(&mut self, document: &Document, node: NodeId, in_head: bool) {
        let Some(name) = document.name(node) else { return };
        let line = document.line(node);
        match *name {
            local_name!("html") => {
                self.lang = document
                    .attribute(node, &local_name!("lang"))
                    .map(|lang| cut(lang.trim(), 40).to_owned());
            }
            local_name!("title") if self.title.is_none() && !is_in_svg(document, node) => {
                let text = quote_to(&document.raw_text(node, 4_096), 500);
                self.title = Some((text, line));
            }
            local_name!("base") if self.base.is_none() => {
                self.base = document
                    .attribute(node, &local_name!("href"))
                    .map(|href| cut(href.trim(), ADDRESS_BYTES).to_owned());
            }
            local_name!("meta") if self.metas.len() < MANY => self.meta_element(document, node, line),
            local_name!("link") if self.links.len() < MANY => {
                let Some(href) = document.attribute(node, &local_name!("href")) else {
                    return;
                };
                self.links.push(HeadLink {
                    rel: document
                        .attribute(node, &local_name!("rel"))
                        .unwrap_or("")
                        .to_ascii_lowercase(),
                    href: cut(href.trim(), ADDRESS_BYTES).to_owned(),
                    hreflang: document
                        .attribute(node, &local_name!("hreflang"))
                        .map(|tag| cut(tag.trim(), 40).to_owned()),
                    line,
                    in_head,
                });
            }
            _ => {}
        }
    }

    fn meta_element(&mut self, document: &Document, node: NodeId, line: u32) {
        let content = document.attribute(node, &local_name!("content")).unwrap_or("");
        if let Some(kind) = document.attribute(node, &local_name!("http-equiv"))
            && kind.trim().eq_ignore_ascii_case("refresh")
            && self.refresh.is_none()
        {
            let seconds: String = content
                .trim_start()
                .chars()
                .take_while(|c| c.is_ascii_digit() || *c == '.')
                .take(12)
                .collect();
            self.refresh = seconds.parse().ok().map(|seconds| (seconds, line));
        }
        for key in [local_name!("name"), local_name!("property")] {
            if let Some(name) = document.attribute(node, &key) {
                let name = cut(name.trim(), 100).to_ascii_lowercase();
                if let Some(agent) = directives::meta_agent(&name) {
                    directives::read(content, agent.as_deref(), Place::Meta(line), &mut self.directives);
                }
                self.metas.push(Meta {
                    name,
                    content: content.to_owned(),
                    line,
                });
            }
        }
    }

    /// `Link: <https://…>; rel="canonical"`, the header form of a link element (RFC 8288).
    fn link_header(&mut self, value: &str) {
        for part in cut(value, 8_192).split(",") {
            let Some((href, parameters)) = part
                .trim()
                .strip_prefix('<')
                .and_then(|rest| rest.split_once('>'))
            else {
                continue;
            };
            let parameter = |wanted: &str| {
                parameters.split(';').find_map(|parameter| {
                    let (name, value) = parameter.split_once('=')?;
                    name.trim()
                        .eq_ignore_ascii_case(wanted)
                        .then(|| value.trim().trim_matches('"').to_ascii_lowercase())
                })
            };
            if let Some(rel) = parameter("rel")
                && self.links.len() < MANY
            {
                self.links.push(HeadLink {
                    rel,
                    href: href.trim().to_owned(),
                    hreflang: parameter("hreflang"),
                    line: 0,
                    in_head: true,
                });
            }
        }
    }
}

fn is_in_svg(document: &Document, node: NodeId) -> bool {
    document
        .parent(node)
        .and_then(|parent| document.name(parent))
        .is_some_and(|name| matches!(&**name, "svg" | "g" | "symbol" | "a" | "defs"))
}
