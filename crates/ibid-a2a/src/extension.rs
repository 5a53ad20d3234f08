//! The extensions that a client activates.

/// Headers that list extensions: there are two names.
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
    pub const fn name(self) -> &'static str {
        match self {
            Self::XA2aExtensions => "x-a2a-extensions",
            Self::A2aExtensions => "a2a-extensions",
        }
    }
}

/// Returns the extensions of `known` that a client activates, and the first header with one.
/// The answer names the extensions in that header.
///
/// `headers` are all headers of the two names, unchanged.
/// Unknown extensions are ignored.
/// Identifiers must be equal, letter for letter, so a version never replaces another.
pub fn activated<'a, 'k>(
    headers: impl IntoIterator<Item = (ExtensionHeader, &'a str)>,
    known: &[&'k str],
) -> Option<(ExtensionHeader, Vec<&'k str>)> {
    let mut found: Option<(ExtensionHeader, Vec<&'k str>)> = None;
    for (header, value) in headers {
        for item in value.split(',').map(str::trim) {
            let Some(uri) = known.iter().find(|uri| **uri == item) else {
                continue;
            };
            let (_, uris) = found.get_or_insert_with(|| (header, Vec::new()));
            if !uris.contains(uri) {
                uris.push(uri);
            }
        }
    }
    found
}
