//! Errors as pages, for browsers.

use super::browser::Browser;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::http::header::ACCEPT;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use ibid_web::pages::{FailurePage, WayOut, failure as render};

/// Whether a request comes from a browser that expects a page. Errors below `/api/` are always problem documents,
/// whichever types a client accepts.
pub(crate) fn wants_page(request: &HttpRequest) -> bool {
    let accepts = |value: &str| {
        value
            .split(',')
            .any(|entry| entry.trim().starts_with("text/html"))
    };
    let mut values = request.headers().get_all(ACCEPT);
    !request.path().starts_with("/api/") && values.any(|value| value.to_str().is_ok_and(accepts))
}

/// Renders the page of an error. Returns `None` if rendering fails.
pub(crate) fn failure(request: &HttpRequest, problem: &Problem, request_id: &str) -> Option<HttpResponse> {
    let kept = request.extensions().get::<Browser>().cloned();
    let browser = kept.unwrap_or_else(|| Browser::of(request));
    let page = FailurePage {
        status: problem.status.as_u16(),
        title: problem.title,
        detail: &problem.detail,
        request_id: Some(request_id),
        way_out: way_out(request.path(), problem.status),
    };
    let html = render(&browser.frame(), &page);
    html.inspect_err(|error| tracing::error!(error = %error, "page.error_page_failed"))
        .ok()
        .map(|html| browser.answer(problem.status, html))
}

fn way_out(path: &str, status: StatusCode) -> WayOut {
    match (status, path.starts_with("/workspace/")) {
        (StatusCode::UNAUTHORIZED, _) => WayOut::SignIn,
        (_, true) => WayOut::History,
        (_, false) => WayOut::Home,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn browsers_get_pages_and_programs_do_not() {
        for (path, accept, expected) in [
            ("/nowhere", "text/html,application/xhtml+xml,*/*;q=0.8", true),
            ("/nowhere", "application/xml, text/html;q=0.9", true),
            ("/nowhere", "*/*", false),
            ("/nowhere", "application/json", false),
            ("/api/v1/scan", "text/html", false),
            ("/api/nowhere", "text/html", false),
        ] {
            let request = TestRequest::with_uri(path)
                .insert_header((ACCEPT, accept))
                .to_http_request();
            assert_eq!(wants_page(&request), expected, "{path} {accept}");
        }
        assert!(!wants_page(&TestRequest::with_uri("/").to_http_request()));
    }
}
