//! Limits how many files and sockets this process opens, and shares them out.

use std::num::NonZeroUsize;

/// Descriptors that allow all other bounds their defaults.
pub(crate) const WANTED: u64 = 8_192;

/// Descriptors that calls to the router leave free, at most three quarters of the limit.
const REST: usize = 3_072;

/// Shares of the descriptors.
/// The rest is for the database, page fetches, and connections that are just closed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Most connections of callers.
    pub(crate) connections: usize,
    /// Most calls to the router at one time.
    pub(crate) calls: NonZeroUsize,
}

impl Shares {
    /// Returns the shares under a limit, with at most `wanted` calls.
    fn of(limit: u64, wanted: NonZeroUsize) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let most = (limit / 4).max(limit.saturating_sub(REST));
        let calls = NonZeroUsize::new(most).map_or(NonZeroUsize::MIN, |most| most.min(wanted));
        Self {
            connections: (limit.saturating_sub(calls.get()) / 3 * 2).max(1),
            calls,
        }
    }
}

/// Raises the soft limit of open descriptors to the hard limit, and warns if that is still low.
/// `calls` is the configured number of simultaneous calls to the router.
///
/// Many systems start programs with a soft limit of 1,024, which 150 scans at once exceed.
pub(crate) fn raise(calls: NonZeroUsize) -> Shares {
    let limit = match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => limit,
        Err(error) => {
            tracing::warn!(%error, "server.descriptors.unknown");
            WANTED
        }
    };
    let shares = Shares::of(limit, calls);
    if limit < WANTED || shares.calls < calls {
        tracing::warn!(
            limit,
            router_calls = shares.calls,
            connections = shares.connections,
            hint =
                "raise the hard limit of open files (LimitNOFILE= in a systemd unit, ulimit -Hn in a shell)",
            "server.descriptors.low"
        );
    } else {
        tracing::debug!(limit, "server.descriptors");
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_stay_below_the_limit() {
        let few = NonZeroUsize::new(2_048).unwrap();
        for (limit, wanted, connections, calls) in [
            (1_024, few, 512, 256),
            (8_192, few, 4_096, 2_048),
            (65_536, few, 42_324, 2_048),
            (20_000, NonZeroUsize::MAX, 2_048, 16_928),
            (20_000, NonZeroUsize::MIN, 13_332, 1),
            (0, few, 1, 1),
        ] {
            let shares = Shares::of(limit, wanted);
            assert_eq!((shares.connections, shares.calls.get()), (connections, calls));
        }
    }
}
