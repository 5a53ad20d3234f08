//! Listing and cancelling queued scans in the store, for the operator, also while no server runs.

use super::document::on_end;
use crate::clock::now_ms;
use crate::job::CallerId;
use ibid_model::{RunState, ScanId};
use ibid_provider::ProviderError;
use ibid_store::{CancelOutcome, DurableRunView, KeyName, Store, StoreError};
use std::collections::HashMap;

/// A scan that has not ended, as the operator sees it.
#[derive(Clone, Debug)]
pub struct OpenScan {
    /// Its state and its counts.
    pub run: DurableRunView,
    /// Its owner: the address of an account, otherwise the name in the store, such as "key shop".
    pub owner: String,
}

impl OpenScan {
    pub fn state(&self) -> &'static str {
        match self.run.state {
            _ if self.run.cancelled => "stopping",
            state => state.as_str(),
        }
    }
}

/// Returns the open scans of one owner or of everybody, the oldest first, at most `most`.
pub fn open_scans(store: &Store, owner: Option<&str>, most: u32) -> Result<Vec<OpenScan>, StoreError> {
    let accounts = store.accounts()?.into_iter();
    let emails: HashMap<CallerId, String> = accounts
        .map(|account| (CallerId::of(account.id), account.email))
        .collect();
    let tenant = owner.map(|owner| {
        let account = emails.iter().find(|(_, email)| email.eq_ignore_ascii_case(owner));
        account.map_or(owner, |(caller, _)| caller.as_str())
    });
    let open = store.open_durable_runs(tenant, most)?.into_iter();
    let scan = |run: DurableRunView| {
        let email = emails.get(&CallerId::stored(&run.tenant));
        let owner = email.unwrap_or(&run.tenant).clone();
        OpenScan { run, owner }
    };
    Ok(open.map(scan).collect())
}

/// Cancels a scan. A scan without a worker ends at once. The workers of another scan stop when they next keep a call
/// or renew their leases.
pub fn cancel_scan(store: &Store, id: ScanId) -> Result<CancelOutcome, StoreError> {
    if end_unbegun(store, id)? {
        return Ok(CancelOutcome::Cancelled);
    }
    store.cancel_run(id)
}

/// Revokes a service key, cancels its holder's open scans and returns their number.
/// `None` for an unknown or revoked key.
pub fn revoke_key(store: &Store, name: &KeyName, now: i64) -> Result<Option<usize>, StoreError> {
    if !store.revoke_service_key(name, now)? {
        return Ok(None);
    }
    let open = store.open_durable_runs(Some(CallerId::of_key(name).as_str()), u32::MAX)?;
    for run in &open {
        cancel_scan(store, run.id)?;
    }
    Ok(Some(open.len()))
}

/// Ends a scan that no worker has taken up, and returns whether it did.
pub(super) fn end_unbegun(store: &Store, id: ScanId) -> Result<bool, StoreError> {
    let Some(run) = store.durable_run(id)?.filter(|run| run.state == RunState::Queued) else {
        return Ok(false);
    };
    let code = ProviderError::Stopped.code();
    on_end(&run, RunState::Cancelled, code, |notices| {
        store.end_queued_run(id, code, notices, now_ms())
    })
}

/// Ends an open scan at once, without a result, and returns whether it did.
/// An account gets its credit back if no call has an outcome.
pub fn end_scan(store: &Store, id: ScanId) -> Result<bool, StoreError> {
    let Some(run) = store.durable_run(id)?.filter(|run| run.state.is_open()) else {
        return Ok(false);
    };
    let code = ProviderError::Stopped.code();
    on_end(&run, RunState::Cancelled, code, |notices| {
        store.end_open_run(id, code, notices, now_ms())
    })
}
