//! Puts a site audit's report together from its pages' reports.

use crate::page::Page;
use crate::template::{self, Shape};
use ibid_model::result::{
    AuditReport, CheckStatus, SiteAudit, SiteEffort, SiteFailure, SiteFinding, SitePage, SiteTemplate,
};
use jiff::Timestamp;
use url::Url;

const CAVEAT: &str = "A sample, not the whole site: other pages of a template may differ. No study has shown that these scores, or similar ones, predict citation.";

/// One page of the sample with its report.
#[derive(Debug)]
pub(crate) struct AuditedPage {
    pub(crate) url: Url,
    pub(crate) report: AuditReport,
    pub(crate) shape: Shape,
}

impl AuditedPage {
    /// Audits the page of an address.
    pub(crate) fn of(page: &Page, url: Url) -> Self {
        Self {
            url,
            report: crate::audit(page),
            shape: Shape::of(page),
        }
    }
}

/// Reports on pages as if they were the sample of a site.
///
/// The first one is the requested page.
/// Pages without an address are left out.
/// The sandbox, which fetches no pages, answers with it.
#[must_use]
pub fn site_audit(pages: &[Page]) -> Option<SiteAudit> {
    let first = pages.first()?;
    let audited: Vec<AuditedPage> = pages
        .iter()
        .filter_map(|page| Some(AuditedPage::of(page, page.url.clone()?)))
        .collect();
    let facts = SiteFacts {
        url: first.url.as_ref()?.to_string(),
        fetched_at: first.fetched_at,
        sitemap: None,
        listed: audited.len(),
        failures: Vec::new(),
        effort: SiteEffort::default(),
    };
    Some(report(facts, &audited))
}

/// What a site audit knows besides its pages.
#[derive(Debug)]
pub(crate) struct SiteFacts {
    pub(crate) url: String,
    pub(crate) fetched_at: Timestamp,
    pub(crate) sitemap: Option<String>,
    pub(crate) listed: usize,
    pub(crate) failures: Vec<SiteFailure>,
    pub(crate) effort: SiteEffort,
}

/// Groups the pages by template, counts their findings and puts the worst first.
pub(crate) fn report(facts: SiteFacts, pages: &[AuditedPage]) -> SiteAudit {
    let shapes: Vec<Shape> = pages.iter().map(|page| page.shape.clone()).collect();
    let groups = template::groups(&shapes);
    let count = groups.iter().max().map_or(0, |last| last + 1);
    let mut templates: Vec<(usize, SiteTemplate)> = (0..count)
        .map(|group| {
            let of = pages.iter().zip(&groups).filter(|(_, of)| **of == group);
            let members: Vec<&AuditedPage> = of.map(|(page, _)| page).collect();
            (group, describe(&members))
        })
        .collect();
    templates.sort_by_key(|(_, template)| (template.score, std::cmp::Reverse(template.pages)));
    let mut names = vec![String::new(); count];
    for (place, (group, template)) in (1..).zip(&mut templates) {
        template.id = format!("T{place}");
        if let Some(name) = names.get_mut(*group) {
            name.clone_from(&template.id);
        }
    }
    let mut listed: Vec<SitePage> = pages
        .iter()
        .zip(&groups)
        .map(|(page, group)| row(page, names.get(*group).cloned().unwrap_or_default()))
        .collect();
    // Stable, so that pages with equal scores stay as sampled.
    listed.sort_by_key(|page| page.score);
    SiteAudit {
        url: facts.url,
        fetched_at: facts.fetched_at,
        audit_version: crate::AUDIT_VERSION.to_owned(),
        sitemap: facts.sitemap,
        listed: u32::try_from(facts.listed).unwrap_or(u32::MAX),
        score: mean(pages.iter().map(|page| page.report.score)),
        templates: templates.into_iter().map(|(_, template)| template).collect(),
        pages: listed,
        failures: facts.failures,
        effort: facts.effort,
        caveat: CAVEAT.to_owned(),
        invented: false,
    }
}

fn row(page: &AuditedPage, template: String) -> SitePage {
    let report = &page.report;
    SitePage {
        url: page.url.to_string(),
        template,
        score: report.score,
        band: report.band,
        status: report.status,
        words: report.page.words,
        gates: report.gates.iter().map(|gate| gate.id).collect(),
        top_fixes: report.top_fixes.clone(),
    }
}

/// Averages scores, half up.
fn mean(scores: impl Iterator<Item = u8>) -> Option<u8> {
    let (sum, count) = scores.fold((0_u32, 0_u32), |(sum, count), score| {
        (sum + u32::from(score), count + 1)
    });
    (count > 0).then(|| u8::try_from((sum * 2 + count) / (count * 2)).unwrap_or(100))
}

