//! A page that could not be rendered.

/// A template failed. Templates are compiled in and cannot fail by themselves, so this is a fault of the
/// program, or it is out of memory.
#[derive(Debug, thiserror::Error)]
#[error("could not render the page {page}")]
pub struct RenderError {
    pub page: &'static str,
    #[source]
    pub source: askama::Error,
}
