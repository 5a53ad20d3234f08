//! How a page answers several agents: the same address, asked for under each name.

use super::audit::AuditNote;
use serde::{Deserialize, Serialize};

/// The answers that one address gives to several agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BotReport {
    /// The address that every agent asked for.
    pub url: String,
    /// The agent that the others are compared with: `browser`, or `ibid-audit` where the browser got no answer.
    pub compared_with: String,
    /// One entry an agent, in the order asked.
    pub views: Vec<BotView>,
    /// The differences, without weight in the score.
    pub findings: Vec<AuditNote>,
    /// The limits of the comparison.
    pub caveat: String,
}

/// The answer to one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BotView {
    /// Product token of the agent, or `browser`.
    pub agent: String,
    /// The `User-Agent` header that was sent, or would have been sent.
    pub user_agent: String,
    /// The outcome of the request.
    pub outcome: BotOutcome,
    /// The reason why there is no answer; `null` with an answer.
    pub reason: Option<String>,
    /// HTTP status, after redirects.
    pub status: Option<u16>,
    /// The address that answered, where it is another one.
    pub final_url: Option<String>,
    /// Decoded bytes of HTML that were read.
    pub bytes: Option<u64>,
    /// Words in the main part.
    pub words: Option<u32>,
    /// Share of the compared agent's distinct words that this answer holds, 0 to 100; `null` without a text to compare.
    pub shared_words: Option<u8>,
    /// Whether the answer is a shell that scripts have to fill.
    pub is_shell: bool,
    /// Whether a challenge, an error text or another type than HTML was answered with a status of 2xx.
    pub is_challenge: bool,
}

/// The outcome of a request in the name of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BotOutcome {
    /// The server answered, with any status.
    #[default]
    Answered,
    /// robots.txt does not let the agent fetch the page, so it was not asked for.
    NotAllowed,
    /// The server gave no answer.
    Failed,
    /// The time of the comparison was used up before.
    Skipped,
}

impl BotView {
    /// Whether the agent got a page: a status of 2xx, and no challenge.
    pub fn has_page(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status)) && !self.is_challenge
    }
}
