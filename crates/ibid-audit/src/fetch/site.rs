//! Fetches a page and the small files of its site.

use super::client::Asking;
use super::room::Room;
use super::{FetchAnswer, FetchError, FetchFailure, FetchLimits, FetchTarget, Fetcher};
use crate::page::{Page, Site, SiteAnswer, SiteFile};
use crate::robots::Robots;
use crate::sample::listed_page;
use crate::site_name::same_site;
use crate::sitemap::{Sitemap, SitemapKind};
use jiff::Timestamp;
use tokio::sync::OwnedSemaphorePermit;
use url::Url;

pub(crate) const ACCEPT_PAGE: &str = "text/html, application/xhtml+xml;q=0.9, */*;q=0.5";
const ACCEPT_TEXT: &str = "text/plain, */*;q=0.5";
const ACCEPT_XML: &str = "application/xml, text/xml;q=0.9, */*;q=0.5";

/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = 5 << 20;
/// Most bytes that are read from an llms.txt or a tdmrep.json.
pub(super) const TEXT_BYTES: usize = 256 << 10;
/// Sitemaps of an index that are asked.
const MAX_CHILDREN: usize = 5;

impl FetchAnswer {
    /// The answer as the page that `asked` names, with the small files of its site.
    pub(crate) fn into_page(self, asked: String, site: Site, fetched_at: Timestamp) -> Page {
        Page {
            asked: Some(asked),
            url: Some(self.target.url().clone()),
            redirects: self.redirects,
            status: Some(self.status),
            headers: self.headers,
            body: self.body,
            truncated: self.truncated,
            elapsed: Some(self.elapsed),
            fetched_at,
            site,
        }
    }
}

impl Fetcher {
    /// Fetches a page and then the small files of the origin that answered:
    /// robots.txt, llms.txt, the reservation file and the sitemap.
    ///
    /// A failure of a small file is not an error.
    /// The page records it.
    ///
    /// # Errors
    ///
    /// If the address is refused, or the page gave no answer.
    /// Any HTTP status is an answer.
    pub async fn page(&self, address: &str, now: Timestamp) -> Result<Page, FetchError> {
        Ok(self.page_and_listed(address, 0, now).await?.0)
    }

