//! The trace that a request belongs to (W3C Trace Context). Without feature `otlp` requests begin no trace.

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use tracing::Span;

/// Makes the sender's span, named in `traceparent`, the parent of a request's span.
#[cfg(feature = "otlp")]
pub(crate) fn follow(span: &Span, headers: &HeaderMap) {
    use tracing_opentelemetry::OpenTelemetrySpanExt;
    let parent =
        opentelemetry::global::get_text_map_propagator(|propagator| propagator.extract(&Sent(headers)));
    // An error means that traces are not exported.
    let _ = span.set_parent(parent);
}

/// Records the status of the answer.
#[cfg(feature = "otlp")]
pub(crate) fn end(span: &Span, status: StatusCode) {
    use tracing_opentelemetry::OpenTelemetrySpanExt;
    span.set_attribute("http.response.status_code", i64::from(status.as_u16()));
}

#[cfg(not(feature = "otlp"))]
pub(crate) fn follow(_span: &Span, _headers: &HeaderMap) {}

/// Ignores the status: this program exports no traces.
#[cfg(not(feature = "otlp"))]
pub(crate) fn end(_span: &Span, _status: StatusCode) {}

#[cfg(feature = "otlp")]
struct Sent<'a>(&'a HeaderMap);

#[cfg(feature = "otlp")]
impl opentelemetry::propagation::Extractor for Sent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(|name| name.as_str()).collect()
    }
}
