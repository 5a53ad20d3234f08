//! Links to the target, in the text and in the list of sources.

use super::host;
use super::layout::Form;
use super::page::Page;
use super::reading::{Flag, LinkKind};
use ibid_model::Domain;

/// The strongest link to the target.
#[derive(Clone, Debug)]
pub(super) struct Links {
    pub(super) kind: LinkKind,
    /// The first cited address, of the strongest kind.
    pub(super) url: Option<String>,
}

/// Looks for links to the target.
pub(super) fn links(page: &Page<'_>, flags: &mut Vec<Flag>) -> Links {
    let mut found = Links {
        kind: LinkKind::None,
        url: None,
    };
    let mut take = |kind: LinkKind, url: &str| {
        if kind > found.kind {
            found.kind = kind;
            found.url = Some(url.to_owned());
        }
    };
    for link in &page.links {
        if link.own {
            let listed = page
                .layout
                .block_at(link.span.start)
                .is_some_and(|block| page.sources.get(block) == Some(&true));
            let kind = match link.form {
                _ if listed => LinkKind::Annotation,
                Form::Markdown => LinkKind::Markdown,
                Form::Url => LinkKind::Url,
                Form::Host => LinkKind::Host,
            };
            take(kind, &link.address.url);
        } else if page.target.is_imitated_by(&link.address.host) {
            flags.push(Flag::ConfusableHost);
        }
    }
    let beside = page
        .answer
        .citations
        .iter()
        .map(|citation| (citation.url.as_str(), citation.title.as_deref()));
    for (url, title) in beside.chain(page.layout.sources.iter().map(|url| (url.as_str(), None))) {
        let Some(address) = host::resolve(url) else {
            continue;
        };
        if page.target.owns_at(&address) {
            take(LinkKind::Annotation, &address.url);
        } else if address.host == host::HIDING && title.is_some_and(|title| names_host(page, title)) {
            flags.push(Flag::RedirectTitle);
            take(LinkKind::Annotation, url);
        }
    }
    found
}

/// Whether a title is only a host of the target.
fn names_host(page: &Page<'_>, title: &str) -> bool {
    let title = title.trim();
    title.contains('.')
        && !title.contains(' ')
        && title
            .parse::<Domain>()
            .is_ok_and(|domain| page.target.owns(domain.as_str()))
}

/// Whether a code block contains the target's host.
pub(super) fn in_code(page: &Page<'_>) -> bool {
    let domain = page.target.domain().as_str();
    page.layout
        .code
        .iter()
        .filter_map(|span| page.clean.text.get(span.clone()))
        .any(|line| {
            line.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-')))
                .any(|token| token.len() >= domain.len() && page.target.owns(&token.to_ascii_lowercase()))
        })
}
