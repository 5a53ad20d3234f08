//! The error of a page that could not be rendered.

/// A template failed. Templates are compiled in and have no fallible step of their own, so this is a fault of the
/// program, or it is out of memory.
#[derive(Debug, thiserror::Error)]
#[error("could not render the page {page}")]
pub struct RenderError {
    pub page: &'static str,
    /// The error of the template engine.
    #[source]
    pub source: askama::Error,
}