    /// Fetches like [`Self::page`], and returns pages from its origin's sitemaps, up to a limit.
    ///
    /// # Errors
    ///
    /// As [`Self::page`].
    pub(crate) async fn page_and_listed(
        &self,
        address: &str,
        most_listed: usize,
        now: Timestamp,
    ) -> Result<(Page, Vec<Url>), FetchError> {
        let target = self.judge(address)?;
        let limits = FetchLimits {
            bytes: PAGE_BYTES,
            time: self.config().page_timeout,
        };
        let fetched = self.get(target, ACCEPT_PAGE, limits).await?;
        let (site, listed) = self.site(&fetched.target, most_listed).await;
        let page = fetched.into_page(address.trim().to_owned(), site, now);
        Ok((page, listed))
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

    async fn site(&self, page: &FetchTarget, most_listed: usize) -> (Site, Vec<Url>) {
        let (robots, llms, tdmrep) = futures_util::future::join3(
            self.file(
                page.sibling("/robots.txt", self.rules()).ok(),
                ACCEPT_TEXT,
                crate::robots::MAX_BYTES + 1,
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
        let listing = Listing {
            page: page.url(),
            most: most_listed,
        };
        let (sitemap, mut listed) = self.sitemap(target, crate::sitemap::MAX_BYTES, listing).await;
        let children = self.children(page, &sitemap);
        let children = children
            .into_iter()
            .map(|child| self.sitemap(Some(child), PAGE_BYTES, listing));
        let mut sitemap_children = Vec::new();
        for (child, more) in futures_util::future::join_all(children).await {
            sitemap_children.push(child);
            listed.extend(more.into_iter().take(most_listed.saturating_sub(listed.len())));
        }
        let site = Site {
            robots,
            llms,
            sitemap,
            sitemap_address,
            sitemap_children,
            tdmrep,
        };
        (site, listed)
    }

    /// Fetches a sitemap, reads it immediately and drops its bytes.
    ///
    /// Ten megabytes each would be too much for many audits.
    async fn sitemap(
        &self,
        target: Option<FetchTarget>,
        bytes: usize,
        listing: Listing<'_>,
    ) -> (SiteFile, Vec<Url>) {
        let (file, claim) = self
            .file_in(target, ACCEPT_XML, bytes, Some(self.sitemap_room()))
            .await;
        let mut answer = match file {
            SiteFile::Answer(answer) => answer,
            other => return (other, Vec::new()),
        };
        let most = if answer.status == 200 { listing.most } else { 0 };
        let (body, page) = (std::mem::take(&mut answer.body), listing.page.clone());
        #[expect(
            clippy::disallowed_methods,
            reason = "a long sitemap keeps a core busy and must not stand in the way of requests; the claims bound them"
        )]
        let read = tokio::task::spawn_blocking(move || {
            let mut listed = Vec::new();
            let sitemap = Sitemap::list(&body, &page, &mut |address| {
                if listed.len() < most {
                    listed.extend(listed_page(address, &page));
                }
            });
            drop((body, claim));
            (sitemap, listed)
        });
        let Ok((sitemap, listed)) = read.await else {
            return (
                SiteFile::Unreachable(FetchFailure::Internal.to_string()),
                Vec::new(),
            );
        };
        answer.sitemap = Some(sitemap);
        (SiteFile::Answer(answer), listed)
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

    /// Picks the sitemaps in an index that most likely list the page.
    ///
    /// Their names share a word with its path.
    fn children(&self, page: &FetchTarget, sitemap: &SiteFile) -> Vec<FetchTarget> {
        let Some(answer) = sitemap.answer().filter(|answer| answer.status == 200) else {
            return Vec::new();
        };
        let index = answer.as_sitemap(page.url());
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
        self.file_in(target, accept, bytes, None).await.0
    }

    /// Fetches a small file.
    ///
    /// The permit is its claimed memory.
    async fn file_in(
        &self,
        target: Option<FetchTarget>,
        accept: &str,
        bytes: usize,
        room: Option<&Room>,
    ) -> (SiteFile, Option<OwnedSemaphorePermit>) {
        let Some(target) = target else {
            return (SiteFile::Unreachable("the address is refused".to_owned()), None);
        };
        let limits = FetchLimits {
            bytes,
            time: self.config().file_timeout,
        };
        let asking = Asking {
            accept,
            user_agent: None,
            limits,
            room,
        };
        let failure = match self.ask(target, asking).await {
            Ok((fetched, claim)) => return (SiteFile::Answer(answer(fetched)), claim),
            // RFC 9309, 2.3.1.2: a file behind more than five redirects counts as missing.
            Err(FetchError::Failed(FetchFailure::TooManyRedirects(status))) => SiteFile::Answer(SiteAnswer {
                status,
                ..SiteAnswer::default()
            }),
            Err(FetchError::Failed(FetchFailure::RedirectLoop)) => SiteFile::Looping,
            Err(FetchError::Failed(failure)) => SiteFile::Unreachable(failure.to_string()),
            Err(FetchError::Refused(refusal) | FetchError::RefusedRedirect(refusal)) => {
                SiteFile::Unreachable(refusal.to_string())
            }
        };
        (failure, None)
    }
}

/// The pages that a sitemap is read for.
#[derive(Clone, Copy)]
struct Listing<'a> {
    /// The page that it may hold.
    page: &'a Url,
    /// How many pages on that page's origin to list at most.
    most: usize,
}

fn answer(fetched: FetchAnswer) -> SiteAnswer {
    SiteAnswer {
        status: fetched.status,
        headers: fetched.headers,
        body: fetched.body,
        truncated: fetched.truncated,
        sitemap: None,
    }
}
