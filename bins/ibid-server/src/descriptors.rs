//! The limit of open files and sockets of this process, and what may use how much of it.

use std::num::NonZeroUsize;

/// Descriptors with which nothing is bounded below its default.
pub(crate) const WANTED: u64 = 8_192;

/// Shares of the descriptors. The rest is for the database, page fetches, and connections that are just closed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Most connections of callers.
    pub(crate) connections: usize,
    /// Most calls to the router at one time.
    calls: usize,
}

impl Shares {
    fn of(limit: u64) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            connections: (limit / 2).max(1),
            calls: (limit / 4).max(1),
        }
    }

    /// The calls to the router that may be made at one time, at most so many.
    pub(crate) fn calls(self, wanted: NonZeroUsize) -> NonZeroUsize {
        NonZeroUsize::new(self.calls).map_or(wanted, |calls| calls.min(wanted))
    }
}

/// Raises the soft limit of open descriptors to the hard limit, and warns if that is still low. `calls` is the configured number of
/// calls to the router at one time.
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
    let shares = Shares::of(limit);
    if limit < WANTED || shares.calls(calls) < calls {
        tracing::warn!(
            limit,
            router_calls = shares.calls(calls),
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
        for (limit, connections, calls) in [(1_024, 512, 256), (8_192, 4_096, 2_048), (0, 1, 1)] {
            let shares = Shares::of(limit);
            let most = shares.calls(NonZeroUsize::MAX).get();
            assert_eq!((shares.connections, most), (connections, calls));
            assert_eq!(shares.calls(NonZeroUsize::MIN), NonZeroUsize::MIN);
        }
    }
}
