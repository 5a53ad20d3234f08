//! Lists of addresses that may be asked although they are not public.

use std::collections::BTreeSet;
use std::net::IpAddr;
use url::{Host, Url};

/// Exact `host:port` entries, empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    entries: BTreeSet<(String, u16)>,
    /// Whether a listed name may resolve to addresses other than loopback.
    any_address: bool,
}

/// Why a list is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllowError {
    /// The program listens on an address that is not loopback.
    #[error("a list of test addresses needs a loopback bind address")]
    NotLoopback,
    /// Not `host:port`.
    #[error("“{0}” is not of the form host:port")]
    Form(String),
    /// An address that is neither loopback nor a name.
    #[error("“{0}” is neither a name nor a loopback address")]
    Address(String),
}

impl AllowList {
    /// Reads a list for tests, with commas between entries.
    ///
    /// `bind` is the address the program listens on.
    /// Such a list requires a loopback address:
    /// one wrong setting must not open a public service.
    ///
    /// # Errors
    ///
    /// If the list is not empty and `bind` is not loopback,
    /// or if an entry is not a name or a loopback address with a port.
    pub fn for_tests(list: &str, bind: IpAddr) -> Result<Self, AllowError> {
        let list = Self::parse(list, false)?;
        if !list.entries.is_empty() && !bind.is_loopback() {
            return Err(AllowError::NotLoopback);
        }
        Ok(list)
    }

    /// Reads the list of an operator, with commas between entries.
    ///
    /// Entries are names and addresses of its network.
    ///
    /// # Errors
    ///
    /// If an entry is not a name or an address with a port.
    pub fn of_operator(list: &str) -> Result<Self, AllowError> {
        Self::parse(list, true)
    }

    fn parse(list: &str, any_address: bool) -> Result<Self, AllowError> {
        let mut entries = BTreeSet::new();
        for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let form = || AllowError::Form(crate::quote::quote_to(entry, 100));
            let (_, port) = entry.rsplit_once(':').ok_or_else(form)?;
            let port: u16 = port.parse().map_err(|_| form())?;
            // Parses like the fetcher, so that both sides compare the same text.
            let url = Url::parse(&format!("http://{entry}/")).map_err(|_| form())?;
            let plain = url.path() == "/" && url.username().is_empty() && url.password().is_none();
            let host = url.host().filter(|_| plain).ok_or_else(form)?;
            let address = match &host {
                Host::Domain(_) => None,
                Host::Ipv4(address) => Some(IpAddr::V4(*address)),
                Host::Ipv6(address) => Some(IpAddr::V6(*address)),
            };
            if !any_address && address.is_some_and(|address| !address.is_loopback()) {
                return Err(AllowError::Address(crate::quote::quote_to(entry, 100)));
            }
            entries.insert((host.to_string(), port));
        }
        Ok(Self { entries, any_address })
    }

    /// Whether the list holds just this host and port.
    pub(super) fn holds(&self, url: &Url) -> bool {
        match (url.host_str(), url.port_or_known_default()) {
            (Some(host), Some(port)) => self.entries.contains(&(host.to_owned(), port)),
            _ => false,
        }
    }

    /// Whether a name is listed.
    pub(super) fn holds_name(&self, name: &str) -> bool {
        self.entries.iter().any(|(host, _)| host == name)
    }

    /// Whether a listed name may resolve to this address.
    pub(super) fn permits(&self, address: IpAddr) -> bool {
        self.any_address || address.is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const EVERYWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);

    #[test]
    fn a_list_needs_a_loopback_bind() {
        assert!(AllowList::for_tests("127.0.0.1:80", HERE).is_ok());
        assert!(AllowList::for_tests("127.0.0.1:80", "::1".parse().expect("an address")).is_ok());
        assert_eq!(
            AllowList::for_tests("127.0.0.1:80", EVERYWHERE),
            Err(AllowError::NotLoopback)
        );
        assert_eq!(AllowList::for_tests(" , ", EVERYWHERE), Ok(AllowList::default()));
    }

    #[test]
    fn entries_are_exact() {
        let allow = AllowList::for_tests("127.0.0.1:8080, Fixture.Test:9000,[::1]:81", HERE).expect("a list");
        for (url, expected) in [
            ("http://127.0.0.1:8080/x", true),
            ("http://127.1:8080/", true),
            ("http://127.0.0.1/", false),
            ("http://127.0.0.2:8080/", false),
            ("http://fixture.test:9000/", true),
            ("https://fixture.test:9000/", true),
            ("http://fixture.test/", false),
            ("http://a.fixture.test:9000/", false),
            ("http://[::1]:81/", true),
        ] {
            assert_eq!(allow.holds(&Url::parse(url).expect(url)), expected, "{url}");
        }
        assert!(allow.holds_name("fixture.test") && !allow.holds_name("other.test"));
    }

    #[test]
    fn an_operator_may_list_private_addresses() {
        let list = AllowList::of_operator("10.0.0.7:9000, hooks.internal:80").expect("a list");
        let holds = |url| list.holds(&Url::parse(url).expect(url));
        assert!(holds("http://10.0.0.7:9000/x") && holds("http://hooks.internal/x"));
        assert!(!holds("http://10.0.0.8:9000/x") && !holds("https://hooks.internal/x"));
        assert!(list.permits([10, 0, 0, 7].into()));
        let tests = AllowList::for_tests("hooks.test:80", HERE).expect("a list");
        assert!(!tests.permits([10, 0, 0, 7].into()) && tests.permits(HERE));
    }

    #[test]
    fn other_entries_are_refused() {
        for entry in [
            "127.0.0.1",
            "host",
            "host:",
            ":80",
            "host:99999",
            "u@host:80",
            "host/x:80",
            "http://host:80",
        ] {
            assert!(
                matches!(AllowList::for_tests(entry, HERE), Err(AllowError::Form(_))),
                "{entry}"
            );
        }
        for entry in [
            "169.254.169.254:80",
            "10.0.0.1:80",
            "[fe80::1]:80",
            "8.8.8.8:53",
            "0.0.0.0:80",
        ] {
            assert!(
                matches!(AllowList::for_tests(entry, HERE), Err(AllowError::Address(_))),
                "{entry}"
            );
        }
    }
}
