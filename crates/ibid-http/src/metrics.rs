//! `/metrics` in the text format of Prometheus, on an address that is not public.
//!
//! Labels are few and fixed: surface, class of status, product. No label contains a path, a caller or a key.

use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, web};
use ibid_model::contract::SURFACES;
use ibid_model::contract::Surface;
use ibid_model::result::Searched;
use ibid_provider::Probe;
use ibid_service::{PaymentFigures, Service};
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Upper bounds of the histogram in seconds: reads are fast, scans take minutes.
const BOUNDS: [f64; 9] = [0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0, 180.0, 600.0];
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Counters of the answers since the process started. Clones are cheap and share the counters.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    start: SystemTime,
    surfaces: [SurfaceCounts; SURFACES.len()],
}

#[derive(Debug, Default)]
struct SurfaceCounts {
    classes: [AtomicU64; CLASSES.len()],
    buckets: [AtomicU64; BOUNDS.len()],
    micros: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self(Arc::new(Counts {
            start: SystemTime::now(),
            surfaces: Default::default(),
        }))
    }
}

impl Metrics {
    /// Counts an answer. The time ends with the head of the answer, also for a stream.
    pub(crate) fn answered(&self, path: &str, status: StatusCode, took: Duration) {
        let Some(counts) = self.0.surfaces.get(Surface::of(path)) else {
            return;
        };
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        if let Some(count) = counts.classes.get(class) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let bucket = BOUNDS.iter().position(|bound| took.as_secs_f64() <= *bound);
        if let Some(count) = bucket.and_then(|bucket| counts.buckets.get(bucket)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        counts.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns the text of `/metrics`.
    #[must_use]
    pub fn render(&self, service: &Service) -> String {
        let mut text = String::with_capacity(8_192);
        // Writing to a String cannot fail.
        let _ = self.write(&mut text, service);
        text
    }

    fn write(&self, out: &mut String, service: &Service) -> fmt::Result {
        let mut family = Family(out);
        family.head("ibid_build_info", "gauge", "What runs here.")?;
        let (version, sandbox) = (env!("CARGO_PKG_VERSION"), service.is_sandbox());
        family.row(
            "ibid_build_info",
            &format!("version=\"{version}\",sandbox=\"{sandbox}\""),
            1,
        )?;
        family.head("process_start_time_seconds", "gauge", "When it started.")?;
        let start = self.0.start.duration_since(UNIX_EPOCH).unwrap_or_default();
        family.row("process_start_time_seconds", "", start.as_secs())?;
        self.requests(&mut family)?;
        runs(&mut family, service)
    }

    fn requests(&self, out: &mut Family<'_>) -> fmt::Result {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let all = || SURFACES.iter().map(|surface| surface.label).zip(&self.0.surfaces);
        out.head("ibid_http_requests_total", "counter", "Requests answered.")?;
        for (surface, counts) in all() {
            for (class, count) in CLASSES.iter().zip(&counts.classes) {
                let labels = format!("surface=\"{surface}\",status=\"{class}\"");
                out.row("ibid_http_requests_total", &labels, read(count))?;
            }
        }
        let name = "ibid_http_request_duration_seconds";
        out.head(name, "histogram", "Time until the head of the answer.")?;
        for (surface, counts) in all() {
            let (mut below, total): (u64, u64) = (0, counts.classes.iter().map(read).sum());
            for (bound, count) in BOUNDS.iter().zip(&counts.buckets) {
                below += read(count);
                let labels = format!("surface=\"{surface}\",le=\"{bound}\"");
                // The counters are read one after the other, so a bucket may be ahead of the total.
                out.row(&format!("{name}_bucket"), &labels, below.min(total))?;
            }
            let labels = format!("surface=\"{surface}\"");
            out.row(&format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), total)?;
            let seconds = read(&counts.micros) as f64 / 1e6;
            out.row(&format!("{name}_sum"), &labels, seconds)?;
            out.row(&format!("{name}_count"), &labels, total)?;
        }
        Ok(())
    }
}

/// Writes the counters of the service.
fn runs(out: &mut Family<'_>, service: &Service) -> fmt::Result {
    let now = service.counts();
    out.head("ibid_runs_started_total", "counter", "Scans and audits begun.")?;
    for run in &now.runs {
        let labels = format!("product=\"{}\"", run.product.skill());
        out.row("ibid_runs_started_total", &labels, run.started)?;
    }
    out.head("ibid_runs_ended_total", "counter", "Scans and audits ended.")?;
    for run in &now.runs {
        for (outcome, count) in [("done", run.done), ("failed", run.failed)] {
            let labels = format!("product=\"{}\",outcome=\"{outcome}\"", run.product.skill());
            out.row("ibid_runs_ended_total", &labels, count)?;
        }
    }
    out.head("ibid_questions_total", "counter", "Questions to models.")?;
    for (outcome, count) in [("answered", now.answered), ("failed", now.failed)] {
        out.row("ibid_questions_total", &format!("outcome=\"{outcome}\""), count)?;
    }
    for (name, help, value) in [
        ("ibid_runs_open", "Runs under way.", now.open_runs as u64),
        (
            "ibid_questions_open",
            "Questions that runs under way still may ask.",
            now.open_questions as u64,
        ),
        (
            "ibid_router_reachable",
            "Whether the model router answered lately.",
            u64::from(service.router_reachable()),
        ),
    ] {
        out.head(name, "gauge", help)?;
        out.row(name, "", value)?;
    }
    probes(out, &service.probes())
}

/// Writes the last probe of each model. Names of concrete models come from providers, so they are left out.
fn probes(out: &mut Family<'_>, probes: &[Probe]) -> fmt::Result {
    if probes.is_empty() {
        return Ok(());
    }
    let name = "ibid_model_reachable";
    out.head(name, "gauge", "Whether the last probe of a model was answered.")?;
    for probe in probes {
        let error = probe.error.unwrap_or_default();
        let labels = format!("{},error=\"{error}\"", of_model(probe));
        out.row(name, &labels, u8::from(probe.is_reachable()))?;
    }
    let name = "ibid_model_searched";
    out.head(
        name,
        "gauge",
        "Whether the last probe of a model searched the web.",
    )?;
    for probe in probes {
        if let Some(searched @ (Searched::Yes | Searched::No)) = probe.searched {
            let engine = escaped(probe.engine.as_deref().unwrap_or_default());
            let place = probe.place.map_or("", |place| place.as_str());
            let labels = format!("{},engine=\"{engine}\",place=\"{place}\"", of_model(probe));
            out.row(name, &labels, u8::from(searched == Searched::Yes))?;
        }
    }
    let name = "ibid_model_cost_dollars";
    out.head(
        name,
        "gauge",
        "Cost of a question: estimated, and billed for the last probe.",
    )?;
    for probe in probes {
        for (kind, cost) in [("estimated", Some(probe.estimated)), ("billed", probe.billed)] {
            if let Some(cost) = cost {
                out.row(
                    name,
                    &format!("{},kind=\"{kind}\"", of_model(probe)),
                    cost.dollars(),
                )?;
            }
        }
    }
    Ok(())
}

fn of_model(probe: &Probe) -> String {
    format!("alias=\"{}\"", escaped(probe.alias.as_str()))
}

/// Escapes a label value, as the text format wants it.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// Writes the figures of payments.
fn payments(out: &mut Family<'_>, figures: &PaymentFigures) -> fmt::Result {
    out.head("ibid_payments", "gauge", "Payments in the database.")?;
    for count in &figures.counts {
        let labels = format!("state=\"{}\",skill=\"{}\"", count.state.as_str(), count.skill);
        out.row("ibid_payments", &labels, count.payments)?;
    }
    let name = "ibid_facilitator_seconds";
    out.head(name, "summary", "Time of calls to the facilitator.")?;
    for calls in &figures.calls {
        let labels = format!("call=\"{}\"", calls.call);
        out.row(&format!("{name}_sum"), &labels, calls.seconds)?;
        out.row(&format!("{name}_count"), &labels, calls.count)?;
    }
    for (name, help, value) in [
        (
            "ibid_payments_oldest_unknown_seconds",
            "Age of the oldest settlement of unknown outcome.",
            figures.oldest_unknown,
        ),
        (
            "ibid_payments_inferred",
            "Receipts that an earlier version inferred.",
            figures.inferred,
        ),
        (
            "ibid_payments_exposure_usdc_atomic",
            "Value of orders that are under way or unpaid, in atomic units.",
            figures.exposure.get(),
        ),
        (
            "ibid_payments_network_served",
            "Whether the facilitator serves the network.",
            u64::from(figures.served),
        ),
    ] {
        out.head(name, "gauge", help)?;
        out.row(name, "", value)?;
    }
    Ok(())
}

/// Writes rows of the text format.
struct Family<'a>(&'a mut String);

