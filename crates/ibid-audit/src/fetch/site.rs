//! A page and the small files beside it.

use super::{FetchAnswer, FetchError, FetchFailure, FetchLimits, FetchTarget, Fetcher};
use crate::page::{Page, Site, SiteAnswer, SiteFile};
use crate::robots::Robots;
use crate::site_name::same_site;
use crate::sitemap::{Sitemap, SitemapKind};
use jiff::Timestamp;

pub(crate) const ACCEPT_PAGE: &str = "text/html, application/xhtml+xml;q=0.9, */*;q=0.5";
const ACCEPT_TEXT: &str = "text/plain, */*;q=0.5";
const ACCEPT_XML: &str = "application/xml, text/xml;q=0.9, */*;q=0.5";

/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = 5 << 20;
/// Bytes of a robots.txt; one more than is read, so that the audit sees that there is more.
const ROBOTS_BYTES: usize = crate::robots::MAX_BYTES + 1;
/// Bytes of an llms.txt, and of a tdmrep.json.
const TEXT_BYTES: usize = 256 << 10;
/// Bytes of a sitemap.
const SITEMAP_BYTES: usize = crate::sitemap::MAX_BYTES;
/// Bytes of each sitemap of an index.
const CHILD_BYTES: usize = 4 << 20;
/// Sitemaps of an index that are asked.
const MAX_CHILDREN: usize = 5;

impl Fetcher {
    /// Fetches a page and then, on the origin that answered, robots.txt, llms.txt, the reservation file and the
    /// sitemap. A small file that cannot be had is no error; it says so in the page.
    ///
    /// # Errors
    ///
    /// If the address is refused, or the page gave no answer. Any HTTP status is an answer.
    pub async fn page(&self, address: &str, now: Timestamp) -> Result<Page, FetchError> {
        let target = self.judge(address)?;
        let limits = FetchLimits {
            bytes: PAGE_BYTES,
            time: self.config().page_timeout,
        };
        let fetched = self.get(target, ACCEPT_PAGE, limits).await?;
        let site = self.site(&fetched.target).await;
        Ok(Page {
            asked: Some(address.trim().to_owned()),
            url: Some(fetched.target.url().clone()),
            redirects: fetched.redirects,
            status: Some(fetched.status),
            headers: fetched.headers,
            body: fetched.body,
            truncated: fetched.truncated,
            elapsed: Some(fetched.elapsed),
            fetched_at: now,
            site,
        })
    }

    /// Fetches a page alone.
    ///
    /// # Errors
    ///
    /// As [`Self::page`].
    pub async fn bare_page(&self, address: &str, now: Timestamp) -> Result<Page, FetchError> {
        let limits = FetchLimits {
            bytes: PAGE_BYTES,
            time: self.config().page_timeout,
        };
        let fetched = self.get(self.judge(address)?, ACCEPT_PAGE, limits).await?;
        let mut page = Page::from_html(fetched.body, Some(fetched.target.url().clone()), now);
        (page.status, page.headers) = (Some(fetched.status), fetched.headers);
        Ok(page)
    }

    async fn site(&self, page: &FetchTarget) -> Site {
        let (robots, llms, tdmrep) = futures_util::future::join3(
            self.file(
                page.sibling("/robots.txt", self.rules()).ok(),
                ACCEPT_TEXT,
                ROBOTS_BYTES,
            ),
            self.file(
                page.sibling("/llms.txt", self.rules()).ok(),
                ACCEPT_TEXT,
                TEXT_BYTES,
            ),
            self.file(
                page.sibling("/.well-known/tdmrep.json", self.rules()).ok(),
                ACCEPT_TEXT,
                TEXT_BYTES,
            ),
        )
        .await;
        let target = self.sitemap_of(page, &robots);
        let sitemap_address = target.as_ref().map(|target| target.url().clone());
        let sitemap = self.file(target, ACCEPT_XML, SITEMAP_BYTES).await;
        let children = self.children(page, &sitemap);
        let sitemap_children = futures_util::future::join_all(
            children
                .into_iter()
                .map(|child| self.file(Some(child), ACCEPT_XML, CHILD_BYTES)),
        )
        .await;
        Site {
            robots,
            llms,
            sitemap,
            sitemap_address,
            sitemap_children,
            tdmrep,
        }
    }

    /// The first sitemap robots.txt names on the same site, else the usual place.
    fn sitemap_of(&self, page: &FetchTarget, robots: &SiteFile) -> Option<FetchTarget> {
        let named = robots
            .answer()
            .filter(|answer| (200..300).contains(&answer.status))
            .and_then(|answer| {
                Robots::parse(&answer.body)
                    .sitemaps()
                    .iter()
                    .filter_map(|address| FetchTarget::parse(address, self.rules()).ok())
                    .find(|target| same_site(target.url(), page.url()))
            });
        named.or_else(|| page.sibling("/sitemap.xml", self.rules()).ok())
    }

    /// The sitemaps of an index that most likely hold the page: those whose names share a word with its path.
    fn children(&self, page: &FetchTarget, sitemap: &SiteFile) -> Vec<FetchTarget> {
        let Some(answer) = sitemap.answer().filter(|answer| answer.status == 200) else {
            return Vec::new();
        };
        let index = Sitemap::parse(&answer.body, page.url());
        if index.kind != SitemapKind::Index {
            return Vec::new();
        }
        let words: Vec<&str> = page
            .url()
            .path()
            .split(['/', '-', '_', '.'])
            .filter(|word| word.len() >= 4)
            .collect();
        let mut children: Vec<FetchTarget> = index
            .children
            .iter()
            .filter_map(|address| FetchTarget::parse(address, self.rules()).ok())
            .filter(|target| same_site(target.url(), page.url()))
            .collect();
        // Stable: equals stay in the order of the index.
        children.sort_by_key(|child| !words.iter().any(|word| child.url().path().contains(word)));
        children.truncate(MAX_CHILDREN);
        children
    }

    async fn file(&self, target: Option<FetchTarget>, accept: &str, bytes: usize) -> SiteFile {
        let Some(target) = target else {
            return SiteFile::Unreachable("the address is refused".to_owned());
        };
        let limits = FetchLimits {
            bytes,
            time: self.config().file_timeout,
        };
        match self.get(target, accept, limits).await {
            Ok(fetched) => SiteFile::Answer(answer(fetched)),
            // RFC 9309, 2.3.1.2: not reached within five redirects is the same as not there.
            Err(FetchError::Failed(FetchFailure::TooManyRedirects(status))) => SiteFile::Answer(SiteAnswer {
                status,
                ..SiteAnswer::default()
            }),
            Err(FetchError::Failed(FetchFailure::RedirectLoop)) => SiteFile::Looping,
            Err(FetchError::Failed(failure)) => SiteFile::Unreachable(failure.to_string()),
            Err(FetchError::Refused(refusal) | FetchError::RefusedRedirect(refusal)) => {
                SiteFile::Unreachable(refusal.to_string())
            }
        }
    }
}

fn answer(fetched: FetchAnswer) -> SiteAnswer {
    SiteAnswer {
        status: fetched.status,
        headers: fetched.headers,
        body: fetched.body,
        truncated: fetched.truncated,
    }
}
