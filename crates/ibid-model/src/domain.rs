//! The website domain a scan looks for.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use url::{Host, Url};

/// A host name of at least two labels, lower case, in its ASCII form (A-labels), without a leading `www.`.
///
/// Parsing takes what people paste: `Example.com`, `https://www.example.com:8080/path?q`, `müller.de`, `example.com.`.
///
/// ```
/// use ibid_model::Domain;
///
/// let domain: Domain = "https://www.Example.com/about".parse()?;
/// assert_eq!(domain.as_str(), "example.com");
/// assert!("localhost".parse::<Domain>().is_err());
/// # Ok::<(), ibid_model::DomainError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Domain(String);

/// Why a text names no website domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// Nothing there.
    #[error("is empty")]
    Empty,
    /// Longer than any host name with a path worth pasting.
    #[error("is longer than 2,000 characters")]
    TooLong,
    /// An IP address. Answers cite names.
    #[error("is an IP address, not a domain name")]
    IpAddress,
    /// One label: `localhost`, `intranet`.
    #[error("has no top-level domain")]
    SingleLabel,
    /// User information in front of the host: `user@example.com`.
    #[error("looks like an e-mail address or carries user information")]
    UserInfo,
    /// Another scheme than http or https.
    #[error("has a scheme other than http or https")]
    Scheme,
    /// Not a host name.
    #[error("is not a domain name")]
    Invalid,
}

impl Domain {
    /// The ASCII form, as in DNS.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form a person reads: A-labels decoded.
    pub fn to_unicode(&self) -> String {
        idna::domain_to_unicode(&self.0).0
    }

    /// Whether `host` is this domain or a subdomain of it (`shop.example.com` for `example.com`).
    /// `host` is taken in ASCII form; case and one trailing dot do not matter.
    pub fn covers(&self, host: &str) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host);
        let Some(start) = host.len().checked_sub(self.0.len()) else {
            return false;
        };
        let (Some(head), Some(tail)) = (host.as_bytes().get(..start), host.as_bytes().get(start..)) else {
            return false;
        };
        tail.eq_ignore_ascii_case(self.0.as_bytes()) && (head.is_empty() || head.last() == Some(&b'.'))
    }
}

/// Most characters of what people paste.
const LONGEST: usize = 2_000;

impl FromStr for Domain {
    type Err = DomainError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.is_empty() {
            return Err(DomainError::Empty);
        }
        if text.chars().count() > LONGEST {
            return Err(DomainError::TooLong);
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(DomainError::Invalid);
        }
        let url = parse_as_url(text)?;
        if !url.username().is_empty() || url.password().is_some() || before_path(text).contains('@') {
            return Err(DomainError::UserInfo);
        }
        let host = match url.host() {
            Some(Host::Domain(host)) => host,
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => return Err(DomainError::IpAddress),
            None => return Err(DomainError::Invalid),
        };
        Self::of_host(host)
    }
}

impl Domain {
    /// Takes a host in ASCII form, without a final dot and without `www.`, so that both spellings are one website.
    fn of_host(host: &str) -> Result<Self, DomainError> {
        let host = host.strip_suffix('.').unwrap_or(host);
        if host.len() > 253 {
            return Err(DomainError::Invalid);
        }
        let bare = host
            .strip_prefix("www.")
            .filter(|rest| rest.contains('.'))
            .unwrap_or(host);
        check_labels(bare)?;
        Ok(Self(bare.to_owned()))
    }
}

/// Parses the text as an http URL. A scheme ends with `://`: `example.com:8080` has no scheme.
fn parse_as_url(text: &str) -> Result<Url, DomainError> {
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("mailto:") {
        return Err(DomainError::UserInfo);
    }
    let full = match lower.split_once("://") {
        Some(("http" | "https", _)) => text.to_owned(),
        Some((scheme, _))
            if scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) =>
        {
            return Err(DomainError::Scheme);
        }
        _ => format!("http://{}", text.trim_start_matches('/')),
    };
    Url::parse(&full).map_err(|_| DomainError::Invalid)
}

