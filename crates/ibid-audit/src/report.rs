//! Puts the report together.

use crate::checks;
use crate::drafts::drafts;
use crate::facts::{Facts, RobotsState};
use crate::notes::notes;
use crate::page::Page;
use crate::quote::{quote, quote_to};
use crate::robots::{AGENTS, BOT_LIST_DATE};
use crate::score;
use ibid_model::result::{AuditBand, AuditReport, CrawlerReason, CrawlerVerdict, PageFacts};

/// Version of the checks, weights, thresholds and gates.
pub const AUDIT_VERSION: &str = "2.3";

/// The caveat that every report carries.
const CAVEAT: &str = "The gates rest on rules that operators publish. Everything else is convention or correlation: no study has shown that this score, or a similar one, predicts citation.";

/// Audits a page.
///
/// Pure: the same page gives the same report.
/// The day of the report is the page's `fetched_at`.
///
/// Takes some milliseconds for an ordinary page,
/// and at most about two seconds for a hostile one of 5 MB.
/// Call it on a thread that does not serve requests.
#[must_use]
pub fn audit(page: &Page) -> AuditReport {
    let facts = Facts::read(page);
    let scored = score::score(checks::run(&facts));
    let gates = score::gates(&facts, &scored.checks);
    let cap = gates.iter().map(|gate| gate.cap).min().unwrap_or(100);
    let score = scored.score.min(cap);
    AuditReport {
        url: page.asked.as_deref().map(|url| quote_to(url, 2_048)),
        final_url: page.url.as_ref().map(|url| quote_to(url.as_str(), 2_048)),
        fetched_at: page.fetched_at,
        audit_version: AUDIT_VERSION.to_owned(),
        bot_list_date: BOT_LIST_DATE.to_owned(),
        status: page.status,
        score,
        uncapped_score: scored.score,
        band: AuditBand::of(score),
        top_fixes: score::top_fixes(&gates, &scored.checks),
        gates,
        categories: scored.categories,
        crawlers: crawlers(&facts),
        page: page_facts(&facts),
        notes: notes(&facts),
        bots: None,
        drafts: drafts(&facts, &scored.checks),
        checks: scored.checks,
        caveat: CAVEAT.to_owned(),
        invented: false,
    }
}

fn crawlers(facts: &Facts<'_>) -> Vec<CrawlerVerdict> {
    if let RobotsState::NotAsked = facts.robots {
        return Vec::new();
    }
    let path = facts.path();
    AGENTS
        .iter()
        .map(|agent| {
            let mut crawler = CrawlerVerdict {
                agent: agent.token.to_owned(),
                operator: agent.operator.to_owned(),
                class: agent.class,
                scored: agent.scored,
                allowed: true,
                decided_by: CrawlerReason::NoFile,
                rule: None,
                line: None,
                via_wildcard: false,
            };
            match &facts.robots {
                // The effect of a circle on agents is unknown.
                // The checks report it.
                RobotsState::NotAsked | RobotsState::NoFile(_) | RobotsState::Looping => {}
                RobotsState::Unreachable(_) => {
                    crawler.allowed = false;
                    crawler.decided_by = CrawlerReason::Unreachable;
                }
                RobotsState::File { robots, .. } => {
                    let verdict = robots.verdict(agent.token, &path);
                    crawler.allowed = verdict.allowed;
                    crawler.decided_by = if verdict.rule.is_some() {
                        CrawlerReason::Rule
                    } else {
                        CrawlerReason::NoRule
                    };
                    crawler.rule = verdict.rule.map(|rule| quote(&rule.written()));
                    crawler.line = verdict.rule.map(|rule| rule.line);
                    crawler.via_wildcard = verdict.via_wildcard;
                }
            }
            crawler
        })
        .collect()
}

fn page_facts(facts: &Facts<'_>) -> PageFacts {
    PageFacts {
        kind: facts.kind,
        words: u32::try_from(facts.words()).unwrap_or(u32::MAX),
        bytes: facts.page.body.len() as u64,
        truncated: facts.truncated || facts.stopped.is_some(),
        language: facts.reading.language.map(str::to_owned),
        charset: facts.charset.name.to_owned(),
        title: facts.head.title.as_ref().map(|(title, _)| quote(title)),
        description: facts.head.meta(&["description"]).map(|meta| quote(&meta.content)),
        redirects: facts
            .page
            .redirects
            .iter()
            .map(|url| quote_to(url, 2_048))
            .collect(),
        elapsed_ms: facts
            .page
            .elapsed
            .map(|elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)),
    }
}
