#![doc = include_str!("../README.md")]
//!
//! Shows results as text: pages, charts, sheets, `llms.txt` and reports for a terminal.
//!
//! A page of [`pages`] borrows what the service returns, and the words for it are functions beside its template. The names of
//! [`assets`] contain the hash of their content. A page loads only these assets, is readable without scripts, and keeps
//! to [`CONTENT_SECURITY_POLICY`]. [`terminal`] renders a result for the command line.
//!
//! All functions are pure. This crate knows no HTTP, calls no service and loads no data: it reads their types.
//! It trusts no text: every template escapes by configuration, links lead only to web addresses, and offsets are
//! checked before a cut.

mod answer_text;
pub mod assets;
mod badge;
mod chart;
mod crawlers;
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
mod plain_text;
mod qr;
mod radius_map;
#[cfg(feature = "pdf")]
mod report_pdf;
mod report_view;
pub mod standalone;
mod strips;
pub mod terminal;
mod trend;
pub mod workbook;

pub use badge::Badge;
pub use crawlers::{robots_txt, sitemap_xml};
pub use error::RenderError;
pub use evidence::{AnswerReading, AnswerView, EvidenceView, QuoteView};
pub use figure::{count as grouped, time};
pub use frame::{AccountView, CONTENT_SECURITY_POLICY, Frame, Notice, NoticeKind};
pub use llms::{CONTENT_TYPE as LLMS_CONTENT_TYPE, LlmsTxtPage, llms_txt};
pub use plain_text::plain;
pub use radius_map::{RADIUS_MAP_CSS, radius_map_document};
#[cfg(feature = "pdf")]
pub use report_pdf::report_pdf;
pub use report_view::Preview;
