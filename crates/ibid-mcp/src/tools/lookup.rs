//! `locate` and `models`.

use super::{Arguments, read};
use crate::answer::{ToolProblem, structured};
use ibid_model::result::{LocationReport, PlaceQuestion};
use ibid_model::{LocationText, ModelAlias};
use ibid_service::Service;
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceName {
    /// The place: "city, country", a region, a country, or "lat, lon".
    location: String,
}

/// The place that a text was taken for.
#[derive(Debug, Serialize)]
pub(super) struct PlaceAnswer {
    /// The place.
    place: LocationReport,
    /// The question to ask back; `null` where the text means one place for certain.
    question: Option<PlaceQuestion>,
}

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelsAnswer {
    /// The models, in the order of the table.
    models: Vec<ModelEntry>,
    /// Whether questions are asked with the router's web search.
    web_search: bool,
}

/// A model of the alias table.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelEntry {
    /// The alias to send in `models`.
    id: ModelAlias,
    /// The name for people.
    name: String,
    /// The model that the router is asked for first.
    model: String,
    /// What a question costs about, in US dollars.
    cost_per_query: f64,
    /// Whether a scan asks it unless told otherwise.
    default: bool,
}

pub(super) async fn locate(service: &Service, arguments: Arguments) -> Result<CallToolResult, ToolProblem> {
    let name: PlaceName = read(arguments)?;
    let text: LocationText = name.location.parse().map_err(ToolProblem::arguments)?;
    let (place, question) = service.planner.locate(text).await?;
    structured(&PlaceAnswer { place, question })
}

pub(super) fn models(service: &Service) -> Result<CallToolResult, ToolProblem> {
    let (catalog, web_search) = (service.planner.catalog(), service.planner.web_search());
    let defaults = catalog.defaults().len();
    let models = catalog
        .models()
        .iter()
        .enumerate()
        .map(|(index, model)| ModelEntry {
            id: model.alias.clone(),
            name: model.name.clone(),
            model: model.first_candidate().to_owned(),
            cost_per_query: model.cost_per_question(web_search).dollars(),
            default: index < defaults,
        });
    structured(&ModelsAnswer {
        models: models.collect(),
        web_search,
    })
}
