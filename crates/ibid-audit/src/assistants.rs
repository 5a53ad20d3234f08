//! Which assistants cite pages, how each fetches, and whom a check concerns.

use crate::checks::Rule;
use crate::directives::Directive;
use crate::facts::{Facts, RobotsState};
use ibid_model::result::EvidenceKind;

/// An assistant that cites pages of the web.
struct Assistant {
    name: &'static str,
    /// The agent that fills the index its answers are drawn from.
    search: &'static str,
    /// The agent that fetches a page when a person asks about it, where it has one of its own.
    user: Option<&'static str>,
    /// Whether its agents read a page after the scripts have run.
    runs_scripts: bool,
}

/// Taken from the operators' pages, and from crawlers' logs for the scripts; reviewed with the list of crawlers.
const ASSISTANTS: [Assistant; 5] = [
    assistant("ChatGPT", "OAI-SearchBot", Some("ChatGPT-User"), false),
    assistant("Claude", "Claude-SearchBot", Some("Claude-User"), false),
    assistant("Perplexity", "PerplexityBot", Some("Perplexity-User"), false),
    assistant("Copilot", "Bingbot", None, true),
    assistant("Google AI", "Googlebot", None, true),
];

const fn assistant(
    name: &'static str,
    search: &'static str,
    user: Option<&'static str>,
    runs_scripts: bool,
) -> Assistant {
    Assistant {
        name,
        search,
        user,
        runs_scripts,
    }
}

/// The assistants that a check concerns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Concern {
    /// All of them alike.
    All,
    /// Those that run no scripts.
    WithoutScripts,
    /// Those whose search agents robots.txt shuts out.
    SearchAgents,
    /// Those whose agents on demand robots.txt shuts out.
    UserAgents,
    /// Those that a directive against indexing binds.
    Indexes,
    /// Those with these names, for a reason.
    Only(&'static [&'static str], &'static str),
}

/// Names the assistants that a finding concerns, and says why them.
pub(crate) fn concerned(rule: &Rule, facts: &Facts<'_>) -> (Vec<String>, String) {
    let of = |fits: &dyn Fn(&Assistant) -> bool| -> Vec<String> {
        let fitting = ASSISTANTS.iter().filter(|assistant| fits(assistant));
        fitting.map(|assistant| assistant.name.to_owned()).collect()
    };
    let shut_out = |agent: &str| match &facts.robots {
        RobotsState::File { robots, .. } => !robots.verdict(agent, &facts.path()).allowed,
        RobotsState::Unreachable(_) => true,
        RobotsState::NotAsked | RobotsState::NoFile(_) | RobotsState::Looping => false,
    };
    let names_robot = "robots.txt shuts out the agent by which the assistant";
    let (names, why) = match rule.concerns {
        Concern::All if rule.evidence.contains(&EvidenceKind::Vendor) => {
            (of(&|_| true), "All of them depend on it.".to_owned())
        }
        Concern::All => (
            of(&|_| true),
            "All of them read it in the HTML; no operator publishes how much it counts.".to_owned(),
        ),
        Concern::WithoutScripts => (
            of(&|assistant| !assistant.runs_scripts),
            "Their agents read the HTML as sent; those of Google and Bing run scripts, later.".to_owned(),
        ),
        Concern::SearchAgents => (
            of(&|assistant| shut_out(assistant.search)),
            format!("{names_robot} fills its index."),
        ),
        Concern::UserAgents => (
            of(&|assistant| assistant.user.is_some_and(shut_out)),
            format!("{names_robot} fetches a page that a person asks about."),
        ),
        Concern::Indexes => {
            let binds = |assistant: &Assistant, directive: &Directive| match directive.agent.as_deref() {
                None | Some("robots" | "*") => INDEXES.contains(&assistant.name),
                Some(agent) => agent.eq_ignore_ascii_case(assistant.search),
            };
            (
                of(&|assistant| crate::checks::noindex(facts).any(|found| binds(assistant, found))),
                "Their operators publish that they follow it.".to_owned(),
            )
        }
        Concern::Only(names, why) => (names.iter().copied().map(str::to_owned).collect(), why.to_owned()),
    };
    if names.is_empty() && !matches!(rule.concerns, Concern::Only(..)) {
        return (
            names,
            "None of the assistants listed here is shut out.".to_owned(),
        );
    }
    (names, why)
}

/// The assistants whose operators publish that they follow `noindex`.
const INDEXES: [&str; 3] = ["ChatGPT", "Copilot", "Google AI"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::RULES;
    use crate::page::Page;
    use crate::robots::AGENTS;

    #[test]
    fn every_agent_is_in_the_list_of_crawlers() {
        for assistant in &ASSISTANTS {
            for token in assistant.user.into_iter().chain([assistant.search]) {
                assert!(AGENTS.iter().any(|agent| agent.token == token), "{token}");
            }
        }
        for rule in RULES {
            if let Concern::Only(names, _) = rule.concerns {
                let known = |name: &&str| ASSISTANTS.iter().any(|assistant| assistant.name == *name);
                assert!(names.iter().all(known), "{}", rule.id);
            }
        }
    }

    #[test]
    fn a_directive_for_one_agent_concerns_its_assistant() {
        let of = |meta: &str, id: &str| {
            let html = format!("<html><head>{meta}</head><body><p>Text</p></body></html>");
            let page = Page::from_html(html, None, jiff::Timestamp::UNIX_EPOCH);
            let rule = RULES.iter().find(|rule| rule.id == id).expect("a check");
            concerned(rule, &Facts::read(&page)).0
        };
        let all = "<meta name=robots content=noindex>";
        assert_eq!(of(all, "A5"), ["ChatGPT", "Copilot", "Google AI"]);
        assert_eq!(of("<meta name=bingbot content=noindex>", "A5"), ["Copilot"]);
        assert_eq!(of("", "C3"), ["ChatGPT", "Claude", "Perplexity"]);
        assert_eq!(of("", "B5"), [""; 0]);
    }
}
