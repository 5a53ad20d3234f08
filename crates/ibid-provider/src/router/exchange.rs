//! One HTTP exchange: bytes out, bytes in, bounded.

use super::config::{RouterConfig, RouterError};
use super::dialect::Dialect;
use super::hint;
use super::local::{Names, is_local};
use crate::key::ProviderKey;
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, REFERER};
use reqwest::{Client, Method, Proxy, Request, Response, Url};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most bytes of an answer that are read.
pub(super) const LARGEST_ANSWER: usize = 4 * 1024 * 1024;
const IDLE_FOR: Duration = Duration::from_secs(60);
/// Bytes of an answer that are read without a claim.
/// Nearly all answers are shorter.
const UNCLAIMED: usize = 64 * 1024;
/// Most bytes that longer answers may hold in memory, over all calls.
const CLAIMED_BYTES: usize = 32 * 1024 * 1024;

static TITLE: HeaderName = HeaderName::from_static("x-openrouter-title");
static LITELLM_COST: HeaderName = HeaderName::from_static("x-litellm-response-cost");

/// The one HTTP client of the process.
/// It speaks HTTP/1.1 only.
/// Over HTTP/2 all calls would share one connection and queue behind its stream limit.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    client: Client,
    /// The headers that a dialect requires next to the key.
    /// Never a key: clients outlive callers.
    headers: HeaderMap,
    /// One permit for each KiB of long answers in memory.
    long_answers: Arc<Semaphore>,
}

/// The header with a key, hidden from `Debug`.
#[derive(Clone, Debug)]
pub(super) struct Credentials {
    name: HeaderName,
    value: HeaderValue,
}

/// A response, read as far as it is allowed to go.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) hint: Option<Duration>,
    /// What the call cost in dollars, by a header that LiteLLM proxies send.
    pub(super) cost: Option<String>,
    pub(super) body: Vec<u8>,
    /// Keeps the room that a long body claimed.
    /// It ends when the body is dropped.
    _claim: Option<OwnedSemaphorePermit>,
}

