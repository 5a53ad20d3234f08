//! The ends of the rows of scans: results with their receipts, and failures in words.

use crate::Error;
use ibid_model::{ReceiptId, ScanResult, UsdMicros};
use ibid_store::{FinishedRun, RunSummary};

/// The end of the row of a scan with a result.
pub(crate) fn finished_run(result: &ScanResult) -> FinishedRun {
    FinishedRun {
        receipt: ReceiptId::random(),
        summary: summary_of(result),
        cost: result
            .usage
            .cost_usd
            .or(result.usage.estimated_cost_usd)
            .unwrap_or(UsdMicros::ZERO)
            .get(),
    }
}

/// The part of a result that lists show.
pub(super) fn summary_of(result: &ScanResult) -> RunSummary {
    RunSummary {
        score: result.overall_score,
        interval: result.interval,
    }
}

/// The failure in words for the owner of the scan.
/// Words of the store and about the key are left out.
pub(crate) fn reason(error: &Error) -> String {
    match error {
        Error::NoAnswers(none) if none.questions > 0 => {
            format!(
                "None of the {} questions was answered: {}.",
                none.questions, none.cause
            )
        }
        Error::NoAnswers(_) => "The model provider did not accept the operator's key.".to_owned(),
        Error::Page(error) => format!("The page cannot be audited: {error}."),
        _ => "Something failed inside the service.".to_owned(),
    }
}
