//! One HTTP exchange: bytes out, bytes in, bounded.

use super::config::{RouterConfig, RouterError};
use super::hint;
use crate::key::ProviderKey;
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, REFERER};
use reqwest::{Client, Method, Proxy, Request, Response, Url};
use std::time::{Duration, SystemTime};

/// Most bytes of an answer that are read.
pub(super) const LARGEST_ANSWER: usize = 4 * 1024 * 1024;
/// Most bytes of a list of models that are read.
pub(super) const LARGEST_LIST: usize = 8 * 1024 * 1024;
const IDLE_FOR: Duration = Duration::from_secs(60);

static TITLE: HeaderName = HeaderName::from_static("x-openrouter-title");
static LITELLM_COST: HeaderName = HeaderName::from_static("x-litellm-response-cost");

/// The one HTTP client of the process. It speaks HTTP/1.1 only: over HTTP/2 all calls would share one
/// connection and queue behind its stream limit.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    client: Client,
    /// Attribution, empty where it is not wanted. Never a key: clients outlive callers.
    attribution: HeaderMap,
}

/// A response, read as far as it is allowed to go.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) hint: Option<Duration>,
    /// The response header with which a LiteLLM proxy reports the cost of the call, in dollars.
    pub(super) cost: Option<String>,
    pub(super) body: Vec<u8>,
}

/// The reason why there is no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// No connection, or it broke before the end.
    #[error("the connection failed")]
    Connection(#[source] reqwest::Error),
    /// More bytes than are read.
    #[error("the answer is too large")]
    TooLarge,
}

impl Exchange {
    pub(super) fn new(config: &RouterConfig, openrouter: bool) -> Result<Self, RouterError> {
        // The provider of cryptography is chosen here, not by the features of a dependency. An earlier choice of the process stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("ibid/", env!("CARGO_PKG_VERSION")))
            .http1_only()
            // A redirect would carry a paid question and its key elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            // A call decides itself what is tried again; the client would keep a copy of every request for it.
            .retry(reqwest::retry::never().max_retries_per_request(0))
            .no_proxy()
            .connect_timeout(config.connect_timeout)
            .tcp_nodelay(true)
            .tcp_keepalive(Duration::from_secs(30))
            // As many as may be in flight: scans come in waves, and each wave would connect anew beyond a smaller pool.
            .pool_max_idle_per_host(config.max_in_flight)
            .pool_idle_timeout(IDLE_FOR);
        if let Some(proxy) = &config.proxy {
            builder = builder.proxy(Proxy::all(proxy.clone()).map_err(RouterError::Client)?);
        }
        if config.base_url.scheme() == "http" && config.proxy.is_none() {
            // The connection is not encrypted, so root certificates are not needed.
            builder = builder.tls_certs_only([]);
        }
        let mut attribution = HeaderMap::new();
        if openrouter {
            let value = |text: &str| HeaderValue::from_str(text).map_err(|_| RouterError::Attribution);
            attribution.insert(TITLE.clone(), value(&config.title)?);
            if let Some(referer) = &config.referer {
                attribution.insert(REFERER, value(referer)?);
            }
        }
        Ok(Self {
            client: builder.build().map_err(RouterError::Client)?,
            attribution,
        })
    }

    /// Posts a question.
    pub(super) async fn post(
        &self,
        url: &Url,
        authorization: &HeaderValue,
        body: Bytes,
    ) -> Result<Received, Broken> {
        let mut request = Request::new(Method::POST, url.clone());
        let headers = request.headers_mut();
        headers.clone_from(&self.attribution);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(AUTHORIZATION, authorization.clone());
        *request.body_mut() = Some(body.into());
        let response = self.client.execute(request).await.map_err(Broken::Connection)?;
        read(response, LARGEST_ANSWER).await
    }

    /// Gets a page, with a key where one is needed.
    pub(super) async fn get(
        &self,
        url: &Url,
        authorization: Option<HeaderValue>,
    ) -> Result<Received, Broken> {
        let mut request = Request::new(Method::GET, url.clone());
        request.headers_mut().clone_from(&self.attribution);
        if let Some(authorization) = authorization {
            request.headers_mut().insert(AUTHORIZATION, authorization);
        }
        let response = self.client.execute(request).await.map_err(Broken::Connection)?;
        read(response, LARGEST_LIST).await
    }

    /// The status a page answers with; its body is not read.
    pub(super) async fn status(&self, url: &Url) -> Result<u16, Broken> {
        let request = Request::new(Method::GET, url.clone());
        let response = self.client.execute(request).await.map_err(Broken::Connection)?;
        Ok(response.status().as_u16())
    }
}

/// The header that carries a key: hidden from every `Debug` on the way.
pub(super) fn bearer(key: &ProviderKey) -> Option<HeaderValue> {
    // A key is visible ASCII by construction, so this does not fail.
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Reads a body up to `most` bytes. The announced length is a hint, never trusted.
async fn read(mut response: Response, most: usize) -> Result<Received, Broken> {
    let announced = response.content_length().unwrap_or(0);
    if announced > most as u64 {
        return Err(Broken::TooLarge);
    }
    let status = response.status().as_u16();
    let hint = hint::retry_after(response.headers(), SystemTime::now());
    let cost = response
        .headers()
        .get(&LITELLM_COST)
        .and_then(|value| value.to_str().ok());
    let cost = cost.map(str::to_owned);
    let mut body = Vec::with_capacity(announced.min(64 * 1024) as usize);
    while let Some(chunk) = response.chunk().await.map_err(Broken::Connection)? {
        if body.len() + chunk.len() > most {
            return Err(Broken::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Received {
        status,
        hint,
        cost,
        body,
    })
}
