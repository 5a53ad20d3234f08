//! Bounds on the work that is open at one time.

use crate::error::Error;
use crate::job::Job;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Counts open work, for all runs of a service together.
#[derive(Debug)]
pub(crate) struct Capacity {
    questions: AtomicUsize,
    most_questions: usize,
    audits: AtomicUsize,
    most_audits: usize,
}

/// A job with capacity reserved for its questions and its page.
pub(crate) struct ReservedJob {
    pub(crate) job: Job,
    pub(super) open: OpenWork,
}

/// A reservation. Dropping it gives the capacity back.
pub(crate) struct OpenWork {
    capacity: Arc<Capacity>,
    questions: usize,
    audits: usize,
}

impl Capacity {
    pub(crate) const fn new(most_questions: usize, most_audits: usize) -> Self {
        Self {
            questions: AtomicUsize::new(0),
            most_questions,
            audits: AtomicUsize::new(0),
            most_audits,
        }
    }

    /// Returns how many questions open runs may still ask.
    pub(crate) fn open_questions(&self) -> usize {
        self.questions.load(Ordering::Relaxed)
    }

    pub(crate) fn reserve(self: &Arc<Self>, job: Job) -> Result<ReservedJob, Error> {
        let open = self.open(job.questions(), job.audits())?;
        Ok(ReservedJob { job, open })
    }

    pub(crate) fn reserve_audits(self: &Arc<Self>, audits: usize) -> Result<OpenWork, Error> {
        self.open(0, audits)
    }

    fn open(self: &Arc<Self>, questions: usize, audits: usize) -> Result<OpenWork, Error> {
        let open = OpenWork {
            capacity: Arc::clone(self),
            questions,
            audits,
        };
        let questions = self.questions.fetch_add(open.questions, Ordering::AcqRel);
        let audits = self.audits.fetch_add(open.audits, Ordering::AcqRel);
        // The first run is always let in, however large: the ceiling of its plan bounds it.
        let asks_too_much =
            open.questions > 0 && questions > 0 && questions + open.questions > self.most_questions;
        let audits_too_much = open.audits > 0 && audits + open.audits > self.most_audits;
        if asks_too_much || audits_too_much {
            return Err(Error::Overloaded {
                retry_after: Duration::from_secs(10),
            });
        }
        Ok(open)
    }
}

impl Drop for OpenWork {
    fn drop(&mut self) {
        self.capacity
            .questions
            .fetch_sub(self.questions, Ordering::AcqRel);
        self.capacity.audits.fetch_sub(self.audits, Ordering::AcqRel);
    }
}
