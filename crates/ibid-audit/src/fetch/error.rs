//! Why a page was not fetched.

use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Why a fetch gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum FetchError {
    /// The address may not be fetched.
    ///
    /// No request was sent to it.
    #[error("the address is refused: {0}")]
    Refused(AddressRefusal),
    /// A redirect leads to an address that may not be fetched.
    ///
    /// No request was sent to it.
    #[error("a redirect is refused: {0}")]
    RefusedRedirect(AddressRefusal),
    /// The address is fine, the fetch was not.
    #[error("the page could not be fetched: {0}")]
    Failed(FetchFailure),
}

impl FetchError {
    /// Stable word for callers: `fetch_refused` or `fetch_failed`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(_) | Self::RefusedRedirect(_) => "fetch_refused",
            Self::Failed(_) => "fetch_failed",
        }
    }

    /// Whether the address was refused, rather than failing.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Refused(_) | Self::RefusedRedirect(_) => true,
            Self::Failed(_) => false,
        }
    }
}

/// Why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AddressRefusal {
    /// It is not an absolute address.
    #[error("it is not an absolute http or https address")]
    NotAnAddress,
    /// Another scheme.
    #[error("only http and https are fetched")]
    Scheme,
    /// A scheme without encryption, for a message.
    #[error("messages are sent to https addresses only")]
    Unencrypted,
    /// Control characters, spaces or backslashes.
    #[error("it holds a space, a control character or a backslash")]
    Characters,
    /// Too long.
    #[error("it is longer than 2,048 bytes")]
    TooLong,
    /// A user name, a password, or an `@` that looks like one.
    #[error("it holds credentials")]
    Credentials,
    /// A port that is not on the list.
    #[error("port {0} is not allowed")]
    Port(u16),
    /// A host name that is empty, malformed or has no dot.
    #[error("the host is not a public name")]
    Host,
    /// A name that is only known inside some network.
    #[error("the host name is reserved for private use")]
    ReservedName,
    /// A name the operator of this service keeps out.
    #[error("the host is on the operator's list")]
    DeniedName,
    /// An address that is not public.
    ///
    /// The message leaves it out, because a looked-up address reveals details of a network.
    #[error("the host is not a public address")]
    Address(IpAddr),
    /// A name without any address.
    #[error("the host name has no address")]
    NoAddress,
}

/// Why a fetch failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum FetchFailure {
    /// The name could not be looked up.
    #[error("the host name was not found")]
    Dns,
    /// No connection, or no TLS.
    #[error("no connection")]
    Connect,
    /// It took too long.
    #[error("it took too long")]
    Timeout,
    /// More redirects than are followed; the last status.
    #[error("more than five redirects")]
    TooManyRedirects(u16),
    /// A redirect to an address that redirected before.
    #[error("it redirects in a circle")]
    RedirectLoop,
    /// A redirect without exactly one usable address.
    #[error("a redirect without a usable address")]
    BadRedirect,
    /// The answer's head is larger than 64 KiB.
    #[error("the answer's head is too large")]
    Head,
    /// A content coding that was not requested or is broken.
    #[error("the answer's content coding is unknown or broken")]
    Coding,
    /// Not HTTP, or the answer broke off.
    #[error("the answer is broken")]
    Broken,
    /// Other large files are being read, and memory for another was not free in time.
    #[error("this service is reading too many large files at this moment")]
    Busy,
    /// This program could not prepare or finish the work.
    #[error("the fetcher failed")]
    Internal,
}
