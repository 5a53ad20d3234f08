//! Credits of an account.

use crate::Error;
use crate::clock::{millis, month_of, now_ms};
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, ScanId, UsdMicros};
use ibid_store::{Db, NewRun, StoreError};
use std::time::Duration;

/// A credit that was taken from an account for one scan.
///
/// Only [`SpentCredit::take`] makes one, and a permit for the scan consumes it: a credit scan that was not paid for
/// does not compile.
#[derive(Debug)]
pub(crate) struct SpentCredit {
    run: ScanId,
    account: AccountId,
}

impl SpentCredit {
    /// Takes one credit and writes the row of the scan, in one transaction.
    ///
    /// If the caller hangs up meanwhile, a row without a run remains. Its lease ends, and the credit is returned.
    ///
    /// # Errors
    /// [`Error::AccountCreditExhausted`]; [`Error::BudgetExceeded`]; [`Error::Store`].
    pub(crate) async fn take(
        db: &Db,
        (run, account): (ScanId, AccountId),
        plan: &Plan,
        lease: Duration,
    ) -> Result<Self, Error> {
        let order = plan.order();
        let (request, domain) = (order.body().to_string(), order.domain().to_unicode());
        let (keyword, place) = (
            order.keyword().to_string(),
            plan.located().map(|located| located.spoken()),
        );
        let questions = u32::try_from(plan.len()).unwrap_or(u32::MAX);
        let (lease, estimate) = (millis(lease), plan.estimate());
        let taken = db.call(move |store| {
            let now = now_ms();
            let row = NewRun {
                id: run,
                account,
                request: &request,
                domain: &domain,
                keyword: &keyword,
                place: place.as_deref(),
                questions,
                lease_until: now + lease,
                cost: estimate.get(),
                month_began: month_of(now, 0).map_or(now, |month| month.from),
            };
            store.begin_run(&row, now)
        });
        match taken.await {
            Ok(()) => Ok(Self { run, account }),
            Err(StoreError::NoCredit) => Err(Error::AccountCreditExhausted),
            Err(StoreError::OverBudget { left }) => Err(Error::BudgetExceeded {
                estimate,
                left: UsdMicros::new(left),
            }),
            Err(error) => Err(Error::Store(error)),
        }
    }

    /// The scan that the credit pays for.
    pub(crate) const fn run(&self) -> ScanId {
        self.run
    }

    /// The account that paid.
    pub(crate) const fn account(&self) -> AccountId {
        self.account
    }
}
