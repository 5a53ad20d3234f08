//! Traces for a collector of OpenTelemetry, sent as protobuf over HTTP.
//!
//! Spans of ibid's own crates are exported, with their fields and without log lines.
//! The collector, its headers, the sampler and the name of the service come from the standard variables `OTEL_*`.
//! A feature, because most operators have no collector and it adds about eleven crates.

use anyhow::Context;
use async_trait::async_trait;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// Longest time for one delivery.
const PATIENCE: Duration = Duration::from_secs(10);
/// The variables that name a collector; one of them turns traces on.
const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// Exports traces. Spans that wait are delivered when it is dropped.
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Opens the export if a collector is named.
    ///
    /// # Errors
    /// The collector's address or another variable cannot be read, or no client can be made.
    pub(crate) fn open() -> anyhow::Result<Option<Self>> {
        let is_set = |name| std::env::var(name).is_ok_and(|value| !value.trim().is_empty());
        if !ENDPOINTS.into_iter().any(is_set) {
            return Ok(None);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Client::new()?)
            .build()
            .context("reading the variables OTEL_EXPORTER_OTLP_*")?;
        let mut resource = Resource::builder();
        if !is_set("OTEL_SERVICE_NAME") {
            resource = resource.with_service_name("ibid-server");
        }
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build())
            .build();
        opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(Some(Self(provider)))
    }

    pub(crate) fn layer<S>(&self) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("ibid-server"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_filter(filter_fn(|metadata| {
                metadata.is_span()
                    && metadata.target().starts_with("ibid")
                    && *metadata.level() <= tracing::Level::INFO
            }))
            .boxed()
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(error = &error as &dyn std::error::Error, "traces.lost");
        }
    }
}

/// Sends to the collector. The exporter polls on a separate thread, so the client brings a runtime.
#[derive(Debug)]
struct Client {
    http: reqwest::Client,
    runtime: Runtime,
}

impl Client {
    fn new() -> anyhow::Result<Self> {
        // An earlier choice of the process stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE)
            .build()
            .context("opening the client of the trace collector")?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("ibid-traces")
            .enable_all()
            .build()?;
        Ok(Self { http, runtime })
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let http = self.http.clone();
        let sent = self.runtime.spawn(async move {
            let answer = http.execute(reqwest::Request::try_from(request)?).await?;
            let head = Response::builder().status(answer.status());
            Ok::<_, HttpError>(head.body(answer.bytes().await?)?)
        });
        sent.await?
    }
}
