//! Counts the money of a running scan: bills, estimates for calls under way, and the cap on both.

use ibid_model::UsdMicros;
use ibid_provider::Completion;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one scan has spent and may still spend.
/// A call under way counts with its estimate, or with the mean bill if that is higher,
/// so a wide scan cannot begin all its calls before the first bill.
pub(super) struct Budget {
    cap: Option<UsdMicros>,
    billed: AtomicU64,
    /// Calls that were billed.
    bills: AtomicU64,
    /// What the calls under way are expected to cost, in millionths of a dollar.
    under_way: AtomicU64,
    calls: AtomicU64,
}

impl Budget {
    pub(super) fn new(cap: Option<UsdMicros>) -> Self {
        Self {
            cap,
            billed: AtomicU64::new(0),
            bills: AtomicU64::new(0),
            under_way: AtomicU64::new(0),
            calls: AtomicU64::new(0),
        }
    }

    /// Returns whether a call may begin, and counts it as under way.
    pub(super) fn begin(&self, estimate: UsdMicros) -> bool {
        if self.cap.is_some_and(|cap| self.committed() >= cap.get()) {
            return false;
        }
        self.under_way.fetch_add(estimate.get(), Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn committed(&self) -> u64 {
        let billed = self.billed.load(Ordering::Relaxed);
        let bills = self.bills.load(Ordering::Relaxed);
        let mean = billed.checked_div(bills).unwrap_or(0);
        let expected = self.calls.load(Ordering::Relaxed).saturating_mul(mean);
        billed.saturating_add(expected.max(self.under_way.load(Ordering::Relaxed)))
    }

    /// Replaces the estimate of a call by its bill.
    /// A failed call is not billed.
    /// An answer without a bill counts with the estimate.
    pub(super) fn end(&self, estimate: UsdMicros, answer: Option<&Completion>) {
        self.under_way.fetch_sub(estimate.get(), Ordering::Relaxed);
        self.calls.fetch_sub(1, Ordering::Relaxed);
        if let Some(answer) = answer {
            self.count_bill(estimate, answer);
        }
    }

    pub(super) fn count_bill(&self, estimate: UsdMicros, answer: &Completion) {
        let bill = answer.usage.cost.unwrap_or(estimate);
        self.billed.fetch_add(bill.get(), Ordering::Relaxed);
        self.bills.fetch_add(1, Ordering::Relaxed);
    }
}
