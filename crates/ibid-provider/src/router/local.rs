//! Faults on this host, which no provider is to blame for.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::error::Error;
use std::io;

/// The system's name resolution.
/// Its failures differ from those of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names;

/// A name that could not be resolved.
#[derive(Debug, thiserror::Error)]
#[error("resolving the name of the router")]
struct Unresolved(#[source] io::Error);

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port is replaced by that of the address.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            let addresses: Vec<_> = found.map_err(Unresolved)?.collect();
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Error codes for faults of this host:
/// ENOMEM, ENFILE, EMFILE, EADDRNOTAVAIL, ENETDOWN, ENETUNREACH, ENOBUFS.
#[cfg(target_os = "linux")]
const CODES: [i32; 7] = [12, 23, 24, 99, 100, 101, 105];
#[cfg(not(target_os = "linux"))]
const CODES: [i32; 7] = [12, 23, 24, 49, 50, 51, 55];

/// Whether this host caused the error or one of its sources.
pub(super) fn is_local(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>();
        let code = io.and_then(io::Error::raw_os_error);
        if error.is::<Unresolved>() || code.is_some_and(|code| CODES.contains(&code)) {
            return true;
        }
        // An I/O error's `source` skips the wrapped error.
        cause = match io.and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lacks_of_this_host_are_told_from_those_of_the_provider() {
        assert!(is_local(&io::Error::from_raw_os_error(24)));
        assert!(is_local(&Unresolved(io::Error::other("no such name"))));
        let nested = io::Error::other(Unresolved(io::Error::other("no such name")));
        assert!(is_local(&nested));
        for kind in [
            io::ErrorKind::ConnectionRefused,
            io::ErrorKind::ConnectionReset,
            io::ErrorKind::TimedOut,
        ] {
            assert!(!is_local(&io::Error::from(kind)), "{kind}");
        }
    }

    #[tokio::test]
    async fn a_name_that_does_not_exist_is_a_fault_of_this_host() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .no_proxy()
            .dns_resolver(Names)
            .tls_certs_only([]);
        // RFC 2606 reserves `.invalid`.
        let error = client
            .build()
            .unwrap()
            .get("http://ibid.invalid/")
            .send()
            .await
            .unwrap_err();
        assert!(is_local(&error), "{error:?}");
    }
}
