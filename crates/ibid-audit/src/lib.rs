#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! Audits pages: how easily an AI model can find, read and cite one page.
//!
//! The crate has two halves:
//!
//! - [`audit`] is pure: it turns a [`Page`] into an `AuditReport`
//!   with 41 checks in seven categories.
//!   Each check has a finding, its location, and the kind of evidence for its importance.
//!   Findings that rule out citation are gates, which cap the score.
//! - [`fetch`] (feature `http`) gets the page and the small files of its site.
//!   An address from an untrusted caller can neither reach a private network
//!   nor keep the service busy for long.
//!
//! `ibid-service` uses this crate and the engine.
//! The crate knows neither prices nor surfaces.
//!
//! It does not run scripts, load resources of a page, follow orders in a text, call a model,
//! or read a clock in the pure half.
//! It does not promise that a higher score means more citations: no study has shown this.

mod article;
mod assistants;
#[cfg(feature = "http")]
mod auditor;
mod authors;
#[cfg(feature = "http")]
mod bots;
mod charset;
mod checks;
mod dates;
mod directives;
mod drafts;
mod escape;
mod facts;
#[cfg(feature = "http")]
pub mod fetch;
mod gzip;
mod head;
mod html;
mod kind;
mod limits;
pub mod llms_txt;
mod names;
mod notes;
mod page;
mod quote;
mod reading;
mod report;
pub mod robots;
#[cfg(feature = "http")]
mod sample;
mod score;
mod signals;
mod signs;
mod site_name;
mod site_report;
pub mod sitemap;
mod sources;
mod structured_items;
mod subject;
mod template;
mod vocabulary;

pub use article::{Article, article};
#[cfg(feature = "http")]
pub use auditor::{Auditor, SiteLimits, SiteProgress};
#[cfg(feature = "http")]
pub use bots::{BOTS, Bot, same_for_all};
pub use escape::escape;
pub use kind::is_uncited;
pub use names::names;
pub use page::{Headers, Page, Site, SiteAnswer, SiteFile};
pub use quote::{QUOTE_CHARS, columns, quote, quote_to};
pub use report::{AUDIT_VERSION, audit, look};
pub use site_report::site_audit;
pub use subject::PageSubject;
