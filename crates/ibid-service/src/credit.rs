//! Credits of an account.

use crate::clock::month_of;
use crate::error::Error;
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, ScanId, UsdMicros};
use ibid_store::{NewRun, StoreError};

pub(crate) fn calls_of(plan: &Plan) -> u32 {
    u32::try_from(plan.len()).unwrap_or(u32::MAX)
}

/// A row that takes a credit when it is written.
#[derive(Debug)]
pub(crate) struct CreditedRow {
    id: ScanId,
    account: AccountId,
    request: String,
    domain: String,
    keyword: String,
    place: Option<String>,
    estimate: UsdMicros,
}

impl CreditedRow {
    pub(crate) fn of((id, account): (ScanId, AccountId), plan: &Plan) -> Self {
        let order = plan.order();
        Self {
            id,
            account,
            request: order.body().to_string(),
            domain: order.domain().to_unicode(),
            keyword: order.keyword().to_string(),
            place: plan.place().map(|place| place.spoken.clone()),
            estimate: plan.estimate(),
        }
    }

    /// The row as the store takes it, for a scan that begins at `began_at`.
    pub(crate) fn as_new(&self, began_at: i64) -> NewRun<'_> {
        NewRun {
            id: self.id,
            account: self.account,
            request: &self.request,
            domain: &self.domain,
            keyword: &self.keyword,
            place: self.place.as_deref(),
            cost: self.estimate.get(),
            month_began: month_of(began_at, 0).map_or(began_at, |month| month.from),
        }
    }

    /// The reason why the row was not written, in the words of its owner.
    pub(crate) fn refusal(estimate: UsdMicros, error: StoreError) -> Error {
        match error {
            StoreError::NoCredit => Error::AccountCreditExhausted,
            StoreError::OverBudget { left } => Error::BudgetExceeded {
                estimate,
                left: UsdMicros::new(left),
            },
            error => Error::Store(error),
        }
    }
}
