//! The crawlers an audit lists, as data with a date.

use ibid_model::result::CrawlerClass;

/// Day this list was last reviewed against the operators' pages.
pub const BOT_LIST_DATE: &str = "2026-11-21";

/// One crawler, by the token it looks for in robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The product token.
    pub token: &'static str,
    /// The company that runs it.
    pub operator: &'static str,
    /// The purpose of its fetches.
    pub class: CrawlerClass,
    /// Whether the score looks at it.
    pub scored: bool,
}

const fn agent(token: &'static str, operator: &'static str, class: CrawlerClass, scored: bool) -> Agent {
    Agent {
        token,
        operator,
        class,
        scored,
    }
}

use CrawlerClass::{Search, Training, User};

/// Every listed crawler.
///
/// Search agents decide whether a page can be cited.
/// User agents decide whether a person can ask about it.
/// Training agents have no influence on the score.
pub const AGENTS: &[Agent] = &[
    agent("Googlebot", "Google", Search, true),
    agent("Bingbot", "Microsoft", Search, true),
    agent("OAI-SearchBot", "OpenAI", Search, true),
    agent("Claude-SearchBot", "Anthropic", Search, true),
    agent("PerplexityBot", "Perplexity", Search, true),
    agent("Applebot", "Apple", Search, false),
    agent("DuckAssistBot", "DuckDuckGo", Search, false),
    agent("Amazonbot", "Amazon", Search, false),
    agent("Meta-WebIndexer", "Meta", Search, false),
    agent("ChatGPT-User", "OpenAI", User, true),
    agent("Claude-User", "Anthropic", User, true),
    agent("Perplexity-User", "Perplexity", User, true),
    agent("MistralAI-User", "Mistral", User, false),
    agent("Meta-ExternalFetcher", "Meta", User, false),
    agent("GPTBot", "OpenAI", Training, false),
    agent("ClaudeBot", "Anthropic", Training, false),
    agent("Google-Extended", "Google", Training, false),
    agent("Applebot-Extended", "Apple", Training, false),
    agent("CCBot", "Common Crawl", Training, false),
    agent("Meta-ExternalAgent", "Meta", Training, false),
    agent("Bytespider", "ByteDance", Training, false),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_distinct_and_made_of_token_characters() {
        for (index, agent) in AGENTS.iter().enumerate() {
            assert!(
                agent
                    .token
                    .chars()
                    .all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_'),
                "{}",
                agent.token
            );
            assert!(
                AGENTS[..index]
                    .iter()
                    .all(|other| !other.token.eq_ignore_ascii_case(agent.token)),
                "{} twice",
                agent.token
            );
        }
        let scored = |class| {
            AGENTS
                .iter()
                .filter(|agent| agent.scored && agent.class == class)
                .count()
        };
        assert_eq!((scored(Search), scored(User), scored(Training)), (5, 3, 0));
    }
}
