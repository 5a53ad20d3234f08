//! Proxies in front of the service, and what they say about whom they speak for.

use actix_web::http::header::{FORWARDED, HeaderMap, HeaderName};
use std::net::IpAddr;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Most entries that are read, from the right: more proxies in a row than anybody has.
const MOST_ENTRIES: usize = 32;

/// Networks whose word is taken about the address of a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies {
    networks: Vec<Network>,
}

/// Addresses that share their first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    bits: u8,
}

impl TrustedProxies {
    /// Reads a list of addresses and networks such as `127.0.0.1, 10.0.0.0/8, fd00::/8`.
    ///
    /// # Errors
    /// The first entry that is neither.
    pub fn parse(list: &str) -> Result<Self, String> {
        let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let networks: Result<Vec<_>, String> = entries
            .map(|entry| {
                Network::parse(entry)
                    .ok_or_else(|| format!("{entry} is no address or network such as 10.0.0.0/8"))
            })
            .collect();
        Ok(Self { networks: networks? })
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.holds(address))
    }

    /// Who is behind a connection: the peer itself, unless it is a trusted proxy. Then the right-most address in
    /// `X-Forwarded-For`, or else in `Forwarded`, that no trusted proxy has: everything left of it was written by
    /// somebody unknown.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            return client;
        }
        for entry in entries(headers) {
            // A word such as "unknown" hides the caller; the proxy that wrote it is as near as we get.
            let Some(address) = entry else { break };
            client = address;
            if !self.trusts(client) {
                break;
            }
        }
        client
    }
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
            None => (text, None),
        };
        let address = address.parse::<IpAddr>().ok()?;
        let all = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(all);
        (bits <= all).then_some(Self { address, bits })
    }

    fn holds(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differ = own.to_bits() ^ other.to_bits();
                differ.checked_shr(32 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differ = own.to_bits() ^ other.to_bits();
                differ.checked_shr(128 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// The addresses that proxies named, the nearest first.
fn entries(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let values = |name: &HeaderName| {
        let values = headers.get_all(name);
        let texts: Vec<&str> = values
            .map(|value| value.to_str().unwrap_or("unreadable"))
            .collect();
        texts
    };
    let plain = values(&X_FORWARDED_FOR);
    let read: Vec<Option<IpAddr>> = if plain.is_empty() {
        let values = values(&FORWARDED);
        let elements = values.iter().flat_map(|value| value.split(','));
        elements.map(forwarded).collect()
    } else {
        let entries = plain.iter().flat_map(|value| value.split(','));
        entries.map(|entry| address(entry.trim())).collect()
    };
    read.into_iter().rev().take(MOST_ENTRIES).collect()
}

/// The `for` of an element of `Forwarded` (RFC 7239, section 4).
fn forwarded(element: &str) -> Option<IpAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, node) = pairs.find(|(name, _)| name.eq_ignore_ascii_case("for"))?;
    address(node.trim_matches('"'))
}

/// An address with or without its port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None if text.matches(':').count() == 1 => text.split_once(':')?.0,
        None => text,
    };
    bare.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn client(trusted: &str, peer: &str, sent: &[(&'static str, &'static str)]) -> String {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let proxies = TrustedProxies::parse(trusted).unwrap();
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn strangers_cannot_say_who_they_are() {
        let lie = [("x-forwarded-for", "192.0.2.9"), ("forwarded", "for=192.0.2.9")];
        assert_eq!(client("", "198.51.100.1", &lie), "198.51.100.1");
        assert_eq!(client("10.0.0.0/8", "198.51.100.1", &lie), "198.51.100.1");
        assert_eq!(client("10.0.0.0/8", "11.0.0.1", &lie), "11.0.0.1");
        assert_eq!(client("::/0", "198.51.100.1", &lie), "198.51.100.1");
    }

    #[test]
    fn the_right_most_stranger_is_the_caller() {
        for (sent, expected) in [
            (&[("x-forwarded-for", "192.0.2.1")][..], "192.0.2.1"),
            (
                &[("x-forwarded-for", "6.6.6.6, 192.0.2.1, 10.0.0.2")],
                "192.0.2.1",
            ),
            (
                &[("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "192.0.2.1")],
                "192.0.2.1",
            ),
            (&[("x-forwarded-for", "192.0.2.1:4711")], "192.0.2.1"),
            (&[("x-forwarded-for", "[2001:db8::1]:4711")], "2001:db8::1"),
            (&[("x-forwarded-for", "2001:db8::1")], "2001:db8::1"),
            (&[("x-forwarded-for", "::ffff:192.0.2.1")], "192.0.2.1"),
            (&[("x-forwarded-for", "192.0.2.1, unknown")], "10.0.0.1"),
            (&[("x-forwarded-for", "")], "10.0.0.1"),
            (&[("x-forwarded-for", "10.0.0.9, 10.0.0.2")], "10.0.0.9"),
            (
                &[("forwarded", "for=192.0.2.1;proto=https;by=10.0.0.1")],
                "192.0.2.1",
            ),
            (
                &[("forwarded", "for=6.6.6.6, For=\"[2001:db8::1]:80\"")],
                "2001:db8::1",
            ),
            (&[("forwarded", "for=_hidden")], "10.0.0.1"),
            (
                &[("forwarded", "for=6.6.6.6"), ("x-forwarded-for", "192.0.2.1")],
                "192.0.2.1",
            ),
            (&[], "10.0.0.1"),
        ] {
            assert_eq!(client("10.0.0.0/8", "10.0.0.1", sent), expected, "{sent:?}");
        }
        assert_eq!(
            client(
                "127.0.0.1",
                "::ffff:127.0.0.1",
                &[("x-forwarded-for", "192.0.2.1")]
            ),
            "192.0.2.1"
        );
    }

    #[test]
    fn lists_are_read_or_refused() {
        for right in ["", "127.0.0.1", " ::1 , 10.0.0.0/8,0.0.0.0/0, fd00::/8", "::/0"] {
            assert!(TrustedProxies::parse(right).is_ok(), "{right}");
        }
        for wrong in ["proxy.example", "10.0.0.0/33", "::/129", "10.0.0.0/x", "10.0.0"] {
            assert!(TrustedProxies::parse(wrong).is_err(), "{wrong}");
        }
    }
}
