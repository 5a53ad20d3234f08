//! One cheap question that checks a model: its availability, its search and its cost.

use crate::completion::Completion;
use crate::error::ProviderError;
use crate::prompt::{Coordinates, Prompt, Scene, Share, UserPlace, WebSearch};
use crate::{Provider, ProviderKey};
use ibid_model::result::{LocationHint, Searched};
use ibid_model::{Domain, Grounding, Model, ModelAlias, UsdMicros};
use serde::Serialize;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Longest time for one model.
const PATIENCE: Duration = Duration::from_secs(90);
/// Most completion tokens to pay for.
/// Reasoning comes out of it.
const MOST_TOKENS: u32 = 1_500;
/// The place in the request, which the text of the question omits.
const CITY: &str = "Zaragoza";
const QUESTION: &str =
    "Search the web for a bakery near me. Answer in one sentence that names the bakery and its city.";

/// What one probe found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// The alias that was asked.
    pub alias: ModelAlias,
    /// The identifier at the router.
    pub model: String,
    /// The error code if there was no answer.
    pub error: Option<&'static str>,
    /// The concrete model that answered.
    pub resolved: Option<String>,
    /// Whether it searched the web; `None` without an answer.
    pub searched: Option<Searched>,
    /// The search engine pinned by the request, or that of the dialect.
    pub engine: Option<String>,
    /// Whether the place was sent and honoured; `None` without an answer.
    pub place: Option<ProbedPlace>,
    /// What a scan's question costs by estimate, in dollars.
    #[serde(serialize_with = "dollars")]
    pub estimated: UsdMicros,
    /// What the probe cost by the bill, in dollars; `None` if it is not reported.
    #[serde(serialize_with = "maybe_dollars")]
    pub billed: Option<UsdMicros>,
}

/// What became of the place that a probe sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbedPlace {
    /// It was sent, and the answer names it.
    /// The model had no other source for it.
    Honoured,
    /// It was sent, and the answer does not name it.
    Ignored,
    /// The request has no field for it.
    NotSupported,
}

impl ProbedPlace {
    /// The place in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Honoured => "honoured",
            Self::Ignored => "ignored",
            Self::NotSupported => "not supported",
        }
    }
}

impl Probe {
    /// Whether the model answered.
    pub const fn is_reachable(&self) -> bool {
        self.error.is_none()
    }

    /// Whether the model answered, and searched if its row requires a search.
    pub fn keeps_contract(&self, model: &Model, web_search: bool) -> bool {
        self.is_reachable() && (!model.searches(web_search) || self.searched != Some(Searched::No))
    }
}

/// Asks every model of a table one question, all at once.
pub async fn probe_all(
    provider: &dyn Provider,
    key: &ProviderKey,
    models: &[Model],
    web_search: bool,
) -> Vec<Probe> {
    let mut probes: Vec<_> = models
        .iter()
        .map(|model| Box::pin(probe(provider, key, model, web_search)))
        .collect();
    let mut outcomes: Vec<Option<Probe>> = models.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (probe, outcome) in probes.iter_mut().zip(&mut outcomes) {
            if outcome.is_none()
                && let std::task::Poll::Ready(ready) = probe.as_mut().poll(context)
            {
                *outcome = Some(ready);
            }
        }
        if outcomes.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    outcomes.into_iter().flatten().collect()
}

async fn probe(provider: &dyn Provider, key: &ProviderKey, model: &Model, web_search: bool) -> Probe {
    let mut probe = Probe {
        alias: model.alias.clone(),
        model: model.first_candidate().to_owned(),
        error: None,
        resolved: None,
        searched: None,
        engine: None,
        place: None,
        estimated: model.cost_per_question(web_search),
        billed: None,
    };
    let prompt = match prompt(model, web_search) {
        Ok(prompt) => prompt,
        Err(error) => {
            probe.error = Some(error.code());
            return probe;
        }
    };
    let answer = timeout_at(prompt.deadline, provider.ask(key, &prompt)).await;
    match answer.unwrap_or(Err(ProviderError::Timeout)) {
        Ok(answer) => {
            probe.place = Some(place(&answer));
            probe.resolved = answer.model;
            probe.searched = Some(answer.retrieval.searched);
            probe.engine = answer.retrieval.engine;
            probe.billed = answer.usage.cost;
        }
        Err(error) => probe.error = Some(error.code()),
    }
    probe
}

