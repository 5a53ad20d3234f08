//! Bounds an owner's proposals: one at a time and some a day, over all processes.

use super::handle::Questions;
use crate::error::Error;
use crate::job::CallerId;
use ibid_store::{ProposalDay, ProposalStart};
use jiff::Timestamp;
use std::time::Duration;

/// Proposals of an owner in a day. Half interrupts an afternoon's work on a panel; twice lets a stolen session spend two
/// dollars.
const MOST_A_DAY: u32 = 20;
const DAY: i64 = 86_400;

/// A proposal that is under way.
pub(super) struct Turn {
    owner: String,
    open_until: i64,
}

impl Questions {
    /// Begins a proposal, which ends by itself after `longest`.
    ///
    /// # Errors
    /// [`Error::TooMany`] with the time to wait; [`Error::Store`].
    pub(super) async fn begin(
        &self,
        owner: &CallerId,
        now: Timestamp,
        longest: Duration,
    ) -> Result<Turn, Error> {
        let owner = owner.as_str().to_owned();
        let today = ProposalDay {
            day: now.as_second() / DAY,
            most: MOST_A_DAY,
            now: now.as_millisecond(),
            open_until: (now + longest).as_millisecond(),
        };
        let name = owner.clone();
        let begun = self.db().call(move |store| store.begin_proposal(&name, today));
        let retry_after = match begun.await? {
            ProposalStart::Begun => {
                let open_until = today.open_until;
                return Ok(Turn { owner, open_until });
            }
            ProposalStart::UnderWay(until) => {
                let left = Duration::from_millis((until - today.now).unsigned_abs());
                left.clamp(Duration::from_secs(1), longest)
            }
            ProposalStart::UsedUp => Duration::from_secs((DAY - now.as_second() % DAY).unsigned_abs()),
        };
        Err(Error::TooMany { retry_after })
    }

    /// Ends a proposal.
    pub(super) async fn end(&self, turn: Turn) -> Result<(), Error> {
        let ended = self
            .db()
            .call(move |store| store.end_proposal(&turn.owner, turn.open_until));
        Ok(ended.await?)
    }
}
