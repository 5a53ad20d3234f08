//! The HTTP client behind every request to an address that a caller gave.

use super::lookup::Judge;
use super::{AddressRefusal, FetchError, FetchFailure};
use reqwest::Client;
use reqwest::redirect::Policy;
use std::error::Error;
use std::time::Duration;

/// A client without redirects, proxy and cookies that connects only to addresses accepted by `judge`.
///
/// The times bound a connection attempt, and the pause between two pieces.
pub(super) fn client(
    user_agent: &str,
    judge: Judge,
    (connect, read): (Duration, Duration),
) -> Result<Client, FetchFailure> {
    // The first call installs the provider.
    // Later calls fail because it is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(user_agent)
        .no_proxy()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .dns_resolver(judge)
        .connect_timeout(connect)
        .read_timeout(read)
        .pool_max_idle_per_host(0)
        .http1_only()
        .http1_max_headers(100)
        .build()
        .map_err(|_| FetchFailure::Internal)
}

/// Converts the client's errors, including a refusal of the resolver inside them.
pub(super) fn classify(error: &reqwest::Error) -> FetchError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(refusal) = current.downcast_ref::<AddressRefusal>() {
            return FetchError::Refused(refusal.clone());
        }
        cause = current.source();
    }
    FetchError::Failed(if error.is_timeout() {
        FetchFailure::Timeout
    } else if error.is_dns() {
        FetchFailure::Dns
    } else if error.is_connect() {
        FetchFailure::Connect
    } else {
        FetchFailure::Broken
    })
}
