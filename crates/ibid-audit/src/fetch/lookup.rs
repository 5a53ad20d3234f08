//! Names to addresses: one look-up, every answer judged, and the connection goes to just those.

use super::{AddressRefusal, TestAllow, judge_address};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

/// A look-up under way.
pub type LookupFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Looks names up. A port of its own, so that tests can answer as an attacker's server would.
pub trait Lookup: Send + Sync + 'static {
    /// All addresses of a name.
    fn lookup<'a>(&'a self, name: &'a str) -> LookupFuture<'a>;
}

/// The look-up of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup<'a>(&'a self, name: &'a str) -> LookupFuture<'a> {
        Box::pin(async move {
            // A final dot keeps the system from trying its own search domains.
            let name = if name.ends_with('.') {
                name.to_owned()
            } else {
                format!("{name}.")
            };
            Ok(tokio::net::lookup_host((name, 0))
                .await?
                .map(|address| address.ip())
                .collect())
        })
    }
}

/// The client's resolver. The client connects only to addresses that this resolver returns.
pub(super) struct Judge {
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) test_allow: TestAllow,
}

impl Resolve for Judge {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = Arc::clone(&self.lookup);
        let name = name.as_str().to_ascii_lowercase();
        let is_test = self.test_allow.holds_name(&name);
        Box::pin(async move {
            let addresses = lookup.lookup(&name).await?;
            judge(&addresses, is_test)?;
            let all: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(all)
        })
    }
}

/// One bad answer refuses them all: a name that mixes public and private addresses is a trap.
fn judge(addresses: &[IpAddr], is_test: bool) -> Result<(), AddressRefusal> {
    if addresses.is_empty() {
        return Err(AddressRefusal::NoAddress);
    }
    match addresses
        .iter()
        .find(|address| !(judge_address(**address) || is_test && address.is_loopback()))
    {
        Some(address) => Err(AddressRefusal::Address(*address)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_answer_refuses_all() {
        let parse = |list: &str| -> Vec<IpAddr> {
            list.split_whitespace()
                .map(|one| one.parse().expect(one))
                .collect()
        };
        for (answers, is_test, allowed) in [
            ("8.8.8.8", false, true),
            ("8.8.8.8 2606:4700::1", false, true),
            ("", false, false),
            ("8.8.8.8 127.0.0.1", false, false),
            ("127.0.0.1 8.8.8.8", false, false),
            ("8.8.8.8 ::1", false, false),
            ("127.0.0.1", true, true),
            ("127.0.0.1 169.254.169.254", true, false),
            ("169.254.169.254", true, false),
            ("10.0.0.1", true, false),
        ] {
            assert_eq!(judge(&parse(answers), is_test).is_ok(), allowed, "{answers}");
        }
    }
}
