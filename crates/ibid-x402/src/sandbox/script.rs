//! Calls that go wrong on purpose.

use crate::error::Outage;
use std::collections::VecDeque;
use std::time::Duration;

/// The scripted fault of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Script {
    /// The facilitator says no, with this text, and does nothing.
    Refuse(String),
    /// It answers as usual, so much later. Longer than the patience of the client, it does nothing and the
    /// client gives up.
    Delay(Duration),
    /// No verdict, and nothing is done.
    Fail(Outage),
    /// The request is carried out, and the answer is lost.
    LoseAnswer,
    /// A settlement is sent to the chain and left unconfirmed: `settlement_pending`, with a hash.
    Pending,
    /// Nothing goes wrong. Fills a place in the queue.
    Obey,
}

/// Numbers of calls to a facilitator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Verifications.
    pub verify: u64,
    /// Settlements.
    pub settle: u64,
}

#[derive(Default)]
pub(super) struct Scripts {
    verify: VecDeque<Script>,
    settle: VecDeque<Script>,
    calls: Calls,
}

impl Scripts {
    pub(super) fn push_verify(&mut self, script: Script) {
        self.verify.push_back(script);
    }

    pub(super) fn push_settle(&mut self, script: Script) {
        self.settle.push_back(script);
    }

    pub(super) const fn calls(&self) -> Calls {
        self.calls
    }

    pub(super) fn next_verify(&mut self) -> Script {
        self.calls.verify += 1;
        self.verify.pop_front().unwrap_or(Script::Obey)
    }

    pub(super) fn next_settle(&mut self) -> Script {
        self.calls.settle += 1;
        self.settle.pop_front().unwrap_or(Script::Obey)
    }
}
