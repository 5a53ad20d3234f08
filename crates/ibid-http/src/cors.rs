//! Browser wallets on other sites: preflight answers and readable headers, for the origins that the operator names.
//!
//! Only the paid surface is opened. It uses neither cookies nor a bearer key, so an origin gains only the
//! right to read what it pays for.

use crate::config::HttpConfig;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap,
    HeaderValue, ORIGIN, VARY,
};
use actix_web::middleware::Next;
use actix_web::{HttpResponse, web};
use ibid_model::contract::ROUTES;

/// Request headers that browsers may send. Existing clients send the last one as a request header too.
const SENT: &str = "Content-Type, X-Payment, PAYMENT-SIGNATURE, X-Request-Id, X-A2A-Extensions, A2A-Extensions, \
                    A2A-Version, Access-Control-Expose-Headers";
/// Response headers that scripts may read.
const READ: &str = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, X-Request-Id, X-Sandbox, Retry-After, X-A2A-Extensions, \
     A2A-Extensions";

/// Whether a path is open to other origins: it is in a folder with a route for agents.
fn is_opened(path: &str) -> bool {
    let mut routes = ROUTES.iter().filter(|route| route.tag() == "a2a");
    routes.any(|route| path.starts_with(route.folder()))
}

/// The origins that may call the paid surface from a browser.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorsOrigins {
    origins: Vec<String>,
}

impl CorsOrigins {
    /// Parses a list such as `https://a.example, https://b.example`. The entry `*` allows every origin.
    ///
    /// # Errors
    /// Names the first entry that is not an origin.
    pub fn parse(list: &str) -> Result<Self, String> {
        let origins = list.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        let origins: Vec<String> = origins.map(str::to_owned).collect();
        match origins.iter().find(|origin| *origin != "*" && !is_origin(origin)) {
            Some(wrong) => Err(format!("{wrong} is no origin such as https://wallet.example")),
            None => Ok(Self { origins }),
        }
    }

    /// Returns the listed origins without `*`.
    pub(crate) fn listed(&self) -> Vec<String> {
        let listed = self.origins.iter().filter(|origin| *origin != "*");
        listed.cloned().collect()
    }

    /// Whether any origin is allowed.
    pub(crate) fn any(&self) -> bool {
        !self.origins.is_empty()
    }

    fn allows(&self, origin: &HeaderValue) -> bool {
        self.origins
            .iter()
            .any(|known| known == "*" || known.as_bytes() == origin.as_bytes())
    }
}

/// Whether a text is an origin as browsers write it, such as `https://wallet.example`.
fn is_origin(text: &str) -> bool {
    let url = text.parse::<url::Url>();
    url.is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == text
    })
}

/// Answers preflights, and adds CORS headers where the origin is allowed.
pub(crate) async fn cors<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    if !is_opened(request.path()) {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let config = request.app_data::<web::Data<HttpConfig>>();
    let origin = request.headers().get(ORIGIN).cloned();
    let allowed = origin.filter(|origin| config.is_some_and(|config| config.cors_origins.allows(origin)));
    let preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if preflight && allowed.is_some() {
        let mut response = HttpResponse::NoContent().finish();
        let headers = response.headers_mut();
        headers.insert(
            ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static("GET, POST, DELETE, OPTIONS"),
        );
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(SENT));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
        request.into_response(response)
    } else {
        next.call(request).await?.map_into_boxed_body()
    };
    mark(response.headers_mut(), allowed);
    Ok(response)
}

fn mark(headers: &mut HeaderMap, allowed: Option<HeaderValue>) {
    // The answer depends on the origin even if it is not allowed.
    headers.append(VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = allowed {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(READ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_routes_of_agents_are_opened() {
        let paths = [
            "/api/a2a/scan",
            "/api/a2a/scan/1",
            "/api/a2a/other",
            "/.well-known/agent.json",
        ];
        assert!(paths.into_iter().all(is_opened));
        let others = ["/api/v1/scan", "/api/app/scan", "/openapi.json", "/llms.txt", "/"];
        assert!(!others.into_iter().any(is_opened));
    }

    #[test]
    fn only_named_origins_are_allowed() {
        let origins = CorsOrigins::parse("https://a.example, http://localhost:3000").unwrap();
        let check = |origin: &'static str, allowed| {
            assert_eq!(
                origins.allows(&HeaderValue::from_static(origin)),
                allowed,
                "{origin}"
            );
        };
        check("https://a.example", true);
        check("http://localhost:3000", true);
        check("https://a.example.evil", false);
        check("http://a.example", false);
        check("null", false);
        assert!(
            CorsOrigins::parse("*")
                .unwrap()
                .allows(&HeaderValue::from_static("https://any.example"))
        );
        for wrong in [
            "a.example",
            "https://a.example/",
            "https://a.example/x",
            "ftp://a.example",
        ] {
            assert!(CorsOrigins::parse(wrong).is_err(), "{wrong}");
        }
    }
}
