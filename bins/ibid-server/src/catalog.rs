//! Keeps the alias table current: which candidate the router offers, and what it costs now.

use ibid_model::Catalog;
use ibid_provider::{Router, available};
use ibid_service::Service;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How often the router is asked whether it is there.
const EVERY: Duration = Duration::from_secs(60);
/// Silences in a row after which the server counts as not ready.
const MOST_SILENCES: u32 = 5;
/// The model list is read with every so many of them: it is large, and prices change slowly.
const LIST_EVERY: u32 = 60;

/// Asks the router every minute whether it is there, and every hour for its model list. On an error the last good
/// table stays.
pub(crate) fn keep_current(runtime: &Handle, router: Arc<Router>, builtin: Catalog, service: Service) {
    runtime.spawn(async move {
        let mut silences = 0;
        for round in (0..LIST_EVERY).cycle() {
            let reached = if round == 0 {
                read_list(&router, &builtin, &service).await
            } else {
                router.probe().await.is_ok()
            };
            silences = if reached { 0 } else { silences + 1 };
            service.set_router_reachable(silences < MOST_SILENCES);
            tokio::time::sleep(EVERY).await;
        }
    });
}

/// Reads the model list and updates the alias table. Whether the router answered at all.
async fn read_list(router: &Router, builtin: &Catalog, service: &Service) -> bool {
    match router.models(None).await {
        Ok(models) => {
            tracing::info!(
                offered = models.len(),
                "alias table checked against the router's model list"
            );
            service.set_catalog(available(builtin, &models));
            true
        }
        Err(error) => {
            tracing::warn!(%error, "the router's model list could not be read; the alias table stays");
            router.probe().await.is_ok()
        }
    }
}
