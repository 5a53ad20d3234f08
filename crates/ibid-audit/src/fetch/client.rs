//! One request at a time, redirects by hand, everything limited.

use super::body::Body;
use super::connect::{self, classify};
use super::lookup::Judge;
use super::room::Room;
use super::{AddressRules, AllowList, FetchError, FetchFailure, FetchTarget, Lookup, SystemLookup};
use crate::gzip::Want;
use crate::html::PIECE;
use crate::page::Headers;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, LOCATION, USER_AGENT};
use reqwest::{Client, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use url::Url;

/// Redirects that are followed.
const MAX_HOPS: usize = 5;
/// Bytes of an answer's head.
const MAX_HEAD: usize = 64 << 10;

/// Settings of a [`Fetcher`].
#[derive(Clone, Debug)]
pub struct FetchConfig {
    /// The `User-Agent` of the fetcher; default `ibid-audit/` and the version.
    pub user_agent: String,
    /// Allowed ports. Default: 80, 443, 8080 and 8443.
    pub ports: Vec<u16>,
    /// Denied host names, including their subdomains.
    ///
    /// Empty by default.
    pub denied_names: Vec<String>,
    /// Addresses that tests may ask.
    pub allow_list: AllowList,
    /// How long one connection attempt may take. Default: 3 s.
    pub connect_timeout: Duration,
    /// The time limit between two pieces of an answer. Default: 5 s.
    pub read_timeout: Duration,
    /// How long a page may take with its redirects. Default: 10 s.
    pub page_timeout: Duration,
    /// How long each small file (robots.txt, llms.txt, a sitemap) may take with its redirects. Default: 5 s.
    pub file_timeout: Duration,
    /// How many audits are computed at the same time, 1 to 64. Default: 2.
    ///
    /// Each keeps one core busy.
    pub parallel: usize,
}

impl Default for FetchConfig {
    fn default() -> Self {
        Self {
            user_agent: concat!("ibid-audit/", env!("CARGO_PKG_VERSION")).to_owned(),
            ports: AddressRules::default().ports,
            denied_names: Vec::new(),
            allow_list: AllowList::default(),
            connect_timeout: Duration::from_secs(3),
            read_timeout: Duration::from_secs(5),
            page_timeout: Duration::from_secs(10),
            file_timeout: Duration::from_secs(5),
            parallel: 2,
        }
    }
}

/// Limits of one fetch.
#[derive(Clone, Copy, Debug)]
pub struct FetchLimits {
    /// Bytes of the body after decoding; what is longer is cut there.
    pub bytes: usize,
    /// How long all redirects may take together, from the first look-up to the last byte.
    pub time: Duration,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct FetchAnswer {
    /// The address that answered.
    pub target: FetchTarget,
    /// Addresses that redirected, in order.
    pub redirects: Vec<String>,
    /// HTTP status after the last redirect.
    pub status: u16,
    /// Headers of the answer.
    pub headers: Headers,
    /// Body, decoded; at most [`FetchLimits::bytes`].
    pub body: Vec<u8>,
    /// Whether the body was longer.
    pub truncated: bool,
    /// From the first request to the last byte.
    pub elapsed: Duration,
}

/// A client that refuses non-public addresses. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    rules: Arc<AddressRules>,
    config: Arc<FetchConfig>,
    /// Memory for long sitemaps, of all clones.
    sitemap_room: Room,
}

/// A request without its address.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) accept: &'a str,
    /// Another name than the fetcher's own.
    pub(super) user_agent: Option<&'a str>,
    pub(super) limits: FetchLimits,
    /// The memory pool for long bodies; `None` for bodies without a claim.
    pub(super) room: Option<&'a Room>,
}

impl Fetcher {
    /// A fetcher that looks names up as the system does.
    ///
    /// # Errors
    ///
    /// [`FetchFailure::Internal`] if the client cannot be built, for example without root certificates.
    pub fn new(config: FetchConfig) -> Result<Self, FetchError> {
        Self::with_lookup(config, Arc::new(SystemLookup::default()))
    }

