//! The handle that surfaces hold.

use super::scans::Scans;
use crate::accounts::Accounts;
use crate::measurements::Measurements;
use crate::paid::Shop;
use crate::planner::Planner;
use crate::projects::Projects;
use crate::questions::Questions;
use crate::readiness::{Readiness, StoreReadiness};
use crate::runs::counts::CountsNow;
use crate::schedules::Schedules;
use crate::tasks::TaskKeeper;
use crate::webhooks::Hooks;
use ibid_provider::{Probe, ProviderLoad, probe_all};
use ibid_store::Connections;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What ibid does, as handles, and what its operator sees of the server. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    /// Orders, their runs and their reports.
    pub scans: Scans,
    /// Reads and plans orders, and knows the alias table.
    pub planner: Arc<Planner>,
    /// Prices, offers and receipts.
    pub shop: Shop,
    /// People: sign-in, administration, their links and their data.
    pub accounts: Accounts,
    /// Repeated scans and their alerts.
    pub schedules: Schedules,
    /// Projects of organisations.
    pub projects: Projects,
    /// Questions in callers' own words.
    pub questions: Questions,
    /// Subscriptions to webhooks.
    pub hooks: Hooks,
    pub(crate) tasks: Arc<TaskKeeper>,
    pub(crate) router_reachable: Arc<AtomicBool>,
    /// How each model answered its last probe.
    pub(crate) probes: Arc<Mutex<Vec<Probe>>>,
    pub(crate) readiness: Arc<Readiness>,
}

impl Service {
    /// Whether the model router answered lately; true until [`Self::set_router_reachable`] sets it.
    pub fn router_reachable(&self) -> bool {
        self.router_reachable.load(Ordering::Relaxed)
    }

    /// Notes whether the model router answers.
    pub fn set_router_reachable(&self, reachable: bool) {
        self.router_reachable.store(reachable, Ordering::Relaxed);
    }

    /// Returns how each model answered its last probe; empty until [`Self::set_probes`].
    /// For the operator only.
    pub fn probes(&self) -> Vec<Probe> {
        self.probes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps how all models answered a probe.
    pub fn set_probes(&self, probes: Vec<Probe>) {
        *self.probes.lock().unwrap_or_else(PoisonError::into_inner) = probes;
    }

    /// Whether answers are invented.
    pub fn is_sandbox(&self) -> bool {
        self.scans.runs.is_sandbox()
    }

    /// Counts since the process started.
    pub fn counts(&self) -> CountsNow {
        self.scans.runs.counts()
    }

    /// Counts and times since the process started.
    pub fn measurements(&self) -> &Measurements {
        &self.scans.runs.measurements
    }

    /// Counts the provider's calls that are under way and waiting.
    pub fn load(&self) -> ProviderLoad {
        self.scans.runs.provider.load()
    }

    pub fn connections(&self) -> Connections {
        self.scans.db().connections()
    }

    /// Checks with a written row that the store works.
    /// All requests within a second share one check.
    pub async fn store_readiness(&self) -> StoreReadiness {
        self.readiness.check(self.scans.db()).await
    }

    /// Asks each model of the alias table one question with the operator's key and keeps the outcome.
    /// `None` without a key.
    pub async fn probe_models(&self) -> Option<Vec<Probe>> {
        let key = self.scans.account_runs.key()?;
        let catalog = self.planner.catalog();
        let web_search = self.planner.web_search();
        let probes = probe_all(&*self.scans.runs.provider, key, catalog.models(), web_search).await;
        self.set_probes(probes.clone());
        Some(probes)
    }

    /// Asks each model one question with the operator's key.
    /// `None` without a key.
    pub async fn probe_for(&self, _: &crate::accounts::Admin) -> Option<Vec<Probe>> {
        self.probe_models().await
    }

    /// Waits until every run has ended, at most `within`.
    /// Returns how many are still open.
    pub async fn drain(&self, within: Duration) -> usize {
        let ((), open) = tokio::join!(
            async {
                let begun = Instant::now();
                // Buyers wait for sold scans.
                // Half of the time is left for calls under way.
                self.scans.queue.finish_sold(within / 2).await;
                // Other workers repeat the steps that are still under way.
                let rest = within.saturating_sub(begun.elapsed());
                let _ = tokio::time::timeout(rest, self.scans.queue.stop()).await;
            },
            self.scans.runs.drain(within),
        );
        open
    }
}
