//! Fetches a page from an address of an untrusted caller, or sends a message to it ([`Messenger`]).
//!
//! The caller may try to reach private hosts through this machine, or to keep this machine busy.
//! Therefore:
//!
//! - The parsed host is judged before the first request ([`FetchTarget`]).
//! - Every looked-up address is judged, and the connection goes only to these addresses ([`Lookup`]).
//! - Each redirect is a new address, judged again.
//! - Hops, time, header bytes and body bytes after decoding have limits ([`FetchLimits`]).
//!
//! No proxy, no cookies, no credentials, no HTTP/2, no content coding but gzip.
//! A request has only a user agent and the accepted types.
//!
//! The module uses the page types and the gzip decoder of this crate,
//! and the parsers of robots.txt and sitemaps, which name the next file.
//! It does not use the checks; `auditor` joins the two.
//!
//! ```
//! use ibid_audit::fetch::{AddressRefusal, AddressRules, FetchTarget};
//!
//! let rules = AddressRules::default();
//! assert_eq!(FetchTarget::parse("https://acme.com/pipes", &rules)?.url().path(), "/pipes");
//! assert!(FetchTarget::parse("http://127.0.0.1/admin", &rules).is_err());
//! assert_eq!(FetchTarget::parse("file:///etc/passwd", &rules), Err(AddressRefusal::Scheme));
//! # Ok::<(), AddressRefusal>(())
//! ```

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