    /// A fetcher with another look-up.
    /// Its answers are judged like any answer.
    ///
    /// # Errors
    ///
    /// As [`Fetcher::new`].
    pub fn with_lookup(config: FetchConfig, lookup: Arc<dyn Lookup>) -> Result<Self, FetchError> {
        let judge = Judge {
            lookup,
            allow_list: config.allow_list.clone(),
        };
        let times = (config.connect_timeout, config.read_timeout);
        let client = connect::client(&config.user_agent, judge, times).map_err(FetchError::Failed)?;
        Ok(Self {
            client,
            rules: Arc::new(AddressRules {
                ports: config.ports.clone(),
                denied_names: config.denied_names.clone(),
                allow_list: config.allow_list.clone(),
            }),
            config: Arc::new(config),
            sitemap_room: Room::default(),
        })
    }

    /// Judges an address without a request to it.
    ///
    /// # Errors
    ///
    /// [`FetchError::Refused`] with the reason.
    pub fn judge(&self, address: &str) -> Result<FetchTarget, FetchError> {
        FetchTarget::parse(address, &self.rules).map_err(FetchError::Refused)
    }

    /// The rules addresses are judged by.
    pub fn rules(&self) -> &AddressRules {
        &self.rules
    }

    pub(crate) fn config(&self) -> &FetchConfig {
        &self.config
    }

    pub(super) fn sitemap_room(&self) -> &Room {
        &self.sitemap_room
    }

    /// Fetches an address and follows up to five redirects, each judged.
    ///
    /// Any HTTP status is an answer.
    ///
    /// # Errors
    ///
    /// If a redirect is refused, or no complete answer came within the limits.
    /// A body that is too long is cut, without an error.
    pub async fn get(
        &self,
        target: FetchTarget,
        accept: &str,
        limits: FetchLimits,
    ) -> Result<FetchAnswer, FetchError> {
        self.get_as(target, accept, None, limits).await
    }

    /// As [`Self::get`], with another `User-Agent`.
    pub(crate) async fn get_as(
        &self,
        target: FetchTarget,
        accept: &str,
        user_agent: Option<&str>,
        limits: FetchLimits,
    ) -> Result<FetchAnswer, FetchError> {
        let asking = Asking {
            accept,
            user_agent,
            limits,
            room: None,
        };
        Ok(self.ask(target, asking).await?.0)
    }

    /// Like [`Self::get`], with more options.
    ///
    /// The permit is the claimed memory of the body.
    pub(super) async fn ask(
        &self,
        target: FetchTarget,
        asking: Asking<'_>,
    ) -> Result<(FetchAnswer, Option<OwnedSemaphorePermit>), FetchError> {
        let begun = Instant::now();
        let deadline = begun + asking.limits.time;
        let timeout = |_| FetchError::Failed(FetchFailure::Timeout);
        let chain = self.chain(target, asking);
        let (response, target, redirects) = timeout_at(deadline, chain).await.map_err(timeout)??;
        let (mut fetched, claim) = self.answer(response, target, redirects, asking, deadline).await?;
        fetched.elapsed = begun.elapsed();
        Ok((fetched, claim))
    }

