//! Keeps a provider's key out of logs.

use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::str::FromStr;

/// A key of the model provider.
/// It cannot be printed, serialised or compared.
/// Its memory is wiped on drop.
#[derive(Clone)]
pub struct ProviderKey(SecretString);

/// The reason why a text is no key.
/// It does not quote the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// The text is empty.
    #[error("the provider key is empty")]
    Empty,
    /// More than 512 bytes.
    #[error("the provider key is longer than 512 bytes")]
    TooLong,
    /// A character that is not allowed in a header.
    #[error("the provider key contains characters other than visible ASCII")]
    BadCharacter,
}

impl ProviderKey {
    /// The secret, for the one request header it belongs in.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl FromStr for ProviderKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim_matches(' ');
        if text.is_empty() {
            return Err(BadKey::Empty);
        }
        if text.len() > 512 {
            return Err(BadKey::TooLong);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadKey::BadCharacter);
        }
        Ok(Self(SecretString::from(text)))
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_visible_ascii_up_to_512_bytes() {
        assert_eq!(
            " sk-or-v1-x ".parse::<ProviderKey>().unwrap().expose(),
            "sk-or-v1-x"
        );
        let parse = |text: &str| text.parse::<ProviderKey>().map(|_| ());
        assert_eq!(parse(""), Err(BadKey::Empty));
        assert_eq!(parse("a\nb"), Err(BadKey::BadCharacter));
        assert_eq!(parse("a b"), Err(BadKey::BadCharacter));
        assert_eq!(parse("schlüssel"), Err(BadKey::BadCharacter));
        assert_eq!(parse(&"k".repeat(512)), Ok(()));
        assert_eq!(parse(&"k".repeat(513)), Err(BadKey::TooLong));
    }

    #[test]
    fn debug_shows_nothing() {
        let key: ProviderKey = "sk-secret".parse().unwrap();
        assert_eq!(format!("{key:?}"), "ProviderKey(..)");
    }
}
