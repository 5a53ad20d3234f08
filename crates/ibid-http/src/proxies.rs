//! Trusted proxies in front of the service, and the client addresses that they report.

use actix_web::HttpMessage;
use actix_web::http::header::{Header as _, HeaderName};
use actix_web_lab::header::Forwarded;
use ipnet::IpNet;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Entries that are read from the right of the list. Real chains are shorter.
const MAX_ENTRIES: usize = 32;

/// Networks whose proxies the service trusts to report a client's address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
}

impl TrustedProxies {
    /// Parses a list of addresses and networks such as `127.0.0.1, 10.0.0.0/8, fd00::/8`.
    ///
    /// # Errors
    /// Names the first entry that is neither.
    pub fn parse(list: &str) -> Result<Self, String> {
        let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let networks = entries.map(|entry| {
            let address = entry.parse::<IpAddr>().map(IpNet::from);
            let network = address.or_else(|_| entry.parse());
            network.map_err(|_| format!("{entry} is no address or network such as 10.0.0.0/8"))
        });
        Ok(Self {
            networks: networks.collect::<Result<_, String>>()?,
        })
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(&address))
    }

    /// Returns the address of the client behind a connection: the peer, unless it is a trusted proxy. For a trusted
    /// proxy it is the right-most address in `X-Forwarded-For`, or else in `Forwarded`, that is not a trusted proxy.
    /// Entries further left were written by unknown senders.
    pub(crate) fn client(&self, peer: IpAddr, request: &impl HttpMessage) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            if is_unnamed_proxy(client, request) && !HINTED.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    peer = %client,
                    hint = "set TRUSTED_PROXIES to the address of the proxy; until then all its clients share one set of limits",
                    "proxy.not_trusted"
                );
            }
            return client;
        }
        for entry in entries(request) {
            // A word such as "unknown" hides the client. The proxy that wrote it is the nearest known address.
            let Some(address) = entry else { break };
            client = address;
            if !self.trusts(client) {
                break;
            }
        }
        client
    }
}

/// Whether the log has the hint about a proxy that is not configured. Once is enough.
static HINTED: AtomicBool = AtomicBool::new(false);

/// Whether a peer in a private network names the client of a request, as a proxy does.
fn is_unnamed_proxy(peer: IpAddr, request: &impl HttpMessage) -> bool {
    let private = match peer {
        IpAddr::V4(peer) => peer.is_private() || peer.is_loopback() || peer.is_link_local(),
        IpAddr::V6(peer) => peer.is_unique_local() || peer.is_loopback() || peer.is_unicast_link_local(),
    };
    private && request.headers().contains_key(X_FORWARDED_FOR)
}

/// Returns the addresses that proxies reported, the nearest first.
fn entries(request: &impl HttpMessage) -> Vec<Option<IpAddr>> {
    let values = request.headers().get_all(X_FORWARDED_FOR);
    let plain: Vec<&str> = values
        .flat_map(|value| value.to_str().unwrap_or("unreadable").split(','))
        .collect();
    let read: Vec<Option<IpAddr>> = if plain.is_empty() {
        let forwarded = Forwarded::parse(request).ok();
        let chain = forwarded.iter().flat_map(Forwarded::for_chain);
        chain.map(address).collect()
    } else {
        plain.into_iter().map(address).collect()
    };
    read.into_iter().rev().take(MAX_ENTRIES).collect()
}

/// Parses an address with or without its port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
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

    #[test]
    fn a_private_peer_that_names_a_client_is_a_proxy() {
        let request = |name: &str| {
            TestRequest::get()
                .insert_header((name, "192.0.2.1"))
                .to_http_request()
        };
        for (peer, header, expected) in [
            ("10.0.0.2", "X-Forwarded-For", true),
            ("127.0.0.1", "X-Forwarded-For", true),
            ("fd00::2", "X-Forwarded-For", true),
            ("10.0.0.2", "X-Other", false),
            ("192.0.2.7", "X-Forwarded-For", false),
            ("2001:db8::1", "X-Forwarded-For", false),
        ] {
            assert_eq!(
                is_unnamed_proxy(peer.parse().unwrap(), &request(header)),
                expected,
                "{peer} {header}"
            );
        }
    }
    use actix_web::test::TestRequest;

    fn client(trusted: &str, peer: &str, sent: &[(&'static str, &'static str)]) -> String {
        let mut request = TestRequest::default();
        for header in sent {
            request = request.append_header(*header);
        }
        let proxies = TrustedProxies::parse(trusted).unwrap();
        let request = request.to_http_request();
        proxies.client(peer.parse().unwrap(), &request).to_string()
    }

    #[test]
    fn headers_of_untrusted_peers_are_ignored() {
        let sent = [("x-forwarded-for", "192.0.2.9"), ("forwarded", "for=192.0.2.9")];
        assert_eq!(client("", "198.51.100.1", &sent), "198.51.100.1");
        assert_eq!(client("10.0.0.0/8", "198.51.100.1", &sent), "198.51.100.1");
        assert_eq!(client("10.0.0.0/8", "11.0.0.1", &sent), "11.0.0.1");
        assert_eq!(client("::/0", "198.51.100.1", &sent), "198.51.100.1");
    }

    #[test]
    fn the_right_most_untrusted_address_is_the_client() {
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
    fn lists_are_parsed_or_refused() {
        for right in ["", "127.0.0.1", " ::1 , 10.0.0.0/8,0.0.0.0/0, fd00::/8", "::/0"] {
            assert!(TrustedProxies::parse(right).is_ok(), "{right}");
        }
        for wrong in ["proxy.example", "10.0.0.0/33", "::/129", "10.0.0.0/x", "10.0.0"] {
            assert!(TrustedProxies::parse(wrong).is_err(), "{wrong}");
        }
    }
}
