//! Circuit breakers: calls to a failing model wait until a probe is answered.

use super::config::BreakerPolicy;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Most calls of a window that are remembered.
const MOST_CALLS: usize = 256;

/// Stops one key's calls to one model, or all calls to it, while most fail.
///
/// It judges whole calls, after retries, by the share of failures in a window.
/// While it is open, calls wait and one of them probes.
/// The pause between probes doubles while they fail.
/// Each key has its own, because one caller's wrong key must not stop a model for all.
#[derive(Debug)]
pub(super) struct Breaker {
    policy: BreakerPolicy,
    state: Mutex<State>,
    /// Told whenever waiting calls should look at the gate again.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    gate: Gate,
    /// When each call in the window ended, and whether it was answered.
    calls: VecDeque<(Instant, bool)>,
    last_answer: Option<Instant>,
    /// The time since which calls have had to wait.
    open_since: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
enum Gate {
    /// Calls go through.
    Closed,
    /// Calls wait until then; the first one after it probes.
    Open { until: Instant, pause: Duration },
    /// One call probes; the others wait for its end.
    Probing,
}

/// The permission for one attempt.
/// It reports the outcome to the breaker.
/// A dropped permission makes no report.
/// The next call probes in place of a dropped probe.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    breaker: &'a Breaker,
    /// The pause before the next probe, if this attempt is a probe.
    probe: Option<Duration>,
}

impl Breaker {
    pub(super) fn new(policy: BreakerPolicy) -> Self {
        Self {
            policy,
            state: Mutex::new(State {
                gate: Gate::Closed,
                calls: VecDeque::new(),
                last_answer: None,
                open_since: None,
            }),
            changed: Notify::new(),
        }
    }

