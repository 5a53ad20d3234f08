//! Credits of an account.

use crate::Error;
use crate::clock::{millis, month_of, now_ms};
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, ScanId, UsdMicros};
use ibid_store::{Db, NewRun, Store, StoreError};
use std::time::Duration;

/// A credit that was taken from an account for one scan.
///
/// Only [`SpentCredit::take`] makes one, and a permit for the scan consumes it: an unpaid credit scan does not compile.
#[derive(Debug)]
pub(crate) struct SpentCredit {
    run: ScanId,
}

impl SpentCredit {
    /// Takes one credit and writes the row of the scan, in one transaction.
    ///
    /// If the caller hangs up meanwhile, a row without a run remains.
    /// Its lease ends, and the credit is returned.
    ///
    /// # Errors
    /// [`Error::AccountCreditExhausted`]; [`Error::BudgetExceeded`]; [`Error::Store`].
    pub(crate) async fn take(
        db: &Db,
        (run, account): (ScanId, AccountId),
        plan: &Plan,
        lease: Duration,
    ) -> Result<Self, Error> {
        let row = CreditedRow::of((run, account), plan);
        let (lease, estimate) = (millis(lease), row.estimate);
        let taken = db.call(move |store| {
            let now = now_ms();
            row.begin(store, now, now + lease)
        });
        match taken.await {
            Ok(()) => Ok(Self { run }),
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
}

/// The row of a scan that takes a credit when it is written.
#[derive(Debug)]
pub(crate) struct CreditedRow {
    id: ScanId,
    account: AccountId,
    request: String,
    domain: String,
    keyword: String,
    place: Option<String>,
    questions: u32,
    estimate: UsdMicros,
}

impl CreditedRow {
    /// The row of a planned scan of an account.
    pub(crate) fn of((id, account): (ScanId, AccountId), plan: &Plan) -> Self {
        let order = plan.order();
        Self {
            id,
            account,
            request: order.body().to_string(),
            domain: order.domain().to_unicode(),
            keyword: order.keyword().to_string(),
            place: plan.place().map(|place| place.spoken.clone()),
            questions: u32::try_from(plan.len()).unwrap_or(u32::MAX),
            estimate: plan.estimate(),
        }
    }

    /// Takes one credit and writes a scan's row with its start `began_at`, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::NoCredit`]; [`StoreError::OverBudget`]; [`StoreError::Exists`] where the id is taken; the fault of the
    /// database.
    pub(crate) fn begin(&self, store: &dyn Store, began_at: i64, lease_until: i64) -> Result<(), StoreError> {
        let row = NewRun {
            id: self.id,
            account: self.account,
            request: &self.request,
            domain: &self.domain,
            keyword: &self.keyword,
            place: self.place.as_deref(),
            questions: self.questions,
            lease_until,
            cost: self.estimate.get(),
            month_began: month_of(began_at, 0).map_or(began_at, |month| month.from),
        };
        store.begin_run(&row, began_at)
    }
}
