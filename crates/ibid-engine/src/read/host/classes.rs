//! Directories, marketplaces, press and social networks: cited, but no competitors.

use crate::read::text::key;
use ibid_model::result::CompetitorKind;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What kind a site is that writes about others: all of them are media to a competitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaKind {
    /// Press, guides, tests.
    Press,
    /// Forums, social networks, blogs and videos of everyone.
    Community,
    /// Encyclopaedias.
    Reference,
}

struct Classes {
    hosts: FxHashMap<&'static str, CompetitorKind>,
    media: FxHashMap<&'static str, MediaKind>,
    names: FxHashMap<String, CompetitorKind>,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(|| {
    let mut classes = Classes {
        hosts: FxHashMap::default(),
        media: FxHashMap::default(),
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
        let media = match title {
            "community" => Some(MediaKind::Community),
            "reference" => Some(MediaKind::Reference),
            _ => None,
        };
        if let Some(media) = media {
            classes
                .media
                .extend(body.split_whitespace().map(|host| (host, media)));
        }
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

/// Tells what kind of site a host is.
pub(in crate::read) fn kind_of_host(host: &str) -> CompetitorKind {
    of_parents(host, &CLASSES.hosts).unwrap_or(CompetitorKind::Rival)
}

/// Tells which kind a host is that is media.
pub(crate) fn media_kind(host: &str) -> MediaKind {
    of_parents(host, &CLASSES.media).unwrap_or(MediaKind::Press)
}

/// Looks a host up, or else the nearest one of its parents.
fn of_parents<T: Copy>(host: &str, known: &FxHashMap<&'static str, T>) -> Option<T> {
    let mut rest = host;
    loop {
        if let Some(found) = known.get(rest) {
            return Some(*found);
        }
        match rest.split_once('.') {
            Some((_, parent)) if parent.contains('.') => rest = parent,
            Some(_) | None => return None,
        }
    }
}

/// Whether a host belongs to a state, a school, a university or another public body, by the end of its name.
pub(crate) fn is_institution(host: &str) -> bool {
    const LAST: [&str; 4] = ["gov", "edu", "mil", "int"];
    const LAST_BUT_ONE: [&str; 8] = ["gov", "edu", "ac", "gob", "gouv", "govt", "go", "mil"];
    const ENDS: [&str; 6] = ["europa.eu", "bund.de", "admin.ch", "nhs.uk", "gv.at", "gc.ca"];
    let labels: Vec<&str> = host.rsplit('.').collect();
    let last = labels.first().is_some_and(|label| LAST.contains(label));
    let national = labels.first().is_some_and(|label| label.len() == 2);
    let second = labels.len() > 2 && labels.get(1).is_some_and(|label| LAST_BUT_ONE.contains(label));
    let known = |end: &&str| host == *end || host.ends_with(&format!(".{end}"));
    last || (national && second) || ENDS.iter().any(known)
}

/// Tells what kind of site a name denotes.
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

    #[test]
    fn media_have_kinds_and_institutions_have_ends() {
        for (host, kind) in [
            ("old.reddit.com", MediaKind::Community),
            ("de.wikipedia.org", MediaKind::Reference),
            ("theguardian.com", MediaKind::Press),
        ] {
            assert_eq!(kind_of_host(host), CompetitorKind::Media, "{host}");
            assert_eq!(media_kind(host), kind, "{host}");
        }
        for (host, expected) in [
            ("www.fda.gov", true),
            ("www.bristol.ac.uk", true),
            ("service-public.gouv.fr", true),
            ("ec.europa.eu", true),
            ("gov", true),
            ("ac.uk", false),
            ("gov.example.com", false),
            ("education.com", false),
            ("go.com", false),
        ] {
            assert_eq!(is_institution(host), expected, "{host}");
        }
    }
}
