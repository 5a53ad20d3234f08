//! The extensions that a client activates.

/// The two names of the header that lists extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionHeader {
    /// As A2A 0.2 and 0.3 call it.
    XA2aExtensions,
    /// As A2A 1.0 calls it.
    A2aExtensions,
}

impl ExtensionHeader {
    /// Both, in the order in which they are looked at.
    pub const ALL: [Self; 2] = [Self::XA2aExtensions, Self::A2aExtensions];

    /// The name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::XA2aExtensions => "x-a2a-extensions",
            Self::A2aExtensions => "a2a-extensions",
        }
    }
}

/// Whether a client activates `uri`; if so, answer with the returned header, whose value is `uri`.
///
/// `headers` are all headers of the two names as they came. Extensions that are unknown are ignored, and a version
/// never stands in for another: the identifiers must be equal, letter for letter.
pub fn activated<'a>(
    headers: impl IntoIterator<Item = (ExtensionHeader, &'a str)>,
    uri: &str,
) -> Option<ExtensionHeader> {
    let mut named = headers
        .into_iter()
        .filter(|(_, value)| value.split(',').any(|item| item.trim() == uri));
    named.next().map(|(header, _)| header)
}
