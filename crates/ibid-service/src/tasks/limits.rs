//! Limits on anonymous callers.

use ibid_store::TaskQuota;
use sha2::{Digest, Sha256};
use std::net::IpAddr;

/// Limits on the tasks and calls of anonymous callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskLimits {
    /// Unpaid tasks of one caller; the oldest are deleted first.
    pub per_caller: TaskQuota,
    /// Unpaid tasks of all callers; the oldest are deleted first.
    pub all: TaskQuota,
    /// Open streams and waiting calls of one caller.
    pub calls_per_caller: u32,
}

impl Default for TaskLimits {
    /// 1,000 tasks and 32 MiB a caller, 200,000 tasks and 2 GiB in all, 256 open calls a caller.
    fn default() -> Self {
        Self {
            per_caller: TaskQuota {
                tasks: 1_000,
                bytes: 32 << 20,
            },
            all: TaskQuota {
                tasks: 200_000,
                bytes: 2 << 30,
            },
            calls_per_caller: 256,
        }
    }
}

/// Who is limited, as hashes: no store keeps an address or its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    address: [u8; 16],
    network: [u8; 16],
}

impl Caller {
    /// The caller at an address.
    /// An IPv6 /64, which one customer gets, is one caller.
    pub fn at(address: IpAddr) -> Self {
        let (address, network) = match address.to_canonical() {
            IpAddr::V4(address) => (hashed(&address.octets()), hashed(&address.octets()[..3])),
            IpAddr::V6(address) => (hashed(&address.octets()[..8]), hashed(&address.octets()[..7])),
        };
        Self { address, network }
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.address
    }

    /// Returns its network, an IPv4 /24 or an IPv6 /56: one party gets so many addresses for little money.
    pub(crate) const fn network(&self) -> &[u8; 16] {
        &self.network
    }
}

fn hashed(octets: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&Sha256::digest(octets)[..16]);
    short
}
