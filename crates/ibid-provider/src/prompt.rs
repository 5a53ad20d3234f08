//! One question to one model.

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
