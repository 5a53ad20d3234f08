//! Pictures are read and drawn away from the threads of connections, few at a time.

use crate::bounded_blocking::BoundedBlocking;
use crate::report_printer::ReportPrinter;
use bytes::Bytes;
use ibid_model::ScanId;
use ibid_store::Millis;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// Pictures at a time.
/// Each takes at most some 40 MiB and 100 ms of a core.
const AT_ONCE: usize = 2;
/// Pictures that wait for their turn.
const MOST_WAITING: usize = 16;
/// Cards that are kept. Each has some 40 KB.
const CARDS: usize = 64;

/// The facts behind a card: a report never changes, its owner's title and logo do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CardKey {
    pub scan: ScanId,
    /// When the title or the logo last changed, or `None` without both.
    pub brand: Option<Millis>,
}

/// Reads and draws pictures and reports, and keeps the latest cards.
pub(crate) struct Pictures {
    pub(crate) blocking: BoundedBlocking,
    pub(crate) cards: Cache<CardKey, Bytes>,
    /// Draws reports as PDF; `None` where the program cannot.
    pub(crate) printer: Option<Arc<dyn ReportPrinter>>,
}

impl Pictures {
    pub(crate) fn new(printer: Option<Arc<dyn ReportPrinter>>) -> Self {
        Self {
            blocking: BoundedBlocking::new(AT_ONCE, MOST_WAITING),
            cards: Cache::new(CARDS),
            printer,
        }
    }
}
