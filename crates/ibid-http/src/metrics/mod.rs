//! `/metrics` in the OpenMetrics text format, and the details of `/readyz`, on an address that is not public.
//!
//! Labels are few and fixed: surface, class of status, product, alias. No label contains a path, a caller or a key.
//! `prometheus-client` has no global registry, so several servers can share a test process.

mod payments;
mod projects;
mod samples;
mod service;

use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, web};
use ibid_model::contract::SURFACES;
use ibid_model::contract::Surface;
use ibid_service::Service;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use samples::Samples;
use serde_json::json;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Upper bounds of the histogram in seconds, since reads are fast and scans take minutes.
const BOUNDS: [f64; 9] = [0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0, 180.0, 600.0];
/// Values of the label `status`. Answers that ask the caller to retry later have separate values.
const STATUSES: [&str; 7] = ["1xx", "2xx", "3xx", "4xx", "429", "5xx", "503"];

type SurfaceStatus = [(&'static str, &'static str); 2];

/// Counters of the answers since the process started. Clones are cheap and share the counters.
#[derive(Clone, Debug)]
pub struct Metrics {
    start: SystemTime,
    requests: Family<SurfaceStatus, Counter>,
    durations: Family<[(&'static str, &'static str); 1], Histogram>,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            start: SystemTime::now(),
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BOUNDS)),
        };
        // A series that is missing until its first answer looks like a server without monitoring.
        for surface in &SURFACES {
            for status in STATUSES {
                drop(metrics.requests.get_or_create(&request(surface.label, status)));
            }
            drop(metrics.durations.get_or_create(&[("surface", surface.label)]));
        }
        metrics
    }
}

impl Metrics {
    /// Counts an answer. The time ends with the head of the answer, also for a stream.
    pub(crate) fn answered(&self, path: &str, status: StatusCode, took: Duration) {
        let Some(surface) = SURFACES.get(Surface::of(path)) else {
            return;
        };
        let labels = request(surface.label, status_label(status));
        self.requests.get_or_create(&labels).inc();
        let durations = self.durations.get_or_create(&[("surface", surface.label)]);
        durations.observe(took.as_secs_f64());
    }

    /// Returns the text of `/metrics`.
    ///
    /// # Errors
    /// Never in practice: writing to a string does not fail.
    pub async fn render(&self, service: &Service) -> Result<String, fmt::Error> {
        let mut registry = Registry::default();
        self.register(&mut registry);
        let mut samples = Samples(&mut registry);
        self.process(&mut samples, service);
        service::register(&mut samples, service);
        service.measurements().register(samples.0);
        match service.shop.payment_figures().await {
            Ok(Some(figures)) => payments::register(&mut samples, &figures),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "metrics.payments.failed"),
        }
        match service.projects.counts().await {
            Ok(counts) => projects::register(&mut samples, &counts),
            Err(error) => tracing::warn!(%error, "metrics.projects.failed"),
        }
        let mut text = String::with_capacity(16_384);
        encode(&mut text, &registry)?;
        Ok(text)
    }

    fn register(&self, registry: &mut Registry) {
        registry.register("ibid_http_requests", "Requests answered", self.requests.clone());
        registry.register(
            "ibid_http_request_duration_seconds",
            "Time until the head of the answer",
            self.durations.clone(),
        );
    }

    fn process(&self, samples: &mut Samples<'_>, service: &Service) {
        let labels = vec![
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("sandbox", service.is_sandbox().to_string()),
        ];
        samples.gauges("ibid_build_info", "The running program", [(labels, 1.0)]);
        let start = self.start.duration_since(UNIX_EPOCH).unwrap_or_default();
        samples.gauge(
            "process_start_time_seconds",
            "Start of the process",
            start.as_secs_f64(),
        );
    }
}

fn request(surface: &'static str, status: &'static str) -> SurfaceStatus {
    [("surface", surface), ("status", status)]
}

