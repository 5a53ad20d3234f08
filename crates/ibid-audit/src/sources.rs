//! Sites that an article links as its sources.

use crate::facts::Facts;
use crate::site_name::site;
use crate::vocabulary::Words;
use std::collections::BTreeSet;

/// Sites that pages link for followers, for money or for files, rather than as a source.
///
/// By registrable domain.
static NO_SOURCES: Words = Words::new(include_str!("words/sources_no_sources.txt"));

/// Where programs are sold.
const STORES: &[&str] = &["apps.apple.com", "itunes.apple.com", "play.google.com"];

/// The registrable domains that the article links as sources.
///
/// Leaves out the site, its sisters and links in furniture.
pub(crate) fn find(facts: &Facts<'_>) -> BTreeSet<String> {
    let own = facts.base.as_ref().and_then(site);
    // A site that menus and footers link is the publisher's own, or its partner.
    let family: BTreeSet<String> = facts
        .reading
        .links
        .iter()
        .filter(|link| link.in_furniture)
        .filter_map(|link| site(&facts.resolve(&link.href)?))
        .collect();
    facts
        .reading
        .article_links
        .iter()
        .filter(|link| !link.text.is_empty() && !link.rel.contains("sponsored"))
        .filter_map(|link| {
            let url = facts.resolve(&link.href)?;
            let name = site(&url)?;
            let is_web = matches!(url.scheme(), "http" | "https");
            let is_store = url.host_str().is_some_and(|host| STORES.contains(&host));
            let is_own = own.as_ref().is_some_and(|own| is_sister(own, &name));
            let excluded = NO_SOURCES.contains(&name) || family.contains(&name) || is_store || is_own;
            (is_web && !excluded && !is_picture(url.path())).then_some(name)
        })
        .collect()
}

/// Whether two sites have the same name under different endings, as `bbc.com` and `bbc.co.uk`.
fn is_sister(one: &str, other: &str) -> bool {
    let label = |domain: &str| domain.split('.').next().unwrap_or("").to_owned();
    one == other || (label(one).len() > 2 && label(one) == label(other))
}

fn is_picture(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    [".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg"]
        .iter()
        .any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sisters_share_their_name() {
        for (one, other, expected) in [
            ("bbc.com", "bbc.co.uk", true),
            ("example.org", "example.org", true),
            ("example.org", "sample.org", false),
            ("t.me", "t.co", false),
        ] {
            assert_eq!(is_sister(one, other), expected, "{one} {other}");
        }
    }
}
