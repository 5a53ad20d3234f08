//! The title and the logo that the owner of a report puts on it.

use super::Viewer;
use ibid_model::ScanId;

/// The title and the logo of the account that a report belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Brand<'a> {
    pub title: Option<&'a str>,
    /// Whether there is a logo, at `/workspace/account/logo.png` and below the path of a public link.
    pub logo: bool,
}

/// The line above a report.
#[derive(Debug)]
pub(super) struct Masthead<'a> {
    pub(super) title: Option<&'a str>,
    pub(super) logo: Option<String>,
}

impl<'a> Masthead<'a> {
    pub(super) fn of(brand: Option<Brand<'a>>, viewer: &Viewer<'_>, id: ScanId) -> Option<Self> {
        let brand = brand?;
        let path = match viewer {
            Viewer::Owner(_) => "/workspace/account/logo.png".to_owned(),
            Viewer::Public { .. } | Viewer::Project { .. } | Viewer::Demo => {
                format!("{}/logo.png", viewer.base(id))
            }
        };
        Some(Self {
            title: brand.title,
            logo: brand.logo.then_some(path),
        })
    }
}
