#![doc = include_str!("../README.md")]
//!
//! HTTP surfaces of ibid.
//!
//! [`routes`] mounts everything into an actix application, the server's own or an embedder's. Handlers extract,
//! perform and render; what they perform is [`ibid_service::Service`]. Statuses, headers and error words appear
//! only here; `problem` writes errors by the rows of [`ibid_model::contract`].
//!
//! This crate refuses to know the business: no prices, no scores, no question of what may run.

mod a2a;
mod answer_tables;
mod app;
mod bodies;
mod conditional;
mod config;
mod connection;
mod cors;
mod extract;
mod feed;
mod headers;
mod health;
mod mcp;
mod metrics;
mod middleware;
mod mount;
mod openapi;
#[cfg(feature = "pdf")]
mod pdf_printer;
mod problem;
mod proxies;
mod public_documents;
mod rate_limit;
mod redirect;
mod respond;
mod serve;
mod shutdown;
mod sse;
mod trace_context;
mod v1;
mod v2;
mod web;

pub use bodies::{Bodies, BodyLimits};
pub use config::{ApiKey, HttpConfig};
pub use cors::CorsOrigins;
pub use ibid_a2a::CardKey;
pub use ibid_card::LICENSE as FONT_LICENSE;
pub use metrics::{Metrics, metrics_routes};
pub use mount::routes;
pub use openapi::document as openapi;
#[cfg(feature = "pdf")]
pub use pdf_printer::PdfPrinter;
pub use proxies::TrustedProxies;
pub use serve::{ServerLimits, serve};
pub use shutdown::Shutdown;
