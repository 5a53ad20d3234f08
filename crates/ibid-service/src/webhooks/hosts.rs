//! Which hosts take agents' notifications, as far as this process knows.
//!
//! Agents are anonymous, so a host may get messages without its owner's consent.
//! Until a host has answered one with 2xx, it gets one message at a time, and each is sent once.
//! A host that has answered gets a bounded number a minute; others wait.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);
/// Most messages in a minute to a host that has answered.
const PER_MINUTE: u32 = 60;
/// The time after a failed message during which the host gets no other message.
const SILENCE: Duration = Duration::from_secs(10);
/// The time after which a message under way counts as lost, longer than an attempt.
const LOST: Duration = Duration::from_secs(60);
/// The most hosts to remember.
/// Beyond it, hosts without a message for `LOST` are forgotten.
const MOST_HOSTS: usize = 10_000;

/// What is known about each host.
pub(super) struct Hosts {
    known: Mutex<HashMap<String, Host>>,
    /// How long other messages wait during the first one to their host.
    wait: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Host {
    /// It has answered no message with 2xx, and one is under way since this time.
    Asked(Instant),
    /// It has answered no message with 2xx, and did not take one at this time.
    Silent(Instant),
    /// It has answered a message with 2xx.
    Open(Minute),
}

/// The messages to a host in the minute from `since`.
#[derive(Clone, Copy, Debug)]
struct Minute {
    since: Instant,
    sent: u32,
    /// Messages that wait for a later minute.
    postponed: u32,
}

/// The time at which a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Now,
    /// Not before this wait has passed.
    Later(Duration),
    /// Never: the host has not taken the previous message.
    Never,
}

impl Hosts {
    pub(super) fn new(wait: Duration) -> Self {
        Self {
            known: Mutex::default(),
            wait,
        }
    }

    /// Decides when a message is sent after so many attempts. It gets a second attempt only if its host
    /// has answered before, perhaps to another process.
    pub(super) fn turn(&self, host: &str, tries: u32, now: Instant) -> Turn {
        let mut known = self.known();
        if known.len() >= MOST_HOSTS {
            known.retain(|_, host| now.duration_since(host.since()) < LOST);
        }
        let (next, turn) = match known.get(host).copied() {
            Some(Host::Open(minute)) => {
                let (minute, turn) = minute.turn(now);
                (Host::Open(minute), turn)
            }
            None | Some(Host::Asked(_) | Host::Silent(_)) if tries > 0 => {
                (Host::Open(Minute::with_one(now)), Turn::Now)
            }
            Some(Host::Asked(since)) if now.duration_since(since) < LOST => return Turn::Later(self.wait),
            Some(Host::Silent(since)) if now.duration_since(since) < SILENCE => return Turn::Never,
            None | Some(Host::Asked(_) | Host::Silent(_)) => (Host::Asked(now), Turn::Now),
        };
        known.insert(host.to_owned(), next);
        turn
    }

    /// Notes whether a host took a message, and returns whether it has ever taken one.
    pub(super) fn answered(&self, host: &str, taken: bool, now: Instant) -> bool {
        let mut known = self.known();
        if matches!(known.get(host), Some(Host::Open(_))) {
            return true;
        }
        let next = match taken {
            true => Host::Open(Minute::with_one(now)),
            false => Host::Silent(now),
        };
        known.insert(host.to_owned(), next);
        taken
    }

    /// Entries stay whole even if a holder of the lock panicked, so the lock may be taken over.
    fn known(&self) -> MutexGuard<'_, HashMap<String, Host>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host {
    const fn since(&self) -> Instant {
        match self {
            Self::Asked(since) | Self::Silent(since) => *since,
            Self::Open(minute) => minute.since,
        }
    }
}

impl Minute {
    const fn with_one(since: Instant) -> Self {
        Self {
            since,
            sent: 1,
            postponed: 0,
        }
    }

    /// Counts a message. Messages that wait are spread over the next minutes.
    fn turn(mut self, now: Instant) -> (Self, Turn) {
        let Some(left) = MINUTE
            .checked_sub(now.duration_since(self.since))
            .filter(|left| !left.is_zero())
        else {
            return (Self::with_one(now), Turn::Now);
        };
        if self.sent < PER_MINUTE {
            self.sent += 1;
            return (self, Turn::Now);
        }
        let wait = left + MINUTE * (self.postponed / PER_MINUTE);
        self.postponed += 1;
        (self, Turn::Later(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_secs(5);

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_host_that_has_not_answered_gets_one_message_at_a_time() {
        let (hosts, start) = (Hosts::new(WAIT), Instant::now());
        let turn = |after| hosts.turn("shop.example", 0, start + seconds(after));
        assert_eq!(turn(0), Turn::Now);
        assert_eq!(turn(1), Turn::Later(WAIT));
        assert_eq!(hosts.turn("other.example", 0, start), Turn::Now);
        assert!(!hosts.answered("shop.example", false, start + seconds(15)));
        assert_eq!(turn(24), Turn::Never);
        assert_eq!(turn(25), Turn::Now);
        // The process that sent it is gone.
        assert_eq!((turn(84), turn(85)), (Turn::Later(WAIT), Turn::Now));
        assert!(hosts.answered("shop.example", true, start + seconds(86)));
        assert_eq!((turn(86), turn(86)), (Turn::Now, Turn::Now));
        assert!(hosts.answered("shop.example", false, start + seconds(87)));
        assert_eq!(turn(87), Turn::Now);
    }

    #[test]
    fn a_host_that_has_answered_gets_sixty_a_minute() {
        let (hosts, start) = (Hosts::new(WAIT), Instant::now());
        assert!(hosts.answered("shop.example", true, start));
        let turn = |after| hosts.turn("shop.example", 0, start + seconds(after));
        let sent = (0..59).filter(|_| turn(20) == Turn::Now).count();
        assert_eq!(sent, 59);
        let minutes: Vec<_> = (0..61).map(|_| turn(20)).collect();
        assert!(minutes[..60].iter().all(|turn| *turn == Turn::Later(seconds(40))));
        assert_eq!(minutes[60], Turn::Later(seconds(100)));
        assert_eq!(turn(60), Turn::Now);
    }

    #[test]
    fn a_message_with_attempts_shows_that_its_host_has_answered() {
        let (hosts, now) = (Hosts::new(WAIT), Instant::now());
        assert_eq!(hosts.turn("shop.example", 1, now), Turn::Now);
        assert!(hosts.answered("shop.example", false, now));
        assert_eq!(hosts.turn("shop.example", 0, now), Turn::Now);
    }

    #[test]
    fn hosts_without_messages_are_forgotten() {
        let (hosts, start) = (Hosts::new(WAIT), Instant::now());
        for number in 0..MOST_HOSTS {
            assert_eq!(hosts.turn(&number.to_string(), 0, start), Turn::Now);
        }
        assert_eq!(hosts.turn("late", 0, start + LOST), Turn::Now);
        assert_eq!(hosts.known().len(), 1);
    }
}