fn status_label(status: StatusCode) -> &'static str {
    match status {
        StatusCode::TOO_MANY_REQUESTS => "429",
        StatusCode::SERVICE_UNAVAILABLE => "503",
        _ if status.is_informational() => "1xx",
        _ if status.is_success() => "2xx",
        _ if status.is_redirection() => "3xx",
        _ if status.is_client_error() => "4xx",
        _ => "5xx",
    }
}

/// Mounts `/metrics` into an application of its own, for an address that is not public.
pub fn metrics_routes(service: Service, metrics: Metrics) -> impl FnOnce(&mut web::ServiceConfig) + Clone {
    move |app: &mut web::ServiceConfig| {
        app.app_data(web::Data::new(service))
            .app_data(web::Data::new(metrics))
            .route("/metrics", web::get().to(serve))
            .route("/readyz", web::get().to(readiness));
    }
}

/// `GET /readyz` on the address of the operator: the details that the public check leaves out.
async fn readiness(service: web::Data<Service>) -> HttpResponse {
    let store = service.store_readiness().await;
    let (router, connections) = (service.router_reachable(), service.connections());
    let ready = store.fault.is_none() && router;
    let body = json!({
        "ready": ready,
        "store": {
            "ready": store.fault.is_none(),
            "error": store.fault,
            "milliseconds": store.took.as_millis() as u64,
            "connections": connections.open,
            "idleConnections": connections.idle,
        },
        "router": {"ready": router},
    });
    let mut answer = if ready {
        HttpResponse::Ok()
    } else {
        HttpResponse::ServiceUnavailable()
    };
    answer.json(body)
}

async fn serve(service: web::Data<Service>, metrics: web::Data<Metrics>) -> HttpResponse {
    match metrics.render(&service).await {
        Ok(text) => HttpResponse::Ok()
            .insert_header((
                CONTENT_TYPE,
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
            ))
            .body(text),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_surface_status_and_time() {
        let metrics = Metrics::default();
        for (path, status, millis) in [
            ("/api/v1/scan", StatusCode::OK, 700),
            ("/api/v1/models", StatusCode::OK, 1),
            ("/api/v1/scan/x", StatusCode::UNAUTHORIZED, 1),
            ("/workspace", StatusCode::SEE_OTHER, 3),
            ("/api/v1/scan", StatusCode::OK, 700_000),
            ("/readyz", StatusCode::SERVICE_UNAVAILABLE, 1),
            ("/readyz", StatusCode::INTERNAL_SERVER_ERROR, 1),
        ] {
            metrics.answered(path, status, Duration::from_millis(millis));
        }
        let mut registry = Registry::default();
        metrics.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for row in [
            "ibid_http_requests_total{surface=\"v1\",status=\"2xx\"} 3",
            "ibid_http_requests_total{surface=\"v1\",status=\"4xx\"} 1",
            "ibid_http_requests_total{surface=\"pages\",status=\"3xx\"} 1",
            "ibid_http_requests_total{surface=\"operations\",status=\"503\"} 1",
            "ibid_http_requests_total{surface=\"operations\",status=\"5xx\"} 1",
            "ibid_http_requests_total{surface=\"a2a\",status=\"2xx\"} 0",
            "ibid_http_request_duration_seconds_bucket{le=\"0.005\",surface=\"v1\"} 2",
            "ibid_http_request_duration_seconds_bucket{le=\"2.5\",surface=\"v1\"} 3",
            "ibid_http_request_duration_seconds_bucket{le=\"600.0\",surface=\"v1\"} 3",
            "ibid_http_request_duration_seconds_bucket{le=\"+Inf\",surface=\"v1\"} 4",
            "ibid_http_request_duration_seconds_count{surface=\"v1\"} 4",
            "ibid_http_request_duration_seconds_sum{surface=\"v1\"} 700.702",
        ] {
            assert!(
                text.lines().any(|line| line == row),
                "{row} is missing in\n{text}"
            );
        }
    }
}
