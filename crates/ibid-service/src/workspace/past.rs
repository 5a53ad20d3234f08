//! Scans stored with a time in the past.
//! The sandbox fills the history of its account with them.

use super::ends::finished_run;
use crate::credit::{CreditedRow, calls_of};
use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::CallerId;
use crate::projects::id_of;
use crate::runs::output::StoreStep;
use ibid_engine::Engine;
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, ScanId};
use ibid_provider::Sandbox;
use ibid_store::{NewDurableRun, Origin, StoreError};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// How long such a scan seems to have taken.
const DURATION: SignedDuration = SignedDuration::from_secs(40);

/// A scan that ended at a time in the past.
/// Only the sandbox answers it: no real answer gets another time.
#[derive(Debug)]
pub struct PastScan {
    /// The account it belongs to, which pays one credit.
    pub account: AccountId,
    /// Its number among the past scans of the account.
    pub number: u32,
    /// The questions and models.
    pub plan: Plan,
    /// The invented world, on the day of the scan.
    pub sandbox: Sandbox,
    /// The time at which it ended.
    pub ended_at: Timestamp,
}

impl PastScan {
    /// Returns the id of an account's past scan with this number.
    /// It is the same in all processes, so a scan is stored once.
    pub fn id(account: AccountId, number: u32) -> ScanId {
        ScanId::from_bytes(id_of(&[
            b"ibid past scan",
            account.as_bytes(),
            &number.to_le_bytes(),
        ]))
    }
}

impl Scans {
    /// Asks the sandbox and stores the result as a scan of an account with its time. Returns whether it was stored:
    /// not if the account has a scan with this number, or has deleted it.
    ///
    /// # Errors
    /// [`Error::WorkspaceDisabled`]; [`Error::NoAnswers`]; [`Error::Store`], also where the account has no credit.
    pub async fn store_past_scan(&self, past: PastScan) -> Result<bool, Error> {
        let id = PastScan::id(past.account, past.number);
        let row = CreditedRow::of((id, past.account), &past.plan);
        let (tenant, calls) = (CallerId::of(past.account), calls_of(&past.plan));
        let (ended_at, origin) = (past.ended_at, Origin::Workspace(past.account));
        let key = self.account_runs.key().ok_or(Error::WorkspaceDisabled)?;
        let engine = Engine::new(Arc::new(past.sandbox), self.runs.width);
        let asked = engine.ask(id, past.plan, key, |_| {}).await?;
        let began_at = ended_at.checked_sub(DURATION).unwrap_or(ended_at);
        let output = self.runs.score_past(id, asked, began_at, ended_at).await?;
        let finished = finished_run(output.scan_result().ok_or(Error::Ended)?);
        let step: StoreStep = Box::new(move |store, scan| {
            let began_at = began_at.as_millisecond();
            let run = NewDurableRun::past(id, tenant.as_str(), calls, began_at);
            store.put_past_run(
                &row.as_new(began_at),
                &run,
                scan,
                &finished,
                ended_at.as_millisecond(),
            )
        });
        match output.store_once(&self.runs, id, origin, step).await {
            Ok(()) => Ok(true),
            Err(Error::Store(StoreError::Exists)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_by_account_and_number_and_do_not_change() {
        let (one, other) = (AccountId::from_bytes([1; 16]), AccountId::from_bytes([2; 16]));
        assert_eq!(PastScan::id(one, 0), PastScan::id(one, 0));
        assert_ne!(PastScan::id(one, 0), PastScan::id(one, 1));
        assert_ne!(PastScan::id(one, 0), PastScan::id(other, 0));
    }
}
