//! What the surfaces need to know about their deployment.

use crate::cors::CorsOrigins;
use crate::metrics::Metrics;
use crate::proxies::TrustedProxies;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use url::Url;

/// What the surfaces need to know about their deployment.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// The bearer key of the v1 API; without one every call is refused.
    pub api_key: Option<ApiKey>,
    /// The address under which callers reach the service, for links.
    pub base_url: Url,
    /// Whom to ask for access.
    pub contact_email: Option<String>,
    /// Sites whose scripts may call the paid surface.
    pub cors_origins: CorsOrigins,
    /// Proxies whose word is taken about the address of a caller.
    pub trusted_proxies: TrustedProxies,
    /// Where answers are counted.
    pub metrics: Metrics,
}

/// The bearer key of the v1 API. Only its SHA-256 digest is kept, so comparing takes the same time whatever the
/// caller sent, and there is nothing to print.
#[derive(Clone)]
pub struct ApiKey([u8; 32]);

impl ApiKey {
    /// Takes the digest of a key.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// Whether `candidate` is the key.
    #[must_use]
    pub fn matches(&self, candidate: &[u8]) -> bool {
        let digest: [u8; 32] = Sha256::digest(candidate).into();
        self.0.ct_eq(&digest).into()
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_matches() {
        let key = ApiKey::new("sandbox");
        assert!(key.matches(b"sandbox"));
        for other in [&b""[..], b"sandbo", b"sandbox ", b"Sandbox"] {
            assert!(!key.matches(other));
        }
        assert_eq!(format!("{key:?}"), "ApiKey(..)");
    }
}
