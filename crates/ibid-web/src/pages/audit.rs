//! A page audit: its report, and the form for another one.

use super::Fact;
use crate::error::RenderError;
use crate::escape::{cut, line};
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::ScanId;
use ibid_model::result::{
    AuditCheck, AuditComparison, AuditFix, AuditReport, BotOutcome, BotView, CheckStatus, CrawlerClass,
    CrawlerReason, CrawlerVerdict, EvidenceKind,
};
use jiff::Timestamp;

/// One page audit. Below its path is the download `audit.json`.
#[derive(Clone, Copy, Debug)]
pub struct AuditPage<'a> {
    pub id: ScanId,
    pub report: &'a AuditReport,
    /// Every audit of the same page by the account, the latest first.
    pub history: &'a [AuditRow],
    /// The audit that this one is compared with.
    pub earlier: Option<EarlierAudit<'a>>,
}

/// Another audit of the same page, compared with the one that is shown.
#[derive(Clone, Copy, Debug)]
pub struct EarlierAudit<'a> {
    pub id: ScanId,
    /// The checks that changed since.
    pub comparison: &'a AuditComparison,
}

/// A form that posts `url`, `bots`, `pages` and, for a site, `site`, urlencoded, to `/workspace/audits`.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditForm<'a> {
    /// The address entered before, or an empty text.
    pub url: &'a str,
    /// Whether the answers to several agents are to be compared.
    pub bots: bool,
    /// Why it was refused, in a sentence.
    pub error: Option<&'a str>,
    /// How far a site audit goes, shown before it starts.
    pub site: SiteBounds,
    /// Earlier audits of the account, the latest first.
    pub recent: &'a [AuditRow],
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SiteBounds {
    /// Pages unless the reader enters another number.
    pub default_pages: u32,
    pub most_pages: u32,
    /// Most requests.
    pub requests: u32,
    /// Most bytes of answers, in MiB.
    pub mebibytes: u64,
    /// Most time, in minutes.
    pub minutes: u64,
}

/// An earlier audit, as a list shows it.
#[derive(Clone, Debug)]
pub struct AuditRow {
    pub id: ScanId,
    /// The requested address as the reader entered it.
    pub address: String,
    /// Score, 0..100; `None` where no page was audited.
    pub score: Option<u8>,
    /// When it was audited.
    pub at: Timestamp,
    /// Whether a sample of the site was audited.
    pub is_site: bool,
}

#[derive(Template)]
#[template(path = "audit_form.html")]
struct AuditFormTemplate<'a> {
    shell: Shell<'a>,
    page: &'a AuditForm<'a>,
}

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditTemplate<'a> {
    shell: Shell<'a>,
    report: &'a AuditReport,
    base: String,
    fixes: Vec<CheckRow>,
    crawlers: Vec<CrawlerRow>,
    bots: Vec<BotRow>,
    groups: Vec<Group>,
    page_facts: Vec<Fact>,
    page: &'a AuditPage<'a>,
}

struct BotRow {
    agent: String,
    user_agent: String,
    status: &'static str,
    answer: String,
    words: String,
    bytes: String,
}

struct Group {
    label: String,
    summary: String,
    checks: Vec<CheckRow>,
}

struct CheckRow {
    anchor: String,
    id: String,
    title: String,
    status: &'static str,
    word: &'static str,
    found: String,
    location: Option<String>,
    advice: String,
    fix: Option<AuditFix>,
    why: String,
    evidence: String,
    gain: String,
}

struct CrawlerRow {
    agent: String,
    operator: String,
    class: &'static str,
    scored: bool,
    status: &'static str,
    word: &'static str,
    reason: String,
    rule: Option<String>,
}

pub fn audit_form(frame: &Frame<'_>, page: &AuditForm<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Page audit", Tab::Audit);
    render("audit-form", &AuditFormTemplate { shell, page })
}

/// Renders the report of a page audit.
pub fn audit(frame: &Frame<'_>, page: &AuditPage<'_>) -> Result<String, RenderError> {
    let report = page.report;
    let title = format!("Page audit, {}", cut(&line(address(report)), 80));
    let fixes = report
        .top_fixes
        .iter()
        .filter_map(|id| report.checks.iter().position(|check| check.id == *id));
    let template = AuditTemplate {
        shell: Shell::new(frame, title, Tab::Audit),
        report,
        base: format!("/workspace/audits/{}", page.id),
        fixes: fixes
            .filter_map(|index| Some(check_row(index, report.checks.get(index)?)))
            .collect(),
        crawlers: report.crawlers.iter().map(crawler_row).collect(),
        bots: report
            .bots
            .iter()
            .flat_map(|bots| &bots.views)
            .map(bot_row)
            .collect(),
        groups: groups(report),
        page_facts: page_facts(report),
        page,
    };
    render("audit", &template)
}

