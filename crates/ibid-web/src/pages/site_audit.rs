//! A site audit: its report, and how far it is.

use crate::error::RenderError;
use crate::escape::{cut, line};
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::ScanId;
use ibid_model::result::{SiteAudit, SiteFinding, SiteLimit, SitePage, SiteTemplate};

/// A site audit. Below its path is the download `site-audit.json`.
#[derive(Clone, Copy, Debug)]
pub struct SiteAuditPage<'a> {
    pub id: ScanId,
    pub audit: &'a SiteAudit,
}

/// A site audit without a report.
#[derive(Clone, Copy, Debug)]
pub struct SiteProgressPage<'a> {
    /// The address that was asked for.
    pub address: &'a str,
    /// Pages that are done, and pages that will be; without a sample yet the second is 0.
    pub pages: (u32, u32),
    /// The reason why there will be no report, in a sentence.
    pub failure: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "site_audit.html")]
struct SiteAuditTemplate<'a> {
    shell: Shell<'a>,
    audit: &'a SiteAudit,
    base: String,
}

#[derive(Template)]
#[template(path = "site_progress.html")]
struct SiteProgressTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SiteProgressPage<'a>,
}

/// Renders the report of a site audit.
pub fn site_audit(frame: &Frame<'_>, page: &SiteAuditPage<'_>) -> Result<String, RenderError> {
    let title = format!("Site audit, {}", cut(&line(&page.audit.url), 80));
    let template = SiteAuditTemplate {
        shell: Shell::new(frame, title, Tab::Audit),
        audit: page.audit,
        base: format!("/workspace/site-audits/{}", page.id),
    };
    render("site-audit", &template)
}

/// Renders a site audit that is under way or has failed.
pub fn site_progress(frame: &Frame<'_>, page: &SiteProgressPage<'_>) -> Result<String, RenderError> {
    let template = SiteProgressTemplate {
        shell: Shell::new(frame, "Site audit", Tab::Audit),
        page,
    };
    render("site-progress", &template)
}

impl SiteAuditTemplate<'_> {
    fn sentence(&self) -> String {
        let (audit, effort) = (self.audit, &self.audit.effort);
        let source = match &audit.sitemap {
            Some(_) => format!("of {} that the sitemap lists", figure::count(audit.listed.into())),
            None => "that the first page links".to_owned(),
        };
        let ended = match effort.ended_by {
            Some(SiteLimit::Requests) => " The limit of requests ended the audit early.",
            Some(SiteLimit::Bytes) => " The limit of bytes ended the audit early.",
            Some(SiteLimit::Time) => " The limit of time ended the audit early.",
            None => "",
        };
        format!(
            "{} {source}, in {} and {}.{ended}",
            figure::plural(audit.pages.len() as u64, "page", "pages"),
            figure::plural(effort.requests.into(), "request", "requests"),
            figure::plural(effort.seconds.into(), "second", "seconds"),
        )
    }

    fn summary(&self, template: &SiteTemplate) -> String {
        let pages = figure::plural(template.pages.into(), "page", "pages");
        format!("{pages}, mean score {}", template.score)
    }

    fn share(&self, finding: &SiteFinding, template: &SiteTemplate) -> String {
        format!("{} of {}", finding.pages, template.pages)
    }

    fn gain(&self, finding: &SiteFinding) -> String {
        let contested = if finding.contested { ", contested" } else { "" };
        format!("{}{contested}", figure::signed(finding.gain))
    }

    fn fixes(&self, page: &SitePage) -> String {
        page.top_fixes.join(", ")
    }
}
