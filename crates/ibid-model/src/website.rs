//! A website of the measured party: a host, or a path on a host that many owners share.

use crate::domain::{Domain, DomainError};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use url::Url;

/// A host with all below it; on a host that many owners share, such as a code host, the addresses below a path.
///
/// ```
/// use ibid_model::Website;
///
/// let tool: Website = "https://github.com/acme/tool".parse()?;
/// assert!(tool.covers("github.com", "/acme/tool/issues") && !tool.covers("github.com", "/acme/tools"));
/// let shop: Website = "acme.com/shop".parse()?;
/// assert_eq!(shop.to_string(), "acme.com");
/// # Ok::<(), ibid_model::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct Website {
    domain: Domain,
    /// Empty, or a path without a slash at its end.
    path: String,
    /// What was written behind a host that has one owner, and is no part of the website.
    left_out: String,
}

impl Website {
    /// The host, with all below it where there is no path.
    pub const fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The path that belongs to it, without a slash at its end; empty for the whole host.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The address as it was written, with a path that is no part of the website.
    pub fn written(&self) -> String {
        format!("{self}{}", self.left_out)
    }

    /// Whether an address belongs to it.
    pub fn covers(&self, host: &str, path: &str) -> bool {
        let parts = |path: &str| -> (String, String) {
            let (path, query) = path.split_once('?').unwrap_or((path, ""));
            (path.to_lowercase(), query.to_lowercase())
        };
        let ((own, id), (path, query)) = (parts(&self.path), parts(path));
        let below = path.strip_prefix(&own);
        self.domain.covers(host)
            && (own.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#'])))
            && (id.is_empty() || query.split(['&', '#']).any(|pair| pair == id))
    }

    /// The path that was written and is no part of it, because its host has one owner; mostly empty.
    pub fn left_out(&self) -> &str {
        &self.left_out
    }
}

/// Reads the path in a pasted address, without a slash at its end; with an `id` where that names the account.
fn path_of(address: &str) -> String {
    let address = address.trim();
    let full = match address.split_once("://") {
        Some(_) => Url::parse(address),
        None => Url::parse(&format!("http://{}", address.trim_start_matches('/'))),
    };
    let Ok(url) = full else { return String::new() };
    let path = url.path().trim_end_matches('/');
    let id = url.query_pairs().find(|(name, _)| name == "id");
    id.map_or_else(|| path.to_owned(), |(_, id)| format!("{path}?id={id}"))
}

/// Finds the host with many owners that a host is an edition of, or lies below.
fn shared(domain: &Domain) -> Option<Domain> {
    let lines = include_str!("many_owners.txt").lines();
    let hosts = lines
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace);
    let is_edition = |label: &str| {
        let parts = label.split('-');
        matches!(label, "m" | "www" | "mobile") || parts.into_iter().all(|part| part.len() == 2)
    };
    hosts.into_iter().find_map(|host| {
        if let Some(above) = host.strip_prefix('*') {
            return domain.as_str().ends_with(above).then(|| domain.clone());
        }
        let label = domain.as_str().strip_suffix(host)?;
        let same = label.is_empty() || label.strip_suffix('.').is_some_and(is_edition);
        same.then(|| host.parse().ok()).flatten()
    })
}

impl FromStr for Website {
    type Err = DomainError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let domain: Domain = text.parse()?;
        let path = path_of(text);
        Ok(match shared(&domain).filter(|_| !path.is_empty()) {
            Some(domain) => Self {
                path,
                ..domain.into()
            },
            None => Self {
                left_out: path,
                ..domain.into()
            },
        })
    }
}

impl From<Domain> for Website {
    fn from(domain: Domain) -> Self {
        Self {
            domain,
            path: String::new(),
            left_out: String::new(),
        }
    }
}

read_from_text!(Website);

impl From<Website> for String {
    fn from(website: Website) -> Self {
        format!("{}{}{}", website.domain.as_str(), website.path, website.left_out)
    }
}

impl fmt::Display for Website {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.domain.to_unicode(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_kept_on_hosts_of_many_owners() {
        for (address, website, left_out) in [
            ("github.com/acme/tool/", "github.com/acme/tool", ""),
            (
                "https://www.facebook.com/acmeleeds?ref=x",
                "facebook.com/acmeleeds",
                "",
            ),
            (
                "https://sites.google.com/view/acme-plumbing",
                "sites.google.com/view/acme-plumbing",
                "",
            ),
            ("acme.wixsite.com/mysite", "acme.wixsite.com/mysite", ""),
            ("https://de-de.facebook.com/acme", "facebook.com/acme", ""),
            ("acme.tumblr.com/post/1", "acme.tumblr.com", "/post/1"),
            (
                "https://play.google.com/store/apps/details?id=com.acme&hl=de",
                "play.google.com/store/apps/details?id=com.acme",
                "",
            ),
            ("github.com", "github.com", ""),
            ("nike.com/golf", "nike.com", "/golf"),
            ("nike.com/", "nike.com", ""),
            ("notgithub.com/acme", "notgithub.com", "/acme"),
        ] {
            let parsed: Website = address.parse().unwrap();
            assert_eq!(parsed.to_string(), website);
            assert_eq!(parsed.left_out(), left_out, "{address}");
            assert_eq!(String::from(parsed.clone()).parse(), Ok(parsed));
        }
    }

    #[test]
    fn addresses_of_other_owners_are_theirs() {
        let tool: Website = "github.com/acme/tool".parse().unwrap();
        for (host, path, own) in [
            ("github.com", "/Acme/Tool", true),
            ("www.github.com", "/acme/tool?tab=readme", true),
            ("github.com", "/acme/tool-2", false),
            ("github.com", "/acme", false),
            ("github.com", "/other/tool", false),
        ] {
            assert_eq!(tool.covers(host, path), own, "{host}{path}");
        }
        let app: Website = "play.google.com/store/apps/details?id=com.acme".parse().unwrap();
        assert!(app.covers("play.google.com", "/store/apps/details?hl=de&id=com.acme"));
        assert!(!app.covers("play.google.com", "/store/apps/details?id=com.acme.two"));
    }
}
