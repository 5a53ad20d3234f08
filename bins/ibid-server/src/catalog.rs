//! Keeps the alias table current: which candidate the router offers, and what it costs now.

use ibid_model::Catalog;
use ibid_provider::{Router, available};
use ibid_service::Service;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How often the router's model list is read.
const EVERY: Duration = Duration::from_secs(3_600);

/// Reads the router's model list now and every hour. On an error the last good table stays.
pub(crate) fn keep_current(runtime: &Handle, router: Arc<Router>, builtin: Catalog, service: Service) {
    runtime.spawn(async move {
        loop {
            match router.models(None).await {
                Ok(models) => {
                    let catalog = available(&builtin, &models);
                    tracing::info!(offered = models.len(), "alias table checked against the router's model list");
                    service.set_catalog(catalog);
                }
                Err(error) => tracing::warn!(%error, "the router's model list could not be read; the alias table stays"),
            }
            tokio::time::sleep(EVERY).await;
        }
    });
}
