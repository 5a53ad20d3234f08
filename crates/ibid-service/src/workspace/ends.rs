//! How scans and audits end: results with their receipts, and failures in words.

use crate::durable::failure_of;
use crate::error::Error;
use crate::page::page_key;
use ibid_model::result::AuditReport;
use ibid_model::{AccountId, ReceiptId, ScanResult, UsdMicros};
use ibid_store::{AuditKind, FinishedRun, NewAudit, RunRecord, RunSummary};

/// Ends a scan with its result, its receipt and what it cost.
pub(crate) fn finished_run(result: &ScanResult) -> FinishedRun {
    FinishedRun {
        receipt: ReceiptId::random(),
        summary: summary_of(result),
        cost: cost_of(result),
    }
}

/// Returns what a scan cost in millionths of a dollar: as billed, or else as estimated.
pub(crate) fn cost_of(result: &ScanResult) -> u64 {
    let usage = &result.usage;
    let cost = usage.cost_usd.or(usage.estimated_cost_usd);
    cost.map_or(0, UsdMicros::get)
}

/// Picks what lists show.
pub(super) fn summary_of(result: &ScanResult) -> RunSummary {
    RunSummary {
        score: result.overall_score,
        interval: result.interval,
    }
}

/// The reason why an ended scan has no result, in words for its owner.
pub fn failure_reason(run: &RunRecord) -> String {
    reason(&failure_of(run.state, run.error.as_deref(), run.questions))
}

/// A failure in words for the owner of the scan or audit.
/// Words of the store and about the key are left out.
pub(super) fn reason(error: &Error) -> String {
    match error {
        Error::NoAnswers(none) if none.questions > 0 => {
            format!(
                "None of the {} questions was answered: {:#}",
                none.questions, none.cause
            )
        }
        Error::NoAnswers(_) => "The model provider did not accept the operator's key.".to_owned(),
        Error::Page(error) => format!("The page cannot be audited: {error}."),
        _ => "Something failed inside the service.".to_owned(),
    }
}

/// An account's page audit, ready for the store.
pub(crate) struct AuditedPage {
    account: AccountId,
    address: String,
    score: u8,
}

impl AuditedPage {
    pub(crate) fn of(account: AccountId, report: &AuditReport) -> Self {
        Self {
            account,
            address: page_key(report.url.as_deref().unwrap_or_default()),
            score: report.score,
        }
    }

    /// The row as the store takes it.
    pub(crate) fn row(&self) -> NewAudit<'_> {
        NewAudit {
            account: self.account,
            kind: AuditKind::Page,
            address: &self.address,
            score: Some(self.score),
        }
    }
}
