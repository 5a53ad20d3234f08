//! A site audit: a sample of a sitemap, fetched one page at a time.
//!
//! Pages, requests, bytes and time have limits.

use super::Auditor;
use crate::bots::{self, OWN_NAME};
use crate::facts::Facts;
use crate::fetch::{ACCEPT_PAGE, FetchError, FetchFailure, FetchLimits, PAGE_BYTES};
use crate::limits::MOST;
use crate::page::{Page, Site, SiteAnswer, SiteFile};
use crate::sample::{self, is_file};
use crate::site_name::same_site;
use crate::site_report::{self, AuditedPage, SiteFacts};
use ibid_model::result::{SiteAudit, SiteEffort, SiteFailure, SiteLimit};
use jiff::Timestamp;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// How much a site audit may fetch, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteLimits {
    /// Pages of the sample, 1 to [`SiteLimits::MOST_PAGES`].
    pub pages: u32,
    /// Requests, redirects included.
    pub requests: u32,
    /// Bytes of answers, decoded.
    pub bytes: u64,
    /// Time for everything.
    pub time: Duration,
}

impl SiteLimits {
    /// Most pages of a sample.
    pub const MOST_PAGES: u32 = 50;
    /// A sample has this many pages by default.
    pub const DEFAULT_PAGES: u32 = 20;

    /// The limits for a sample of so many pages.
    #[must_use]
    pub fn of_pages(pages: u32) -> Self {
        Self {
            pages: pages.clamp(1, Self::MOST_PAGES),
            requests: 120,
            bytes: 64 << 20,
            time: Duration::from_secs(300),
        }
    }
}

/// How far a site audit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteProgress {
    /// Pages of the sample that are done, failures included.
    pub done: u32,
    /// Pages of the sample.
    pub total: u32,
}

impl Auditor {
    /// Audits a sample of a site.
    ///
    /// The sample is the page at `address`, then pages of every kind from its origin's sitemap.
    ///
    /// Leaves out pages that robots.txt forbids to `ibid-audit`, and pages of other hosts.
    /// Sends one request at a time.
    /// A limit ends the audit early, and the report names the limit.
    ///
    /// # Errors
    ///
    /// If the address is refused, the first page gave no answer, or the runtime is shutting down.
    pub async fn site(
        &self,
        address: &str,
        limits: SiteLimits,
        now: Timestamp,
        mut on_progress: impl FnMut(SiteProgress),
    ) -> Result<SiteAudit, FetchError> {
        let mut walk = Walk::new(limits);
        let (first, listed) = self.fetcher().page_and_listed(address, MOST, now).await?;
        walk.count_first(&first);
        let url = first
            .url
            .clone()
            .ok_or(FetchError::Failed(FetchFailure::Internal))?;
        let shared = Site {
            sitemap: SiteFile::NotAsked,
            sitemap_children: Vec::new(),
            robots: first.site.robots.clone(),
            llms: first.site.llms.clone(),
            tdmrep: first.site.tdmrep.clone(),
            sitemap_address: first.site.sitemap_address.clone(),
        };
        let (start, most) = (url.clone(), limits.pages as usize);
        let read = self
            .compute(move || read_first(&first, &start, listed, most))
            .await?;
        let total = u32::try_from(read.sample.len()).unwrap_or(u32::MAX);
        let (mut pages, mut failures) = (vec![read.audited], Vec::new());
        on_progress(SiteProgress { done: 1, total });
        for (done, page) in (2..).zip(read.sample.into_iter().skip(1)) {
            if walk.is_over() {
                break;
            }
            let mut site = shared.clone();
            if read.is_sitemap {
                site.sitemap = sitemap_of(&page);
            }
            let audited = match bots::refusal(&shared.robots, OWN_NAME, &page) {
                Some(reason) => Err(reason),
                None => self.page_of(&page, &url, site, &mut walk, now).await?,
            };
            match audited {
                Ok(audited) => pages.push(audited),
                Err(reason) => failures.push(SiteFailure {
                    url: page.to_string(),
                    reason: crate::quote(&reason),
                }),
            }
            on_progress(SiteProgress { done, total });
        }
        let facts = SiteFacts {
            url: crate::quote_to(address.trim(), 2_048),
            fetched_at: now,
            sitemap: shared
                .sitemap_address
                .filter(|_| read.is_sitemap)
                .map(String::from),
            listed: read.listed,
            failures,
            effort: walk.effort(),
        };
        self.compute(move || site_report::report(facts, &pages)).await
    }

