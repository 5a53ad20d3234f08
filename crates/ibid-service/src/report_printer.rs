//! The port that draws reports as PDF, and its sandbox.

use ibid_model::result::ProjectReport;

/// A report to draw.
#[derive(Clone, Copy, Debug)]
pub struct PrintOrder<'a> {
    pub report: &'a ProjectReport,
    /// Where its file is, for those who read the PDF.
    pub address: Option<&'a str>,
    /// SHA-256 hash of its file, in hexadecimal digits.
    pub sha256: &'a str,
    /// Its logo, a PNG.
    pub logo: Option<&'a [u8]>,
}

/// The reason why a report was not drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the report cannot be drawn: {0}")]
pub struct PrintFault(pub String);

/// Draws reports as PDF.
///
/// An implementation may block for a second, and gives the same bytes for the same order.
pub trait ReportPrinter: Send + Sync + 'static {
    /// Draws a report.
    fn print(&self, order: &PrintOrder<'_>) -> Result<Vec<u8>, PrintFault>;
}

/// A printer whose documents have the title and the hash in the place of pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct SandboxPrinter;

impl ReportPrinter for SandboxPrinter {
    fn print(&self, order: &PrintOrder<'_>) -> Result<Vec<u8>, PrintFault> {
        let (title, sha256) = (&order.report.cover.title, order.sha256);
        Ok(format!("%PDF-1.7\n% {title}\n% {sha256}\n").into_bytes())
    }
}
