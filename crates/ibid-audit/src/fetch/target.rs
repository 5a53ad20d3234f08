//! The rules for addresses, applied before the first request.

use super::{AddressRefusal, AllowList, judge_address};
use crate::limits::ADDRESS_BYTES;
use crate::vocabulary::Words;
use std::net::IpAddr;
use url::{Host, Url};

/// Names with a meaning only inside a network.
///
/// `home.arpa` and reverse names are under `arpa`.
static RESERVED: Words = Words::new(include_str!("../words/fetch_target_reserved.txt"));

/// The addresses that a program permits.
#[derive(Clone, Debug)]
pub struct AddressRules {
    /// Ports that may be asked.
    pub ports: Vec<u16>,
    /// Names that are kept out, with everything under them.
    pub denied_names: Vec<String>,
    /// Addresses that tests may ask.
    pub allow_list: AllowList,
}

impl Default for AddressRules {
    fn default() -> Self {
        Self {
            ports: vec![80, 443, 8080, 8443],
            denied_names: Vec::new(),
            allow_list: AllowList::default(),
        }
    }
}

/// An address that has been judged.
///
/// Only the functions that judge an address create values.
/// The client accepts no other type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchTarget {
    url: Url,
}

impl FetchTarget {
    /// Judges an address as written.
    /// Ignores white space at its ends.
    ///
    /// # Errors
    ///
    /// With the first reason to refuse it.
    pub fn parse(text: &str, rules: &AddressRules) -> Result<Self, AddressRefusal> {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        raw(text)?;
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(AddressRefusal::NotAnAddress);
        };
        if !["http", "https"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
        {
            return Err(AddressRefusal::Scheme);
        }
        // The URL parser reads `http:host` and `http:/host` as `http://host`.
        // Both are refused as mistakes.
        let Some(after) = rest.strip_prefix("//") else {
            return Err(AddressRefusal::NotAnAddress);
        };
        credentials(after)?;
        let url = Url::parse(text).map_err(|_| AddressRefusal::NotAnAddress)?;
        Self::of(url, rules)
    }

    /// Judges where a redirect leads.
    ///
    /// # Errors
    ///
    /// With the first reason to refuse it.
    pub(super) fn follow(&self, location: &str, rules: &AddressRules) -> Result<Self, AddressRefusal> {
        // Servers write spaces where the standard wants `%20`; browsers encode them.
        let location = location.trim_matches(' ').replace(' ', "%20");
        raw(&location)?;
        if let Some(authority) = authority(&location) {
            credentials(authority)?;
        }
        let mut url = self
            .url
            .join(&location)
            .map_err(|_| AddressRefusal::NotAnAddress)?;
        if url.fragment().is_none() {
            url.set_fragment(self.url.fragment());
        }
        Self::of(url, rules)
    }

    /// Takes another path on the same origin, for a site's small files.
    pub(super) fn sibling(&self, path: &str, rules: &AddressRules) -> Result<Self, AddressRefusal> {
        let mut url = self.url.clone();
        url.set_path(path);
        url.set_query(None);
        url.set_fragment(None);
        Self::of(url, rules)
    }

    /// The address.
    pub fn url(&self) -> &Url {
        &self.url
    }

    fn of(url: Url, rules: &AddressRules) -> Result<Self, AddressRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressRefusal::Scheme);
        }
        if url.as_str().len() > ADDRESS_BYTES {
            return Err(AddressRefusal::TooLong);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressRefusal::Credentials);
        }
        let host = url.host().ok_or(AddressRefusal::Host)?;
        if rules.allow_list.holds(&url) {
            return Ok(Self { url });
        }
        match host {
            Host::Ipv4(address) => public(IpAddr::V4(address))?,
            Host::Ipv6(address) => public(IpAddr::V6(address))?,
            Host::Domain(name) => judge_name(name, &rules.denied_names)?,
        }
        let port = url.port_or_known_default().ok_or(AddressRefusal::NotAnAddress)?;
        if !rules.ports.contains(&port) {
            return Err(AddressRefusal::Port(port));
        }
        Ok(Self { url })
    }
}

/// Returns whether the address holds characters on which URL parsers disagree.
fn raw(text: &str) -> Result<(), AddressRefusal> {
    if text.is_empty() {
        return Err(AddressRefusal::NotAnAddress);
    }
    if text.len() > ADDRESS_BYTES {
        return Err(AddressRefusal::TooLong);
    }
    if text
        .chars()
        .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
    {
        return Err(AddressRefusal::Characters);
    }
    Ok(())
}

/// Returns the text after the `//` of `//host` or `scheme://host`.
///
/// `None` for an address that stays on its host.
fn authority(location: &str) -> Option<&str> {
    let absolute = |location| {
        let (scheme, after): (&str, &str) = str::split_once(location, "://")?;
        let is_scheme = scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        is_scheme.then_some(after)
    };
    location.strip_prefix("//").or_else(|| absolute(location))
}

/// An `@` before the path, even after an empty name.
fn credentials(after_slashes: &str) -> Result<(), AddressRefusal> {
    let authority = after_slashes.split(['/', '?', '#']).next().unwrap_or("");
    if authority.contains('@') {
        return Err(AddressRefusal::Credentials);
    }
    Ok(())
}

fn public(address: IpAddr) -> Result<(), AddressRefusal> {
    if judge_address(address) {
        Ok(())
    } else {
        Err(AddressRefusal::Address(address))
    }
}

