//! Models on the user's own machine or network: Ollama, llama.cpp, vLLM. They cost nothing and answer from memory.

use crate::router::runtime;
use anyhow::{Context, bail};
use ibid_model::{Catalog, ExpectedUse, Grounding, Model, Prices, UsdMicros};
use ibid_provider::{Dialect, ProviderError, ProviderKey, Router, RouterConfig, RouterModel};
use std::time::Duration;
use url::{Host, Url};

/// Calls at one time. Most of these servers answer one to four at once, and others wait in their queue.
const AT_ONCE: usize = 4;
/// The longest wait for an answer. A model on a processor without a graphics card writes a few words a second.
const PATIENCE: Duration = Duration::from_secs(600);
/// Models that a list may have to be read.
const MOST: usize = 200;

/// Asks a router on the own machine or network for its models; `None` if the router is elsewhere, lists no models, or passes
/// questions on to vendors, who bill them.
///
/// # Errors
/// The router does not answer, or has no model that can be asked.
pub(super) fn catalog(config: &RouterConfig, key: Option<&ProviderKey>) -> anyhow::Result<Option<Catalog>> {
    let is_plain = matches!(config.dialect, Dialect::Auto | Dialect::OpenAi);
    if !is_plain || !is_own(&config.base_url) {
        return Ok(None);
    }
    let router = Router::new(config)?;
    let listed = match runtime()?.block_on(router.models(key)) {
        Ok(listed) => listed,
        Err(error @ (ProviderError::Connection | ProviderError::Timeout)) => {
            return Err(error).with_context(|| format!("asking {} for its models", config.base_url));
        }
        Err(_) => return Ok(None),
    };
    // The list shows what the router is.
    if router.dialect() != Dialect::OpenAi || passes_on(&listed) {
        return Ok(None);
    }
    of_list(&listed).map(Some)
}

/// Returns how to call models on the own machine.
pub(super) fn patient(config: RouterConfig) -> RouterConfig {
    RouterConfig {
        max_in_flight: AT_ONCE,
        attempt_timeout: PATIENCE,
        ..config
    }
}

/// Returns how long a scan may take: a minute a question, and ten at least.
pub(super) fn time_limit(questions: usize) -> Duration {
    Duration::from_secs(60 * questions as u64).max(PATIENCE)
}

/// Whether a list has prices or built-in models, as a proxy to vendors has.
fn passes_on(listed: &[RouterModel]) -> bool {
    let builtin = Catalog::builtin();
    let is_known = |id: &String| builtin.models().iter().any(|model| model.candidates.contains(id));
    listed
        .iter()
        .any(|model| model.prices.is_some() || is_known(&model.id))
}

fn of_list(listed: &[RouterModel]) -> anyhow::Result<Catalog> {
    let mut names: Vec<&str> = listed.iter().map(|model| model.id.as_str()).collect();
    // Models for embeddings and ranking answer no questions.
    names.retain(|name| {
        !["embed", "rerank"]
            .iter()
            .any(|kind| name.to_lowercase().contains(kind))
    });
    names.truncate(MOST);
    let mut models: Vec<Model> = Vec::new();
    for name in names {
        if models.iter().all(|model| model.name != name) {
            models.push(row(name)?);
        }
    }
    if models.is_empty() {
        bail!("the router lists no model that answers questions; load one first");
    }
    Ok(Catalog::new(models)?)
}

fn row(name: &str) -> anyhow::Result<Model> {
    Ok(Model {
        alias: name.parse()?,
        name: name.to_owned(),
        candidates: vec![name.to_owned()],
        grounding: Grounding::None,
        engine: None,
        prices: Prices {
            prompt_per_million: UsdMicros::ZERO,
            completion_per_million: UsdMicros::ZERO,
            per_request: UsdMicros::ZERO,
            per_search: UsdMicros::ZERO,
        },
        expected: ExpectedUse {
            searches_percent: 0,
            ..ExpectedUse::default()
        },
    })
}

/// Whether an address is on the own machine or in a private network.
fn is_own(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            name == "localhost" || name.ends_with(".localhost") || name.ends_with(".local")
        }
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_private(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unique_local(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routers_of_the_own_network_are_known_by_their_addresses() {
        for (address, expected) in [
            ("http://127.0.0.1:11434/v1", true),
            ("http://localhost:8000", true),
            ("http://192.168.1.7:8080/v1", true),
            ("http://[::1]:8080", true),
            ("http://box.local:1234", true),
            ("https://openrouter.ai/api/v1", false),
            ("https://localhost.example.com", false),
            ("http://8.8.8.8", false),
        ] {
            assert_eq!(is_own(&address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn a_list_becomes_a_table_without_prices() {
        let listed = |names: &[&str]| -> Vec<RouterModel> {
            let one = |name: &&str| RouterModel {
                id: (*name).to_owned(),
                prices: None,
                stands_for: None,
            };
            names.iter().map(one).collect()
        };
        let table = of_list(&listed(&[
            "llama3.2:3b",
            "nomic-embed-text",
            "qwen3:0.6b",
            "llama3.2:3b",
        ]))
        .unwrap();
        let names: Vec<&str> = table.models().iter().map(|model| model.alias.as_str()).collect();
        assert_eq!(names, ["llama3.2:3b", "qwen3:0.6b"]);
        assert!(
            table
                .models()
                .iter()
                .all(|model| model.cost_per_question(true) == UsdMicros::ZERO)
        );
        assert!(of_list(&listed(&["bge-reranker"])).is_err());
        assert!(passes_on(&listed(&["perplexity/sonar"])) && !passes_on(&listed(&["llama3.2:3b"])));
    }
}
