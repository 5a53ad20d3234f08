//! Asks a facilitator over the network.
//!
//! Three calls, bounded in time and size.
//! A body with a verdict is a verdict at any HTTP status, because the statuses of facilitators differ.
//! Any other body is an outage.
//! Statuses 401, 403, 404 and 429 mean that the facilitator did not act.
//! Redirects are followed by this client itself.
//! Method, body and host have to stay the same, and TLS must not be lost.
//! No call is repeated.

use crate::answer::{SettleAnswer, SupportedAnswer, VerifyAnswer};
use crate::error::Outage;
use crate::facilitator::{
    Facilitator, FacilitatorFuture, FacilitatorRequest, PaymentVerdict, SettleVerdict, Supported,
};
use crate::facilitator_key::FacilitatorKey;
use jiff::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Method, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Most bytes of an answer that are read.
const MAX_ANSWER: usize = 64 * 1024;
/// Most redirects that are followed.
const MAX_REDIRECTS: usize = 3;

/// Where a facilitator is, and what limits its calls have.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The base URL; `/verify`, `/settle` and `/supported` are appended.
    pub base: Url,
    /// A bearer token, if it wants one.
    pub bearer: Option<SecretString>,
    /// A key that signs a token for every request, if the facilitator requires one.
    pub key: Option<Arc<FacilitatorKey>>,
    /// Longest wait for a connection.
    pub connect: Duration,
    /// Longest wait for a verdict of a verification.
    pub verify: Duration,
    /// Longest wait for a verdict of a settlement, which may wait for the chain.
    pub settle: Duration,
}

/// The reason why a client cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The address is not one of HTTP.
    #[error("the facilitator's address must start with https:// or http:// and hold no credentials")]
    Address,
    /// TLS cannot be set up on this machine.
    #[error("cannot set up the client of the facilitator")]
    Client(#[source] reqwest::Error),
}

/// A facilitator on the network.
pub struct RemoteFacilitator {
    client: Client,
    options: RemoteOptions,
}

impl RemoteOptions {
    /// The facilitator at `base`: five seconds to connect, ten to verify, sixty to settle.
    #[must_use]
    pub const fn new(base: Url) -> Self {
        Self {
            base,
            bearer: None,
            key: None,
            connect: Duration::from_secs(5),
            verify: Duration::from_secs(10),
            settle: Duration::from_secs(60),
        }
    }
}

