//! One question to one model.

use ibid_model::Domain;
use tokio::time::Instant;

/// One question to one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Identifier of the model at the provider.
    pub model: String,
    /// The question.
    pub text: String,
    /// How the model shall get at the web.
    pub search: WebSearch,
    /// Where the asking person is, for search engines that take it. The text names the place as well.
    pub place: Option<UserPlace>,
    /// Most completion tokens to pay for, reasoning included.
    pub max_tokens: u32,
    /// When an answer is of no use any more; attempts and waits end there.
    pub deadline: Instant,
    /// What the question is really about. Only the sandbox reads it, to have somebody to cite;
    /// no network adapter ever sends it.
    pub scene: Scene,
}

/// What a question is really about. Stays in the process: a real model must not be told whom it is measured for.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The scanned domain.
    pub domain: Domain,
    /// The keyword, without the place.
    pub keyword: String,
    /// Name of the place the question asks about.
    pub place: Option<String>,
    /// Distance of that place from the anchor of the scan, in kilometres.
    pub distance_km: Option<f64>,
    /// BCP 47 tag of the question's language.
    pub language: String,
}

/// How a model shall get at the web.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebSearch {
    /// It searches by itself, always: send no tools.
    Builtin,
    /// Through the router's web search tool.
    Tool,
    /// Not at all.
    Off,
}

/// The approximate place of the asking person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserPlace {
    /// Town.
    pub city: Option<String>,
    /// First-level region.
    pub region: Option<String>,
    /// ISO 3166-1 alpha-2 code.
    pub country_code: String,
}