    /// Waits until an attempt or a probe is allowed.
    /// Returns whether it is.
    /// An impatient call waits for a running probe, but not for the next one.
    pub(super) async fn passable(&self, patient: bool) -> bool {
        loop {
            // Registered before the gate is read, to miss no change.
            let changed = self.changed.notified();
            let until = match self.lock().gate {
                Gate::Closed => return true,
                Gate::Open { until, .. } if Instant::now() >= until => return true,
                Gate::Open { .. } if !patient => return false,
                Gate::Open { until, .. } => Some(until),
                Gate::Probing => None,
            };
            match until {
                Some(until) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(until) => {}
                },
                None => changed.await,
            }
        }
    }

    /// Returns the permission for an attempt, or `None` while calls wait.
    pub(super) fn pass(&self) -> Option<Pass<'_>> {
        let mut state = self.lock();
        let probe = match state.gate {
            Gate::Closed => None,
            Gate::Open { until, pause } if Instant::now() >= until => {
                state.gate = Gate::Probing;
                Some(pause)
            }
            Gate::Open { .. } | Gate::Probing => return None,
        };
        Some(Pass { breaker: self, probe })
    }

    /// Whether calls have to wait.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.lock().gate, Gate::Closed)
    }

    /// Returns the time since which calls wait, if they wait.
    pub(super) fn open_since(&self) -> Option<Instant> {
        self.lock().open_since
    }

    /// Whether a call was answered after this time.
    pub(super) fn answered_since(&self, time: Instant) -> bool {
        self.lock().last_answer.is_some_and(|last| last > time)
    }

    /// Whether a call was answered within this time.
    pub(super) fn answered_within(&self, time: Duration) -> bool {
        self.lock().last_answer.is_some_and(|last| last.elapsed() <= time)
    }

    /// Lets calls wait for a probe, if they do not already.
    /// Returns whether they do from now on.
    pub(super) fn open(&self) -> bool {
        let mut state = self.lock();
        if !self.policy.is_on() || !matches!(state.gate, Gate::Closed) {
            return false;
        }
        let now = Instant::now();
        state.open_since = Some(now);
        state.gate = Gate::Open {
            until: now + self.policy.first_pause,
            pause: self.policy.first_pause,
        };
        true
    }

    /// Records the end of a whole call.
    /// Returns whether calls have to wait from now on.
    fn record(&self, answered: bool) -> bool {
        let now = Instant::now();
        let too_many = {
            let mut state = self.lock();
            state.calls.push_back((now, answered));
            let within = self.policy.within;
            let old = |(ended, _): &(Instant, bool)| now.duration_since(*ended) > within;
            while state.calls.len() > MOST_CALLS || state.calls.front().is_some_and(old) {
                state.calls.pop_front();
            }
            let failed = state.calls.iter().filter(|(_, answered)| !answered).count();
            state.calls.len() >= self.policy.calls as usize
                && failed * 100 >= state.calls.len() * usize::from(self.policy.failed_percent)
        };
        too_many && !answered && self.open()
    }

    fn close(&self) {
        let mut state = self.lock();
        if !matches!(state.gate, Gate::Closed) {
            // The calls in the window are older than the recovery.
            state.calls.clear();
            state.gate = Gate::Closed;
            state.open_since = None;
            self.changed.notify_waiters();
        }
    }

    fn set(&self, gate: Gate) {
        self.lock().gate = gate;
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass<'_> {
    /// The model answered, or refused because of the question.
    pub(super) fn answered(mut self) {
        self.probe = None;
        self.breaker.lock().last_answer = Some(Instant::now());
        self.breaker.close();
        self.breaker.record(true);
    }

    /// The attempt failed for a reason unrelated to the model's health, such as a rate limit.
    /// A probe with this outcome has reached the model.
    pub(super) fn neutral(mut self) {
        if self.probe.take().is_some() {
            self.breaker.close();
        }
    }

    /// The provider failed.
    /// `whole` means that the call has ended with it.
    /// Returns whether calls have to wait from now on.
    pub(super) fn failed(mut self, whole: bool) -> bool {
        let probe = self.probe.take();
        if let Some(pause) = probe {
            self.breaker.set(Gate::Open {
                until: Instant::now() + pause,
                pause: (pause * 2).min(self.breaker.policy.longest_pause),
            });
        }
        whole && probe.is_none() && self.breaker.record(false)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if let Some(pause) = self.probe.take() {
            self.breaker.set(Gate::Open {
                until: Instant::now(),
                pause,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    fn breaker() -> Breaker {
        Breaker::new(BreakerPolicy::default())
    }

    fn fail(breaker: &Breaker, times: usize) {
        (0..times).for_each(|_| {
            breaker.pass().unwrap().failed(true);
        });
    }

    #[tokio::test(start_paused = true)]
    async fn half_of_the_calls_open_it_and_a_probe_closes_it() {
        let breaker = breaker();
        fail(&breaker, 4);
        (0..5).for_each(|_| breaker.pass().unwrap().answered());
        assert!(!breaker.is_open());
        fail(&breaker, 1);
        assert!(breaker.is_open() && breaker.pass().is_none());
        advance(Duration::from_millis(499)).await;
        assert!(breaker.pass().is_none());
        advance(Duration::from_millis(1)).await;
        let probe = breaker.pass().unwrap();
        assert!(breaker.pass().is_none());
        probe.answered();
        // The window begins anew, with the probe.
        fail(&breaker, 3);
        assert!(breaker.pass().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_while_probes_fail() {
        let breaker = breaker();
        fail(&breaker, 5);
        for pause in [500, 500, 1_000, 2_000, 4_000, 5_000, 5_000] {
            advance(Duration::from_millis(pause - 1)).await;
            assert!(breaker.pass().is_none(), "{pause}");
            advance(Duration::from_millis(1)).await;
            breaker.pass().unwrap().failed(true);
        }
        advance(Duration::from_secs(5)).await;
        drop(breaker.pass().unwrap());
        breaker.pass().unwrap().neutral();
        assert!(!breaker.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_that_are_tried_again_and_old_calls_do_not_count() {
        let breaker = breaker();
        (0..50).for_each(|_| {
            breaker.pass().unwrap().failed(false);
        });
        fail(&breaker, 4);
        advance(Duration::from_secs(31)).await;
        fail(&breaker, 4);
        assert!(!breaker.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_calls_are_let_through_after_the_probe() {
        let breaker = breaker();
        fail(&breaker, 5);
        let begin = Instant::now();
        assert!(breaker.passable(true).await);
        assert_eq!(begin.elapsed(), Duration::from_millis(500));
        let probe = breaker.pass().unwrap();
        let (_, ()) = tokio::join!(breaker.passable(true), async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            probe.answered();
        });
        assert_eq!(begin.elapsed(), Duration::from_millis(2_500));
    }

    #[tokio::test(start_paused = true)]
    async fn an_impatient_call_waits_for_a_probe_and_for_no_pause() {
        let breaker = breaker();
        fail(&breaker, 5);
        let begin = Instant::now();
        assert!(!breaker.passable(false).await);
        assert!(breaker.passable(true).await && breaker.passable(false).await);
        let probe = breaker.pass().unwrap();
        let (passable, ()) = tokio::join!(breaker.passable(false), async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            probe.failed(true);
        });
        assert!(!passable);
        assert_eq!(begin.elapsed(), Duration::from_millis(2_500));
        assert_eq!(breaker.open_since(), Some(begin));
    }

    #[test]
    fn switched_off_it_never_opens() {
        let breaker = Breaker::new(BreakerPolicy::off());
        fail(&breaker, 100);
        assert!(!breaker.open() && !breaker.is_open());
    }
}
