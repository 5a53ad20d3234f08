//! Messages to addresses that callers gave: webhooks and notifications.
//!
//! The addresses are judged like the addresses of pages.
//! A message goes only to https addresses, except to addresses on the list of the operator.
//! The messenger follows no redirect and drops the body of the answer.

use super::connect::{self, classify};
use super::lookup::Judge;
use super::{
    AddressRefusal, AddressRules, AllowList, FetchError, FetchFailure, FetchTarget, Lookup, SystemLookup,
};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::time::timeout;

/// Bytes of an answer that are read before the connection is closed.
const MOST_ANSWER: usize = 16 << 10;

/// Settings of a [`Messenger`].
#[derive(Clone, Debug)]
pub struct MessengerConfig {
    /// The `User-Agent`; default `ibid-webhooks/` and the version.
    pub user_agent: String,
    /// Addresses that may be asked although they are private or not encrypted.
    pub allow_list: AllowList,
    /// How long one connection attempt may take. Default: 5 s.
    pub connect_timeout: Duration,
    /// How long a message and its answer may take. Default: 15 s.
    pub timeout: Duration,
}

impl Default for MessengerConfig {
    fn default() -> Self {
        Self {
            user_agent: concat!("ibid-webhooks/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_list: AllowList::default(),
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(15),
        }
    }
}

/// The answer to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageAnswer {
    /// HTTP status.
    pub status: u16,
    /// The time after which the server wants to be asked again.
    pub retry_after: Option<Duration>,
}

/// A client that sends messages. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Messenger {
    client: Client,
    rules: Arc<AddressRules>,
    timeout: Duration,
}

impl Messenger {
    /// A messenger that looks names up as the system does.
    ///
    /// # Errors
    ///
    /// [`FetchFailure::Internal`] if the client cannot be built.
    pub fn new(config: MessengerConfig) -> Result<Self, FetchError> {
        Self::with_lookup(config, Arc::new(SystemLookup::default()))
    }

    /// A messenger with another look-up.
    /// Its answers are judged like any answer.
    ///
    /// # Errors
    ///
    /// As [`Messenger::new`].
    pub fn with_lookup(config: MessengerConfig, lookup: Arc<dyn Lookup>) -> Result<Self, FetchError> {
        let judge = Judge {
            lookup,
            allow_list: config.allow_list.clone(),
        };
        let times = (config.connect_timeout, config.timeout);
        let client = connect::client(&config.user_agent, judge, times).map_err(FetchError::Failed)?;
        let rules = AddressRules {
            allow_list: config.allow_list,
            ..AddressRules::default()
        };
        Ok(Self {
            client,
            rules: Arc::new(rules),
            timeout: config.timeout,
        })
    }

    /// Judges an address without a request to it.
    ///
    /// # Errors
    ///
    /// [`FetchError::Refused`] with the reason.
    pub fn judge(&self, address: &str) -> Result<FetchTarget, FetchError> {
        let target = FetchTarget::parse(address, &self.rules).map_err(FetchError::Refused)?;
        if target.url().scheme() != "https" && !self.rules.allow_list.holds(target.url()) {
            return Err(FetchError::Refused(AddressRefusal::Unencrypted));
        }
        Ok(target)
    }

    /// Sends a JSON document with further headers, which may include another `content-type`.
    ///
    /// Any HTTP status is an answer.
    ///
    /// # Errors
    ///
    /// If the address is refused after the look-up, a header is malformed, or no answer came in time.
    pub async fn send(
        &self,
        target: &FetchTarget,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<MessageAnswer, FetchError> {
        let mut request = self.client.post(target.url().clone()).body(body);
        if headers.iter().all(|(name, _)| *name != CONTENT_TYPE.as_str()) {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let exchange = async {
            let response = request.send().await.map_err(|error| classify(&error))?;
            let answer = MessageAnswer {
                status: response.status().as_u16(),
                retry_after: retry_after(&response, SystemTime::now()),
            };
            drain(response).await;
            Ok(answer)
        };
        let answer = timeout(self.timeout, exchange).await;
        answer.unwrap_or(Err(FetchError::Failed(FetchFailure::Timeout)))
    }

    /// Sends a request once and returns its answer, whose body has at most `most` bytes.
    ///
    /// Any HTTP status is an answer.
    ///
    /// # Errors
    ///
    /// If the address is refused, or no complete answer of this size came in time.
    pub async fn exchange(
        &self,
        request: http::Request<Vec<u8>>,
        most: usize,
    ) -> Result<http::Response<Vec<u8>>, FetchError> {
        self.judge(&request.uri().to_string())?;
        let request = reqwest::Request::try_from(request).map_err(|error| classify(&error))?;
        let exchange = async {
            let response = self.client.execute(request).await;
            read(response.map_err(|error| classify(&error))?, most).await
        };
        let answer = timeout(self.timeout, exchange).await;
        answer.unwrap_or(Err(FetchError::Failed(FetchFailure::Timeout)))
    }
}

/// Reads an answer of at most `most` bytes.
async fn read(mut response: Response, most: usize) -> Result<http::Response<Vec<u8>>, FetchError> {
    let mut answer = http::Response::new(Vec::new());
    *answer.status_mut() = response.status();
    *answer.headers_mut() = response.headers().clone();
    while let Some(piece) = response.chunk().await.map_err(|error| classify(&error))? {
        if answer.body().len().saturating_add(piece.len()) > most {
            return Err(FetchError::Failed(FetchFailure::Broken));
        }
        answer.body_mut().extend_from_slice(&piece);
    }
    Ok(answer)
}

/// Reads the first bytes of an answer and drops them.
///
/// A small server is then not cut off while it writes.
///
/// An error in the body has no effect, since the status has arrived.
async fn drain(mut response: Response) {
    let mut left = MOST_ANSWER;
    while let Ok(Some(piece)) = response.chunk().await {
        match left.checked_sub(piece.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// `Retry-After` in seconds or as a date (RFC 9110, 10.2.3).
///
/// A date in the past means now.
fn retry_after(response: &Response, now: SystemTime) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_to_public_https_addresses_and_to_those_on_the_list() {
        let config = MessengerConfig {
            allow_list: AllowList::of_operator("127.0.0.1:9000").expect("a list"),
            ..MessengerConfig::default()
        };
        let messenger = Messenger::new(config).expect("a messenger");
        for (address, refusal) in [
            ("https://example.com/hook?token=1", None),
            ("http://127.0.0.1:9000/hook", None),
            ("http://example.com/hook", Some(AddressRefusal::Unencrypted)),
            (
                "https://127.0.0.1/hook",
                Some(AddressRefusal::Address([127, 0, 0, 1].into())),
            ),
            (
                "http://127.0.0.1:8080/hook",
                Some(AddressRefusal::Address([127, 0, 0, 1].into())),
            ),
            (
                "https://169.254.169.254/latest",
                Some(AddressRefusal::Address([169, 254, 169, 254].into())),
            ),
            ("https://localhost/hook", Some(AddressRefusal::ReservedName)),
            ("https://user@example.com/hook", Some(AddressRefusal::Credentials)),
            ("ftp://example.com/hook", Some(AddressRefusal::Scheme)),
        ] {
            let judged = messenger.judge(address).map(drop);
            assert_eq!(judged.err(), refusal.map(FetchError::Refused), "{address}");
        }
    }
}
