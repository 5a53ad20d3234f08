//! Fetches a page, then computes its audit, with a limit on concurrent computations.
//!
//! The module joins the fetcher and the checks, which do not know each other.

mod bots;
mod whole_site;

pub use whole_site::{SiteLimits, SiteProgress};

use crate::fetch::{FetchConfig, FetchError, FetchFailure, Fetcher};
use crate::page::Page;
use crate::subject::PageSubject;
use ibid_model::Domain;
use ibid_model::result::AuditReport;
use jiff::Timestamp;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Audits pages by address or as given.
///
/// Cheap to clone. Clones share the limit.
#[derive(Clone, Debug)]
pub struct Auditor {
    fetcher: Fetcher,
    permits: Arc<Semaphore>,
}

impl Auditor {
    /// An auditor with a fetcher of its own.
    ///
    /// # Errors
    ///
    /// As [`Fetcher::new`].
    pub fn new(config: FetchConfig) -> Result<Self, FetchError> {
        Ok(Self::with_fetcher(Fetcher::new(config)?))
    }

    /// An auditor on a given fetcher.
    #[must_use]
    pub fn with_fetcher(fetcher: Fetcher) -> Self {
        let parallel = fetcher.config().parallel.clamp(1, 64);
        Self {
            fetcher,
            permits: Arc::new(Semaphore::new(parallel)),
        }
    }

    /// The fetcher, to judge an address before further work on it.
    pub fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    /// Fetches a page with the small files of its site and audits it.
    ///
    /// `now` is the time of the report.
    ///
    /// # Errors
    ///
    /// If the address is refused, or the page gave no answer.
    /// Any HTTP answer is a finding, not an error.
    pub async fn audit(&self, address: &str, now: Timestamp) -> Result<AuditReport, FetchError> {
        let page = self.fetcher.page(address, now).await?;
        self.audit_page(page).await
    }

    /// Audits a page like [`Self::audit`], and requests it with the names of several agents.
    ///
    /// See [`Self::bots`].
    ///
    /// # Errors
    ///
    /// As [`Self::audit`].
    pub async fn audit_with_bots(&self, address: &str, now: Timestamp) -> Result<AuditReport, FetchError> {
        let page = self.fetcher.page(address, now).await?;
        let bots = self.bots(&page, now).await?;
        let report = self.audit_page(page).await?;
        Ok(AuditReport { bots, ..report })
    }

    /// Audits an existing page, on a thread that does not serve requests.
    ///
    /// # Errors
    ///
    /// [`FetchFailure::Internal`] if the runtime is shutting down.
    pub async fn audit_page(&self, page: Page) -> Result<AuditReport, FetchError> {
        self.compute(move || crate::audit(&page)).await
    }

    /// Fetches and audits a page like [`Self::audit`], and reads what it says about its owner.
    ///
    /// # Errors
    ///
    /// As [`Self::audit`].
    pub async fn look(
        &self,
        address: &str,
        now: Timestamp,
    ) -> Result<(AuditReport, PageSubject), FetchError> {
        let page = self.fetcher.page(address, now).await?;
        self.look_page(page).await
    }

    /// Audits an existing page like [`Self::audit_page`], and reads what it says about its owner.
    ///
    /// # Errors
    ///
    /// As [`Self::audit_page`].
    pub async fn look_page(&self, page: Page) -> Result<(AuditReport, PageSubject), FetchError> {
        self.compute(move || crate::look(&page)).await
    }

    /// Fetches a website's home page and reads its owner's names; see [`crate::names()`].
    ///
    /// Returns no names if the site redirects to another one.
    ///
    /// # Errors
    ///
    /// If the address is refused, or the page gave no answer.
    pub async fn home_names(&self, domain: &Domain, now: Timestamp) -> Result<Vec<String>, FetchError> {
        let page = self.fetcher.bare_page(&format!("https://{domain}/"), now).await?;
        let host = page.url.as_ref().and_then(url::Url::host_str);
        if !host.is_some_and(|host| domain.covers(host)) {
            return Ok(Vec::new());
        }
        self.compute(move || crate::names(&page)).await
    }

    /// Does work that keeps a core busy, in its turn.
    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, FetchError> {
        let internal = || FetchError::Failed(FetchFailure::Internal);
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(|_| internal())?;
        // The permit moves with the work, because a core stays busy after the caller disconnects.
        #[expect(
            clippy::disallowed_methods,
            reason = "parsing keeps a core busy and must not stand in the way of requests; the semaphore bounds it"
        )]
        let work = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        work.await.map_err(|_| internal())
    }
}
