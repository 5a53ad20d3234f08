//! Persons of an OpenID provider who have joined accounts.

/// A person, as an OpenID provider names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The issuer, exactly as it names itself.
    pub issuer: String,
    /// The name of the person there. It is never given to another one.
    pub subject: String,
}
