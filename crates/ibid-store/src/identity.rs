//! Persons of an OpenID provider who have joined accounts.

use serde::Deserialize;

/// A person, as an OpenID provider names it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Identity {
    /// The issuer, exactly as it names itself.
    pub issuer: String,
    /// The provider's name for the person. It is never given to another one.
    pub subject: String,
}
