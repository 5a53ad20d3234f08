//! Turns that visitors without an account have in a day, capped for each address and for all.
//!
//! The counts live in this process and start at zero with it.
//! A day has at most as many entries as turns.
//! A restart gives the turns of a day away again; a table would take a write for each visitor.

use crate::accounts::network_of;
use crate::demo::DemoState;
use crate::error::Error;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(crate) const DAY: Duration = Duration::from_secs(24 * 3_600);
/// Turns that are open at one time.
/// Each holds a connection until its answer is there.
const AT_ONCE: u32 = 8;

/// Counts turns in a day, which begins with the first of them.
#[derive(Clone, Debug)]
pub(crate) struct DailyTurns {
    per_address: u32,
    per_day: u32,
    day: Arc<Mutex<Day>>,
}

#[derive(Debug, Default)]
struct Day {
    start: Option<Instant>,
    taken: u32,
    by_network: HashMap<IpAddr, u32>,
    running: u32,
}

/// A turn.
/// It counts as open until this is dropped.
#[derive(Debug)]
pub(crate) struct DailyTurn(Arc<Mutex<Day>>);

impl DailyTurns {
    pub(crate) fn new(per_address: u32, per_day: u32) -> Self {
        Self {
            per_address,
            per_day,
            day: Arc::default(),
        }
    }

    pub(crate) fn left(&self, now: Instant) -> DemoState {
        if self.per_day == 0 || self.per_address == 0 {
            return DemoState::Closed;
        }
        match self.day(now).taken < self.per_day {
            true => DemoState::Open,
            false => DemoState::UsedUp,
        }
    }

    /// Counts a turn as taken, whatever comes of it.
    pub(crate) fn begin(&self, address: IpAddr, now: Instant) -> Result<DailyTurn, Error> {
        let mut day = self.day(now);
        let network = network_of(address);
        let used = day.by_network.get(&network).copied().unwrap_or(0);
        if day.taken >= self.per_day || used >= self.per_address {
            let start = day.start.unwrap_or(now);
            let retry_after = DAY.saturating_sub(now.duration_since(start));
            return Err(Error::TooMany { retry_after });
        }
        if day.running >= AT_ONCE {
            return Err(Error::Overloaded {
                retry_after: Duration::from_secs(5),
            });
        }
        day.start.get_or_insert(now);
        day.taken += 1;
        day.running += 1;
        day.by_network.insert(network, used + 1);
        Ok(DailyTurn(Arc::clone(&self.day)))
    }

    fn day(&self, now: Instant) -> MutexGuard<'_, Day> {
        let mut day = lock(&self.day);
        if day.start.is_some_and(|start| now.duration_since(start) >= DAY) {
            *day = Day {
                running: day.running,
                ..Day::default()
            };
        }
        day
    }
}

impl Drop for DailyTurn {
    fn drop(&mut self) {
        let mut day = lock(&self.0);
        day.running = day.running.saturating_sub(1);
    }
}

/// Counts stay whole even if a holder of the lock panicked, so the lock may be taken over.
fn lock(day: &Mutex<Day>) -> MutexGuard<'_, Day> {
    day.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(turns: &DailyTurns, address: &str, now: Instant) -> Result<DailyTurn, Duration> {
        turns
            .begin(address.parse().unwrap(), now)
            .map_err(|error| match error {
                Error::TooMany { retry_after } | Error::Overloaded { retry_after } => retry_after,
                other => panic!("{other}"),
            })
    }

    #[test]
    fn each_address_and_each_day_have_their_share() {
        let (turns, now) = (DailyTurns::new(2, 3), Instant::now());
        for _ in 0..2 {
            assert!(begin(&turns, "192.0.2.1", now).is_ok());
        }
        let later = now + Duration::from_secs(3_600);
        let rest = DAY - Duration::from_secs(3_600);
        assert_eq!(begin(&turns, "192.0.2.1", later).unwrap_err(), rest);
        assert_eq!(turns.left(later), DemoState::Open);
        assert!(begin(&turns, "192.0.2.2", later).is_ok());
        assert_eq!(turns.left(later), DemoState::UsedUp);
        assert_eq!(begin(&turns, "192.0.2.3", later).unwrap_err(), rest);
        assert!(begin(&turns, "192.0.2.1", now + DAY).is_ok());
        assert_eq!(turns.day(now + DAY).by_network.len(), 1);
    }

    #[test]
    fn an_address_of_version_6_counts_with_its_network() {
        let (turns, now) = (DailyTurns::new(1, 9), Instant::now());
        assert!(begin(&turns, "2001:db8:0:1::1", now).is_ok());
        assert!(begin(&turns, "2001:db8:0:1:ffff::2", now).is_err());
        assert!(begin(&turns, "2001:db8:0:2::1", now).is_ok());
        assert!(begin(&turns, "::ffff:192.0.2.1", now).is_ok());
        assert!(begin(&turns, "192.0.2.1", now).is_err());
    }

    #[test]
    fn a_few_turns_run_concurrently() {
        let (turns, now) = (DailyTurns::new(99, 99), Instant::now());
        let mut running: Vec<_> = (0..AT_ONCE)
            .map(|_| begin(&turns, "192.0.2.1", now).unwrap())
            .collect();
        assert_eq!(begin(&turns, "192.0.2.1", now).unwrap_err().as_secs(), 5);
        running.pop();
        assert!(begin(&turns, "192.0.2.1", now).is_ok());
    }
}