fn address(report: &AuditReport) -> &str {
    report
        .final_url
        .as_deref()
        .or(report.url.as_deref())
        .unwrap_or("HTML without an address")
}

impl AuditRow {
    fn path(&self) -> String {
        let folder = if self.is_site { "site-audits" } else { "audits" };
        format!("/workspace/{folder}/{}", self.id)
    }

    fn score(&self) -> String {
        self.score
            .map_or_else(|| "–".to_owned(), |score| score.to_string())
    }
}

impl AuditFormTemplate<'_> {
    fn error(&self) -> &str {
        self.page.error.unwrap_or_default()
    }
}

impl AuditTemplate<'_> {
    /// Says in a sentence what changed.
    fn since(&self, comparison: &AuditComparison) -> String {
        let (before, after) = (comparison.before, comparison.after);
        let scores = match comparison.other_version {
            true => format!(
                "The score was {before} by another version of the audit and is {after}; compare checks, not scores."
            ),
            false if before == after => format!("The score is {after}, as before."),
            false => format!("The score went from {before} to {after}."),
        };
        let changes = figure::plural(comparison.changes.len() as u64, "check changed", "checks changed");
        format!("{scores} {changes}.")
    }

    fn address(&self) -> String {
        let address = line(address(self.report));
        let bare = address.strip_prefix("https://").unwrap_or(&address);
        cut(bare.strip_suffix('/').unwrap_or(bare), 120).into_owned()
    }

    fn band(&self) -> String {
        let mut chars = self.report.band.label().chars();
        chars
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    }

    fn sentence(&self) -> String {
        let count = |wanted: CheckStatus| {
            self.report
                .checks
                .iter()
                .filter(|check| check.status == wanted)
                .count() as u64
        };
        let (passed, warned, failed) = (
            count(CheckStatus::Pass),
            count(CheckStatus::Warn),
            count(CheckStatus::Fail),
        );
        let mut sentence = format!(
            "{} passed, {warned} half passed, {failed} failed.",
            figure::plural(passed, "check", "checks")
        );
        if self.report.uncapped_score > self.report.score {
            sentence.push_str(&format!(
                " The checks alone would give {}; the reasons below cap the score.",
                self.report.uncapped_score
            ));
        }
        sentence
    }

    fn facts(&self) -> Vec<Fact> {
        let page = &self.report.page;
        let mut facts = vec![Fact::with_note(
            "Words in the main part",
            figure::count(page.words.into()),
            language(page.language.as_deref()),
        )];
        if let Some(status) = self.report.status {
            let time = page
                .elapsed_ms
                .map_or_else(String::new, |ms| format!("in {ms}\u{a0}ms"));
            facts.push(Fact::with_note("HTTP status", status.to_string(), time));
        }
        let scored: Vec<_> = self
            .report
            .crawlers
            .iter()
            .filter(|crawler| crawler.scored)
            .collect();
        if !scored.is_empty() {
            let allowed = scored.iter().filter(|crawler| crawler.allowed).count();
            facts.push(Fact::with_note(
                "Crawlers that may fetch it",
                format!("{allowed} of {}", scored.len()),
                "search and user agents",
            ));
        }
        facts
    }

    fn anchor(&self, id: &str) -> Option<String> {
        self.report
            .checks
            .iter()
            .position(|check| check.id == id)
            .map(anchor)
    }
}

fn language(tag: Option<&str>) -> String {
    tag.map_or_else(String::new, |tag| format!("language {tag}"))
}

fn anchor(index: usize) -> String {
    format!("check-{}", index + 1)
}

fn groups(report: &AuditReport) -> Vec<Group> {
    report
        .categories
        .iter()
        .map(|category| {
            let of = report
                .checks
                .iter()
                .enumerate()
                .filter(|(_, check)| check.category == category.id);
            let checks: Vec<_> = of.map(|(index, check)| check_row(index, check)).collect();
            let open = checks
                .iter()
                .filter(|check| matches!(check.status, "fail" | "warn" | "unknown"))
                .count() as u64;
            let summary = if open == 0 {
                "nothing to do".to_owned()
            } else {
                figure::plural(open, "finding", "findings")
            };
            Group {
                label: category.label.clone(),
                summary,
                checks,
            }
        })
        .filter(|group| !group.checks.is_empty())
        .collect()
}

