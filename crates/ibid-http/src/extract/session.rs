//! The session of the workspace: a cookie that only this site and no script can read.

use crate::config::HttpConfig;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::{COOKIE, HeaderMap};
use actix_web::{FromRequest, HttpRequest, web};
use ibid_service::{Member, SESSION_TIME, Service, SessionToken};
use std::future::Future;
use std::pin::Pin;
use url::Url;

/// Name and attributes of the cookie, as the base address demands.
///
/// On https the name begins with `__Host-`: browsers take such a cookie only with `Secure`, from the very host, for
/// all paths, so neither a page without encryption nor a neighbour below the same domain can plant one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionCookie {
    secure: bool,
}

impl SessionCookie {
    /// The cookie of a service that is reached at `base_url`.
    pub(crate) fn of(base_url: &Url) -> Self {
        Self {
            secure: base_url.scheme() == "https",
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        if self.secure { "__Host-ibid" } else { "ibid" }
    }

    /// `Set-Cookie` that begins a session.
    pub(crate) fn set(self, token: &SessionToken) -> String {
        self.written(token.reveal(), SESSION_TIME.as_secs())
    }

    /// `Set-Cookie` that ends it.
    pub(crate) fn clear(self) -> String {
        self.written("", 0)
    }

    fn written(self, value: &str, seconds: u64) -> String {
        let secure = if self.secure { "; Secure" } else { "" };
        format!(
            "{}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}",
            self.name()
        )
    }

    /// The token of a request. Two cookies of the name are none: one of them was planted.
    fn read(self, headers: &HeaderMap) -> Option<SessionToken> {
        let values = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok());
        let mut found = values
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.name())
            .map(|(_, value)| value);
        let value = found.next()?;
        found
            .next()
            .is_none()
            .then(|| SessionToken::parse(value))
            .flatten()
    }
}

/// The token that a request brought, if it looks like one. Nothing about it is known yet.
pub(crate) fn token_of(request: &HttpRequest) -> Option<SessionToken> {
    let config = request.app_data::<web::Data<HttpConfig>>()?;
    SessionCookie::of(&config.base_url).read(request.headers())
}

/// Who is signed in, if anybody is.
pub(crate) async fn member_of(request: &HttpRequest) -> Result<Option<Member>, ApiError> {
    let service = request.app_data::<web::Data<Service>>().cloned();
    match token_of(request).zip(service) {
        Some((token, service)) => Ok(service.member(&token).await?),
        None => Ok(None),
    }
}

/// Somebody signed in who calls the API of the workspace; having one is the proof.
pub(crate) struct AppCaller(pub(crate) Member);

impl FromRequest for AppCaller {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { member_of(&request).await?.map(Self).ok_or(ApiError::NotSignedIn) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn token() -> SessionToken {
        SessionToken::parse(&"A".repeat(43)).unwrap()
    }

    fn cookie(base_url: &str) -> SessionCookie {
        SessionCookie::of(&base_url.parse().unwrap())
    }

    #[test]
    fn flags_follow_the_base_address() {
        let set = cookie("https://ibid.example/").set(&token());
        assert_eq!(
            set,
            format!(
                "__Host-ibid={}; Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax; Secure",
                "A".repeat(43)
            )
        );
        let plain = cookie("http://127.0.0.1:8080/");
        assert!(plain.set(&token()).starts_with("ibid=") && !plain.set(&token()).contains("Secure"));
        assert_eq!(plain.clear(), "ibid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    }

    #[test]
    fn one_cookie_of_the_right_name_is_read() {
        let (value, other) = ("A".repeat(43), "B".repeat(42) + "A");
        let read = |sent: &[&str], base_url: &str| {
            let mut headers = HeaderMap::new();
            for sent in sent {
                headers.append(COOKIE, HeaderValue::from_str(sent).unwrap());
            }
            cookie(base_url)
                .read(&headers)
                .map(|token| token.reveal().to_owned())
        };
        let http = "http://127.0.0.1/";
        assert_eq!(
            read(&[&format!("a=b; ibid={value}; c=d")], http),
            Some(value.clone())
        );
        assert_eq!(
            read(&[&format!("__Host-ibid={value}")], "https://x.example/"),
            Some(value.clone())
        );
        assert_eq!(read(&[&format!("ibid={value}")], "https://x.example/"), None);
        assert_eq!(read(&[&format!("ibid={value}; ibid={other}")], http), None);
        assert_eq!(
            read(&[&format!("ibid={value}"), &format!("ibid={other}")], http),
            None
        );
        for sent in ["", "ibid", "ibid=", "ibid=x", "ibid=\"\"", ";;=;"] {
            assert_eq!(read(&[sent], http), None, "{sent}");
        }
    }
}
