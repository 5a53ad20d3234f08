#![doc = include_str!("../README.md")]
//!
//! ibid's MCP surface, next to REST and A2A.
//!
//! `tools` lists the tools and calls them, `resources` serves documents, and `tasks` shows scans as tasks of the tasks
//! extension. `handler` joins them for `rmcp`, which implements the protocol: envelopes, versions, transports.
//! Every tool is a thin wrapper around [`ibid_service::Service`]. `payment` sells to callers without a key.
//!
//! The server keeps no session. Each message names its sender, so any process of a deployment can answer it.
//! Clients of the older revision still get a session id, with which `calls` finds the call that a cancellation means.
//! This crate does not know actix and does not authenticate.
//! The program that passes a message in names its sender, as a [`McpCaller`].

mod answer;
mod caller;
#[cfg(feature = "http")]
mod calls;
#[cfg(feature = "http")]
mod endpoint;
mod handler;
mod payment;
mod resources;
#[cfg(feature = "stdio")]
mod stdio;
mod tasks;
mod tools;

pub use caller::{Buyer, McpCaller};
#[cfg(feature = "http")]
pub use endpoint::{EndpointAnswer, EndpointRequest, McpEndpoint};
pub use handler::McpServer;
#[cfg(feature = "stdio")]
pub use stdio::{StdioError, serve_stdio};
