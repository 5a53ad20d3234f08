//! Targets that the interface names: 60 scans an hour and 5 at once, always counted, and enforced only if configured.

use crate::clock::millis;
use crate::error::Error;
use crate::job::CallerId;
use ibid_store::{CallerLimits, CountedOrders, OrderCount, PinnedCount};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether the targets are counted, reported or enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitMode {
    /// Not counted.
    Off,
    /// Counted and reported, with no refusals.
    /// The default, because the interface calls the numbers targets that are not enforced yet.
    #[default]
    Report,
    /// Counted, reported, and enforced.
    Enforce,
}

/// Scans of one caller in an hour.
const PER_HOUR: u32 = 60;
/// Scans of one caller at one time.
const AT_ONCE: u32 = 5;
const HOUR: Duration = Duration::from_secs(3_600);
/// Callers remembered. Beyond it, expired windows are dropped.
const MOST_CALLERS: usize = 10_000;

/// Counts each caller's scans in windows of an hour that start with the first scan.
#[derive(Clone, Debug)]
pub struct Limits {
    mode: LimitMode,
    per_hour: u32,
    at_once: u32,
    windows: Arc<Mutex<HashMap<CallerId, Window>>>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    start: Instant,
    used: u32,
    running: u32,
}

/// What a caller has left in the hour, for example 12 of 60 scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitStatus {
    /// Scans allowed an hour.
    pub quota: u32,
    /// Length of the window.
    pub window: Duration,
    /// Scans left in it.
    pub remaining: u32,
    /// Time until the window starts again.
    pub reset: Duration,
    /// Scans allowed at once.
    pub at_once: u32,
}

/// One scan that counts as running until this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    limits: Limits,
    caller: CallerId,
}

impl Limits {
    /// Limits without any counted scan.
    pub fn new(mode: LimitMode) -> Self {
        Self {
            mode,
            per_hour: PER_HOUR,
            at_once: AT_ONCE,
            windows: Arc::default(),
        }
    }

    /// Limits that are enforced, with other bounds than those on scans.
    pub(crate) fn of(per_hour: u32, at_once: u32) -> Self {
        Self {
            per_hour,
            at_once,
            ..Self::new(LimitMode::Enforce)
        }
    }

    /// Counts one scan of a caller as started.
    pub(crate) fn start(&self, caller: &CallerId, now: Instant) -> Result<Running, Error> {
        if self.mode == LimitMode::Off {
            return Ok(self.running(caller));
        }
        let mut windows = self.windows();
        forget_old(&mut windows, now);
        let window = windows.entry(caller.clone()).or_insert(Window {
            start: now,
            used: 0,
            running: 0,
        });
        window.renew(now);
        if self.mode == LimitMode::Enforce {
            if window.used >= self.per_hour {
                let retry_after = HOUR.saturating_sub(now.duration_since(window.start));
                return Err(Error::TooMany { retry_after });
            }
            if window.running >= self.at_once {
                return Err(Error::TooMany {
                    retry_after: Duration::from_secs(1),
                });
            }
        }
        window.used += 1;
        window.running += 1;
        Ok(self.running(caller))
    }

    /// Counts a scan that the store admitted as number `used` in a window with this age.
    pub(crate) fn admitted(&self, caller: &CallerId, used: u32, age: i64, now: Instant) -> Running {
        self.record_usage(caller, used, age, now);
        if let Some(window) = self.windows().get_mut(caller) {
            window.running += 1;
        }
        self.running(caller)
    }

    fn running(&self, caller: &CallerId) -> Running {
        Running {
            limits: self.clone(),
            caller: caller.clone(),
        }
    }

    /// Refuses a scan that the store did not admit, in a window with `used` scans and this age.
    pub(crate) fn refused(&self, caller: &CallerId, used: u32, age: i64, now: Instant) -> Error {
        self.record_usage(caller, used, age, now);
        let retry_after = match used >= self.per_hour {
            true => HOUR.saturating_sub(Duration::from_millis(age.unsigned_abs())),
            false => Duration::from_secs(1),
        };
        Error::TooMany { retry_after }
    }

