//! Samples a site: a few pages for every kind of address that its sitemap lists.

use crate::template::segments;
use std::collections::{BTreeMap, HashSet};
use url::Url;

/// Takes a sitemap's address as a page on the origin of `first`.
///
/// `None` for other addresses and for files.
pub(crate) fn listed_page(address: &str, first: &Url) -> Option<Url> {
    let mut listed = Url::parse(address.trim()).ok()?;
    if listed.origin() != first.origin() || is_file(listed.path()) {
        return None;
    }
    listed.set_fragment(None);
    Some(listed)
}

/// Whether a path names a file that is no page.
pub(crate) fn is_file(path: &str) -> bool {
    const KINDS: [&str; 16] = [
        "pdf", "jpg", "jpeg", "png", "gif", "svg", "webp", "avif", "zip", "gz", "mp3", "mp4", "xml", "json",
        "css", "js",
    ];
    let name = path.rsplit('/').next().unwrap_or("");
    let kind = name.rsplit_once('.').map_or("", |(_, kind)| kind);
    KINDS.iter().any(|known| kind.eq_ignore_ascii_case(known))
}

/// Draws at most `most` pages, always including the first one.
///
/// Then each kind of address gives one page in turn, the largest kind first.
/// Within a kind, pages are taken at even distances.
/// The same list gives the same sample.
pub(crate) fn draw(first: &Url, listed: &[Url], most: usize) -> Vec<Url> {
    let mut kinds: BTreeMap<String, Vec<&Url>> = BTreeMap::new();
    let mut seen = HashSet::from([first.as_str()]);
    for url in listed {
        if seen.insert(url.as_str()) {
            kinds.entry(kind(url)).or_default().push(url);
        }
    }
    let mut kinds: Vec<Vec<&Url>> = kinds.into_values().collect();
    // Stable, so that kinds of equal size stay sorted by name.
    kinds.sort_by_key(|pages| std::cmp::Reverse(pages.len()));
    let room = most.saturating_sub(1);
    let shares = shares(&kinds.iter().map(Vec::len).collect::<Vec<_>>(), room);
    let mut sample = vec![first.clone()];
    for (pages, share) in kinds.iter().zip(shares) {
        sample.extend(
            (0..share).filter_map(|at| pages.get(at * pages.len() / share).map(|url| (*url).clone())),
        );
    }
    sample.truncate(most.max(1));
    sample
}

/// Pages of each kind: one in turn until the room is used up.
fn shares(sizes: &[usize], mut room: usize) -> Vec<usize> {
    let mut shares = vec![0; sizes.len()];
    loop {
        let before = room;
        for (share, size) in shares.iter_mut().zip(sizes) {
            if room > 0 && *share < *size {
                *share += 1;
                room -= 1;
            }
        }
        if room == before {
            return shares;
        }
    }
}

/// Tells addresses apart by their first folder and their depth.
fn kind(url: &Url) -> String {
    let parts = segments(url);
    let folder = if parts.len() > 1 {
        parts.first().copied()
    } else {
        None
    };
    format!("{} {}", folder.unwrap_or(""), parts.len().min(4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn urls(paths: impl IntoIterator<Item = String>) -> Vec<Url> {
        let parse = |path: String| Url::parse(&format!("https://a.example{path}")).expect("an address");
        paths.into_iter().map(parse).collect()
    }

    #[test]
    fn every_kind_of_address_is_in_the_sample() {
        let posts = (0..900).map(|n| format!("/blog/post-{n}"));
        let few = ["/about", "/contact", "/shop/a", "/shop/b", "/shop/c"].map(str::to_owned);
        let listed = urls(posts.chain(few));
        let first = Url::parse("https://a.example/").expect("an address");
        let sample = draw(&first, &listed, 8);
        let paths: Vec<&str> = sample.iter().map(Url::path).collect();
        assert_eq!(
            paths,
            [
                "/",
                "/blog/post-0",
                "/blog/post-300",
                "/blog/post-600",
                "/shop/a",
                "/shop/b",
                "/about",
                "/contact"
            ]
        );
        assert_eq!(draw(&first, &listed, 1), std::slice::from_ref(&first));
        assert_eq!(draw(&first, &[], 9), [first]);
    }

    proptest! {
        #[test]
        fn samples_are_as_large_as_they_can_be_and_hold_no_page_twice(paths in proptest::collection::vec("/[ab]{0,2}(/[ab]{0,2}){0,2}", 0..60), most in 1..20_usize) {
            let (first, listed) = (Url::parse("https://a.example/").expect("an address"), urls(paths));
            let sample = draw(&first, &listed, most);
            let distinct: HashSet<&str> = listed.iter().chain([&first]).map(Url::as_str).collect();
            prop_assert_eq!(sample.len(), most.min(distinct.len()));
            prop_assert_eq!(sample.iter().collect::<HashSet<_>>().len(), sample.len());
        }
    }
}
