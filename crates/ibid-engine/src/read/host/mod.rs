//! Hosts: where a link leads, and what kind of site that is.

mod classes;
mod confusable;
mod redirect;

pub(crate) use classes::{MediaKind, is_institution, media_kind};
pub(super) use classes::{kind_of_host, kind_of_name};
pub(super) use confusable::imitates;

use ibid_model::{Domain, Website};
use url::{Host, Url};

/// Host in addresses that hide their destination, also used for those of search results.
/// A citation's title names its host.
pub(super) const HIDING: &str = "vertexaisearch.cloud.google.com";

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The host, in ASCII, lower case.
    pub(super) host: String,
    /// The address, behind any redirector.
    pub(super) url: String,
}

/// Tells where an address leads, with known redirectors unwrapped; `None` if it is not the address of a website.
pub(super) fn resolve(url: &str) -> Option<Address> {
    let parsed = parse(url.trim())?;
    let target = redirect::unwrap(parsed)?;
    let host = match target.host()? {
        Host::Domain(host) => host.trim_end_matches('.').to_ascii_lowercase(),
        Host::Ipv4(_) | Host::Ipv6(_) => return None,
    };
    let host = if redirect::hides(&target) {
        HIDING.to_owned()
    } else {
        host
    };
    host.contains('.').then(|| Address {
        host,
        url: target.into(),
    })
}

fn parse(url: &str) -> Option<Url> {
    let has_scheme = url
        .split_once("://")
        .is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let parsed = if has_scheme {
        Url::parse(url)
    } else if url.starts_with("//") {
        Url::parse(&format!("http:{url}"))
    } else if url
        .split_once(':')
        .is_some_and(|(scheme, _)| !scheme.contains(['.', '/', '?']))
    {
        // `mailto:`, `tel:`, `data:` …
        return None;
    } else {
        Url::parse(&format!("http://{url}"))
    };
    parsed.ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

impl Address {
    /// The path and what follows.
    pub(super) fn path(&self) -> &str {
        let rest = self.url.split_once("://").map_or(&*self.url, |(_, rest)| rest);
        rest.find('/').map_or("", |at| &rest[at..])
    }
}

/// The website that an address is on, if it is one of these.
pub(super) fn website_of<'a>(websites: &'a [Website], host: &str, path: &str) -> Option<&'a Website> {
    websites
        .iter()
        .find(|website| is_own(website.domain(), host) && website.covers(host, path))
}

/// Whether a host is that of a domain or below it.
/// A domain below which the public may register, such as `github.io`, covers only itself.
/// So does the host of addresses that hide their destination.
pub(super) fn is_own(domain: &Domain, host: &str) -> bool {
    if !domain.covers(host) {
        return false;
    }
    let is_suffix = psl::suffix(domain.as_str().as_bytes())
        .is_some_and(|suffix| suffix.as_bytes() == domain.as_str().as_bytes());
    if is_suffix {
        return host.strip_prefix("www.").unwrap_or(host) == domain.as_str();
    }
    host != HIDING || domain.as_str() == host
}

/// Cuts a host to its registrable domain: `acme.co.uk` from `www.shop.acme.co.uk`.
pub(crate) fn registrable(host: &str) -> &str {
    psl::domain_str(host).unwrap_or(host)
}

/// Finds the label that names a host's owner: `acme` in `www.shop.acme.co.uk`.
pub(crate) fn owner_label(host: &str) -> &str {
    let registrable = registrable(host);
    registrable.split('.').next().unwrap_or(registrable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, host: Option<&str>) {
        assert_eq!(resolve(url).map(|address| address.host).as_deref(), host, "{url}");
    }

    #[test]
    fn links_lead_to_hosts() {
        check("https://user@Acme.COM.:443/x", Some("acme.com"));
        check("www.acme.com/menu", Some("www.acme.com"));
        check("//acme.com", Some("acme.com"));
        check("https://müller.de", Some("xn--mller-kva.de"));
        check(
            "https://www.google.com/url?q=https%3A%2F%2Facme.com%2Fa&sa=U",
            Some("acme.com"),
        );
        check(
            "https://l.facebook.com/l.php?u=https%3A%2F%2Facme.com",
            Some("acme.com"),
        );
        check(
            "https://duckduckgo.com/l/?uddg=https%3A%2F%2Facme.com%2F",
            Some("acme.com"),
        );
        check("https://www.google.com/search?q=acme.com", Some(HIDING));
        for carrier in [
            "https://acme-com.translate.goog/x",
            "https://www-acme-com.cdn.ampproject.org/c/s/acme.com/leeds",
            "https://www.google.com/amp/s/acme.com/leeds",
            "https://r.jina.ai/https://acme.com/leeds",
            "https://translate.google.com/translate?sl=de&u=https%3A%2F%2Facme.com",
            "https://urldefense.com/v3/__https://acme.com/a__;!!x",
            "https://href.li/?https://acme.com/a",
        ] {
            check(carrier, Some("acme.com"));
        }
        check(
            "https://kns-cnki-net-443.webvpn.example.edu/x",
            Some("kns-cnki-net-443.webvpn.example.edu"),
        );
        for none in [
            "mailto:me@acme.com",
            "tel:123",
            "https://127.0.0.1/",
            "https://localhost/",
            "#top",
            "",
            "ftp://acme.com",
        ] {
            check(none, None);
        }
    }

    #[test]
    fn a_public_suffix_covers_itself_alone() {
        let own = |domain: &str, host: &str| is_own(&domain.parse().unwrap(), host);
        assert!(own("acme.com", "shop.acme.com") && !own("acme.com", "notacme.com"));
        assert!(own("github.io", "github.io") && !own("github.io", "alice.github.io"));
        assert!(own("alice.github.io", "alice.github.io"));
        assert_eq!(owner_label("www.shop.acme.co.uk"), "acme");
    }
}
