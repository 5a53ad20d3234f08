//! The models that refuse to be forced to search.

use super::request::Firmness;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The models that refused a forced search, so requests only offer one.
#[derive(Debug, Default)]
pub(super) struct Lenient(Mutex<HashSet<String>>);

impl Lenient {
    pub(super) fn firmness(&self, model: &str) -> Firmness {
        if self.has(model) {
            Firmness::Offered
        } else {
            Firmness::Strongest
        }
    }

    pub(super) fn has(&self, model: &str) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(model)
    }

    pub(super) fn add(&self, model: &str) {
        let mut models = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if models.len() >= super::targets::MOST {
            models.clear();
        }
        if models.insert(model.to_owned()) {
            tracing::info!(model, "router.search.not_forced");
        }
    }
}
