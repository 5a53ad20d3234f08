//! Counts of runs and questions since the process started, for the operator.

use ibid_model::Product;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that only grow.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    products: [ProductCounts; Product::ALL.len()],
    answered: AtomicU64,
    failed: AtomicU64,
}

#[derive(Debug, Default)]
struct ProductCounts {
    started: AtomicU64,
    done: AtomicU64,
    failed: AtomicU64,
}

/// The counts at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountsNow {
    /// Runs by product, whether they were sold or not.
    pub runs: Vec<RunCounts>,
    /// Questions that models answered.
    pub answered: u64,
    /// Questions without an answer.
    pub failed: u64,
    /// Runs under way.
    pub open_runs: usize,
    /// Questions that open runs may still ask.
    pub open_questions: usize,
}

/// Runs of one product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCounts {
    pub product: Product,
    /// Started. Runs that are neither done nor failed are under way or were cancelled.
    pub started: u64,
    /// Ended with a result.
    pub done: u64,
    /// Ended without one.
    pub failed: u64,
}

impl Counts {
    const fn of(&self, product: Product) -> &ProductCounts {
        &self.products[product as usize]
    }

    pub(crate) fn started(&self, product: Product) {
        self.of(product).started.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn ended(&self, product: Product, with_result: bool) {
        let counts = self.of(product);
        let count = if with_result { &counts.done } else { &counts.failed };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn asked(&self, answered: bool) {
        let count = if answered { &self.answered } else { &self.failed };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn now(&self, open_runs: usize, open_questions: usize) -> CountsNow {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let runs = Product::ALL.map(|product| {
            let counts = self.of(product);
            RunCounts {
                product,
                started: read(&counts.started),
                done: read(&counts.done),
                failed: read(&counts.failed),
            }
        });
        CountsNow {
            runs: runs.into(),
            answered: read(&self.answered),
            failed: read(&self.failed),
            open_runs,
            open_questions,
        }
    }
}
