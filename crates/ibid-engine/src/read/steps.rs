//! Counts the work of rules in tests: how many bytes and rows they are handed.

use std::cell::Cell;

std::thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Counts bytes or rows handed to a rule.
pub(super) fn add(handed: usize) {
    STEPS.with(|steps| steps.set(steps.get() + handed));
}

/// The steps that some work takes on this thread.
pub(super) fn of(work: impl FnOnce()) -> usize {
    STEPS.with(|steps| steps.set(0));
    work();
    STEPS.with(Cell::get)
}
