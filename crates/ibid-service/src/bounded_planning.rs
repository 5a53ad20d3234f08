//! Planning off the threads of connections.
//!
//! A misspelt place takes a thousand times as long to look up as a known one, and anonymous callers may send any text.
//! So plans are made on the scoring runtime, few at a time, and texts without a place are remembered.

use crate::bounded_blocking::BoundedBlocking;
use crate::error::Error;
use ibid_engine::plan::{Fit, Located, Plan, PlanError, PlanOptions};
use ibid_model::{LocationText, ScanOrder};
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;

/// Most plans that wait for their turn.
/// A plan takes a few milliseconds at most.
const MOST_WAITING: usize = 128;
/// Unknown places that are remembered, the latest ones.
const MOST_REMEMBERED: usize = 256;

/// Makes plans, with bounds.
pub(crate) struct BoundedPlanning {
    blocking: BoundedBlocking,
    unknown: Mutex<VecDeque<(LocationText, PlanError)>>,
}

/// Bounds of a plan in addition to its order.
#[derive(Debug)]
pub(crate) enum PlanBounds {
    /// The order alone.
    None,
    /// The order is fitted to its price.
    Price(Fit),
    /// At most so many markets: the order was fitted when it was stored.
    Markets(u8),
    /// A run of a schedule, by its number.
    Run(u32),
}

impl PlanBounds {
    fn plan(self, order: ScanOrder, options: PlanOptions) -> Result<Plan, PlanError> {
        match self {
            Self::None => Plan::of(order, options),
            Self::Price(fit) => Plan::fitted(order, options, &fit),
            Self::Markets(most) => Plan::of(order.with_most_markets(Some(most)), options),
            Self::Run(number) => Plan::of_run(order, options, number),
        }
    }
}

impl BoundedPlanning {
    /// Makes plans on `runtime`, on at most half of the processors.
    pub(crate) fn new(runtime: Handle) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            blocking: BoundedBlocking::new(processors.div_ceil(2), MOST_WAITING).on(runtime),
            unknown: Mutex::default(),
        }
    }

    /// Plans an order.
    pub(crate) async fn plan(
        &self,
        order: ScanOrder,
        options: PlanOptions,
        bounds: PlanBounds,
    ) -> Result<Plan, Error> {
        let Some(text) = order.location().cloned() else {
            return Ok(bounds.plan(order, options)?);
        };
        if let Some(error) = self.remembered(&text) {
            return Err(error.into());
        }
        let planned = self.compute(move || bounds.plan(order, options)).await?;
        Ok(planned.inspect_err(|error| self.remember(text, error))?)
    }

    /// Looks a place up.
    pub(crate) async fn locate(&self, text: LocationText) -> Result<Result<Located, PlanError>, Error> {
        if let Some(error) = self.remembered(&text) {
            return Ok(Err(error));
        }
        let sought = text.clone();
        let located = self.compute(move || Located::find(&sought)).await?;
        Ok(located.inspect_err(|error| self.remember(text, error)))
    }

    /// Runs a computation when it is its turn.
    /// It goes on, and keeps its turn, when the caller hangs up.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.blocking.run(work).await
    }

    fn remembered(&self, text: &LocationText) -> Option<PlanError> {
        let unknown = self.lock();
        let found = unknown.iter().find(|(known, _)| known == text);
        found.map(|(_, error)| error.clone())
    }

    fn remember(&self, text: LocationText, error: &PlanError) {
        if let PlanError::UnknownPlace { .. } = error {
            let mut unknown = self.lock();
            unknown.truncate(MOST_REMEMBERED - 1);
            unknown.push_front((text, error.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(LocationText, PlanError)>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{Catalog, ScanDraft, ScanForm};
    use serde_json::{Map, Value, json};

    fn order(location: &str) -> ScanOrder {
        let body: Map<String, Value> = [
            ("domain", "example.com"),
            ("keyword", "k"),
            ("location", location),
        ]
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .into_iter()
        .collect();
        ScanDraft(&body)
            .parse(&Catalog::builtin(), ScanForm::Scan)
            .unwrap()
    }

    #[tokio::test]
    async fn unknown_places_are_remembered_and_known_ones_are_not() {
        let room = BoundedPlanning::new(Handle::current());
        for _ in 0..2 {
            let unknown = room
                .plan(order("Qqqq, Nowhere"), PlanOptions::default(), PlanBounds::None)
                .await;
            assert!(matches!(unknown, Err(Error::UnknownPlace { .. })));
            let known = room
                .plan(order("Leeds, UK"), PlanOptions::default(), PlanBounds::None)
                .await;
            assert!(known.is_ok());
        }
        assert_eq!(room.lock().len(), 1);
        assert!(room.remembered(&"Qqqq, Nowhere".parse().unwrap()).is_some());
        for n in 0..MOST_REMEMBERED + 9 {
            let error = PlanError::UnknownPlace {
                reason: String::new(),
                suggestions: Vec::new(),
            };
            room.remember(format!("Nowhere {n}").parse().unwrap(), &error);
        }
        assert_eq!(room.lock().len(), MOST_REMEMBERED);
        assert!(room.remembered(&"Qqqq, Nowhere".parse().unwrap()).is_none());
    }

    #[tokio::test]
    async fn beyond_the_bound_a_plan_is_refused_and_nothing_waits() {
        let room = BoundedPlanning::new(Handle::current());
        let plan = || room.plan(order("Leeds, UK"), PlanOptions::default(), PlanBounds::None);
        let taken = room.blocking.fill();
        assert!(matches!(plan().await, Err(Error::Overloaded { .. })));
        drop(taken);
        assert!(plan().await.is_ok());
    }
}
