//! Sign-in by an OpenID provider: the authorization code flow with state, nonce and PKCE.
//!
//! A person is known by issuer and subject, never by the address alone. An address leads to an account only if the
//! provider has verified it and a person who is signed in to the account confirms.
//! Between the steps the browser keeps signed passes; the store keeps nothing of an unfinished sign-in.

mod claims;
mod join;
mod pass;
mod provider;

pub use join::{OpenIdEnd, OpenIdError, OpenIdRefusal, OpenIdReturn};
pub use provider::{OpenId, OpenIdTerms, ProviderFault};

/// The ways to sign in.
#[derive(Debug)]
pub struct SignInTerms {
    /// Whether people sign in with passwords. One-time links open a way in all the same.
    pub passwords: bool,
    pub openid: Option<OpenId>,
}

impl Default for SignInTerms {
    fn default() -> Self {
        Self {
            passwords: true,
            openid: None,
        }
    }
}
