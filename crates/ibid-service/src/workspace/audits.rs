//! Audits for accounts: a page's history, and whole sites, in the background of this process.
//!
//! A site audit costs no credit.
//! Its progress is in memory: it is lost with the process and can be started again.

use super::AccountRuns;
use crate::clock::now_ms;
use crate::document::Document;
use crate::error::Error;
use crate::job::CallerId;
use crate::page::{PageOrder, page_key};
use crate::runs::run::log_failure;
use bytes::Bytes;
use ibid_audit::{SiteLimits, SiteProgress};
use ibid_model::result::SiteAudit;
use ibid_model::{AccountId, ScanId};
use ibid_store::{AuditKind, NewAudit, NewScan, Origin};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The page audits that one site audit counts as, under the bound on audits under way.
const WEIGHT: usize = 2;

#[derive(Clone, Debug)]
pub enum SiteAuditState {
    /// Pages are being fetched.
    Running {
        /// The address that was asked for.
        address: String,
        /// Pages that are done.
        done: u32,
        /// Pages of the sample; 0 until it is drawn.
        total: u32,
    },
    /// There is no report.
    Failed {
        /// The address that was asked for.
        address: String,
        /// The reason, in a sentence.
        reason: String,
    },
    Complete(Bytes),
}

/// The last site audit of each account that this process ran.
#[derive(Default)]
pub(crate) struct SiteAudits(Mutex<HashMap<AccountId, Arc<LiveSite>>>);

struct LiveSite {
    id: ScanId,
    address: String,
    done: AtomicU32,
    total: AtomicU32,
    /// Set at the end: the reason of a failure, or `None` after a success.
    end: OnceLock<Option<String>>,
}

impl SiteAudits {
    /// Registers a site audit, unless the account has one under way.
    fn begin(&self, account: AccountId, address: String) -> Result<Arc<LiveSite>, Error> {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.get(&account).is_some_and(|site| site.end.get().is_none()) {
            return Err(Error::TooMany {
                retry_after: Duration::from_secs(30),
            });
        }
        let live = Arc::new(LiveSite {
            id: ScanId::random(),
            address,
            done: AtomicU32::new(0),
            total: AtomicU32::new(0),
            end: OnceLock::new(),
        });
        sites.insert(account, Arc::clone(&live));
        Ok(live)
    }

    /// Tells how a running or failed site audit stands in this process.
    /// `None` if it is stored, or unknown.
    pub(super) fn state(&self, account: AccountId, id: ScanId) -> Option<SiteAuditState> {
        let live = self.find(account, id)?;
        let address = live.address.clone();
        match live.end.get() {
            None => Some(SiteAuditState::Running {
                address,
                done: live.done.load(Ordering::Relaxed),
                total: live.total.load(Ordering::Relaxed),
            }),
            Some(Some(reason)) => Some(SiteAuditState::Failed {
                address,
                reason: reason.clone(),
            }),
            Some(None) => None,
        }
    }

    fn find(&self, account: AccountId, id: ScanId) -> Option<Arc<LiveSite>> {
        let sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sites.get(&account).filter(|site| site.id == id).cloned()
    }
}

/// Marks the audit as ended even if its task panics.
struct EndMark(Arc<LiveSite>);

impl Drop for EndMark {
    fn drop(&mut self) {
        self.0
            .end
            .get_or_init(|| Some("The audit was interrupted.".to_owned()));
    }
}

impl AccountRuns {
    /// Starts the audit of a site. Returns its future id.
    pub(super) fn start_site_audit(
        self: &Arc<Self>,
        account: AccountId,
        page: PageOrder,
        limits: SiteLimits,
    ) -> Result<ScanId, Error> {
        if !self.is_open() {
            return Err(Error::WorkspaceDisabled);
        }
        let open = self.runs.capacity.reserve_audits(WEIGHT)?;
        let running = self.audit_limits.start(&CallerId::of(account), Instant::now())?;
        let live = self.sites.begin(account, page.address().to_owned())?;
        let (id, mark) = (live.id, EndMark(Arc::clone(&live)));
        let this = Arc::clone(self);
        self.runs.spawn(async move {
            let on_progress = |progress: SiteProgress| {
                live.done.store(progress.done, Ordering::Relaxed);
                live.total.store(progress.total, Ordering::Relaxed);
            };
            let stored = match this.runs.audit_site(&page, limits, on_progress).await {
                Ok(audit) => this.store_site(id, account, &audit).await,
                Err(error) => Err(error),
            };
            let end = stored.err().map(|error| {
                log_failure(&error);
                super::ends::reason(&error)
            });
            live.end.get_or_init(|| end);
            drop((mark, open, running));
        });
        Ok(id)
    }

    async fn store_site(&self, id: ScanId, account: AccountId, audit: &SiteAudit) -> Result<(), Error> {
        tracing::info!(
            scan.id = %id,
            pages = audit.pages.len(),
            requests = audit.effort.requests,
            seconds = audit.effort.seconds,
            "audit.site.complete"
        );
        let (document, sandbox) = (Document::write_site_audit(id, audit)?, self.runs.is_sandbox());
        let (method, created_at) = (audit.audit_version.clone(), audit.fetched_at.as_second());
        let (address, score) = (page_key(&audit.url), audit.score);
        let stored = self.runs.in_store(move |store| {
            let scan = NewScan {
                id,
                origin: Origin::Workspace(account),
                created_at,
                sandbox,
                method: &method,
                reply: document.bytes(),
                answers: None,
            };
            let audit = NewAudit {
                account,
                kind: AuditKind::Site,
                address: &address,
                score,
            };
            store.put_audit(&scan, &audit, now_ms())
        });
        stored.await
    }
}
