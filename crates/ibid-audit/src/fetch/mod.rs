//! Fetches a page from an address that an untrusted caller gave, or sends a message there ([`Messenger`]).
//!
//! The caller may try to reach hosts that only this machine can reach, or to keep this machine busy. Therefore the
//! parsed host is judged before anything is sent ([`FetchTarget`]), every looked-up address is judged and the
//! connection goes to just those addresses ([`Lookup`]), each redirect is a new address and judged again, and
//! everything has a limit: hops, time, header bytes, body bytes after decoding ([`FetchLimits`]).
//!
//! No proxy, no cookies, no credentials, no HTTP/2, no content coding but gzip. A request carries nothing but a
//! user agent and what it accepts.
//!
//! Of the rest of the crate it imports the types of a page, the decoder of gzip, and the parsers that name the next file:
//! robots.txt and sitemaps. It imports nothing of the checks; `auditor` joins the two.

mod address;
mod allow;
mod body;
mod client;
mod connect;
mod error;
mod lookup;
mod message;
mod room;
mod site;
mod target;

pub use address::judge_address;
pub use allow::{AllowError, AllowList};
pub use client::{FetchAnswer, FetchConfig, FetchLimits, Fetcher};
pub use error::{AddressRefusal, FetchError, FetchFailure};
pub use lookup::{Lookup, LookupFuture, SystemLookup};
pub use message::{MessageAnswer, Messenger, MessengerConfig};
pub use target::{AddressRules, FetchTarget};

pub(crate) use site::{ACCEPT_PAGE, PAGE_BYTES};
