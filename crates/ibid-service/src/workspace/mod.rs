//! Scans of accounts: for a credit, in the background, with progress that can be watched.
//!
//! ```text
//! plan -> cost cap -> capacity -> credit taken, scan and run stored -> work -> result and receipt stored
//!                                                                  \-> failed or stopped: stored, credit given back
//! ```
//! Each of these writes is one transaction, and any process does the work, so the page may be closed.

mod account_runs;
mod audit_requests;
mod audits;
mod brand;
mod ends;
mod library;
mod logo;
mod past;
mod settings;
mod sharing;
mod watch;

pub(crate) use account_runs::AccountRuns;
pub use audits::SiteAuditState;
pub(crate) use brand::read_title;
pub use brand::{BrandDraft, LogoDraft, MOST_LOGO_BYTES, MOST_TITLE_CHARS};
pub use ends::failure_reason;
pub(crate) use ends::{AuditedPage, cost_of, finished_run};
pub use library::{HistoryQuery, ScanHistory};
pub use past::PastScan;
pub use settings::WorkspaceRuns;
pub(crate) use sharing::NewLink;
pub use sharing::{ShareAccess, ShareTerms, SharedReport};
