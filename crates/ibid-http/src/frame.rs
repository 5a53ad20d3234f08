//! Around every request: its id, its span, its log line, and the last touch to problem documents.

use crate::config::HttpConfig;
use crate::problem::Problem;
use crate::web::{failure, wants_page};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::web;
use ibid_service::Service;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tracing::Instrument;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SANDBOX: HeaderName = HeaderName::from_static("x-sandbox");

/// The id of a request, in its log lines, its answer and its problem document.
struct RequestId(HeaderValue);

impl RequestId {
    /// The caller's, if it is a sane token, else a new one.
    fn of(request: &ServiceRequest) -> Self {
        let given = request
            .headers()
            .get(REQUEST_ID)
            .filter(|value| is_sane(value.as_bytes()));
        Self(given.cloned().unwrap_or_else(Self::next))
    }

    /// A new one: the process in front, a count behind. It names a request and is no secret, so it need not be
    /// random, and drawing random bytes for every read would cost as much as the read.
    fn next() -> HeaderValue {
        static PROCESS: LazyLock<u32> = LazyLock::new(|| Uuid::new_v4().as_fields().0);
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let [process, count] = [u64::from(*PROCESS), COUNT.fetch_add(1, Ordering::Relaxed)];
        let mut id = [b'-'; 21];
        write_hex(&mut id[..8], process);
        write_hex(&mut id[9..], count);
        HeaderValue::from_bytes(&id).unwrap_or_else(|_| HeaderValue::from_static("none"))
    }

    fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

/// Fills `place` with the last hexadecimal digits of a number. By hand: formatting takes longer than all else about an id.
fn write_hex(place: &mut [u8], mut number: u64) {
    for digit in place.iter_mut().rev() {
        let low = (number & 15) as u8;
        *digit = low + if low < 10 { b'0' } else { b'a' - 10 };
        number >>= 4;
    }
}

/// Letters, digits, `-`, `_` and `.`, at most 64: nothing that could forge a log line.
fn is_sane(token: &[u8]) -> bool {
    (1..=64).contains(&token.len())
        && token
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
}

/// The frame itself.
pub(crate) async fn frame<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let (id, start) = (RequestId::of(&request), Instant::now());
    let sandbox = request
        .app_data::<web::Data<Service>>()
        .is_some_and(|service| service.is_sandbox());
    let span = tracing::info_span!(
        "http.request",
        request.id = id.as_str(),
        method = request.method().as_str(),
        path = request.path()
    );
    let mut response = next
        .call(request)
        .instrument(span.clone())
        .await?
        .map_into_boxed_body();
    let problem = response.response_mut().extensions_mut().remove::<Problem>();
    if let Some(problem) = problem {
        response = show(&problem, response, &id);
    }
    if sandbox {
        response
            .headers_mut()
            .insert(SANDBOX, HeaderValue::from_static("true"));
    }
    span.in_scope(|| log(&response, start));
    let mut secure = false;
    if let Some(config) = response.request().app_data::<web::Data<HttpConfig>>() {
        let path = response.request().path();
        config.metrics.answered(path, response.status(), start.elapsed());
        secure = config.base_url.scheme() == "https";
    }
    guard(response.headers_mut(), secure);
    response.headers_mut().insert(REQUEST_ID, id.0);
    Ok(response)
}

/// What every answer tells browsers and caches, unless it knows better, as pages and assets do: keep no copy, guess no
/// type, run and embed nothing. Where people come by https they are told to go on doing so.
fn guard(headers: &mut HeaderMap, secure: bool) {
    // Pictures, styles and scripts belong to a page, whose policy counts for them.
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let parts = ["image/", "text/css", "text/javascript"];
    let is_part = kind.is_some_and(|kind| parts.iter().any(|part| kind.starts_with(part)));
    if !is_part && !headers.contains_key(CONTENT_SECURITY_POLICY) {
        let nothing = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
        headers.insert(CONTENT_SECURITY_POLICY, nothing);
    }
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if secure {
        let a_year = HeaderValue::from_static("max-age=31536000");
        headers.insert(STRICT_TRANSPORT_SECURITY, a_year);
    }
}

/// One line a request. Reads that went well are many and say little, so they are for debugging.
fn log(response: &ServiceResponse<BoxBody>, start: Instant) {
    let status = response.status().as_u16();
    let duration_ms = start.elapsed().as_micros() as f64 / 1_000.0;
    let quiet = response.status().is_success() && response.request().method().is_safe();
    if quiet {
        tracing::debug!(status, duration_ms, "request");
    } else {
        tracing::info!(status, duration_ms, "request");
    }
}

/// Puts a problem into its answer: as a page for a browser, as a problem document for everybody else.
fn show(
    problem: &Problem,
    mut response: ServiceResponse<BoxBody>,
    id: &RequestId,
) -> ServiceResponse<BoxBody> {
    let page = wants_page(response.request()).then(|| failure(response.request(), problem, id.as_str()));
    let body = match page.flatten() {
        Some(page) => {
            let (head, body) = page.into_parts();
            for (name, value) in head.headers() {
                response.headers_mut().insert(name.clone(), value.clone());
            }
            body
        }
        None => {
            let document = render(problem, &response, id);
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
            BoxBody::new(document)
        }
    };
    response.map_body(|_, _| body)
}

fn render(problem: &Problem, response: &ServiceResponse<BoxBody>, id: &RequestId) -> String {
    let request = response.request();
    let docs = request
        .app_data::<web::Data<HttpConfig>>()
        .and_then(|config| config.base_url.join("docs/errors").ok())
        .map_or_else(
            || "about:blank".to_owned(),
            |docs| format!("{docs}#{}", problem.code),
        );
    let mut document = json!({
        "type": docs,
        "title": problem.title,
        "status": problem.status.as_u16(),
        "detail": problem.detail,
        "instance": request.path(),
        "code": problem.code,
        "requestId": id.as_str(),
    });
    if let Value::Object(members) = &mut document {
        members.extend(problem.more.clone());
    }
    document.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hexadecimal_and_differ() {
        let mut place = [0; 6];
        write_hex(&mut place, 0x0009_afcd);
        assert_eq!(&place, b"09afcd");
        let [one, other] = [RequestId::next(), RequestId::next()];
        assert!(is_sane(one.as_bytes()) && one != other);
    }

    #[test]
    fn only_sane_request_ids_are_taken_over() {
        for sane in ["a", "req-1_2.3", &"x".repeat(64)] {
            assert!(is_sane(sane.as_bytes()), "{sane}");
        }
        for other in ["", "a b", "a\"b", "ä", "a\n", &"x".repeat(65)] {
            assert!(!is_sane(other.as_bytes()), "{other}");
        }
    }
}
