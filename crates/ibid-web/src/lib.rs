//! What ibid looks like: pages, charts, sheets and `llms.txt`, as text to send or to save.
//!
//! Last station of a walk: a handler fills a view model from [`pages`] with values of `ibid-model` and sends what comes
//! back. Assets have the hash of their content in their names ([`assets`]); pages need nothing else, no other host,
//! and no script to be read. They keep to [`CONTENT_SECURITY_POLICY`].
//!
//! Everything here is a pure function of its values. This crate refuses to know HTTP, accounts and stores, to load
//! anything, and to trust a text: every template escapes by configuration, links lead to web addresses or nowhere, and
//! offsets are checked before they cut.

mod answer_text;
pub mod assets;
mod chart;
pub mod csv;
mod endpoints;
mod error;
mod escape;
mod evidence;
mod figure;
mod frame;
mod link;
mod llms;
pub mod pages;
mod passage;
mod radius_map;

pub use endpoints::{Access, ENDPOINTS, Endpoint};
pub use error::RenderError;
pub use evidence::{AnswerReading, Evidence, EvidenceAnswer, Quote};
pub use frame::{Account, CONTENT_SECURITY_POLICY, Frame, Notice, NoticeKind};
pub use llms::{CONTENT_TYPE as LLMS_CONTENT_TYPE, LlmsTxt, llms_txt};
pub use radius_map::{RADIUS_MAP_CSS, radius_map, radius_map_document};