fn prompt(model: &Model, web_search: bool) -> Result<Prompt, ProviderError> {
    // RFC 2606 reserves `.example`.
    // No business of that name is measured.
    let domain: Domain = "probe.example".parse().map_err(|_| ProviderError::Unreadable)?;
    Ok(Prompt {
        model: model.first_candidate().to_owned(),
        text: QUESTION.to_owned(),
        search: match model.grounding {
            Grounding::Builtin => WebSearch::Builtin,
            Grounding::Required if web_search => WebSearch::Tool,
            Grounding::Required | Grounding::None => WebSearch::Off,
        },
        engine: model.engine,
        force_search: false,
        resume: None,
        place: Some(UserPlace {
            city: Some(CITY.to_owned()),
            region: Some("Aragón".to_owned()),
            country_code: "ES".to_owned(),
            coordinates: Some(Coordinates {
                latitude: 41.65606,
                longitude: -0.87734,
            }),
        }),
        max_tokens: MOST_TOKENS,
        deadline: Instant::now() + PATIENCE,
        share: Share::default(),
        scene: Scene {
            domain,
            keyword: "bakery".to_owned(),
            place: None,
            distance_km: None,
            language: "en".to_owned(),
        },
    })
}

/// The answer names the city only after a search with the place.
fn place(answer: &Completion) -> ProbedPlace {
    let named = |text: &str| {
        let text = text.to_lowercase();
        text.contains("zaragoza") || text.contains("saragossa")
    };
    match answer.retrieval.location {
        Some(LocationHint::Sent) if named(&answer.text) => ProbedPlace::Honoured,
        Some(LocationHint::Sent) => ProbedPlace::Ignored,
        Some(LocationHint::NotSupported) | None => ProbedPlace::NotSupported,
    }
}

fn dollars<S: serde::Serializer>(cost: &UsdMicros, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(cost.dollars())
}

fn maybe_dollars<S: serde::Serializer>(cost: &Option<UsdMicros>, serializer: S) -> Result<S::Ok, S::Error> {
    match cost {
        Some(cost) => dollars(cost, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sandbox;
    use ibid_model::Catalog;

    async fn probed(models: &[Model], key: &str, web_search: bool) -> Vec<Probe> {
        probe_all(&Sandbox::new(1), &key.parse().unwrap(), models, web_search).await
    }

    #[tokio::test]
    async fn every_alias_of_the_table_is_probed() {
        let catalog = Catalog::builtin();
        let probes = probed(catalog.models(), "k", true).await;
        assert_eq!(probes.len(), 6);
        for (probe, model) in probes.iter().zip(catalog.models()) {
            assert_eq!((&probe.alias, probe.error), (&model.alias, None));
            assert_eq!(probe.searched, Some(Searched::Yes));
            assert!(probe.keeps_contract(model, true) && probe.billed.is_some());
        }
        assert_eq!(probes[0].engine.as_deref(), Some("native"));
        assert_eq!(probes[0].place, Some(ProbedPlace::Honoured));
        assert_eq!(probes[5].engine.as_deref(), Some("exa"));
        assert_eq!(probes[5].place, Some(ProbedPlace::NotSupported));
        let off = probed(catalog.models(), "k", false).await;
        assert_eq!(off[0].searched, Some(Searched::No));
        assert!(off[0].keeps_contract(&catalog.models()[0], false));
    }

    #[tokio::test]
    async fn a_model_that_does_not_search_breaks_its_contract() {
        let mut model = Catalog::builtin().models()[0].clone();
        model.candidates = vec!["sandbox/never-searches".to_owned()];
        let probes = probed(std::slice::from_ref(&model), "k", true).await;
        assert!(probes[0].is_reachable() && !probes[0].keeps_contract(&model, true));
        let rejected = probed(std::slice::from_ref(&model), "invalid", true).await;
        assert_eq!(rejected[0].error, Some("provider_key_rejected"));
        assert!(!rejected[0].is_reachable());
    }
}