    /// Fetches and audits one page of the sample.
    ///
    /// The inner error is the reason for a missing report.
    async fn page_of(
        &self,
        page: &Url,
        first: &Url,
        site: Site,
        walk: &mut Walk,
        now: Timestamp,
    ) -> Result<Result<AuditedPage, String>, FetchError> {
        let fetcher = self.fetcher();
        let target = match fetcher.judge(page.as_str()) {
            Ok(target) => target,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let limits = FetchLimits {
            bytes: PAGE_BYTES,
            time: fetcher.config().page_timeout.min(walk.time_left()),
        };
        let fetched = match fetcher.get(target, ACCEPT_PAGE, limits).await {
            Ok(fetched) => fetched,
            Err(error) => {
                walk.count(0, 0);
                return Ok(Err(error.to_string()));
            }
        };
        walk.count(fetched.redirects.len(), fetched.body.len());
        let url = fetched.target.url();
        if !same_site(url, first) {
            return Ok(Err(format!("it redirects to another site: {url}")));
        }
        let fetched = fetched.into_page(page.to_string(), site, now);
        let page = page.clone();
        self.compute(move || AuditedPage::of(&fetched, page))
            .await
            .map(Ok)
    }
}

struct FirstRead {
    sample: Vec<Url>,
    /// Pages of this origin that the sitemap lists.
    listed: usize,
    /// Whether the sample comes from a sitemap, rather than from links on the first page.
    is_sitemap: bool,
    audited: AuditedPage,
}

/// Draws the sample, audits the first page, and drops the addresses of the sitemaps.
fn read_first(first: &Page, url: &Url, mut urls: Vec<Url>, most: usize) -> FirstRead {
    let is_sitemap = !urls.is_empty();
    let listed = urls.len();
    if !is_sitemap {
        urls = links(first, url);
    }
    FirstRead {
        sample: sample::draw(url, &urls, most),
        listed,
        is_sitemap,
        audited: AuditedPage::of(first, url.clone()),
    }
}

/// Collects a page's links to pages on its origin.
fn links(page: &Page, url: &Url) -> Vec<Url> {
    let facts = Facts::read(page);
    let links = facts
        .reading
        .links
        .iter()
        .filter_map(|link| facts.resolve(&link.href));
    links
        .filter(|link| link.origin() == url.origin() && !is_file(link.path()))
        .map(|mut link| {
            link.set_fragment(None);
            link
        })
        .take(MOST)
        .collect()
}

/// A sitemap cut to one of its pages.
///
/// Fifty audits then do not read the whole file again.
fn sitemap_of(page: &Url) -> SiteFile {
    let body = format!(
        "<urlset><url><loc>{}</loc></url></urlset>",
        crate::escape(page.as_str())
    );
    SiteFile::Answer(SiteAnswer {
        status: 200,
        body: body.into_bytes(),
        ..SiteAnswer::default()
    })
}

/// The effort so far.
struct Walk {
    limits: SiteLimits,
    start: Instant,
    requests: u32,
    bytes: u64,
    ended_by: Option<SiteLimit>,
}

impl Walk {
    fn new(limits: SiteLimits) -> Self {
        Self {
            limits,
            start: Instant::now(),
            requests: 0,
            bytes: 0,
            ended_by: None,
        }
    }

    /// Counts the first page and the small files of its site.
    fn count_first(&mut self, page: &Page) {
        let site = &page.site;
        let files = [&site.robots, &site.llms, &site.tdmrep, &site.sitemap];
        let files = files.into_iter().chain(&site.sitemap_children);
        for file in files.filter(|file| file.was_asked()) {
            self.count(0, file.answer().map_or(0, SiteAnswer::length));
        }
        self.count(page.redirects.len(), page.body.len());
    }

    /// Counts one answer.
    fn count(&mut self, redirects: usize, bytes: usize) {
        self.requests += 1 + u32::try_from(redirects).unwrap_or(u32::MAX);
        self.bytes += bytes as u64;
    }

    fn time_left(&self) -> Duration {
        self.limits.time.saturating_sub(self.start.elapsed())
    }

    /// Whether a limit is reached.
    fn is_over(&mut self) -> bool {
        self.ended_by = if self.time_left().is_zero() {
            Some(SiteLimit::Time)
        } else if self.bytes >= self.limits.bytes {
            Some(SiteLimit::Bytes)
        } else if self.requests >= self.limits.requests {
            Some(SiteLimit::Requests)
        } else {
            None
        };
        self.ended_by.is_some()
    }

    fn effort(&self) -> SiteEffort {
        let seconds = |time: Duration| u32::try_from(time.as_secs()).unwrap_or(u32::MAX);
        SiteEffort {
            most_pages: self.limits.pages,
            requests: self.requests,
            most_requests: self.limits.requests,
            bytes: self.bytes,
            most_bytes: self.limits.bytes,
            seconds: seconds(self.start.elapsed()),
            most_seconds: seconds(self.limits.time),
            ended_by: self.ended_by,
        }
    }
}
