//! One question to one model.

use ibid_model::{Domain, SearchEngine};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// Opens a request for questions, so that the sandbox knows one.
pub const PROPOSAL_TASK: &str =
    "Propose questions that people would type into an AI assistant before they buy.";

/// One question to one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Identifier of the model at the provider.
    pub model: String,
    /// The question.
    pub text: String,
    /// Whether the model may search the web.
    pub search: WebSearch,
    /// The search engine, for routers that take one.
    /// `None` leaves the choice to the router.
    pub engine: Option<SearchEngine>,
    /// Makes the strongest demand for a search, after an answer from memory.
    /// Set only where [`crate::Provider::can_force_search`] returns true.
    pub force_search: bool,
    /// Which turn this call goes on with: [`crate::Completion::resume`] from the call before.
    pub resume: Option<serde_json::Value>,
    /// Where the person asks from, for search engines that accept a place.
    /// The text also names the place.
    pub place: Option<UserPlace>,
    /// Most completion tokens to pay for, reasoning included.
    pub max_tokens: u32,
    /// The time when attempts and waits end.
    pub deadline: Instant,
    /// The caller and run that the call is made for.
    /// It is never sent.
    pub share: Share,
    /// The target that the question measures.
    /// Only the sandbox reads it, to have a business to cite.
    /// No network adapter sends it.
    pub scene: Scene,
}

/// The caller and run that a call is made for.
/// Callers share the places for calls in flight fairly.
/// So do the runs of one caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share {
    /// What the work is for.
    pub kind: ShareKind,
    /// A number for the caller.
    pub caller: u64,
    /// A number for the run.
    pub run: u64,
}

/// Which work places can be reserved for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShareKind {
    /// Scans by accounts and by callers with a provider key.
    #[default]
    Plain,
    /// Sold work.
    Sold,
    /// A demonstration that a person waits for.
    Interactive,
}

/// The target that a question measures.
/// It stays in the process, because a real model must not learn which business is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// The scanned domain.
    pub domain: Domain,
    /// The keyword, without the place.
    pub keyword: String,
    /// Name of the place the question asks about.
    pub place: Option<String>,
    /// Its distance from the anchor of the scan, in kilometres.
    pub distance_km: Option<f64>,
    /// BCP 47 tag of the question's language.
    pub language: String,
}

/// Whether and how a model searches the web.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebSearch {
    /// It searches by itself, always: send no tools.
    Builtin,
    /// Through the router's web search tool.
    Tool,
    /// Not at all.
    Off,
}

/// Roughly where the asking person is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UserPlace {
    /// Which town.
    pub city: Option<String>,
    /// Which first-level region, such as a state or a province.
    pub region: Option<String>,
    /// ISO 3166-1 alpha-2 code.
    pub country_code: String,
    /// Where the town lies.
    pub coordinates: Option<Coordinates>,
}

/// A point on the globe, in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coordinates {
    /// North of the equator.
    pub latitude: f64,
    /// East of Greenwich.
    pub longitude: f64,
}
