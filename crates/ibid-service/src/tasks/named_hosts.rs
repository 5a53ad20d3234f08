//! The hosts named by callers for notifications in the last hour, counted in this process.

use super::limits::Caller;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const HOUR: Duration = Duration::from_secs(3_600);
/// Most hosts that a caller may name in an hour.
pub(super) const MOST_HOSTS: usize = 10;
/// The most callers to remember.
/// Beyond it, those whose hour is over are forgotten; then no more are counted.
const MOST_CALLERS: usize = 10_000;

/// The hosts that callers have named.
#[derive(Default)]
pub(super) struct NamedHosts(Mutex<HashMap<Caller, Named>>);

struct Named {
    since: Instant,
    hosts: HashSet<String>,
}

impl NamedHosts {
    /// Notes that a caller names a host.
    ///
    /// # Errors
    /// It is one too many: the time until the caller may name another.
    pub(super) fn add(&self, caller: Caller, host: &str, now: Instant) -> Result<(), Duration> {
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= MOST_CALLERS {
            callers.retain(|_, named| now.duration_since(named.since) < HOUR);
        }
        if callers.len() >= MOST_CALLERS && !callers.contains_key(&caller) {
            return Ok(());
        }
        let new = || Named {
            since: now,
            hosts: HashSet::new(),
        };
        let named = callers.entry(caller).or_insert_with(new);
        if now.duration_since(named.since) >= HOUR {
            *named = new();
        }
        if named.hosts.len() >= MOST_HOSTS && !named.hosts.contains(host) {
            return Err(HOUR.saturating_sub(now.duration_since(named.since)));
        }
        named.hosts.insert(host.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_names_ten_hosts_an_hour() {
        let (named, start) = (NamedHosts::default(), Instant::now());
        let [one, other] = [1, 2].map(|byte| Caller::at([byte, 0, 0, 1].into()));
        for number in 0..MOST_HOSTS {
            assert_eq!(named.add(one, &number.to_string(), start), Ok(()));
        }
        let later = start + Duration::from_secs(600);
        assert_eq!(named.add(one, "late", later), Err(Duration::from_secs(3_000)));
        assert_eq!(named.add(one, "3", later), Ok(()));
        assert_eq!(named.add(other, "late", later), Ok(()));
        assert_eq!(named.add(one, "late", start + HOUR), Ok(()));
    }
}