fn check_row(index: usize, check: &AuditCheck) -> CheckRow {
    let (status, word) = (status_class(check.status), check.status.label());
    let kinds: Vec<_> = check
        .evidence
        .iter()
        .map(|kind: &EvidenceKind| kind.label())
        .collect();
    let mut evidence = if kinds.is_empty() {
        String::new()
    } else {
        format!("Ground: {}.", kinds.join(", "))
    };
    if check.contested {
        evidence.push_str(" Contested: a test or a large measurement found no effect.");
    }
    if check.weight > 0 {
        evidence.push_str(&format!(" Weight {} of 100.", check.weight));
    }
    CheckRow {
        anchor: anchor(index),
        id: check.id.clone(),
        title: check.title.clone(),
        status,
        word,
        found: check.found.clone(),
        location: check.location.clone(),
        advice: check.advice.clone().unwrap_or_default(),
        fix: check.fix.clone(),
        why: check.why.clone(),
        evidence,
        gain: if check.gain > 0.0 {
            format!("{}\u{a0}points", figure::signed(check.gain))
        } else {
            String::new()
        },
    }
}

pub(super) fn status_class(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Pass => "pass",
        CheckStatus::Warn => "warn",
        CheckStatus::Fail => "fail",
        CheckStatus::Na => "na",
        CheckStatus::Unknown => "unknown",
        CheckStatus::Info => "info",
    }
}

fn crawler_row(crawler: &CrawlerVerdict) -> CrawlerRow {
    let reason = match crawler.decided_by {
        CrawlerReason::Rule => {
            let line = crawler.line.map_or_else(String::new, |line| format!(" {line}"));
            format!(
                "line{line}{}",
                if crawler.via_wildcard {
                    ", for every agent"
                } else {
                    ""
                }
            )
        }
        CrawlerReason::NoRule => "no rule for this path".to_owned(),
        CrawlerReason::NoFile => "no robots.txt".to_owned(),
        CrawlerReason::Unreachable => "robots.txt could not be read".to_owned(),
    };
    CrawlerRow {
        agent: crawler.agent.clone(),
        operator: crawler.operator.clone(),
        class: match crawler.class {
            CrawlerClass::Search => "search",
            CrawlerClass::User => "a person’s question",
            CrawlerClass::Training => "training",
        },
        scored: crawler.scored,
        status: match (crawler.allowed, crawler.scored) {
            (true, _) => "pass",
            (false, true) => "fail",
            (false, false) => "na",
        },
        word: if crawler.allowed { "yes" } else { "no" },
        reason,
        rule: crawler.rule.clone(),
    }
}

fn bot_row(view: &BotView) -> BotRow {
    let number = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), figure::count);
    let status = |status: u16| match view.is_challenge {
        true => format!("{status}, no page"),
        false => status.to_string(),
    };
    BotRow {
        agent: view.agent.clone(),
        user_agent: view.user_agent.clone(),
        status: match view.outcome {
            BotOutcome::Answered if view.has_page() => "pass",
            BotOutcome::Answered | BotOutcome::Failed => "fail",
            BotOutcome::NotAllowed | BotOutcome::Skipped => "na",
        },
        answer: match (view.status, &view.reason) {
            (Some(code), _) => status(code),
            (None, Some(reason)) => reason.clone(),
            (None, None) => "no answer".to_owned(),
        },
        words: number(view.words.map(u64::from)),
        bytes: number(view.bytes),
    }
}

fn page_facts(report: &AuditReport) -> Vec<Fact> {
    let page = &report.page;
    let mut facts = Vec::new();
    facts.extend(report.url.clone().map(|url| Fact::new("Asked for", url)));
    facts.extend(
        report
            .final_url
            .clone()
            .filter(|url| report.url.as_ref() != Some(url))
            .map(|url| Fact::new("Answered by", url)),
    );
    if !page.redirects.is_empty() {
        facts.push(Fact::new("Redirects", page.redirects.join(", ")));
    }
    facts.extend(
        page.description
            .clone()
            .map(|description| Fact::new("Description", description)),
    );
    facts.push(Fact::new(
        "Size",
        format!(
            "{} bytes{}",
            figure::count(page.bytes),
            if page.truncated {
                ", and more that was not read"
            } else {
                ""
            }
        ),
    ));
    if !page.charset.is_empty() {
        facts.push(Fact::new("Encoding", page.charset.clone()));
    }
    facts.push(Fact::new("Audit version", report.audit_version.clone()));
    facts
}
