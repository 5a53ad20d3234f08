//! The report of a site audit: a sample of the pages of a sitemap, each audited, with the findings by template.

use super::audit::{AuditBand, CheckStatus, GateId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The result of one site audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteAudit {
    /// The address that was asked for; it is the first page of the sample.
    pub url: String,
    /// When the audit started; ages are counted from here.
    #[schemars(with = "String")]
    #[serde(serialize_with = "crate::time::serialize")]
    pub fetched_at: Timestamp,
    /// Version of the checks, weights and gates.
    pub audit_version: String,
    /// The sitemap that the sample was drawn from; `null` where there was none to read.
    pub sitemap: Option<String>,
    /// Pages of this site that the sitemap lists, as far as it was read.
    pub listed: u32,
    /// Mean of the pages' scores, rounded; `null` where no page was audited.
    pub score: Option<u8>,
    /// The templates, the one with the lowest mean score first.
    pub templates: Vec<SiteTemplate>,
    /// The audited pages, the worst first.
    pub pages: Vec<SitePage>,
    /// Pages of the sample without a report.
    pub failures: Vec<SiteFailure>,
    /// The effort of this audit and its limits.
    pub effort: SiteEffort,
    /// The limits of the score.
    pub caveat: String,
    /// Whether the sandbox made the pages up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invented: bool,
}

/// Pages of one structure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteTemplate {
    /// Short name, `T1` and so on.
    pub id: String,
    /// The form of its addresses, such as `/blog/*`.
    pub label: String,
    /// Audited pages of it.
    pub pages: u32,
    /// Mean of their scores, rounded.
    pub score: u8,
    /// The findings on its pages, the one with the most points first. Contested ones stand last.
    pub findings: Vec<SiteFinding>,
}

/// One check that did not pass on pages of a template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteFinding {
    /// Id of the check.
    pub check: String,
    /// The subject of the check.
    pub title: String,
    /// The worst outcome among the pages.
    pub status: CheckStatus,
    /// Pages with the finding.
    pub pages: u32,
    /// Points that a pass would add to the mean score of the template, before gates; one decimal.
    pub gain: f64,
    /// Whether a controlled test or a large measurement found no effect.
    pub contested: bool,
    /// The finding on the example page.
    pub found: String,
    /// The place in the example page.
    #[serde(rename = "where")]
    pub location: Option<String>,
    /// The advice for the example page.
    pub advice: Option<String>,
    /// A page with the finding.
    pub example: String,
}

/// One audited page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SitePage {
    /// Its address.
    pub url: String,
    /// The id of its template.
    pub template: String,
    /// Score after gates, 0..100.
    pub score: u8,
    /// The score in a word.
    pub band: AuditBand,
    /// HTTP status.
    pub status: Option<u16>,
    /// Words in the main part.
    pub words: u32,
    /// Gates that cap the score.
    pub gates: Vec<GateId>,
    /// Ids of the checks whose advice helps most, at most five.
    pub top_fixes: Vec<String>,
}

/// A page of the sample without a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteFailure {
    /// Its address.
    pub url: String,
    /// The reason.
    pub reason: String,
}

/// The effort of a site audit and its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteEffort {
    /// Pages that were wanted.
    pub most_pages: u32,
    /// Requests that were sent, redirects included.
    pub requests: u32,
    /// The limit of requests.
    pub most_requests: u32,
    /// Bytes of answers, decoded.
    pub bytes: u64,
    /// The limit of bytes.
    pub most_bytes: u64,
    /// Seconds that the audit took.
    pub seconds: u32,
    /// The limit of seconds.
    pub most_seconds: u32,
    /// The limit that ended the audit before the sample was done; `null` where none did.
    pub ended_by: Option<SiteLimit>,
}

/// A limit of a site audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SiteLimit {
    /// Requests.
    Requests,
    /// Bytes.
    Bytes,
    /// Time.
    Time,
}
