//! Prints reports.

use ibid_service::{PrintFault, PrintOrder, ReportPrinter};

/// Draws reports as PDF by `ibid-web`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PdfPrinter;

impl ReportPrinter for PdfPrinter {
    fn print(&self, order: &PrintOrder<'_>) -> Result<Vec<u8>, PrintFault> {
        let file = (order.address, order.sha256);
        ibid_web::report_pdf(order.report, file, order.logo).map_err(|error| PrintFault(error.to_string()))
    }
}
