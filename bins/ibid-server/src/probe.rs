//! Probes all models at the start, for operators who ask for it with `--probe-models`.

use crate::settings::Settings;
use ibid_model::{Model, UsdMicros};
use ibid_provider::{Probe, Provider, ProviderKey, probe_all};
use ibid_service::Service;
use std::sync::Arc;
use tokio::runtime::Handle;

/// Returns the step that probes every model of the table once and shows the outcome on `METRICS_BIND`.
/// The step has no effect unless the operator asked for it.
pub(crate) fn at_start(
    runtime: &Handle,
    (settings, asked): (&Settings, bool),
    provider: Arc<dyn Provider>,
    service: Service,
) -> impl FnOnce() + Send + 'static {
    let key = settings.paid.router_key.clone().filter(|_| asked);
    if asked && key.is_none() {
        tracing::warn!(
            hint = "set ROUTER_API_KEY; it pays for the probe",
            "router.probe.skipped"
        );
    }
    let (runtime, web_search) = (runtime.clone(), settings.web_search);
    move || {
        if let Some(key) = key {
            runtime.spawn(async move { run(&*provider, &key, web_search, &service).await });
        }
    }
}

async fn run(provider: &dyn Provider, key: &ProviderKey, web_search: bool, service: &Service) {
    let catalog = service.planner.catalog();
    let probes = probe_all(provider, key, catalog.models(), web_search).await;
    for (probe, model) in probes.iter().zip(catalog.models()) {
        log(probe, model, web_search);
    }
    service.set_probes(probes);
}

fn log(probe: &Probe, model: &Model, web_search: bool) {
    if !probe.keeps_contract(model, web_search) {
        let error = probe.error.unwrap_or("not_searched");
        tracing::warn!(alias = %probe.alias, model = probe.model, error, "router.probe.failed");
        return;
    }
    tracing::info!(
        alias = %probe.alias,
        model = probe.resolved.as_deref(),
        searched = ?probe.searched,
        engine = probe.engine.as_deref(),
        place = probe.place.map(|place| place.as_str()),
        estimated_micros = probe.estimated.get(),
        billed_micros = probe.billed.map(UsdMicros::get),
        "router.probe.answered"
    );
}