/// The parser has already converted the name to lower case and to ASCII.
fn judge_name(name: &str, denied: &[String]) -> Result<(), AddressRefusal> {
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.is_empty() || name.len() > 253 {
        return Err(AddressRefusal::Host);
    }
    if name.split('.').any(|label| label.is_empty() || label.len() > 63) {
        return Err(AddressRefusal::Host);
    }
    let last = name.rsplit('.').next().unwrap_or("");
    if RESERVED.contains(last) {
        return Err(AddressRefusal::ReservedName);
    }
    // A single label is looked up inside the network.
    // Digits as the last label are no name in the public tree.
    if last.len() == name.len() || last.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AddressRefusal::Host);
    }
    let under = |denied: &String| {
        let denied = denied.trim_matches('.').to_ascii_lowercase();
        !denied.is_empty() && (name == denied || name.ends_with(&format!(".{denied}")))
    };
    if denied.iter().any(under) {
        return Err(AddressRefusal::DeniedName);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ordinary_addresses_pass() {
        for text in [
            "https://example.com/",
            "http://example.com",
            "HTTPS://Example.COM:443/a?b=c#d",
            "https://example.com:8443/",
            "http://8.8.8.8/",
            "http://[2606:4700:4700::1111]/",
            "https://xn--mnchen-3ya.de/",
            "https://münchen.de/straße",
            "https://example.com./",
            "https://example.com/a@b",
            "https://example.com/?q=a@b",
            " https://example.com/\n",
            "https://a_b.example.com/",
        ] {
            assert!(
                FetchTarget::parse(text, &AddressRules::default()).is_ok(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_list_of_the_operator_covers_subdomains() {
        let rules = AddressRules {
            denied_names: vec!["Acme.com".into(), ".other.org".into()],
            ..AddressRules::default()
        };
        for (text, refused) in [
            ("https://acme.com/", true),
            ("https://www.acme.com/", true),
            ("https://notacme.com/", false),
            ("https://x.other.org/", true),
            ("https://other.com/", false),
        ] {
            assert_eq!(
                FetchTarget::parse(text, &rules) == Err(AddressRefusal::DeniedName),
                refused,
                "{text}"
            );
        }
    }

    #[test]
    fn redirects_are_judged_as_addresses() {
        let rules = AddressRules::default();
        let here = FetchTarget::parse("https://example.com/a/b?c#top", &rules).expect("an address");
        for (location, expected) in [
            ("/x", Ok("https://example.com/x#top")),
            ("x", Ok("https://example.com/a/x#top")),
            ("?y", Ok("https://example.com/a/b?y#top")),
            ("//example.org/z", Ok("https://example.org/z#top")),
            ("http://example.org/z#w", Ok("http://example.org/z#w")),
            (
                "http://127.0.0.1/",
                Err(AddressRefusal::Address([127, 0, 0, 1].into())),
            ),
            (
                "//169.254.169.254/",
                Err(AddressRefusal::Address([169, 254, 169, 254].into())),
            ),
            ("//user@example.org/", Err(AddressRefusal::Credentials)),
            ("//@example.org/", Err(AddressRefusal::Credentials)),
            ("https://example.org:22/", Err(AddressRefusal::Port(22))),
            ("file:///etc/passwd", Err(AddressRefusal::Scheme)),
            ("javascript:alert(1)", Err(AddressRefusal::Scheme)),
            ("gopher://example.org/", Err(AddressRefusal::Scheme)),
            ("/a b", Ok("https://example.com/a%20b#top")),
            ("/a\tb", Err(AddressRefusal::Characters)),
            (
                "/x?to=//user@example.org/",
                Ok("https://example.com/x?to=//user@example.org/#top"),
            ),
            (
                "/x?to=https://user@example.org/",
                Ok("https://example.com/x?to=https://user@example.org/#top"),
            ),
            ("https://user@example.org/", Err(AddressRefusal::Credentials)),
            ("/\\evil", Err(AddressRefusal::Characters)),
            ("", Err(AddressRefusal::NotAnAddress)),
        ] {
            let found = here.follow(location, &rules);
            assert_eq!(
                found.as_ref().map(|target| target.url().as_str()),
                expected.as_ref().copied(),
                "{location}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_accepted_targets_are_public(text in "(https?://)?[a-z0-9.:@/\\[\\]%#?-]{0,40}") {
            if let Ok(target) = FetchTarget::parse(&text, &AddressRules::default()) {
                let url = target.url();
                prop_assert!(url.username().is_empty());
                match url.host() {
                    Some(Host::Ipv4(address)) => prop_assert!(judge_address(IpAddr::V4(address))),
                    Some(Host::Ipv6(address)) => prop_assert!(judge_address(IpAddr::V6(address))),
                    Some(Host::Domain(name)) => prop_assert!(name.contains('.')),
                    None => prop_assert!(false, "no host"),
                }
            }
        }

        #[test]
        fn every_spelling_of_a_private_number_is_refused(host in prop_oneof![
            (0..=0x00ff_ffff_u32).prop_map(|low| (0x7f00_0000 | low).to_string()),
            (0..=0x00ff_ffff_u32).prop_map(|low| format!("{:#x}", 0x0a00_0000 | low)),
            (0..=0xffff_u32).prop_map(|low| format!("0{:o}", 0xc0a8_0000_u32 | low)),
            (0..=0xffff_u32).prop_map(|low| format!("169.254.{low}")),
        ]) {
            let found = FetchTarget::parse(&format!("http://{host}/"), &AddressRules::default());
            let refused = matches!(found, Err(AddressRefusal::Address(_)));
            prop_assert!(refused, "{}", host);
        }
    }
}
