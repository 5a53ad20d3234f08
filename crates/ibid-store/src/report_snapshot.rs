//! Frozen reports of projects, and their public links.

use crate::{Millis, PackedAnswers};
use ibid_model::ReportId;

/// A report to store.
#[derive(Clone, Copy, Debug)]
pub struct NewReport<'a> {
    pub id: ReportId,
    pub title: &'a str,
    /// SHA-256 of its file, so that a reader can check it.
    pub sha256: &'a [u8; 32],
    pub document: &'a PackedAnswers,
    /// Its logo, a PNG.
    pub logo: Option<&'a [u8]>,
}

/// A public link to store.
#[derive(Clone, Copy, Debug)]
pub struct NewReportLink<'a> {
    pub token: &'a str,
    pub until: Option<Millis>,
    pub password: Option<&'a str>,
}

/// A stored report, without its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRecord {
    pub id: ReportId,
    pub title: String,
    /// The time at which it was made.
    pub made_at: Millis,
    /// SHA-256 of its file, so that a reader can check it.
    pub sha256: [u8; 32],
    pub link: Option<ReportLink>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct ReportLink {
    pub token: String,
    pub until: Option<Millis>,
    pub password: Option<String>,
}

impl std::fmt::Debug for ReportLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReportLink(..)")
    }
}

/// A stored report with its file.
#[derive(Clone, Debug)]
pub struct StoredReport {
    pub record: ReportRecord,
    pub document: PackedAnswers,
    /// Its logo, a PNG.
    pub logo: Option<Vec<u8>>,
}
