//! The trace that a call belongs to, for the router (W3C Trace Context).

use opentelemetry_http::HeaderInjector;
use reqwest::header::HeaderMap;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Adds `traceparent` where the program exports traces.
pub(super) fn add(headers: &mut HeaderMap) {
    let context = Span::current().context();
    opentelemetry::global::get_text_map_propagator(|propagator| {
        propagator.inject_context(&context, &mut HeaderInjector(headers));
    });
}
