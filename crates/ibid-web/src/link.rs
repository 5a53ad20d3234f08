//! Links from untrusted addresses.

use crate::escape::{cut, line};
use url::Url;

/// Longest address that becomes a link, in bytes.
const LONGEST: usize = 2048;

/// A web address from a model, a page or a caller: http or https, with a host, without credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WebAddress(Url);

impl WebAddress {
    /// Parses an address. Returns `None` where following it could run a script or mislead about its host.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let url = Url::parse(text.trim()).ok()?;
        let web = matches!(url.scheme(), "http" | "https");
        let bare = url.username().is_empty() && url.password().is_none();
        (web && bare && url.host_str().is_some_and(|host| !host.is_empty())).then_some(Self(url))
    }

    /// Returns the address for `href`, percent-encoded.
    pub(crate) fn href(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the host in its ASCII form, which cannot imitate another host, without `www.`.
    pub(crate) fn host(&self) -> &str {
        let host = self.0.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host)
    }

    /// Returns host and path, short enough for one line.
    pub(crate) fn label(&self) -> String {
        let path = self.0.path();
        let path = if path == "/" { "" } else { path };
        cut(&line(&format!("{}{path}", self.host())), 64).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, &str)>) {
        let address = WebAddress::parse(text);
        let found = address
            .as_ref()
            .map(|address| (address.href().to_owned(), address.label()));
        let expected = expected.map(|(href, label)| (href.to_owned(), label.to_owned()));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn only_web_addresses_become_links() {
        check(
            "https://www.example.com/a b",
            Some(("https://www.example.com/a%20b", "example.com/a%20b")),
        );
        check(
            " http://EXAMPLE.com",
            Some(("http://example.com/", "example.com")),
        );
        check(
            "https://exämple.com/",
            Some(("https://xn--exmple-cua.com/", "xn--exmple-cua.com")),
        );
        for hostile in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "\u{1}javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,<script>1</script>",
            "vbscript:x",
            "javascript://example.com/%0aalert(1)",
            "ftp://example.com/x",
            "file:///etc/passwd",
            "//example.com",
            "/relative",
            "https://bank.example@evil.example/",
            "https://",
            "",
            "not an address",
        ] {
            check(hostile, None);
        }
        check(&format!("https://example.com/{}", "a".repeat(3000)), None);
    }

    #[test]
    fn a_quote_cannot_leave_the_attribute() {
        let address = WebAddress::parse("https://example.com/\"onmouseover=\"x<script>").unwrap();
        assert!(!address.href().contains(['"', '<', '>']));
        let fragment = WebAddress::parse("https://example.com/#'\"<x").unwrap();
        assert!(!fragment.href().contains(['"', '<']));
    }
}
