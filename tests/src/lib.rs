//! The parts that the black-box tests of ibid share: the real server on its own port, callers, and fake peers.
#![expect(clippy::expect_used, clippy::panic, reason = "test support fails loudly")]

pub mod buyer;
pub mod client;
pub mod crawl;
pub mod database;
pub mod fake_facilitator;
pub mod fake_router;
pub mod logs;
pub mod member;
pub mod openid;
pub mod receiver;
pub mod server;

pub use buyer::Buyer;
pub use client::{ApiClient, Reply, small_order};
pub use crawl::crawl;
pub use database::Database;
pub use member::Member;
pub use reqwest::Method;
pub use server::{API_KEY, PROVIDER_KEY, Setup, TestServer};

/// Makes ring the TLS provider of this process; reqwest clients need one even for plain http.
pub fn install_tls() {
    // A second installation is refused, which is fine: it is the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
