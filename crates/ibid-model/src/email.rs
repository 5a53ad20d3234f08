//! The e-mail address of an account.

use crate::is_display_control;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An e-mail address, in lower case: two spellings of one address are one account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
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
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads an address that has an account, a mail or a right already. Earlier versions took hosts and names that
    /// nobody can be invited by now, such as `a@localhost`.
    ///
    /// # Errors
    /// The text never was an address.
    pub fn stored(text: &str) -> Result<Self, EmailError> {
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

impl FromStr for Email {
    type Err = EmailError;

    /// Takes hosts of the public internet, and names that no program reads as an option.
    fn from_str(text: &str) -> Result<Self, EmailError> {
        let email = Self::stored(text)?;
        let (name, host) = email.0.split_once('@').ok_or(EmailError::Form)?;
        let is_hidden = |letter: char| letter.is_whitespace() || is_display_control(letter);
        let is_label = |label: &str| {
            let ends = label.starts_with('-') || label.ends_with('-');
            !label.is_empty() && !ends && label.chars().all(|c| c.is_alphanumeric() || c == '-')
        };
        let last = host.rsplit_once('.').map(|(_, last)| last);
        let is_named = last.is_some_and(|last| !last.bytes().all(|b| b.is_ascii_digit()));
        let is_public = is_named && host.split('.').all(is_label);
        let is_plain = !name.starts_with('-') && !name.contains("..") && !name.chars().any(is_hidden);
        (is_public && is_plain).then_some(email).ok_or(EmailError::Form)
    }
}

impl TryFrom<String> for Email {
    type Error = EmailError;

    /// Reads what is stored.
    fn try_from(text: String) -> Result<Self, EmailError> {
        Self::stored(&text)
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
        for text in [
            "a@b.example",
            "ada+test@example.com",
            "søren@exämple.dk",
            "a-b@x-y.example",
        ] {
            assert!(text.parse::<Email>().is_ok(), "{text}");
        }
        for text in [
            "", "ada", "@b", "a@", "a@b@c", "a b@c", "a@b\n", "a\0@b", "<a@b>", ".a@b", "a@b.", "a,b@c",
        ] {
            let parsed = text.parse::<Email>();
            assert!(text.ends_with('\n') || parsed.is_err(), "{text:?}");
        }
        // What earlier versions took stays known, and nobody is added by it.
        for text in [
            "a@localhost",
            "a@b..example",
            "--help@b.example",
            "a..b@c.example",
            "a@-b.example",
            "a@127.0.0.1",
            "a\u{202e}b@c.example",
            "a@b_c.example",
            "a@b/c.example",
        ] {
            assert_eq!(text.parse::<Email>(), Err(EmailError::Form), "{text:?}");
            assert!(Email::stored(text).is_ok(), "{text:?}");
        }
        assert_eq!("x".repeat(255).parse::<Email>(), Err(EmailError::TooLong));
    }
}
