//! Robots directives of a page: `<meta name="robots">`, its namesakes for one agent, and `X-Robots-Tag`.
//!
//! Rules add up and the strictest wins, as Google and Bing document.
//! Directives for agents that the audit does not score are kept apart and have no effect.

use crate::limits::MANY;
use crate::quote::quote;
use crate::vocabulary::Words;
use ibid_model::result::CrawlerClass;

/// One directive and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    /// The word, in lower case.
    pub(crate) word: String,
    /// The value after its colon.
    pub(crate) value: Option<String>,
    /// The agent it is for, in lower case; `None` for all.
    pub(crate) agent: Option<String>,
    /// Where the directive was found.
    pub(crate) place: Place,
}

/// Where a directive was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A meta element at a line.
    Meta(u32),
    /// The answer's header.
    Header,
}

impl Directive {
    /// The word with its value, as it is written.
    pub(crate) fn written(&self) -> String {
        match &self.value {
            Some(value) => format!("{}:{value}", self.word),
            None => self.word.clone(),
        }
    }

    /// For a reader.
    pub(crate) fn describe(&self) -> String {
        let agent = self.agent.as_ref().map(|agent| format!(" for {agent}"));
        quote(&(self.written() + &agent.unwrap_or_default()))
    }

    /// The source in words, for a report.
    pub(crate) fn location(&self) -> String {
        match self.place {
            Place::Meta(line) => {
                let name = self.agent.as_deref().unwrap_or("robots");
                quote(&format!("line {line}: <meta name=\"{name}\">"))
            }
            Place::Header => "header X-Robots-Tag".to_owned(),
        }
    }

    /// The crawlers that it binds.
    pub(crate) fn reach(&self) -> Reach {
        let is_scored = |agent: &str| {
            crate::robots::AGENTS.iter().any(|listed| {
                listed.scored
                    && listed.class == CrawlerClass::Search
                    && listed.token.eq_ignore_ascii_case(agent)
            })
        };
        match self.agent.as_deref() {
            None | Some("robots" | "*") => Reach::All,
            Some(agent) if agent == "msnbot" || is_scored(agent) => Reach::Search,
            Some(_) => Reach::Foreign,
        }
    }

    /// Whether it binds Bing: for all or for it.
    pub(crate) fn binds_bing(&self) -> bool {
        self.reach() == Reach::All || matches!(self.agent.as_deref(), Some("bingbot" | "msnbot"))
    }
}

/// The crawlers that a directive binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every agent.
    All,
    /// One of the five scored search agents.
    Search,
    /// A robot that the audit does not score.
    Foreign,
}

/// Directive words with a value after a colon.
///
/// Other words before a colon in a header name an agent.
static VALUED: Words = Words::new("max-snippet|max-image-preview|max-video-preview|unavailable_after");

/// Reads one value from a meta element or a header.
pub(crate) fn read(value: &str, agent: Option<&str>, place: Place, out: &mut Vec<Directive>) {
    let mut agent = agent.map(str::to_owned);
    let split = |text: &str| match text.split_once(':') {
        Some((word, value)) => (word.trim().to_owned(), Some(value.trim().to_owned())),
        None => (text.trim().to_owned(), None),
    };
    for part in crate::html::cut(value, 4_096).split(',').map(str::trim) {
        if part.is_empty() || out.len() >= MANY {
            continue;
        }
        let lower = part.to_ascii_lowercase();
        // A date after unavailable_after may itself hold a comma.
        if let Some(last) = out.last_mut()
            && (last.word.as_str(), last.place) == ("unavailable_after", place)
            && lower.starts_with(|c: char| c.is_ascii_digit())
            && let Some(date) = &mut last.value
        {
            date.push_str(", ");
            date.push_str(part);
            continue;
        }
        let (mut word, mut value) = split(&lower);
        if let Some(rest) = value
            .as_deref()
            .filter(|_| place == Place::Header && !VALUED.contains(&word))
        {
            let named = split(rest);
            agent = Some(word);
            (word, value) = named;
        }
        out.push(Directive {
            word,
            value,
            agent: agent.clone(),
            place,
        });
    }
}

/// Whether a meta name holds directives: `robots`, or a listed agent.
pub(crate) fn meta_agent(name: &str) -> Option<Option<String>> {
    let name = name.trim().to_ascii_lowercase();
    let is_listed = || {
        crate::robots::AGENTS
            .iter()
            .any(|agent| agent.token.eq_ignore_ascii_case(&name))
    };
    match name.as_str() {
        "robots" => Some(None),
        "msnbot" => Some(Some(name)),
        _ => is_listed().then_some(Some(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, place: Place, expected: &[&str]) {
        let mut found = Vec::new();
        read(value, None, place, &mut found);
        let words: Vec<_> = found.iter().map(Directive::describe).collect();
        assert_eq!(words, expected, "{value}");
    }

    #[test]
    fn headers_may_name_agents() {
        check("noindex, nofollow", Place::Header, &["noindex", "nofollow"]);
        check("NoIndex", Place::Header, &["noindex"]);
        check(
            "googlebot: noindex, nofollow",
            Place::Header,
            &["noindex for googlebot", "nofollow for googlebot"],
        );
        check(
            "googlebot: nofollow, otherbot: noindex",
            Place::Header,
            &["nofollow for googlebot", "noindex for otherbot"],
        );
        check("max-snippet:0", Place::Header, &["max-snippet:0"]);
        check(
            "bingbot: max-snippet: 20",
            Place::Header,
            &["max-snippet:20 for bingbot"],
        );
        check(
            "unavailable_after: 25 Jun 2010 15:00:00 PST",
            Place::Header,
            &["unavailable_after:25 jun 2010 15:00:00 pst"],
        );
        check(
            "unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noindex",
            Place::Header,
            &["unavailable_after:friday, 25-Jun-10 15:00:00 GMT", "noindex"],
        );
        check(" , ,", Place::Header, &[]);
    }

    #[test]
    fn meta_values_have_no_agents() {
        check(
            "max-image-preview:large, x:y",
            Place::Meta(3),
            &["max-image-preview:large", "x:y"],
        );
    }

    #[test]
    fn reach_follows_the_agent() {
        for (agent, reach) in [
            (None, Reach::All),
            (Some("googlebot"), Reach::Search),
            (Some("oai-searchbot"), Reach::Search),
            (Some("gptbot"), Reach::Foreign),
            (Some("googlebot-image"), Reach::Foreign),
        ] {
            let directive = Directive {
                word: "noindex".into(),
                value: None,
                agent: agent.map(str::to_owned),
                place: Place::Header,
            };
            assert_eq!(directive.reach(), reach, "{agent:?}");
        }
        assert_eq!(meta_agent(" Robots "), Some(None));
        assert_eq!(meta_agent("GoogleBot"), Some(Some("googlebot".into())));
        assert_eq!(meta_agent("description"), None);
    }
}
