//! Limits on guessing passwords: the store counts failures for each account and network, and they cost waits.
//!
//! A guesser must not lock an account's owner out. A browser with an earlier sign-in proves it with a cookie
//! and has its own count.

use super::device::DeviceToken;
use ibid_model::AccountId;
use ibid_store::AttemptCount;
use sha2::{Digest, Sha256};
use std::net::IpAddr;

/// Free failures for an account from unknown devices, and for a known device.
const PER_ACCOUNT: u32 = 10;
/// Free failures from an address or an IPv6 /64, for all accounts.
const PER_NETWORK: u32 = 30;
/// Free failures from an IPv6 /48, for all accounts: one customer may have all of it.
const PER_SITE: u32 = 100;

#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// The account, or the device that it knows.
    target: AttemptCount,
    networks: Vec<AttemptCount>,
}

impl Attempt {
    /// Counts a sign-in as `email` from an address, with the device if the account knows it.
    pub(super) fn of(address: IpAddr, email: &str, device: Option<&DeviceToken>) -> Self {
        match device {
            Some(device) => Self::on(address, "device", device.reveal().as_bytes()),
            None => Self::on(address, "account", email.trim().to_lowercase().as_bytes()),
        }
    }

    /// Counts an attempt to open a public link with its password.
    pub(super) fn of_link(address: IpAddr, token: &str) -> Self {
        Self::on(address, "link", token.as_bytes())
    }

    /// Counts a return from the OpenID provider.
    pub(super) fn of_provider(address: IpAddr) -> Self {
        Self::on(address, "provider", network_of(address).to_string().as_bytes())
    }

    /// Counts an attempt at the second step of signing in.
    pub(super) fn of_code(address: IpAddr, account: AccountId, device: Option<&DeviceToken>) -> Self {
        match device {
            Some(device) => Self::on(address, "code-device", device.reveal().as_bytes()),
            None => Self::on(address, "code", account.as_bytes()),
        }
    }

    fn on(address: IpAddr, kind: &str, name: &[u8]) -> Self {
        let mut networks = vec![AttemptCount {
            key: hash("network", network_of(address).to_string().as_bytes()),
            free: PER_NETWORK,
        }];
        if let IpAddr::V6(address) = address.to_canonical() {
            networks.push(AttemptCount {
                key: hash("site", &address.octets()[..6]),
                free: PER_SITE,
            });
        }
        Self {
            target: AttemptCount {
                key: hash(kind, name),
                free: PER_ACCOUNT,
            },
            networks,
        }
    }

    pub(super) fn counts(&self) -> Vec<AttemptCount> {
        let mut counts = self.networks.clone();
        counts.push(self.target);
        counts
    }

    /// Returns the counts that a success clears, and those from which it removes its own attempt.
    pub(super) fn ended_well(&self) -> (Vec<[u8; 32]>, Vec<[u8; 32]>) {
        let networks = self.networks.iter().map(|count| count.key);
        (vec![self.target.key], networks.collect())
    }
}

fn hash(kind: &str, name: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(kind);
    hash.update([0]);
    hash.update(name);
    hash.finalize().into()
}

/// Returns the network that an address counts for: an IPv4 address for itself, an IPv6 address for its /64, because one
/// connection has all of it. For example, `2001:db8::7` counts for `2001:db8::`.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(address: &str, email: &str) -> Vec<[u8; 32]> {
        let attempt = Attempt::of(address.parse().unwrap(), email, None);
        attempt.counts().into_iter().map(|count| count.key).collect()
    }

    #[test]
    fn an_account_is_one_in_any_case_and_a_network_is_a_64_and_a_48() {
        let first = counts("2001:db8:1:2::1", "a@b");
        assert_eq!(first.len(), 3);
        assert_eq!(counts("2001:db8:1:2::9", " A@B "), first);
        let beside = counts("2001:db8:1:3::1", "a@b");
        assert_ne!(beside[0], first[0]);
        assert_eq!(beside[1..], first[1..]);
        assert_ne!(counts("2001:db8:2:2::1", "a@b")[1], first[1]);
        assert_eq!(counts("10.0.0.1", "a@b"), counts("::ffff:10.0.0.1", "a@b"));
        assert_ne!(counts("10.0.0.1", "a@b")[0], counts("10.0.0.2", "a@b")[0]);
    }
}
