//! What a model answered.

use ibid_model::result::Retrieval;
use ibid_model::{Citation, Finish, UsdMicros};
use serde::{Deserialize, Serialize};

/// One answer. Its text and citations are hostile input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The visible text; at most 256 KiB. Never empty, unless the turn was paused before its first word.
    pub text: String,
    /// Sources sent with the text, at most 100.
    pub citations: Vec<Citation>,
    /// The concrete model that answered, as the provider named it.
    pub model: Option<String>,
    /// The reason why the answer ended.
    pub finish: Finish,
    /// The web search behind the answer, as the reply shows it.
    pub retrieval: Retrieval,
    /// The tokens and searches that the call used.
    pub usage: TokenUsage,
    /// What a turn that the vendor paused has said so far, to be sent back with [`crate::Prompt::resume`].
    #[serde(skip)]
    pub resume: Option<serde_json::Value>,
}

/// Tokens, searches and cost of one call, as reported by the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Prompt tokens; 0 when not reported.
    pub prompt_tokens: u64,
    /// Completion tokens, reasoning included; 0 when not reported.
    pub completion_tokens: u64,
    /// Web searches; `None` when not reported.
    pub searches: Option<u32>,
    /// The billed cost; `None` if it is not reported.
    pub cost: Option<UsdMicros>,
}

impl TokenUsage {
    /// Returns the sum of two calls.
    /// The cost is known only if both costs are.
    /// Searches count as far as they are reported.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let searches = [self.searches, other.searches];
        Self {
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            searches: searches.into_iter().flatten().reduce(u32::saturating_add),
            cost: self.cost.zip(other.cost).map(|(one, other)| one + other),
        }
    }
}
