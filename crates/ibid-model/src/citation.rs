//! A source that came with an answer.

use serde::{Deserialize, Serialize};

/// One source that a provider attached to an answer, in the same shape for all annotation formats.
///
/// Everything here is hostile input: the address may be anything, and the span may point anywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    /// Address of the source, as received.
    pub url: String,
    /// Title of the source, where one was given. For redirecting addresses it is often the bare domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The place in the answer where, by the provider, the source is cited. The unit is unspecified and 0..0 is common:
    /// a hint, never to be sliced by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(u64, u64)>,
}

impl Citation {
    /// A source known by its address alone.
    #[must_use]
    pub fn of_url(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            title: None,
            span: None,
        }
    }
}
