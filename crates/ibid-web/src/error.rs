//! Why a page could not be rendered.

/// A template failed. Templates are compiled in and hold no fallible step of their own, so this is a fault of the
/// program or the end of its memory.
#[derive(Debug, thiserror::Error)]
#[error("could not render the page {page}")]
pub struct RenderError {
    /// Which page.
    pub page: &'static str,
    /// What the template engine said.
    #[source]
    pub source: askama::Error,
}
