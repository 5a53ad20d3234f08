//! Black-box tests of the HTTP surfaces, one module a feature.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod audits_in_flight;
mod caching;
mod contract;
mod docs;
mod idempotency;
mod limits;
mod log_events;
mod mcp;
mod mcp_paid;
mod monitoring;
mod openapi;
mod operations;
mod paid;
mod paid_attacks;
mod paid_exposure;
mod paid_faults;
mod paid_identifier;
mod paid_metrics;
mod paid_more;
mod paid_offers;
mod paid_recovery;
mod problems;
mod secrets;
mod service_keys;
mod slow_bodies;
mod snapshots;
mod v1_auth;
mod v1_compare;
mod v1_faults;
mod v1_models;
mod v1_plan;
mod v1_rescore;
mod v1_scan;
mod v1_upstream;
mod webhooks;
