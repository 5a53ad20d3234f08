//! Audits as the pages of an account ask for them.

use super::audits::SiteAuditState;
use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::Reader;
use crate::page::page_key;
use ibid_audit::SiteLimits;
use ibid_model::{AccountId, ScanId};
use ibid_store::{AuditKind, AuditRecord};
use serde_json::{Map, Value};

impl Scans {
    /// Audits a site for an account: the page in the body (`url`) and a sample from the sitemap. It costs no
    /// credit, and an account has one under way at a time.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for an address that must not be fetched; [`Error::AuditsDisabled`];
    /// [`Error::WorkspaceDisabled`]; [`Error::TooMany`]; [`Error::Overloaded`].
    pub fn start_site_audit(
        &self,
        account: AccountId,
        body: &Map<String, Value>,
        pages: u32,
    ) -> Result<ScanId, Error> {
        let page = self.planner.page(body, None)?;
        self.account_runs
            .start_site_audit(account, page, SiteLimits::of_pages(pages))
    }

    pub async fn site_audit(&self, account: AccountId, id: ScanId) -> Result<SiteAuditState, Error> {
        if let Some(state) = self.account_runs.sites.state(account, id) {
            return Ok(state);
        }
        let document = self.scan(id, &Reader::Account(account)).await?;
        Ok(SiteAuditState::Complete(document))
    }

    /// Audits of an account, the latest first.
    pub async fn workspace_audits(&self, account: AccountId, most: u32) -> Result<Vec<AuditRecord>, Error> {
        self.in_store(move |store| store.audits(account, None, most))
            .await
    }

    /// Audits of one page by an account, the latest first.
    pub async fn page_history(
        &self,
        account: AccountId,
        address: &str,
        most: u32,
    ) -> Result<Vec<AuditRecord>, Error> {
        let address = page_key(address);
        let found = self.in_store(move |store| store.audits(account, Some(&address), most));
        let mut found = found.await?;
        found.retain(|audit| audit.kind == AuditKind::Page);
        Ok(found)
    }
}
