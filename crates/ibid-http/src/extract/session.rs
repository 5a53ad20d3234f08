//! A session in the workspace: a cookie that only this site can read, and no script.

use crate::config::HttpConfig;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::{COOKIE, HeaderMap};
use actix_web::{FromRequest, HttpRequest, web};
use ibid_service::{DeviceToken, Error, Member, SESSION_TIME, Service, SessionToken, SharePass};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use url::Url;

/// Time for which a browser stays a known device after its last sign-in.
const DEVICE_TIME: Duration = Duration::from_secs(400 * 24 * 3_600);

/// Cookie that opens a public link. It is for that path alone.
const SHARE: &str = "ibid-share";

/// Cookie for the second step of signing in, and its lifetime in seconds.
/// The cookie is for one path only.
const CODE: &str = "ibid-code";
const CODE_PATH: &str = "/sign-in/code";
const CODE_SECONDS: u64 = 300;

/// Cookies for a sign-in by a provider, as named on http, and their lifetime in seconds.
const FLOW: &str = "ibid-flow";
const JOIN: &str = "ibid-join";
const PROVIDER_SECONDS: u64 = 900;

/// The name and the attributes of the cookie, which depend on the base address.
///
/// On https the name begins with `__Host-`.
/// Browsers accept such a cookie only with `Secure`, from the exact host and for all paths.
/// Neither a page without encryption nor another host below the same domain can set one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionCookie {
    secure: bool,
}

impl SessionCookie {
    /// Returns the cookie of a service that is reached at `base_url`.
    pub(crate) fn of(base_url: &Url) -> Self {
        Self {
            secure: base_url.scheme() == "https",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        if self.secure { "__Host-ibid" } else { "ibid" }
    }

    /// Names the cookie that a known device has.
    fn device_name(self) -> &'static str {
        if self.secure {
            "__Host-ibid-device"
        } else {
            "ibid-device"
        }
    }

    /// Returns the value of `Set-Cookie` that begins a session.
    pub(crate) fn set(self, token: &SessionToken) -> String {
        self.written(self.name(), token.reveal(), SESSION_TIME.as_secs())
    }

    /// Returns the value of `Set-Cookie` that makes the device known.
    pub(crate) fn set_device(self, token: &DeviceToken) -> String {
        self.written(self.device_name(), token.reveal(), DEVICE_TIME.as_secs())
    }

    /// Returns the value of `Set-Cookie` that ends a session. The device stays known.
    pub(crate) fn clear(self) -> String {
        self.written(self.name(), "", 0)
    }

    /// Returns the value of `Set-Cookie` that opens one public link for a day.
    pub(crate) fn set_pass(self, path: &str, pass: &SharePass) -> String {
        self.below(path, SHARE, pass.reveal(), 86_400)
    }

    /// Writes the cookie that opens the second step of signing in.
    pub(crate) fn set_code_pass(self, pass: &str) -> String {
        self.below(CODE_PATH, CODE, pass, CODE_SECONDS)
    }

    /// Returns the value of `Set-Cookie` that ends the second step.
    pub(crate) fn clear_code_pass(self) -> String {
        self.below(CODE_PATH, CODE, "", 0)
    }

    /// Returns the value of `Set-Cookie` that keeps a sign-in by a provider under way; an empty pass ends it.
    pub(crate) fn set_flow(self, pass: &str) -> String {
        self.written(&self.of_provider(FLOW), pass, PROVIDER_SECONDS)
    }

    /// Writes the cookie for a person of the provider who may join an account; an empty pass ends it.
    pub(crate) fn set_join(self, pass: &str) -> String {
        self.written(&self.of_provider(JOIN), pass, PROVIDER_SECONDS)
    }

    /// Names a cookie for a sign-in by a provider: on https no other site can set it.
    fn of_provider(self, plain: &str) -> String {
        format!("{}{plain}", if self.secure { "__Host-" } else { "" })
    }

    fn written(self, name: &str, value: &str, seconds: u64) -> String {
        self.below("/", name, value, seconds)
    }

    fn below(self, path: &str, name: &str, value: &str, seconds: u64) -> String {
        let secure = if self.secure { "; Secure" } else { "" };
        format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
    }

    fn read(self, headers: &HeaderMap) -> Option<SessionToken> {
        value_of(headers, self.name()).and_then(SessionToken::parse)
    }

    fn read_device(self, headers: &HeaderMap) -> Option<DeviceToken> {
        value_of(headers, self.device_name()).and_then(DeviceToken::parse)
    }
}

/// Returns a cookie's value. A name that occurs twice has no value, because another site set one of the two.
fn value_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok());
    let mut found = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(known, _)| *known == name)
        .map(|(_, value)| value);
    let value = found.next()?;
    found.next().is_none().then_some(value)
}

/// Returns the device of a request if its form is valid. The signature has not been checked.
pub(crate) fn device_of(request: &HttpRequest) -> Option<DeviceToken> {
    let config = request.app_data::<web::Data<HttpConfig>>()?;
    SessionCookie::of(&config.base_url).read_device(request.headers())
}

/// Returns the pass of a public link that a request has. It has not been checked.
pub(crate) fn pass_of(request: &HttpRequest) -> Option<String> {
    value_of(request.headers(), SHARE).map(str::to_owned)
}

/// Returns the pass for the second step of signing in. It has not been checked.
pub(crate) fn code_pass_of(request: &HttpRequest) -> Option<String> {
    let pass = value_of(request.headers(), CODE)?;
    (!pass.is_empty()).then(|| pass.to_owned())
}

/// Returns the pass of a sign-in by a provider. It has not been checked.
pub(crate) fn flow_of(request: &HttpRequest) -> Option<String> {
    of_provider(request, FLOW)
}

/// Returns the pass of a person who may join an account. It has not been checked.
pub(crate) fn join_of(request: &HttpRequest) -> Option<String> {
    of_provider(request, JOIN)
}

fn of_provider(request: &HttpRequest, plain: &str) -> Option<String> {
    let config = request.app_data::<web::Data<HttpConfig>>()?;
    let name = SessionCookie::of(&config.base_url).of_provider(plain);
    value_of(request.headers(), &name).map(str::to_owned)
}

/// Returns the token of a request if its form is valid. The session itself has not been checked.
pub(crate) fn token_of(request: &HttpRequest) -> Option<SessionToken> {
    let config = request.app_data::<web::Data<HttpConfig>>()?;
    SessionCookie::of(&config.base_url).read(request.headers())
}

/// Returns the account that is signed in, if any.
pub(crate) async fn member_of(request: &HttpRequest) -> Result<Option<Member>, ApiError> {
    let service = request.app_data::<web::Data<Service>>().cloned();
    match token_of(request).zip(service) {
        Some((token, service)) => Ok(service.accounts.member(&token).await?),
        None => Ok(None),
    }
}

/// A signed-in account that calls the workspace's API. A value of this type is the proof.
/// A viewer and a guest are refused every request that changes data.
pub(crate) struct SignedInCaller(pub(crate) Member);

impl FromRequest for SignedInCaller {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            match member_of(&request).await? {
                Some(member) if !request.method().is_safe() && !member.may_change(request.path()) => {
                    Err(Error::Forbidden.into())
                }
                Some(member) => Ok(Self(member)),
                None => Err(ApiError::NotSignedIn),
            }
        })
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