impl Family<'_> {
    fn head(&mut self, name: &str, kind: &str, help: &str) -> fmt::Result {
        write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n")
    }

    fn row(&mut self, name: &str, labels: &str, value: impl fmt::Display) -> fmt::Result {
        if labels.is_empty() {
            writeln!(self.0, "{name} {value}")
        } else {
            writeln!(self.0, "{name}{{{labels}}} {value}")
        }
    }
}

/// Mounts `/metrics` into an application of its own, for an address that is not public.
pub fn metrics_routes(service: Service, metrics: Metrics) -> impl FnOnce(&mut web::ServiceConfig) + Clone {
    move |app: &mut web::ServiceConfig| {
        app.app_data(web::Data::new(service))
            .app_data(web::Data::new(metrics))
            .route("/metrics", web::get().to(serve));
    }
}

async fn serve(service: web::Data<Service>, metrics: web::Data<Metrics>) -> HttpResponse {
    let mut text = metrics.render(&service);
    match service.payment_figures().await {
        Ok(Some(figures)) => {
            // Writing to a string never fails.
            let _ = payments(&mut Family(&mut text), &figures);
        }
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "metrics.payments.failed"),
    }
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"))
        .body(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_surface_class_and_time() {
        let metrics = Metrics::default();
        for (path, status, millis) in [
            ("/api/v1/scan", StatusCode::OK, 700),
            ("/api/v1/models", StatusCode::OK, 1),
            ("/api/v1/scan/x", StatusCode::UNAUTHORIZED, 1),
            ("/workspace", StatusCode::SEE_OTHER, 3),
            ("/api/v1/scan", StatusCode::OK, 700_000),
        ] {
            metrics.answered(path, status, Duration::from_millis(millis));
        }
        let mut text = String::new();
        metrics.requests(&mut Family(&mut text)).unwrap();
        for row in [
            "ibid_http_requests_total{surface=\"v1\",status=\"2xx\"} 3",
            "ibid_http_requests_total{surface=\"v1\",status=\"4xx\"} 1",
            "ibid_http_requests_total{surface=\"pages\",status=\"3xx\"} 1",
            "ibid_http_request_duration_seconds_bucket{surface=\"v1\",le=\"0.005\"} 2",
            "ibid_http_request_duration_seconds_bucket{surface=\"v1\",le=\"2.5\"} 3",
            "ibid_http_request_duration_seconds_bucket{surface=\"v1\",le=\"600\"} 3",
            "ibid_http_request_duration_seconds_bucket{surface=\"v1\",le=\"+Inf\"} 4",
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
