//! The title and the logo that an account puts on its reports.

use crate::Millis;
use serde::Deserialize;

/// A title, a logo or both.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ReportBrand {
    pub title: Option<String>,
    /// The logo, a PNG.
    pub logo: Option<Vec<u8>>,
    pub changed_at: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogoChange<'a> {
    /// The logo stays, if there is one.
    Keep,
    /// There is no logo from now on.
    Remove,
    /// This PNG is the logo from now on.
    Replace(&'a [u8]),
}
