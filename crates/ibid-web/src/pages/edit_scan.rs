//! The page on which a scan is renamed or deleted.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::ScanId;

/// A scan to rename or to delete. The forms post to `title` (field `title`) and `delete` below the path of the scan.
#[derive(Clone, Copy, Debug)]
pub struct EditScanPage<'a> {
    pub id: ScanId,
    /// The domain, readable form.
    pub domain: &'a str,
    pub keyword: &'a str,
    /// Its title, or an empty text.
    pub title: &'a str,
    pub running: bool,
}

#[derive(Template)]
#[template(path = "edit_scan.html")]
struct EditScanTemplate<'a> {
    shell: Shell<'a>,
    page: &'a EditScanPage<'a>,
}

pub fn edit_scan(frame: &Frame<'_>, page: &EditScanPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Rename or delete", Tab::History);
    render("edit-scan", &EditScanTemplate { shell, page })
}
