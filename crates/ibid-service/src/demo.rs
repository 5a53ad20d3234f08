//! The free question: one model, one question, paid by the operator's key, capped for each address and each day.

use crate::daily_turns::{DailyTurn, DailyTurns};
use crate::error::Error;
use ibid_provider::ProviderKey;
use std::net::IpAddr;
use std::time::Instant;

/// What the operator allows for the free question.
#[derive(Clone, Debug)]
pub struct DemoTerms {
    /// The operator's key; it pays the model.
    pub key: ProviderKey,
    /// Questions of one address in a day.
    pub per_address: u32,
    /// Questions of all addresses in a day.
    pub per_day: u32,
}

/// Whether the free question can be asked, or a visitor can look at a website.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoState {
    /// It can.
    Open,
    /// The day's share is used up.
    UsedUp,
    /// The operator offers no free question, or has no key to pay with.
    Closed,
}

/// Counts the free questions of a day.
#[derive(Clone, Debug)]
pub(crate) struct Demos {
    key: ProviderKey,
    turns: DailyTurns,
}

/// A turn of the free question.
#[derive(Debug)]
pub(crate) struct DemoTurn {
    key: ProviderKey,
    _turn: DailyTurn,
}

impl Demos {
    pub(crate) fn new(terms: DemoTerms) -> Self {
        Self {
            key: terms.key,
            turns: DailyTurns::new(terms.per_address, terms.per_day),
        }
    }

    pub(crate) fn state(&self, now: Instant) -> DemoState {
        self.turns.left(now)
    }

    /// Counts a question as asked, with or without an answer.
    pub(crate) fn begin(&self, address: IpAddr, now: Instant) -> Result<DemoTurn, Error> {
        if self.state(now) == DemoState::Closed {
            return Err(Error::DemoDisabled);
        }
        Ok(DemoTurn {
            key: self.key.clone(),
            _turn: self.turns.begin(address, now)?,
        })
    }
}

impl DemoTurn {
    /// The operator's key, which pays the model.
    pub(crate) const fn key(&self) -> &ProviderKey {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_of_zero_disables_the_demo() {
        for (per_address, per_day) in [(0, 9), (9, 0)] {
            let demos = Demos::new(DemoTerms {
                key: "test-key".parse().unwrap(),
                per_address,
                per_day,
            });
            assert_eq!(demos.state(Instant::now()), DemoState::Closed);
            let refused = demos.begin("192.0.2.1".parse().unwrap(), Instant::now());
            assert!(matches!(refused, Err(Error::DemoDisabled)));
        }
    }
}
