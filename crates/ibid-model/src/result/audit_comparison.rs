//! How two audits of one page differ.

use super::audit::{AuditReport, CheckStatus};
use serde::{Deserialize, Serialize};

/// Two audits compared, check by check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditComparison {
    /// Score of the earlier audit.
    pub before: u8,
    /// Score of the later audit.
    pub after: u8,
    /// Whether checks or weights differ, so that the scores cannot be compared.
    pub other_version: bool,
    /// Whether the page is worse: a lower score, or a check that fails and did not fail before.
    pub worse: bool,
    /// The checks whose outcome differs, in the order of the report.
    pub changes: Vec<CheckChange>,
}

/// A check whose outcome differs between two audits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckChange {
    /// Id of the check.
    pub check: String,
    /// The subject of the check.
    pub title: String,
    /// The earlier outcome.
    pub before: CheckStatus,
    /// The later outcome.
    pub after: CheckStatus,
    /// The finding of the later audit.
    pub found: String,
}

impl AuditComparison {
    /// Compares an audit with an earlier one.
    #[must_use]
    pub fn of(before: &AuditReport, after: &AuditReport) -> Self {
        let changes: Vec<CheckChange> = after
            .checks
            .iter()
            .filter_map(|check| {
                let old = before.checks.iter().find(|old| old.id == check.id)?;
                (old.status != check.status).then(|| CheckChange {
                    check: check.id.clone(),
                    title: check.title.clone(),
                    before: old.status,
                    after: check.status,
                    found: check.found.clone(),
                })
            })
            .collect();
        let other_version = before.audit_version != after.audit_version;
        let fails_now =
            |change: &CheckChange| change.after == CheckStatus::Fail && change.before != CheckStatus::Fail;
        Self {
            before: before.score,
            after: after.score,
            other_version,
            worse: (!other_version && after.score < before.score) || changes.iter().any(fails_now),
            changes,
        }
    }
}

impl CheckStatus {
    /// The outcome as a reader sees it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "half",
            Self::Fail => "fail",
            Self::Na => "n/a",
            Self::Unknown => "unknown",
            Self::Info => "info",
        }
    }
}
