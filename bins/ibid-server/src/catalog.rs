//! Keeps the alias table current: the candidate that the router offers for each alias, and its price.

use ibid_model::Catalog;
use ibid_provider::{Dialect, ProviderKey, Router, available};
use ibid_service::Service;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How often the router is probed.
const EVERY: Duration = Duration::from_secs(60);
/// Failed probes in a row after which the server counts as not ready.
const MAX_FAILED_PROBES: u32 = 5;
/// Probes between two readings of the model list, which is large and changes slowly.
const LIST_EVERY: u32 = 60;

/// A service's alias table, and the operator's key for lists that need one.
pub(crate) struct Table {
    pub(crate) builtin: Catalog,
    pub(crate) service: Service,
    pub(crate) key: Option<ProviderKey>,
}

/// Probes the router every minute and reads its model list every hour. After an error the last good table stays in
/// use.
/// Runs `after_first` once, when the list was read or could not be read for the first time.
pub(crate) fn keep_current(
    runtime: &Handle,
    router: Arc<Router>,
    table: Table,
    after_first: impl FnOnce() + Send + 'static,
) {
    let Table {
        builtin,
        service,
        key,
    } = table;
    runtime.spawn(async move {
        let mut failed = 0;
        let mut after_first = Some(after_first);
        for round in (0..LIST_EVERY).cycle() {
            let reached = if round == 0 {
                read_list(&router, &builtin, &service, key.as_ref()).await
            } else {
                router.probe().await.is_ok()
            };
            if let Some(after_first) = after_first.take() {
                after_first();
            }
            failed = if reached { 0 } else { failed + 1 };
            service.set_router_reachable(failed < MAX_FAILED_PROBES);
            tokio::time::sleep(EVERY).await;
        }
    });
}

/// Reads the model list and updates the alias table. Returns whether the router answered.
async fn read_list(router: &Router, builtin: &Catalog, service: &Service, key: Option<&ProviderKey>) -> bool {
    // OpenRouter lists its models to everyone, so the key is not needed there.
    let key = key.filter(|_| router.dialect() != Dialect::OpenRouter);
    match router.models(key).await {
        Ok(models) => {
            tracing::info!(offered = models.len(), "router.models.read");
            service.planner.set_catalog(available(builtin, &models));
            true
        }
        Err(error) => {
            tracing::warn!(%error, "router.models.failed");
            router.probe().await.is_ok()
        }
    }
}