fn describe(members: &[&AuditedPage]) -> SiteTemplate {
    let urls: Vec<&Url> = members.iter().map(|page| &page.url).collect();
    let checks = members.first().map_or(0, |page| page.report.checks.len());
    let mut findings: Vec<SiteFinding> = (0..checks).filter_map(|at| finding(members, at)).collect();
    findings.sort_by(|a, b| {
        let by_gain = b.gain.total_cmp(&a.gain).then(b.pages.cmp(&a.pages));
        a.contested.cmp(&b.contested).then(by_gain)
    });
    SiteTemplate {
        id: String::new(),
        label: crate::quote_to(&template::label_of(&urls), 200),
        pages: u32::try_from(members.len()).unwrap_or(u32::MAX),
        score: mean(members.iter().map(|page| page.report.score)).unwrap_or(0),
        findings,
    }
}

/// Sums up one check over a template's pages.
///
/// `None` if every page passes, or if the check has no points.
fn finding(members: &[&AuditedPage], at: usize) -> Option<SiteFinding> {
    let is_open = |status: CheckStatus| rank(status) > 0;
    let of: Vec<_> = members
        .iter()
        .filter_map(|page| Some((page, page.report.checks.get(at)?)))
        .filter(|(_, check)| check.weight > 0 && is_open(check.status))
        .collect();
    // The first page with the worst outcome is the example.
    let worst = of.iter().map(|(_, check)| rank(check.status)).max()?;
    let (page, check) = of.iter().find(|(_, check)| rank(check.status) == worst)?;
    let gain: f64 = of.iter().map(|(_, check)| check.gain).sum();
    Some(SiteFinding {
        check: check.id.clone(),
        title: check.title.clone(),
        status: check.status,
        pages: u32::try_from(of.len()).unwrap_or(u32::MAX),
        gain: (gain / members.len() as f64 * 10.0).round() / 10.0,
        contested: check.contested,
        found: check.found.clone(),
        location: check.location.clone(),
        advice: check.advice.as_ref().map(|advice| match &check.fix {
            Some(fix) => format!("{advice} Effort: {}.", fix.effort),
            None => advice.clone(),
        }),
        example: page.url.to_string(),
    })
}

fn rank(status: CheckStatus) -> u8 {
    match status {
        CheckStatus::Fail => 3,
        CheckStatus::Unknown => 2,
        CheckStatus::Warn => 1,
        CheckStatus::Pass | CheckStatus::Na | CheckStatus::Info => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, html: &str) -> AuditedPage {
        let url = Url::parse(&format!("https://a.example{path}")).expect("an address");
        let page = Page::from_html(html, Some(url.clone()), Timestamp::UNIX_EPOCH);
        AuditedPage::of(&page, url)
    }

    #[test]
    fn the_worst_template_and_the_worst_page_come_first() {
        let good = "<!doctype html><html lang=en><head><title>Heat pumps in old houses</title></head><body><main class=post><article><h1>Heat pumps</h1><div class=text></div><p>A heat pump heats a house with 3.5 kW.</p></article></main>";
        let bad = "<meta name=robots content=noindex><body><div class=shell><div class=box><form></form></div></div><ul class=x></ul>";
        let pages = [page("/blog/a", good), page("/app", bad), page("/blog/b", good)];
        let facts = SiteFacts {
            url: "https://a.example/".to_owned(),
            fetched_at: Timestamp::UNIX_EPOCH,
            sitemap: None,
            listed: 3,
            failures: Vec::new(),
            effort: SiteEffort::default(),
        };
        let site = report(facts, &pages);
        let templates: Vec<_> = site
            .templates
            .iter()
            .map(|one| (one.id.as_str(), one.label.as_str(), one.pages))
            .collect();
        assert_eq!(templates, [("T1", "/app", 1), ("T2", "/blog/*", 2)]);
        let order: Vec<_> = site
            .pages
            .iter()
            .map(|page| (page.url.as_str(), page.template.as_str()))
            .collect();
        assert_eq!(
            order,
            [
                ("https://a.example/app", "T1"),
                ("https://a.example/blog/a", "T2"),
                ("https://a.example/blog/b", "T2")
            ]
        );
        let blog = &site.templates[1];
        assert!(
            blog.findings
                .iter()
                .all(|finding| finding.pages == 2 && finding.example.ends_with("/blog/a"))
        );
        let contested = blog.findings.iter().position(|finding| finding.contested);
        let last = blog.findings.iter().rposition(|finding| !finding.contested);
        assert!(contested > last, "{:?}", blog.findings);
        assert_eq!(site.score, mean(site.pages.iter().map(|page| page.score)));
        assert_eq!((mean([1, 2].into_iter()), mean([].into_iter())), (Some(2), None));
    }
}
