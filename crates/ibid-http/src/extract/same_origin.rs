//! Refuses forms that another site has sent.

use crate::config::HttpConfig;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::{HeaderMap, ORIGIN};
use actix_web::{FromRequest, HttpRequest, web};
use std::future::{Ready, ready};
use url::Url;

/// Proves that a page of this site sent the request. Every handler that changes something for a page takes it.
pub(crate) struct SameOrigin(());

impl FromRequest for SameOrigin {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let base_url = request
            .app_data::<web::Data<HttpConfig>>()
            .map(|config| &config.base_url);
        ready(if is_same_origin(request.headers(), base_url) {
            Ok(Self(()))
        } else {
            Err(ApiError::CrossOrigin)
        })
    }
}

/// Browsers name the relation of a request to this site in `Sec-Fetch-Site`, which no script can set. Older browsers
/// send `Origin`. Requests with neither header are refused.
fn is_same_origin(headers: &HeaderMap, base_url: Option<&Url>) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site.as_bytes() == b"same-origin";
    }
    let origin = headers.get(ORIGIN).map(|origin| origin.as_bytes());
    let own = base_url.map(|base_url| base_url.origin().ascii_serialization());
    origin.is_some() && origin == own.as_ref().map(String::as_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    #[test]
    fn only_our_own_pages_send_forms() {
        let own: Url = "https://ibid.example/".parse().unwrap();
        for (sent, expected) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", "https://ibid.example")], true),
            (&[("origin", "https://ibid.example:8443")], false),
            (&[("origin", "http://ibid.example")], false),
            (&[("origin", "https://evil.example")], false),
            (&[("origin", "null")], false),
            // `Sec-Fetch-Site` takes precedence over `Origin`.
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "https://ibid.example"),
                ],
                false,
            ),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in sent {
                headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            assert_eq!(is_same_origin(&headers, Some(&own)), expected, "{sent:?}");
            assert!(
                sent.iter().any(|(name, _)| *name == "sec-fetch-site") || !is_same_origin(&headers, None)
            );
        }
    }
}
