//! The site that an address belongs to: its registrable domain.

use url::Url;

/// Whether two addresses share their registrable domain.
pub(crate) fn same_site(one: &Url, other: &Url) -> bool {
    site(one).is_some() && site(one) == site(other)
}

/// The registrable domain, or the host if it has no such domain.
pub(crate) fn site(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    Some(match psl::domain_str(&host) {
        Some(domain) if url.domain().is_some() => domain.to_owned(),
        _ => host,
    })
}
