//! Calls that go wrong on purpose.

use crate::error::Outage;
use std::collections::VecDeque;
use std::time::Duration;

/// How one call is made to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Script {
    /// The facilitator refuses with this text, and does not act.
    Refuse(String),
    /// The facilitator answers as usual, after this delay.
    /// If it exceeds the time limit of the client, the facilitator does not act and the client gives up.
    Delay(Duration),
    /// The facilitator gives no verdict, and does not act.
    Fail(Outage),
    /// The request is carried out, and the answer is lost.
    LoseAnswer,
    /// A settlement is sent to the chain and not confirmed: `settlement_pending`, with a hash.
    Pending,
    /// The call works as usual.
    /// Fills a place in the queue.
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