/// Cuts scheme and path off a pasted address.
fn before_path(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// Host name rules (RFC 952 and 1123) on top of what the URL parser lets through, such as `_` or `*`.
fn check_labels(host: &str) -> Result<(), DomainError> {
    let mut labels = 0;
    let mut numeric_end = false;
    for label in host.as_bytes().split(|byte| *byte == b'.') {
        labels += 1;
        let inner = label
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        if !inner
            || label.is_empty()
            || label.len() > 63
            || label.first() == Some(&b'-')
            || label.last() == Some(&b'-')
        {
            return Err(DomainError::Invalid);
        }
        numeric_end = label.iter().all(u8::is_ascii_digit);
    }
    match labels {
        0 | 1 => Err(DomainError::SingleLabel),
        _ if numeric_end => Err(DomainError::Invalid),
        _ => Ok(()),
    }
}

read_from_text!(Domain);

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Domain({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: Result<&str, DomainError>) {
        let parsed = text.parse::<Domain>();
        assert_eq!(
            parsed.as_ref().map(Domain::as_str).map_err(|e| *e),
            expected,
            "{text:?}"
        );
    }

    #[test]
    fn accepts_pasted_addresses_and_hosts() {
        check("example.com", Ok("example.com"));
        check("  Example.COM. ", Ok("example.com"));
        check("www.example.com", Ok("example.com"));
        check("https://www.example.com:8443/a/b?c=d#e", Ok("example.com"));
        check("example.com:8080", Ok("example.com"));
        check("example.com/path@v2", Ok("example.com"));
        check("//example.com/path", Ok("example.com"));
        check("shop.example.co.uk", Ok("shop.example.co.uk"));
        check("müller.de", Ok("xn--mller-kva.de"));
        check("XN--MLLER-KVA.de", Ok("xn--mller-kva.de"));
        check("例え.jp", Ok("xn--r8jz45g.jp"));
        check("example。com", Ok("example.com"));
        check("www.com", Ok("www.com"));
    }

    #[test]
    fn refuses_texts_that_name_no_website() {
        check("", Err(DomainError::Empty));
        check("   ", Err(DomainError::Empty));
        check("localhost", Err(DomainError::SingleLabel));
        check("127.0.0.1", Err(DomainError::IpAddress));
        check("2130706433", Err(DomainError::IpAddress));
        check("http://[::1]/", Err(DomainError::IpAddress));
        check("me@example.com", Err(DomainError::UserInfo));
        check("@example.com", Err(DomainError::UserInfo));
        check("mailto:me@example.com", Err(DomainError::UserInfo));
        check("https://user:pw@example.com", Err(DomainError::UserInfo));
        check("ftp://example.com", Err(DomainError::Scheme));
        check("javascript:alert(1)", Err(DomainError::Invalid));
        check("not a domain", Err(DomainError::Invalid));
        check("exa_mple.com", Err(DomainError::Invalid));
        check("*.example.com", Err(DomainError::Invalid));
        check("-example.com", Err(DomainError::Invalid));
        check("example..com", Err(DomainError::Invalid));
        check("example.123", Err(DomainError::Invalid));
        check("exam\u{0}ple.com", Err(DomainError::Invalid));
        check(&"a".repeat(2_001), Err(DomainError::TooLong));
        check(&format!("{}.com", "a".repeat(64)), Err(DomainError::Invalid));
    }

    #[test]
    fn covers_itself_and_its_subdomains() {
        let domain: Domain = "example.com".parse().unwrap();
        for host in [
            "example.com",
            "EXAMPLE.com",
            "shop.example.com",
            "a.b.example.com.",
            "example.com.",
        ] {
            assert!(domain.covers(host), "{host}");
        }
        for host in [
            "notexample.com",
            "example.com.evil.org",
            "example.co",
            "com",
            "",
            ".",
        ] {
            assert!(!domain.covers(host), "{host}");
        }
    }

    proptest! {
        #[test]
        fn plain_hosts_are_read_as_the_parser_reads_them(host in "(www\\.)?[a-z0-9.-]{0,12}\\.?[a-z0-9]{1,4}\\.?") {
            // A port does not change the result, but only the parser can read it.
            let parsed = format!("{host}:80").parse::<Domain>();
            prop_assert_eq!(host.parse::<Domain>().ok(), parsed.ok());
        }


        #[test]
        fn parse_never_panics(text in ".{0,80}") {
            let _ = text.parse::<Domain>();
        }

        #[test]
        fn a_parsed_domain_parses_to_itself(text in "[a-zA-Zäöü0-9.-]{1,40}\\.[a-z]{2,6}") {
            if let Ok(domain) = text.parse::<Domain>() {
                prop_assert_eq!(domain.as_str().parse::<Domain>().unwrap(), domain.clone());
                prop_assert_eq!(domain.to_unicode().parse::<Domain>().unwrap(), domain);
            }
        }
    }
}
