//! Directories, marketplaces, press and social networks: cited, but no competitors.

use crate::read::text::key;
use ibid_model::result::CompetitorKind;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

struct Classes {
    hosts: FxHashMap<&'static str, CompetitorKind>,
    names: FxHashMap<String, CompetitorKind>,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(|| {
    let mut classes = Classes {
        hosts: FxHashMap::default(),
        names: FxHashMap::default(),
    };
    for section in include_str!("../words/hosts.txt").split("\n[").skip(1) {
        let Some((title, body)) = section.split_once("]\n") else {
            continue;
        };
        let kind = if title.starts_with("directory") {
            CompetitorKind::Directory
        } else {
            CompetitorKind::Media
        };
        if title.ends_with("names") {
            classes
                .names
                .extend(body.split(" | ").map(|name| (key(name).into(), kind)));
        } else {
            classes
                .hosts
                .extend(body.split_whitespace().map(|host| (host, kind)));
        }
    }
    classes
});

/// The kind of site that a host is.
pub(in crate::read) fn kind_of_host(host: &str) -> CompetitorKind {
    let mut rest = host;
    loop {
        if let Some(kind) = CLASSES.hosts.get(rest) {
            return *kind;
        }
        match rest.split_once('.') {
            Some((_, parent)) if parent.contains('.') => rest = parent,
            Some(_) | None => return CompetitorKind::Rival,
        }
    }
}

/// The kind of site that a name denotes.
pub(in crate::read) fn kind_of_name(name: &str) -> CompetitorKind {
    CLASSES
        .names
        .get(&*key(name))
        .copied()
        .unwrap_or(CompetitorKind::Rival)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sites_are_no_competitors() {
        assert_eq!(kind_of_host("www.yelp.com"), CompetitorKind::Directory);
        assert_eq!(kind_of_host("en.wikipedia.org"), CompetitorKind::Media);
        assert_eq!(kind_of_host("acme.com"), CompetitorKind::Rival);
        assert_eq!(kind_of_name("Google Maps"), CompetitorKind::Directory);
        assert_eq!(kind_of_name("Acme"), CompetitorKind::Rival);
    }
}