impl RemoteFacilitator {
    /// Creates a client of the facilitator.
    /// Sends no request yet.
    ///
    /// # Errors
    /// [`RemoteError::Address`] if the address is not of HTTP, [`RemoteError::Client`] without TLS.
    pub fn new(options: RemoteOptions) -> Result<Self, RemoteError> {
        let base = &options.base;
        let bare = base.username().is_empty() && base.password().is_none() && base.query().is_none();
        if !matches!(base.scheme(), "https" | "http") || !base.has_host() || !bare {
            return Err(RemoteError::Address);
        }
        install_tls();
        let client = Client::builder()
            .connect_timeout(options.connect)
            .redirect(reqwest::redirect::Policy::none())
            // Repeating is up to the caller, which knows the state of the payment and the bytes to send.
            .retry(reqwest::retry::never().max_retries_per_request(0))
            .pool_idle_timeout(Duration::from_secs(20))
            .user_agent(concat!("ibid/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(RemoteError::Client)?;
        Ok(Self { client, options })
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Option<&str>,
        within: Duration,
    ) -> Result<T, Outage> {
        let exchange = async {
            let response = self.send(path, body).await?;
            let status = response.status().as_u16();
            let answer = read(response).await?;
            serde_json::from_slice(&answer).map_err(|_| match status {
                401 | 403 | 404 | 429 => Outage::Declined { status },
                _ => Outage::Unreadable { status },
            })
        };
        tokio::time::timeout(within, exchange)
            .await
            .unwrap_or(Err(Outage::Timeout))
    }

    /// Sends a request and follows redirects.
    /// It is a `POST` with `body`, and a `GET` without.
    async fn send(&self, path: &str, body: Option<&str>) -> Result<Response, Outage> {
        let base = self.options.base.as_str().trim_end_matches('/');
        let mut url = Url::parse(&format!("{base}/{path}")).map_err(|_| Outage::Unreachable)?;
        for _ in 0..=MAX_REDIRECTS {
            let method = if body.is_some() { Method::POST } else { Method::GET };
            let mut request = self
                .client
                .request(method, url.clone())
                .header(ACCEPT, "application/json");
            if let Some(body) = body {
                request = request
                    .header(CONTENT_TYPE, "application/json")
                    .body(body.to_owned());
            }
            if let Some(bearer) = &self.options.bearer {
                request = request.bearer_auth(bearer.expose_secret());
            }
            if let Some(key) = &self.options.key {
                let method = if body.is_some() { "POST" } else { "GET" };
                let token = key
                    .token(method, &url, Timestamp::now())
                    .ok_or(Outage::Unreachable)?;
                request = request.bearer_auth(token.expose_secret());
            }
            let response = request.send().await.map_err(|error| outage(&error))?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            url = redirect(&url, &response, body.is_some()).ok_or(Outage::Redirected)?;
        }
        Err(Outage::Redirected)
    }
}

/// Installs the process's one provider of cryptography.
/// An earlier installation stays.
pub(crate) fn install_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Returns the target of a redirect that is followed.
fn redirect(from: &Url, response: &Response, has_body: bool) -> Option<Url> {
    let keeps_method = matches!(
        response.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    if has_body && !keeps_method {
        return None;
    }
    let to = from.join(response.headers().get(LOCATION)?.to_str().ok()?).ok()?;
    may_follow(from, &to).then_some(to)
}

/// Whether a redirect stays with the same facilitator.
/// The host is the same, give or take `www.`.
/// The scheme and port are the same, or HTTP becomes HTTPS.
/// The new address has no credentials.
fn may_follow(from: &Url, to: &Url) -> bool {
    fn host(url: &Url) -> Option<&str> {
        let host = url.host_str()?;
        Some(host.strip_prefix("www.").unwrap_or(host))
    }
    let upgrade = from.scheme() == "http" && to.scheme() == "https";
    let same_origin =
        from.scheme() == to.scheme() && from.port_or_known_default() == to.port_or_known_default();
    let plain = to.username().is_empty() && to.password().is_none();
    host(from).is_some() && host(from) == host(to) && (upgrade || same_origin) && plain
}

fn outage(error: &reqwest::Error) -> Outage {
    // This check comes first: after a timeout while connecting, the request never left.
    if error.is_connect() || error.is_builder() {
        Outage::Unreachable
    } else if error.is_timeout() {
        Outage::Timeout
    } else {
        Outage::Broken
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, Outage> {
    let status = response.status().as_u16();
    let mut answer = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| outage(&error))? {
        if answer.len() + chunk.len() > MAX_ANSWER {
            return Err(Outage::Unreadable { status });
        }
        answer.extend_from_slice(&chunk);
    }
    Ok(answer)
}

impl Facilitator for RemoteFacilitator {
    fn verify<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, PaymentVerdict> {
        Box::pin(async move {
            let answer = self.ask::<VerifyAnswer>("verify", Some(request.expose_body()), self.options.verify);
            answer.await.map(PaymentVerdict::from)
        })
    }

    fn settle<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, SettleVerdict> {
        Box::pin(async move {
            let answer = self.ask::<SettleAnswer>("settle", Some(request.expose_body()), self.options.settle);
            answer.await.map(SettleVerdict::from)
        })
    }

    fn supported(&self) -> FacilitatorFuture<'_, Supported> {
        Box::pin(async move {
            let answer = self.ask::<SupportedAnswer>("supported", None, self.options.verify);
            answer.await.map(Supported::from)
        })
    }
}

impl fmt::Debug for RemoteFacilitator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteFacilitator")
            .field("base", &self.options.base.as_str())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_with_the_facilitator() {
        let check = |from: &str, to: &str, expected: bool| {
            let (from, to) = (Url::parse(from).unwrap(), Url::parse(to).unwrap());
            assert_eq!(may_follow(&from, &to), expected, "{from} {to}");
        };
        check("https://x402.org/f/verify", "https://www.x402.org/f/verify", true);
        check("https://www.x402.org/verify", "https://x402.org/v2/verify", true);
        check("http://x402.org/verify", "https://x402.org/verify", true);
        check(
            "http://127.0.0.1:4020/verify",
            "http://127.0.0.1:4020/v/verify",
            true,
        );
        check("https://x402.org/verify", "http://x402.org/verify", false);
        check(
            "https://x402.org/verify",
            "https://x402.org.evil.example/verify",
            false,
        );
        check("https://x402.org/verify", "https://evil.example/verify", false);
        check("https://x402.org/verify", "https://x402.org:8443/verify", false);
        check("http://127.0.0.1:4020/verify", "http://127.0.0.1:9/verify", false);
        check("https://x402.org/verify", "https://user@x402.org/verify", false);
    }

    #[test]
    fn only_web_addresses_are_taken() {
        for base in [
            "ftp://x402.org",
            "file:///verify",
            "https://a:b@x402.org",
            "https://x402.org/?a=1",
        ] {
            let options = RemoteOptions::new(Url::parse(base).unwrap());
            assert!(
                matches!(RemoteFacilitator::new(options), Err(RemoteError::Address)),
                "{base}"
            );
        }
    }
}