/// The reason why there is no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// No connection, or it broke before the end.
    #[error("the connection failed")]
    Connection(#[source] reqwest::Error),
    /// This host could not send the request: no descriptor, no name resolution.
    #[error("this host could not connect")]
    Local(#[source] reqwest::Error),
    /// More bytes than are read.
    #[error("the answer is too large")]
    TooLarge,
}

impl Exchange {
    pub(super) fn new(config: &RouterConfig, dialect: Dialect) -> Result<Self, RouterError> {
        // The cryptography provider is chosen here, not by features of a dependency.
        // An earlier choice of the process stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("ibid/", env!("CARGO_PKG_VERSION")))
            .http1_only()
            // A redirect would carry a paid question and its key elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            // The call itself decides about retries.
            // The client would keep a copy of every request for them.
            .retry(reqwest::retry::never().max_retries_per_request(0))
            .no_proxy()
            .dns_resolver(Names)
            .connect_timeout(config.connect_timeout)
            .tcp_nodelay(true)
            .tcp_keepalive(Duration::from_secs(30))
            // As many as may be in flight.
            // Scans come in waves. Each wave would open connections beyond a smaller pool.
            .pool_max_idle_per_host(config.max_in_flight)
            .pool_idle_timeout(IDLE_FOR);
        if let Some(proxy) = &config.proxy {
            builder = builder.proxy(Proxy::all(proxy.clone()).map_err(RouterError::Client)?);
        }
        if config.base_url.scheme() == "http" && config.proxy.is_none() {
            // Root certificates are not needed, since the connection is not encrypted.
            builder = builder.tls_certs_only([]);
        }
        let mut headers = HeaderMap::new();
        if dialect == Dialect::OpenRouter {
            let value = |text: &str| HeaderValue::from_str(text).map_err(|_| RouterError::Attribution);
            headers.insert(TITLE.clone(), value(&config.title)?);
            if let Some(referer) = &config.referer {
                headers.insert(REFERER, value(referer)?);
            }
        }
        if dialect == Dialect::Anthropic {
            // https://platform.claude.com/docs/en/api/versioning
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        Ok(Self {
            client: builder.build().map_err(RouterError::Client)?,
            headers,
            long_answers: Arc::new(Semaphore::new(CLAIMED_BYTES / 1024)),
        })
    }

    /// Posts a question.
    pub(super) async fn post(
        &self,
        url: &Url,
        credentials: &Credentials,
        body: Bytes,
    ) -> Result<Received, Broken> {
        let mut request = Request::new(Method::POST, url.clone());
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(credentials.name.clone(), credentials.value.clone());
        #[cfg(feature = "otlp")]
        super::trace_context::add(headers);
        *request.body_mut() = Some(body.into());
        let response = self.client.execute(request).await.map_err(broken)?;
        read(response, LARGEST_ANSWER, &self.long_answers).await
    }

    /// Gets a page, with a key where one is needed.
    pub(super) async fn get(&self, url: &Url, credentials: Option<Credentials>) -> Result<Received, Broken> {
        let mut request = Request::new(Method::GET, url.clone());
        request.headers_mut().clone_from(&self.headers);
        if let Some(Credentials { name, value }) = credentials {
            request.headers_mut().insert(name, value);
        }
        let response = self.client.execute(request).await.map_err(broken)?;
        read(response, 2 * LARGEST_ANSWER, &self.long_answers).await
    }

    /// Returns the header `Date` of an answer without reading its body.
    pub(super) async fn date(&self, url: &Url) -> Result<Option<String>, Broken> {
        let request = Request::new(Method::GET, url.clone());
        let response = self.client.execute(request).await.map_err(broken)?;
        let date = response.headers().get(DATE);
        Ok(date.and_then(|date| Some(date.to_str().ok()?.to_owned())))
    }

    /// The status a page answers with; its body is not read.
    pub(super) async fn status(&self, url: &Url) -> Result<u16, Broken> {
        let request = Request::new(Method::GET, url.clone());
        let response = self.client.execute(request).await.map_err(broken)?;
        Ok(response.status().as_u16())
    }
}

/// Returns the header that carries a key in a dialect.
/// Returns `None` for a key that is not allowed in a header.
/// `ProviderKey` excludes these.
pub(super) fn credentials(key: &ProviderKey, dialect: Dialect) -> Option<Credentials> {
    let name = match dialect {
        Dialect::Anthropic => HeaderName::from_static("x-api-key"),
        Dialect::Gemini => HeaderName::from_static("x-goog-api-key"),
        Dialect::Auto
        | Dialect::OpenRouter
        | Dialect::OpenAi
        | Dialect::OpenAiResponses
        | Dialect::Perplexity
        | Dialect::LiteLlm => AUTHORIZATION,
    };
    let scheme = if name == AUTHORIZATION { "Bearer " } else { "" };
    let mut value = HeaderValue::from_str(&format!("{scheme}{}", key.expose())).ok()?;
    value.set_sensitive(true);
    Some(Credentials { name, value })
}

fn broken(error: reqwest::Error) -> Broken {
    if is_local(&error) {
        Broken::Local(error)
    } else {
        Broken::Connection(error)
    }
}

/// Reads a body up to `most` bytes.
/// The announced length is only a hint.
///
/// A long body claims its length.
/// It waits while others use up the memory.
/// This wait counts towards the attempt's time limit.
async fn read(
    mut response: Response,
    most: usize,
    long_answers: &Arc<Semaphore>,
) -> Result<Received, Broken> {
    let announced = match response.content_length().map(usize::try_from) {
        None => None,
        Some(Ok(length)) if length <= most => Some(length),
        Some(_) => return Err(Broken::TooLarge),
    };
    let status = response.status().as_u16();
    let hint = hint::retry_after(response.headers(), SystemTime::now());
    let cost = response
        .headers()
        .get(&LITELLM_COST)
        .and_then(|value| value.to_str().ok());
    let cost = cost.map(str::to_owned);
    let mut body = Vec::with_capacity(announced.unwrap_or(0).min(UNCLAIMED));
    let mut claim = None;
    while let Some(chunk) = response.chunk().await.map_err(Broken::Connection)? {
        if body.len() + chunk.len() > most {
            return Err(Broken::TooLarge);
        }
        if claim.is_none() && body.len() + chunk.len() > UNCLAIMED {
            let length = announced.unwrap_or(most);
            let permits = u32::try_from(length.div_ceil(1024)).unwrap_or(u32::MAX);
            // The semaphore is never closed.
            claim = Arc::clone(long_answers).acquire_many_owned(permits).await.ok();
            if announced.is_some() {
                body.reserve_exact(length.saturating_sub(body.len()));
            }
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Received {
        status,
        hint,
        cost,
        body,
        _claim: claim,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// Answers each connection with the number of bytes in its path.
    async fn server() -> Url {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        tokio::runtime::Handle::current().spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::runtime::Handle::current().spawn(async move {
                    let mut head = vec![0; 4_096];
                    let count = stream.read(&mut head).await.unwrap();
                    let head = String::from_utf8_lossy(&head[..count]).into_owned();
                    let length: usize = head.split([' ', '/']).nth(2).unwrap().parse().unwrap();
                    let head =
                        format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
                    stream.write_all(head.as_bytes()).await.unwrap();
                    // The client may have enough before all of it is sent.
                    let _ = stream.write_all(&vec![b'x'; length]).await;
                });
            }
        });
        url
    }

    #[tokio::test]
    async fn long_answers_wait_for_each_other_and_short_ones_do_not() {
        let url = server().await;
        let exchange = Exchange::new(&RouterConfig::new(url.clone()), Dialect::OpenAi).unwrap();
        let get = async |length: usize| {
            exchange
                .get(&url.join(&length.to_string()).unwrap(), None)
                .await
                .unwrap()
        };
        let held = exchange.long_answers.clone();
        let all = held.available_permits();
        let first = get(1 << 20).await;
        assert_eq!(
            (first.body.len(), held.available_permits()),
            (1 << 20, all - 1_024)
        );
        let rest = held
            .clone()
            .acquire_many_owned(u32::try_from(all - 1_024).unwrap())
            .await
            .unwrap();
        let mut second = std::pin::pin!(get(2 << 20));
        tokio::select! {
            biased;
            _ = &mut second => panic!("a long answer was read without room for it"),
            short = get(60_000) => assert_eq!(short.body.len(), 60_000),
        }
        drop((first, rest));
        assert_eq!(second.await.body.len(), 2 << 20);
        assert_eq!(held.available_permits(), all);
    }
}