    /// Tells the store how to count a scan that begins at once. `None` if counting is off.
    pub(crate) fn of_pinned<'a>(&self, caller: &'a CallerId) -> Option<PinnedCount<'a>> {
        (self.mode != LimitMode::Off).then(|| PinnedCount {
            caller: caller.as_str(),
            limits: (self.mode == LimitMode::Enforce).then_some(CallerLimits {
                per_hour: self.per_hour,
                at_once: self.at_once,
            }),
            window: millis(HOUR),
        })
    }

    /// Tells the store how to count queued scans. `None` if counting is off.
    /// Queued scans do not count as under way: the engine bounds those.
    pub(crate) fn of_orders<'a>(&self, caller: &'a CallerId) -> Option<OrderCount<'a>> {
        (self.mode != LimitMode::Off).then(|| OrderCount {
            caller: caller.as_str(),
            per_hour: (self.mode == LimitMode::Enforce).then_some(self.per_hour),
            window: millis(HOUR),
        })
    }

    /// Takes over how many orders the store counted for a caller.
    ///
    /// # Errors
    /// [`Error::TooMany`] if the store took no order.
    pub(crate) fn counted(&self, caller: &CallerId, counted: CountedOrders) -> Result<(), Error> {
        let now = Instant::now();
        if counted.taken == 0 {
            return Err(self.refused(caller, counted.used.max(self.per_hour), counted.age, now));
        }
        self.record_usage(caller, counted.used, counted.age, now);
        Ok(())
    }

    /// Takes over what the store counted in a window that is `age` milliseconds old.
    fn record_usage(&self, caller: &CallerId, used: u32, age: i64, now: Instant) {
        let age = Duration::from_millis(age.unsigned_abs());
        let start = now.checked_sub(age).unwrap_or(now);
        let mut windows = self.windows();
        forget_old(&mut windows, now);
        let window = windows.entry(caller.clone()).or_insert(Window {
            start,
            used,
            running: 0,
        });
        (window.start, window.used) = (start, used);
    }

    /// Returns how much of the quota a caller has left, or `None` if counting is off.
    pub fn status(&self, caller: &CallerId, now: Instant) -> Option<LimitStatus> {
        if self.mode == LimitMode::Off {
            return None;
        }
        let mut windows = self.windows();
        let (used, reset) = windows.get_mut(caller).map_or((0, HOUR), |window| {
            window.renew(now);
            (window.used, HOUR.saturating_sub(now.duration_since(window.start)))
        });
        let remaining = self.per_hour.saturating_sub(used);
        Some(LimitStatus {
            quota: self.per_hour,
            window: HOUR,
            remaining,
            reset,
            at_once: self.at_once,
        })
    }

    /// The windows. Counts stay whole even if a holder of the lock panicked, so the lock may be taken over.
    fn windows(&self) -> MutexGuard<'_, HashMap<CallerId, Window>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room for another caller.
fn forget_old(windows: &mut HashMap<CallerId, Window>, now: Instant) {
    if windows.len() >= MOST_CALLERS {
        windows.retain(|_, window| window.running > 0 || now.duration_since(window.start) < HOUR);
    }
}

impl Window {
    fn renew(&mut self, now: Instant) {
        if now.duration_since(self.start) >= HOUR {
            self.start = now;
            self.used = 0;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(window) = self.limits.windows().get_mut(&self.caller) {
            window.running = window.running.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(limits: &Limits, now: Instant) -> Result<Running, Duration> {
        limits.start(&CallerId::api(), now).map_err(|error| match error {
            Error::TooMany { retry_after } => retry_after,
            other => panic!("{other}"),
        })
    }

    #[test]
    fn sixty_an_hour_then_the_rest_of_the_hour() {
        let (limits, now) = (Limits::new(LimitMode::Enforce), Instant::now());
        for _ in 0..60 {
            drop(start(&limits, now).unwrap());
        }
        let later = now + Duration::from_secs(600);
        assert_eq!(start(&limits, later).unwrap_err(), Duration::from_secs(3_000));
        assert_eq!(limits.status(&CallerId::api(), later).unwrap().remaining, 0);
        assert!(start(&limits, now + HOUR).is_ok());
        assert_eq!(limits.status(&CallerId::api(), now + HOUR).unwrap().remaining, 59);
    }

    #[test]
    fn other_bounds_are_those_given() {
        let (limits, now) = (Limits::of(2, 1), Instant::now());
        let first = start(&limits, now).unwrap();
        assert_eq!(start(&limits, now).unwrap_err(), Duration::from_secs(1));
        drop(first);
        drop(start(&limits, now).unwrap());
        assert_eq!(start(&limits, now).unwrap_err(), HOUR);
    }

    #[test]
    fn five_at_once_until_one_ends() {
        let (limits, now) = (Limits::new(LimitMode::Enforce), Instant::now());
        let mut running: Vec<_> = (0..5).map(|_| start(&limits, now).unwrap()).collect();
        assert_eq!(start(&limits, now).unwrap_err(), Duration::from_secs(1));
        running.pop();
        assert!(start(&limits, now).is_ok());
    }

    #[test]
    fn report_mode_admits_every_call_and_off_mode_counts_none() {
        let now = Instant::now();
        let report = Limits::new(LimitMode::Report);
        let running: Vec<_> = (0..100).map(|_| start(&report, now).unwrap()).collect();
        assert_eq!(report.status(&CallerId::api(), now).unwrap().remaining, 0);
        drop(running);
        let off = Limits::new(LimitMode::Off);
        drop(start(&off, now).unwrap());
        assert_eq!(off.status(&CallerId::api(), now), None);
    }
}
