//! The free question: one model, one question, paid by the operator's key, capped for each address and each day.
//!
//! The counts live in this process and start at zero with it.
//! A day has at most as many entries as questions.
//! A restart gives the questions of a day away again, for a few dollars; a table would take a write for each visitor.

use crate::accounts::network_of;
use crate::error::Error;
use ibid_provider::ProviderKey;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The terms of the free question.
#[derive(Clone, Debug)]
pub struct DemoTerms {
    /// The operator's key; it pays the model.
    pub key: ProviderKey,
    /// Questions of one address in a day.
    pub per_address: u32,
    /// Questions of all addresses in a day.
    pub per_day: u32,
}

/// Whether the free question can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoState {
    /// It can.
    Open,
    /// The day's share is used up.
    UsedUp,
    /// The operator offers no free question, or has no key to pay with.
    Closed,
}

const DAY: Duration = Duration::from_secs(24 * 3_600);
/// Free questions that are open at one time.
/// Each holds a connection until its answer is there.
const AT_ONCE: u32 = 8;

/// Counts the free questions of a day, which begins with the first of them.
#[derive(Clone, Debug)]
pub(crate) struct Demos {
    terms: DemoTerms,
    day: Arc<Mutex<Day>>,
}

#[derive(Debug, Default)]
struct Day {
    start: Option<Instant>,
    asked: u32,
    by_network: HashMap<IpAddr, u32>,
    running: u32,
}

/// A turn of the free question.
/// It counts as open until this is dropped.
#[derive(Debug)]
pub(crate) struct DemoTurn {
    key: ProviderKey,
    day: Arc<Mutex<Day>>,
}

impl Demos {
    pub(crate) fn new(terms: DemoTerms) -> Self {
        Self {
            terms,
            day: Arc::default(),
        }
    }

    pub(crate) fn state(&self, now: Instant) -> DemoState {
        if self.terms.per_day == 0 || self.terms.per_address == 0 {
            return DemoState::Closed;
        }
        if self.day(now).asked < self.terms.per_day {
            DemoState::Open
        } else {
            DemoState::UsedUp
        }
    }

    /// Counts a question as asked, with or without an answer.
    ///
    /// # Errors
    /// [`Error::DemoDisabled`], [`Error::TooMany`], [`Error::Overloaded`].
    pub(crate) fn begin(&self, address: IpAddr, now: Instant) -> Result<DemoTurn, Error> {
        if self.state(now) == DemoState::Closed {
            return Err(Error::DemoDisabled);
        }
        let mut day = self.day(now);
        let network = network_of(address);
        let used = day.by_network.get(&network).copied().unwrap_or(0);
        if day.asked >= self.terms.per_day || used >= self.terms.per_address {
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
        day.asked += 1;
        day.running += 1;
        day.by_network.insert(network, used + 1);
        Ok(DemoTurn {
            key: self.terms.key.clone(),
            day: Arc::clone(&self.day),
        })
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

impl DemoTurn {
    /// The operator's key, which pays the model.
    pub(crate) const fn key(&self) -> &ProviderKey {
        &self.key
    }
}

impl Drop for DemoTurn {
    fn drop(&mut self) {
        let mut day = lock(&self.day);
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

    fn demos(per_address: u32, per_day: u32) -> Demos {
        Demos::new(DemoTerms {
            key: "test-key".parse().unwrap(),
            per_address,
            per_day,
        })
    }

    fn begin(demos: &Demos, address: &str, now: Instant) -> Result<DemoTurn, Duration> {
        demos
            .begin(address.parse().unwrap(), now)
            .map_err(|error| match error {
                Error::TooMany { retry_after } | Error::Overloaded { retry_after } => retry_after,
                other => panic!("{other}"),
            })
    }

    #[test]
    fn each_address_and_each_day_have_their_share() {
        let (demos, now) = (demos(2, 3), Instant::now());
        for _ in 0..2 {
            assert!(begin(&demos, "192.0.2.1", now).is_ok());
        }
        let later = now + Duration::from_secs(3_600);
        let rest = DAY - Duration::from_secs(3_600);
        assert_eq!(begin(&demos, "192.0.2.1", later).unwrap_err(), rest);
        assert_eq!(demos.state(later), DemoState::Open);
        assert!(begin(&demos, "192.0.2.2", later).is_ok());
        assert_eq!(demos.state(later), DemoState::UsedUp);
        assert_eq!(begin(&demos, "192.0.2.3", later).unwrap_err(), rest);
        assert!(begin(&demos, "192.0.2.1", now + DAY).is_ok());
        assert_eq!(demos.day(now + DAY).by_network.len(), 1);
    }

    #[test]
    fn an_address_of_version_6_counts_with_its_network() {
        let (demos, now) = (demos(1, 9), Instant::now());
        assert!(begin(&demos, "2001:db8:0:1::1", now).is_ok());
        assert!(begin(&demos, "2001:db8:0:1:ffff::2", now).is_err());
        assert!(begin(&demos, "2001:db8:0:2::1", now).is_ok());
        assert!(begin(&demos, "::ffff:192.0.2.1", now).is_ok());
        assert!(begin(&demos, "192.0.2.1", now).is_err());
    }

    #[test]
    fn a_few_questions_run_concurrently() {
        let (demos, now) = (demos(99, 99), Instant::now());
        let mut running: Vec<_> = (0..AT_ONCE)
            .map(|_| begin(&demos, "192.0.2.1", now).unwrap())
            .collect();
        assert_eq!(begin(&demos, "192.0.2.1", now).unwrap_err().as_secs(), 5);
        running.pop();
        assert!(begin(&demos, "192.0.2.1", now).is_ok());
    }

    #[test]
    fn a_cap_of_zero_disables_the_demo() {
        for demos in [demos(0, 9), demos(9, 0)] {
            assert_eq!(demos.state(Instant::now()), DemoState::Closed);
            let refused = demos.begin("192.0.2.1".parse().unwrap(), Instant::now());
            assert!(matches!(refused, Err(Error::DemoDisabled)));
        }
    }
}