    /// Follows redirects up to an answer.
    async fn chain(
        &self,
        mut target: FetchTarget,
        asking: Asking<'_>,
    ) -> Result<(Response, FetchTarget, Vec<String>), FetchError> {
        let mut redirects: Vec<String> = Vec::new();
        loop {
            let response = self
                .send(target.url(), asking.accept, asking.user_agent)
                .await
                .map_err(|error| match error {
                    // A redirect's name is looked up when it is asked.
                    FetchError::Refused(refusal) if !redirects.is_empty() => {
                        FetchError::RefusedRedirect(refusal)
                    }
                    other => other,
                })?;
            let status = response.status().as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return Ok((response, target, redirects));
            }
            if redirects.len() >= MAX_HOPS {
                return Err(FetchError::Failed(FetchFailure::TooManyRedirects(status)));
            }
            let mut locations = response.headers().get_all(LOCATION).iter();
            let (Some(location), None) = (locations.next(), locations.next()) else {
                return Err(FetchError::Failed(FetchFailure::BadRedirect));
            };
            let location = std::str::from_utf8(location.as_bytes())
                .map_err(|_| FetchError::Failed(FetchFailure::BadRedirect))?;
            let next = target
                .follow(location, &self.rules)
                .map_err(FetchError::RefusedRedirect)?;
            redirects.push(target.url().to_string());
            if redirects.iter().any(|before| before == next.url().as_str()) {
                return Err(FetchError::Failed(FetchFailure::RedirectLoop));
            }
            // A redirect's body is not read: the connection is dropped with the response.
            target = next;
        }
    }

    async fn send(&self, url: &Url, accept: &str, user_agent: Option<&str>) -> Result<Response, FetchError> {
        let mut request = self
            .client
            .get(url.clone())
            .header(ACCEPT, accept)
            .header(ACCEPT_ENCODING, "gzip");
        if let Some(user_agent) = user_agent {
            request = request.header(USER_AGENT, user_agent);
        }
        let response = request.send().await.map_err(|error| classify(&error))?;
        let head: usize = response
            .headers()
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 4)
            .sum();
        if head > MAX_HEAD {
            return Err(FetchError::Failed(FetchFailure::Head));
        }
        Ok(response)
    }

    async fn answer(
        &self,
        mut response: Response,
        target: FetchTarget,
        redirects: Vec<String>,
        asking: Asking<'_>,
        mut deadline: Instant,
    ) -> Result<(FetchAnswer, Option<OwnedSemaphorePermit>), FetchError> {
        let limits = asking.limits;
        let status = response.status().as_u16();
        let headers: Headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
            .collect();
        let codings = response
            .headers()
            .get_all(CONTENT_ENCODING)
            .iter()
            .map(|value| value.to_str().unwrap_or("unreadable"));
        let mut body = Body::new(codings, limits.bytes).map_err(FetchError::Failed)?;
        // Compressed bytes have a separate limit, because empty members decode to no bytes.
        // A piece is cut at the limit, so that the kept part does not depend on how the answer was cut into pieces.
        let mut wire_left = limits.bytes.saturating_add(MAX_HEAD);
        let (mut broken_off, mut claim) = (false, None);
        'body: while let Some(piece) = timeout_at(deadline, response.chunk())
            .await
            .map_err(|_| FetchError::Failed(FetchFailure::Timeout))?
            .map_err(|error| classify(&error))?
        {
            broken_off = piece.len() > wire_left;
            let piece = &piece[..piece.len().min(wire_left)];
            wire_left -= piece.len();
            // Small parts, because a decoded part can be a thousand times as long.
            for part in piece.chunks(PIECE) {
                if body.push(part).map_err(FetchError::Failed)? == Want::Enough {
                    break 'body;
                }
                if let Some(room) = asking
                    .room
                    .filter(|room| claim.is_none() && room.is_long(body.len()))
                {
                    let waits_from = Instant::now();
                    claim = Some(room.claim(limits.bytes).await.map_err(FetchError::Failed)?);
                    // The page's server does not answer for the wait.
                    deadline += waits_from.elapsed();
                }
            }
            if broken_off {
                break;
            }
        }
        let (body, truncated) = body.finish(broken_off).map_err(FetchError::Failed)?;
        let answer = FetchAnswer {
            target,
            redirects,
            status,
            headers,
            body,
            truncated,
            elapsed: Duration::ZERO,
        };
        Ok((answer, claim))
    }
}
