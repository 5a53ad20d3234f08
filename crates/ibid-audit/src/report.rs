//! Puts the report together.

use crate::checks;
use crate::drafts::drafts;
use crate::facts::{Facts, RobotsState};
use crate::limits::ADDRESS_BYTES;
use crate::notes::notes;
use crate::page::Page;
use crate::quote::{quote, quote_to};
use crate::robots::{AGENTS, Agent, BOT_LIST_DATE};
use crate::score;
use crate::subject::PageSubject;
use ibid_model::result::{AuditBand, AuditReport, CrawlerReason, CrawlerVerdict, PageFacts};

/// Version of the checks, weights, thresholds and gates.
pub const AUDIT_VERSION: &str = "2.7";

/// The caveat that every report carries.
const CAVEAT: &str = "The gates rest on rules that operators publish. Everything else is convention or correlation: no study has shown that this score, or a similar one, predicts citation.";

/// Audits a page.
///
/// Pure: the same page gives the same report.
/// The report is dated by the page's `fetched_at`.
///
/// Takes some milliseconds for an ordinary page,
/// and at most about two seconds for a hostile one of 5 MB.
/// Call it on a thread that does not serve requests.
#[must_use]
pub fn audit(page: &Page) -> AuditReport {
    report(&Facts::read(page))
}

/// Audits a page like [`audit`], and reads what it says about its owner.
#[must_use]
pub fn look(page: &Page) -> (AuditReport, PageSubject) {
    let facts = Facts::read(page);
    (report(&facts), PageSubject::of(&facts))
}

fn report(facts: &Facts<'_>) -> AuditReport {
    let page = facts.page;
    let scored = score::score(checks::run(facts));
    let gates = score::gates(facts, &scored.checks);
    let cap = gates.iter().map(|gate| gate.cap).min().unwrap_or(100);
    let score = scored.score.min(cap);
    AuditReport {
        url: page.asked.as_deref().map(|url| quote_to(url, ADDRESS_BYTES)),
        final_url: page.url.as_ref().map(|url| quote_to(url.as_str(), ADDRESS_BYTES)),
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
        crawlers: crawlers(facts),
        page: page_facts(facts),
        notes: notes(facts),
        bots: None,
        drafts: drafts(facts, &scored.checks),
        checks: scored.checks,
        caveat: CAVEAT.to_owned(),
        invented: false,
    }
}

fn crawlers(facts: &Facts<'_>) -> Vec<CrawlerVerdict> {
    let path = facts.path();
    let verdict = |agent: &Agent| {
        let (allowed, decided_by, rule, via_wildcard) = match &facts.robots {
            RobotsState::NotAsked => return None,
            // What agents make of a circle is unknown.
            // The checks report it.
            RobotsState::NoFile(_) | RobotsState::Looping => (true, CrawlerReason::NoFile, None, false),
            RobotsState::Unreachable(_) => (false, CrawlerReason::Unreachable, None, false),
            RobotsState::File { robots, .. } => {
                let verdict = robots.verdict(agent.token, &path);
                let reason = verdict
                    .rule
                    .map_or(CrawlerReason::NoRule, |_| CrawlerReason::Rule);
                (verdict.allowed, reason, verdict.rule, verdict.via_wildcard)
            }
        };
        Some(CrawlerVerdict {
            agent: agent.token.to_owned(),
            operator: agent.operator.to_owned(),
            class: agent.class,
            scored: agent.scored,
            allowed,
            decided_by,
            rule: rule.map(|rule| quote(&rule.written())),
            line: rule.map(|rule| rule.line),
            via_wildcard,
        })
    };
    AGENTS.iter().filter_map(verdict).collect()
}

fn page_facts(facts: &Facts<'_>) -> PageFacts {
    let page = facts.page;
    PageFacts {
        kind: facts.kind,
        words: u32::try_from(facts.words()).unwrap_or(u32::MAX),
        bytes: page.body.len() as u64,
        truncated: facts.truncated || facts.stopped.is_some(),
        language: facts.reading.language.map(str::to_owned),
        charset: facts.charset.name.to_owned(),
        title: facts.head.title.as_ref().map(|(title, _)| quote(title)),
        description: facts.head.meta(&["description"]).map(|meta| quote(&meta.content)),
        redirects: page
            .redirects
            .iter()
            .map(|url| quote_to(url, ADDRESS_BYTES))
            .collect(),
        elapsed_ms: page
            .elapsed
            .map(|elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)),
    }
}
