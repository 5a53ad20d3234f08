//! One spelling for a page, whatever tool names it.

use ibid_model::Domain;
use url::Url;

/// Longest address that is kept.
const LONGEST: usize = 2_048;

/// A page of the domain as `host/path`: lower-case host without `www.`, no scheme, no query, no fragment and no slash at the
/// end. `None` for an address of another website or none at all. A path alone is on the domain itself.
///
/// The query goes because it may hold what a visitor typed.
///
/// ```
/// let domain = "example.com".parse()?;
/// let key = |address| ibid_first_party::page_key(address, &domain);
/// assert_eq!(key("https://www.Example.com/Plans/?utm_source=openai#top").as_deref(), Some("example.com/Plans"));
/// assert_eq!(key("/plans").as_deref(), Some("example.com/plans"));
/// assert_eq!(key("https://example.org/"), None);
/// # Ok::<(), ibid_model::DomainError>(())
/// ```
pub fn page_key(address: &str, domain: &Domain) -> Option<String> {
    let address = address.trim();
    if address.is_empty() || address.len() > LONGEST {
        return None;
    }
    if address.starts_with('/') && !address.starts_with("//") {
        return Some(key_of(domain.as_str(), address));
    }
    let parsed = if address.contains("://") {
        Url::parse(address)
    } else {
        Url::parse(&format!("https://{address}"))
    };
    let url = parsed.ok()?;
    let host = url.host_str()?;
    (matches!(url.scheme(), "http" | "https") && domain.covers(host)).then(|| key_of(host, url.path()))
}

/// Writes the key for a path on a host that the domain covers.
pub(crate) fn key_of(host: &str, path: &str) -> String {
    let path = path
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .trim_end_matches('/');
    let host = host.strip_prefix("www.").unwrap_or(host);
    format!("{host}{path}")
}
