//! Options of the commands that ask a model router.

use anyhow::Context;
use clap::Args;
use ibid_provider::{Dialect, Provider, ProviderKey, Router, RouterConfig};
use std::env::VarError;
use std::sync::Arc;

#[derive(Args)]
pub(crate) struct RouterOptions {
    /// Base URL of a model router, or of a vendor's own API
    #[arg(long, env = "ROUTER_BASE_URL", default_value = RouterConfig::DEFAULT_BASE_URL)]
    router: url::Url,
    /// Dialect of the router: auto, openrouter, openai, openai-responses, anthropic, perplexity, gemini or litellm
    #[arg(long, env = "ROUTER_DIALECT", default_value = "auto")]
    dialect: Dialect,
}

impl RouterOptions {
    pub(crate) fn config(&self) -> RouterConfig {
        let mut config = RouterConfig::new(self.router.clone());
        config.dialect = self.dialect;
        config
    }

    /// The router, with the key if there is one.
    pub(crate) fn open(&self) -> anyhow::Result<(Arc<dyn Provider>, Option<ProviderKey>)> {
        Ok((Arc::new(Router::new(&self.config())?), key()?))
    }
}

/// Reads the key from ROUTER_API_KEY, if it is set.
pub(crate) fn key() -> anyhow::Result<Option<ProviderKey>> {
    match std::env::var("ROUTER_API_KEY") {
        Ok(key) => key.parse().map(Some).context("ROUTER_API_KEY"),
        Err(VarError::NotPresent) => Ok(None),
        Err(error) => Err(error).context("ROUTER_API_KEY"),
    }
}

/// A runtime on the thread that waits, for commands that send one request after the other.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
