//! The addresses that an answer cites, in its text and in its list of sources.

use super::LONGEST;
use super::host;
use super::layout::{Form, Layout};
use super::text::Clean;
use super::words::{List, list};
use ibid_model::result::CompetitorKind;
use ibid_model::{Citation, Domain, Website};

/// An address that an answer cites, behind any redirector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CitedAddress {
    /// The host's registrable domain; for the target's, the domain of its website.
    pub(crate) site: Domain,
    /// What kind of host it is.
    pub(crate) kind: CompetitorKind,
    /// Which website among the target's it is on, by position.
    pub(crate) website: Option<usize>,
    /// Whether the text links to it; otherwise it is a source outside the text.
    pub(crate) in_text: bool,
    /// Whether the text shows it, and not only words that link to it.
    pub(crate) written: bool,
    /// The address, without tracking parameters and fragment.
    pub(crate) url: String,
}

impl CitedAddress {
    /// Whether it is the target's.
    pub(crate) const fn is_own(&self) -> bool {
        self.website.is_some()
    }
}

/// Returns the addresses that an answer cites, in no particular order.
/// A redirector that hides its target counts as the host in the title of the source.
/// It does not count if the title has no host.
pub(crate) fn cited_addresses(target: &[Website], text: &str, citations: &[Citation]) -> Vec<CitedAddress> {
    let layout = Layout::of(&Clean::of(&text[..text.floor_char_boundary(LONGEST)]), citations);
    let links = layout.links.iter().filter_map(|link| {
        let address = resolve(target, &link.url, None)?;
        Some(CitedAddress {
            in_text: true,
            written: link.form != Form::Markdown,
            ..address
        })
    });
    let defined = layout.sources.iter().filter_map(|url| {
        Some(CitedAddress {
            in_text: true,
            ..resolve(target, url, None)?
        })
    });
    let beside = citations
        .iter()
        .filter_map(|citation| resolve(target, &citation.url, citation.title.as_deref()));
    links.chain(defined).chain(beside).collect()
}

/// Resolves an address that the answer used as a source outside the text.
fn resolve(target: &[Website], url: &str, title: Option<&str>) -> Option<CitedAddress> {
    let mut address = host::resolve(url)?;
    if address.host == host::HIDING {
        let title = title?.trim();
        let named: Domain = (title.contains('.') && !title.contains(char::is_whitespace))
            .then(|| title.parse().ok())
            .flatten()?;
        address.host = named.as_str().to_owned();
        address.url = format!("https://{named}/");
    }
    let own = host::website_of(target, &address.host, address.path());
    let site = match own {
        Some(website) => website.domain().clone(),
        None => host::registrable(&address.host).parse().ok()?,
    };
    Some(CitedAddress {
        site,
        kind: host::kind_of_host(&address.host),
        in_text: false,
        written: false,
        website: own.and_then(|own| target.iter().position(|website| website == own)),
        url: without_tracking(&address.url),
    })
}

/// Drops the fragment and the parameters by which senders count visits.
fn without_tracking(address: &str) -> String {
    let Ok(mut url) = url::Url::parse(address) else {
        return address.to_owned();
    };
    static TRACKING: List = list("tracking");
    url.set_fragment(None);
    let counts = |name: &str| name.starts_with("utm_") || TRACKING.has(name);
    if url.query_pairs().any(|(name, _)| counts(&name)) || url.query() == Some("") {
        let kept: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(name, _)| !counts(name))
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        url.set_query(None);
        if !kept.is_empty() {
            url.query_pairs_mut().extend_pairs(kept);
        }
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(text: &str, citations: &[Citation]) -> Vec<(String, String)> {
        cited_addresses(&["example.com".parse().unwrap()], text, citations)
            .into_iter()
            .map(|cited| (cited.site.as_str().to_owned(), cited.url))
            .collect()
    }

    #[test]
    fn links_and_sources_are_addresses_behind_redirectors() {
        let beside =
            Citation::of_url("https://www.google.com/url?q=https%3A%2F%2Fen.wikipedia.org%2Fwiki%2FPlumber");
        let found = cited(
            "See [Rival](https://shop.rival.co.uk/a?utm_source=x&b=1#top).",
            &[beside],
        );
        let expected = [
            ("rival.co.uk", "https://shop.rival.co.uk/a?b=1"),
            ("wikipedia.org", "https://en.wikipedia.org/wiki/Plumber"),
        ];
        assert_eq!(
            found,
            expected.map(|(site, url)| (site.to_owned(), url.to_owned()))
        );
    }

    #[test]
    fn a_hidden_address_counts_as_the_host_in_its_title() {
        let hidden = |title: Option<&str>| Citation {
            url: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AbC".to_owned(),
            title: title.map(str::to_owned),
            span: None,
        };
        let citations = [
            hidden(Some("yelp.com")),
            hidden(Some("The best plumbers")),
            hidden(None),
        ];
        assert_eq!(
            cited("", &citations),
            [("yelp.com".to_owned(), "https://yelp.com/".to_owned())]
        );
    }

    #[test]
    fn hosts_below_the_target_are_its_own() {
        let found = cited_addresses(
            &["example.com".parse().unwrap()],
            "https://shop.example.com/menu/?utm_medium=ai",
            &[],
        );
        assert_eq!(found[0].website, Some(0));
        assert_eq!(found[0].url, "https://shop.example.com/menu/");
    }
}
