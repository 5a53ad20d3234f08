//! The middleware around every request: request id, span, log line, metrics, default headers and problem documents.

use crate::conditional::compress_json;
use crate::config::HttpConfig;
use crate::connection::Turn;
use crate::problem::Problem;
use crate::trace_context;
use crate::web::{failure, wants_page};
use actix_web::HttpMessage;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::TryIntoHeaderValue;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    PERMISSIONS_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::web;
use actix_web_lab::header::StrictTransportSecurity;
use ibid_service::Service;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tracing::Instrument;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SANDBOX: HeaderName = HeaderName::from_static("x-sandbox");

/// Returns the id that the caller sent, or a new one if it is missing or unusable.
fn request_id(headers: &HeaderMap) -> String {
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    match sent.filter(|id| is_usable_id(id)) {
        Some(id) => id.to_owned(),
        None => Uuid::new_v4().simple().to_string(),
    }
}

/// Whether an id has 1 to 64 letters, digits, `-`, `_` and `.` only, so that it cannot forge a log line.
fn is_usable_id(id: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=64).contains(&id.len()) && id.chars().all(allowed)
}

/// Pages use no device and no sensor of their reader.
const NO_DEVICES: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), \
                          microphone=(), payment=(), usb=()";

/// Time for which browsers that came by https have to keep using it.
const HTTPS_ONLY: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Returns a path as logs, traces and problems may have it: without the token of a link, which opens an account, a report or a feed, or
/// speaks for the reader of an address.
fn logged_path(path: &str) -> &str {
    let prefixes = [
        "/first-run/",
        "/set-password/",
        "/mail/confirm/",
        "/mail/unsubscribe/",
        "/s/",
        "/badge/",
        "/feed/",
        "/r/",
    ];
    let secret = prefixes.into_iter().find(|prefix| path.starts_with(prefix));
    secret.unwrap_or(path)
}

/// Handles a request and completes its answer.
pub(crate) async fn handle<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let (id, start) = (request_id(request.headers()), Instant::now());
    let answering = request.conn_data::<Turn>().cloned().map(|turn| {
        let length = request.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        let (body, answering) = turn.begin(request.take_payload(), length);
        request.set_payload(body);
        answering
    });
    let sandbox = request
        .app_data::<web::Data<Service>>()
        .is_some_and(|service| service.is_sandbox());
    let span = tracing::info_span!(
        "http.request",
        request.id = id,
        method = request.method().as_str(),
        path = logged_path(request.path())
    );
    trace_context::follow(&span, request.headers());
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
    trace_context::end(&span, response.status());
    response = compress_json(response);
    let mut secure = false;
    if let Some(config) = response.request().app_data::<web::Data<HttpConfig>>() {
        let path = response.request().path();
        config.metrics.answered(path, response.status(), start.elapsed());
        secure = config.base_url.scheme() == "https";
    }
    add_defaults(response.headers_mut(), secure);
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    Ok(match answering {
        Some(answering) => response.map_body(|_, body| answering.with(body)),
        None => response,
    })
}

/// Adds the headers that an answer does not set itself.
/// Browsers must not store the answer, guess its type, run its scripts or embed it.
/// Behind https, browsers must keep using https.
fn add_defaults(headers: &mut HeaderMap, secure: bool) {
    // Pictures, styles and scripts are covered by the policy of their page.
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
        (PERMISSIONS_POLICY, NO_DEVICES),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if secure && let Ok(value) = StrictTransportSecurity::new(HTTPS_ONLY).try_into_value() {
        headers.insert(STRICT_TRANSPORT_SECURITY, value);
    }
}

/// Logs one line for a request. Successful reads are logged at debug level only.
fn log(response: &ServiceResponse<BoxBody>, start: Instant) {
    let status = response.status().as_u16();
    let duration_ms = start.elapsed().as_micros() as f64 / 1_000.0;
    let quiet = response.status().is_success() && response.request().method().is_safe();
    if quiet {
        tracing::debug!(status, duration_ms, "http.request");
    } else {
        tracing::info!(status, duration_ms, "http.request");
    }
}

/// Puts a problem into its answer: as a page for a browser, as a problem document for other clients.
fn show(problem: &Problem, mut response: ServiceResponse<BoxBody>, id: &str) -> ServiceResponse<BoxBody> {
    let page = wants_page(response.request()).then(|| failure(response.request(), problem, id));
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

fn render(problem: &Problem, response: &ServiceResponse<BoxBody>, id: &str) -> String {
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
        "instance": logged_path(request.path()),
        "code": problem.code,
        "requestId": id,
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
    fn tokens_of_links_are_left_out() {
        for (path, logged) in [
            ("/feed/ibidf_secret/daily.csv", "/feed/"),
            ("/s/secret/answers", "/s/"),
            ("/mail/unsubscribe/secret", "/mail/unsubscribe/"),
            ("/set-password/secret", "/set-password/"),
            ("/sign-in", "/sign-in"),
            ("/api/v1/scan", "/api/v1/scan"),
        ] {
            assert_eq!(logged_path(path), logged);
        }
    }

    #[test]
    fn only_usable_request_ids_are_kept() {
        for usable in ["a", "req-1_2.3", &"x".repeat(64)] {
            assert!(is_usable_id(usable), "{usable}");
        }
        for other in ["", "a b", "a\"b", "ä", "a\n", &"x".repeat(65)] {
            assert!(!is_usable_id(other), "{other}");
        }
    }
}
