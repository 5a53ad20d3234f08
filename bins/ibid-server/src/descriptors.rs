//! The limit of open files and sockets of this process.

/// Connections that a busy server should be able to hold: callers, model calls, the database and page fetches.
pub(crate) const WANTED: u64 = 4_096;

/// Raises the soft limit of open descriptors to the hard limit, and warns if that is still low.
///
/// Many systems start programs with a soft limit of 1,024, which 150 scans at once exceed.
pub(crate) fn raise() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < WANTED => tracing::warn!(
            limit,
            hint =
                "raise the hard limit of open files (LimitNOFILE= in a systemd unit, ulimit -Hn in a shell)",
            "server.descriptors.low"
        ),
        Ok(limit) => tracing::debug!(limit, "server.descriptors"),
        Err(error) => tracing::warn!(%error, "server.descriptors.unknown"),
    }
}
