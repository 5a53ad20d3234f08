#![doc = include_str!("../README.md")]
//!
//! The page audit of ibid: how easily an AI model can find, read and cite one page.
//!
//! Two halves. [`audit`] is pure: a [`Page`] in, an `AuditReport` out; 44 checks in seven categories, each with
//! what was found, where, and what kind of evidence says that it matters; findings that rule citation out are
//! gates that cap the score. [`fetch`] (feature `http`) gets the page and the small files beside it, and is built
//! so that an address given by a stranger can neither reach a private network nor make the service work for long.
//!
//! In the walk of a request this crate stands under `ibid-service`, beside the engine, and knows neither prices
//! nor surfaces.
//!
//! It refuses to run scripts, to load anything a page names, to follow text that gives orders, to call a model,
//! to read a clock in the pure half, and to promise that a higher score means more citations: no study
//! has shown that.

mod article;
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
pub mod llms_txt;
mod names;
mod notes;
mod numbers;
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
mod template;

pub use article::{Article, article};
#[cfg(feature = "http")]
pub use auditor::{Auditor, SiteLimits, SiteProgress};
#[cfg(feature = "http")]
pub use bots::{BOTS, Bot, same_for_all};
pub use escape::escape;
pub use names::names;
pub use page::{Headers, Page, Site, SiteAnswer, SiteFile};
pub use quote::{QUOTE_CHARS, columns, quote, quote_to};
pub use report::{AUDIT_VERSION, audit};
pub use site_report::site_audit;
